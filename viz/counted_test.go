package viz

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// visitsOfMany are rows of people who have one in each of six wards, more than the bound of the tests keeps.
func visitsOfMany(t *testing.T) dpkit.Pipeline {
	t.Helper()
	var b strings.Builder
	b.WriteString("p,ward,month,stay,age\n")
	for i := range 300 {
		for w := range 6 {
			fmt.Fprintf(&b, "p%d,w%d,2024-0%d-11,%d,%d\n", i, w, 1+(i+w)%6, (i*w)%20, i%80)
		}
	}
	schema, err := frames.NewSchema(frames.Person("p"), frames.Category("ward", "w0", "w1", "w2", "w3", "w4", "w5"), frames.Date("month", "2024-01-01", "2024-06-30"), frames.Numeric("stay", 0, 20), frames.Numeric("age", 0, 100))
	if err != nil {
		t.Fatal(err)
	}
	f, err := frames.ParseCSV(strings.NewReader(b.String()), "rows", schema, frames.CSVOptions{Header: true})
	if err != nil {
		t.Fatal(err)
	}
	s, err := dpkit.Demo(f, 1, dpkit.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	return s.Data()
}

// TestViewsSayWhatIsCounted: no view of numbers whose chain dropped rows says that its intervals hold the exact number; it says of what, in
// words, in HTML and on the picture.
func TestViewsSayWhatIsCounted(t *testing.T) {
	target := dpkit.Target{Epsilon: 1, Delta: 1e-6}
	p := visitsOfMany(t).Bound(dpkit.Contributing{Rows: 3})
	dates := p.Calendar("month", frames.Month)
	for name, of := range map[string]func() (View, error){
		"table": func() (View, error) { return shown(p.By("ward").Count().Mean("stay").Table(target)) },
		"table of many": func() (View, error) {
			return shown(dates.By("ward", frames.CalendarName("month", frames.Month)).Count().Table(target))
		},
		"people":    func() (View, error) { return shown(p.By("ward").People().Table(target)) },
		"quantiles": func() (View, error) { return shown(p.By("ward").Quantile(0.5, "stay").Table(target)) },
		"cumulative": func() (View, error) {
			return shown(dates.By(frames.CalendarName("month", frames.Month)).Count().Cumulative(target))
		},
		"found":        func() (View, error) { return shown(p.By("ward").People().Found(target)) },
		"count":        func() (View, error) { return shown(p.Count(target, dpkit.Is("ward", "w1"))) },
		"histogram":    func() (View, error) { return shown(p.Histogram("ward", target)) },
		"sum":          func() (View, error) { return shown(p.Select("stay", "age").Sum(target)) },
		"correlations": func() (View, error) { return shown(p.Select("stay", "age").Correlation(target)) },
		"quantile":     func() (View, error) { return shown(p.Quantile(target, 0.5, "stay")) },
	} {
		t.Run(name, func(t *testing.T) {
			v, err := of()
			if err != nil {
				t.Fatal(err)
			}
			forms := map[string]string{"text": strings.Join(strings.Fields(v.Text()), " "), "HTML": v.HTML()}
			if v.fig != nil {
				forms["picture"] = strings.Join(v.fig.Notes, " ") + strings.Join(v.fig.Alarms, " ")
				forms["words for the picture"] = v.alt
			}
			for form, text := range forms {
				if !strings.Contains(text, "at most 3 rows a person; rows beyond are not counted") {
					t.Errorf("%s does not say what is counted:\n%s", form, text)
				}
				for _, bare := range []string{"exact number of a group", "exact number up to", "exact number with"} {
					if strings.Contains(text, bare) {
						t.Errorf("%s claims the %s", form, bare)
					}
				}
			}
		})
	}
	told, err := shown(p.By("ward").Count().Dropped(5).Table(target))
	if err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string]string{"text": strings.Join(strings.Fields(told.Text()), " "), "HTML": told.HTML(), "picture": strings.Join(told.fig.Notes, " "), "words for the picture": told.alt} {
		if !strings.Contains(text, "The bound dropped about") || !strings.Contains(text, "rows, counting at most 5 of each person") {
			t.Errorf("%s does not say what was dropped:\n%s", form, text)
		}
	}
	v, err := shown(visitsOfMany(t).PerPerson(dpkit.CountRows{Max: 4}).Bin([]float64{2, 4}, "rows").By("rows").Count().Table(target))
	if text := strings.Join(strings.Fields(v.Text()), " "); err != nil || !strings.Contains(text, "Counted: people, one row each; \"rows\" counts at most 4 of a person.") {
		t.Errorf("of people: %v\n%s", err, text)
	}
}

func shown[V any](p dpkit.Plan[V]) (View, error) {
	r, err := p.Release(context.Background())
	return Value(r.Value), err
}

// TestResultsSayWhatIsCounted: under a value, and under each of a joint release, stands what it is of; nothing where that is all rows.
func TestResultsSayWhatIsCounted(t *testing.T) {
	target := dpkit.Target{Epsilon: 1, Delta: 1e-6}
	p := visitsOfMany(t)
	bound, where := p.Bound(dpkit.Contributing{Rows: 3}), p.Where(dpkit.Is("ward", "w1")).Bound(dpkit.Contributing{Rows: 3})
	one, err := bound.By("ward").Count().Table(target).Release(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	all, err := dpkit.Together(target, bound.By("ward").Count().Table(dpkit.Target{}), where.By("ward").Count().Table(dpkit.Target{})).Release(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		View
		want []string
	}{
		"one":   {Result(one), []string{"counted at most 3 rows a person; rows beyond are not counted"}},
		"joint": {Result(all), []string{"1. counted at most 3 rows a person", `2. counted rows that meet Is("ward", "w1"); at most 3 rows a person; rows beyond are not counted`}},
	} {
		text := strings.Join(strings.Fields(c.Text()), " ")
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: want %q in\n%s", name, want, c.Text())
			}
		}
	}
}
