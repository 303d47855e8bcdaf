package dpkit

import (
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// TestCompareWays: every step lists the ways that are known, prices them, and recommends by the rules. A way that is
// refused in a chain says why.
func TestCompareWays(t *testing.T) {
	data := demo(t, tinyFrame(t, 20000, 1)).Data()
	for _, c := range []struct {
		name  string
		chain Pipeline
		step  int      // of the comparison, from 0
		best  string   // the recommended way begins so
		ways  []string // further ways, in any order
	}{
		{"median", data.OneHot().Impute(Median{}, "pay").Impute(Midpoint{}).Scale(), 0, `Impute(PrivateMean{Share: 0.0`, []string{`Impute(Midpoint{}, "pay")`, "Impute(Median{}", "Impute(TrimmedMean{Trim: 0.4", "Impute(PrivateMean{"}},
		{"ridge", data.OneHot().Impute(Midpoint{}, "work", "home").Scale().Impute(Ridge{Lambda: 0.3}, "pay"), 1, `Impute(Ridge{Lambda: 0.3, MaxMissing: Test(`, []string{"Impute(Midpoint{}", "Impute(Mean{", "Impute(PrivateMean{"}},
		{"ball", data.Select("age", "pay").Dedup(Ball{Eta: 0.1, MaxCluster: 3}).Impute(Midpoint{}).Scale(), 0, "Dedup(Grid{Width: 0.2", []string{"Dedup(Exact{})", "Dedup(Ball{Eta: 0.1, MaxCluster: 3})"}},
		{"ball of a key", data.Dedup(Ball{Eta: 0.1, MaxCluster: 3}, "age").OneHot().Impute(Midpoint{}).Scale(), 0, `Dedup(Grid{Width: 0.2}, "age")`, []string{`Dedup(Exact{}, "age")`}},
		{"declared ball", data.Select("age").Dedup(Ball{Eta: 0.1, MaxCluster: 3, Declared: true}).Scale(), 0, "Dedup(Grid", []string{"Dedup(Ball{Eta: 0.1, MaxCluster: 3})"}},
		{"declared block", data.Select("age").QuantizeBall(Ball{Eta: 0.1, MaxBlock: Declare(30)}).Scale(), 0, "Quantize(0.2", []string{"QuantizeBall(Ball{Eta: 0.1, MaxBlock: Test(30"}},
		{"smallest of a cell", data.Select("age").Dedup(Grid{Width: 1, Representative: CellSmallest}).Scale(), 0, "Dedup(Grid{Width: 1})", []string{"Dedup(Exact{})"}},
		{"payload", data.Dedup(Exact{}, "age").OneHot().Impute(Midpoint{}).Scale(), 0, `Dedup(Exact{}, "age")`, []string{"Dedup(Exact{})"}},
		{"target", data.TargetEncode(TargetPrior{Weight: 10, Value: 0.5}, "work").OneHot().Impute(Midpoint{}).Scale(), 0, `OneHot("work")`, []string{`Ordinal("work")`, "TargetEncode"}},
		{"frequency", data.FrequencyEncode("work").OneHot().Impute(Midpoint{}).Scale(), 0, `OneHot("work")`, []string{`Ordinal("work")`, "FrequencyEncode"}},
		{"ranks", data.RankTransform("age").OneHot().Impute(Midpoint{}).Scale(), 0, "RankTransform", []string{"Bin([", "Quantize(7.3, \"age\")"}},
		{"quantile bins", data.QuantileBin(4, "age", "pay").OneHot().Impute(Midpoint{}).Scale(), 0, "QuantileBin", []string{"Quantize(18.25"}},
		{"centre", data.Select("age").Scale().Center(), 0, "Center()", []string{"Scale()"}},
		{"largest values", data.Select("age").MaxAbs(50), 0, "MaxAbs(50)", []string{"Scale()"}},
		{"winsorise", data.Select("age").Winsorize(SmoothedQuantile{Q: 0.1, Window: 0.1}, "age").Scale(), 0, "Winsorize(SmoothedQuantile", []string{"Winsorize(PublicQuantiles"}},
		{"selection", data.OneHot().Impute(Midpoint{}).Scale().SelectFeatures(SoftSelect{Lambda: 0.01}), 1, "SelectFeatures", []string{`Select("age", "work", "pay", "home")`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.chain.Mean(Target{Epsilon: 1, Delta: 1e-6}).Compare()
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Steps) <= c.step {
				t.Fatalf("%d steps compared:\n%v", len(got.Steps), got)
			}
			s := got.Steps[c.step]
			if b := s.Variants[s.Best]; !strings.HasPrefix(b.Name, c.best) || b.Refused != "" {
				t.Errorf("recommended %s (%s), want %s:\n%v", b.Name, b.Refused, c.best, got)
			}
			for _, w := range c.ways {
				found := false
				for _, v := range s.Variants {
					found = found || strings.HasPrefix(v.Name, w)
					if v.Refused == "" && !(v.Noise >= 1-1e-9 && !math.IsInf(v.Noise, 1)) {
						t.Errorf("%s: noise × %v", v.Name, v.Noise)
					}
				}
				if !found {
					t.Errorf("%s is not listed:\n%v", w, got)
				}
			}
			if r := got.Recommended; r.Refused != "" || !(r.Error <= got.Written.Error) {
				t.Errorf("recommended: error %v (%s), as written %v", r.Error, r.Refused, got.Written.Error)
			}
		})
	}
}

// TestInaccurateMeansAreNotRecommended: where a displacement of every row makes the query's sensitivity large, the table
// says that private means are of no use, whether they were written or not.
func TestInaccurateMeansAreNotRecommended(t *testing.T) {
	data := demo(t, tinyFrame(t, 400, 1)).Data().OneHot().Impute(Median{}, "pay")
	for _, how := range []Imputer{Mean{}, PrivateMean{Share: 0.2}} {
		c, err := data.Impute(Midpoint{}, "home").Impute(how, "work").Scale().Mean(Target{Epsilon: 0.5, Delta: 1e-6}).Compare()
		if err != nil {
			t.Fatal(err)
		}
		s := c.Steps[len(c.Steps)-1]
		for i, v := range s.Variants {
			if v.Kind != stage.Private {
				continue
			}
			if !strings.Contains(v.Note, "too inaccurate here") || strings.Contains(v.Note, "e+") {
				t.Errorf("%s: got note %q, want that it is too inaccurate", v.Name, v.Note)
			}
			if i == s.Best {
				t.Errorf("%s is recommended", v.Name)
			}
		}
	}
}
