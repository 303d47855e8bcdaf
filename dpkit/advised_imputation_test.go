package dpkit

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// advised is an imputation that an error names, on a column.
var advised = regexp.MustCompile(`Impute\((Midpoint|Fixed|Mean)\{(?:Value: 0)?\}, "([^"]+)"\)`)

// TestAdvisedImputations: what an error advises about cells that may miss is taken by the column at hand, whatever its kind, and the error is gone.
func TestAdvisedImputations(t *testing.T) {
	columns := map[string]frames.Column{
		"number": frames.Numeric("c", 0, 9), "date": frames.Date("c", "2024-01-01", "2024-12-31"), "no bounds": frames.Unbounded("c"),
		"category": frames.Category("c", "a", "b"), "texts": frames.Text("c"),
	}
	target := Target{Epsilon: 1, Delta: 1e-6}
	ends := map[string]func(p Pipeline) error{
		"label of numbers": func(p Pipeline) error {
			_, err := p.PerPerson(CountRows{Max: 3}, PersonLabel{Of: MeanOf{Column: "c"}}).Schema()
			return err
		},
		"label of levels": func(p Pipeline) error {
			_, err := p.PerPerson(CountRows{Max: 3}, PersonLabel{Of: MostFrequent{Column: "c"}}).Schema()
			return err
		},
	}
	for name, of := range map[string]func(p Pipeline) AnyPlan{
		"mean":         func(p Pipeline) AnyPlan { return p.By("g").Mean("c").Table(target) },
		"sum":          func(p Pipeline) AnyPlan { return p.By("g").Sum("c").Table(target) },
		"variance":     func(p Pipeline) AnyPlan { return p.By("g").Variance("c").Table(target) },
		"quantile":     func(p Pipeline) AnyPlan { return p.By("g").Quantile(0.5, "c").Table(target) },
		"share":        func(p Pipeline) AnyPlan { return p.By("g").Share("c", "a").Table(target) },
		"means":        func(p Pipeline) AnyPlan { return p.Select("c").Mean(target) },
		"winsorize":    func(p Pipeline) AnyPlan { return p.Select("c").Winsorize(SmoothedQuantile{Q: 0.1}, "c").Mean(target) },
		"components":   func(p Pipeline) AnyPlan { return p.Select("c").PCA(Ramp{Start: 0.1, Width: 0.3}).Mean(target) },
		"correlation":  func(p Pipeline) AnyPlan { return p.Correlation(target, "c", "x") },
		"one quantile": func(p Pipeline) AnyPlan { return p.Quantile(Target{Epsilon: 1}, 0.5, "c") },
	} {
		ends[name] = func(p Pipeline) error {
			_, err := of(p).plan().quote()
			return err
		}
	}
	followed := 0
	for kind, c := range columns {
		cells := []frames.Column{frames.Category("g", "u", "v"), frames.Numeric("x", 0, 9), c.MayMiss()}
		rows := must(Demo(must(frames.ParseCSV(strings.NewReader("g,x,c\nu,1,\nv,2,\n"), "t", mustSchema(cells...), frames.CSVOptions{Header: true})), 1, ReplaceOne))
		people := must(Demo(must(frames.ParseCSV(strings.NewReader("id,g,x,c\np,u,1,\nq,v,2,\n"), "t", withPerson(mustSchema(cells...)), frames.CSVOptions{Header: true})), 1, ReplaceOne))
		for name, end := range ends {
			s := rows
			if strings.HasPrefix(name, "label") {
				s = people
			}
			err := end(s.Data())
			if err == nil || !strings.Contains(err.Error(), "mpute") {
				continue
			}
			what := []string{"", "Midpoint", "c"}
			if m := advised.FindStringSubmatch(err.Error()); m != nil {
				what = m
			} else if !strings.Contains(err.Error(), "Impute first") && !strings.Contains(err.Error(), "Impute before") {
				if strings.Contains(err.Error(), "no imputation fills") {
					continue
				}
				t.Errorf("%s of %s: advice that names no imputation: %v", name, kind, err)
				continue
			}
			followed++
			with := map[string]Imputer{"Midpoint": Midpoint{}, "Fixed": Fixed{Value: 0}, "Mean": Mean{}}[what[1]]
			if after := end(s.Data().Impute(with, what[2])); after != nil && (strings.Contains(after.Error(), "mpute") || strings.Contains(after.Error(), "Impute(")) {
				t.Errorf("%s of %s: it advises %q, which leads to: %v", name, kind, fmt.Sprint(err), after)
			}
		}
	}
	if followed < 10 {
		t.Errorf("%d errors advise an imputation: the test looks for other words", followed)
	}
}
