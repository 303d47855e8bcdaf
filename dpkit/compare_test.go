package dpkit

import (
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// TestCompareRecommends: the rules, on a schema whose only fitted step is an imputation.
func TestCompareRecommends(t *testing.T) {
	t.Parallel()
	data := demo(t, tinyFrame(t, 20000, 1)).Data().OneHot().Indicate()
	c := must(data.Impute(Mean{}).Scale().FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6}).Compare())
	if len(c.Steps) != 4 || c.Steps[0].Step != 2 || c.Steps[1].Step != 3 || c.Steps[2].Step != 4 || c.Steps[3].Step != 5 {
		t.Fatalf("want the indicators, the imputation, Scale and the fit compared:\n%v", c)
	}
	s := c.Steps[1]
	kinds := map[stage.Kind]cost.Variant{}
	for _, v := range s.Variants {
		if v.Refused != "" {
			t.Errorf("%s: refused: %s", v.Name, v.Refused)
		}
		kinds[v.Kind] = v
	}
	if len(kinds) != 4 {
		t.Errorf("got kinds %v, want public, non-private, tested and private", kinds)
	}
	if s.Variants[0].Name != "Impute(Mean{})" || s.Variants[0].Noise != c.Written.Noise {
		t.Errorf("the first way is %q at noise × %v, want the written one at %v", s.Variants[0].Name, s.Variants[0].Noise, c.Written.Noise)
	}
	if got := s.Variants[s.Best]; got.Kind != stage.Public || c.Recommended.Noise != 1 {
		t.Errorf("recommended %v at noise × %v, want the public way at 1", got.Name, c.Recommended.Noise)
	}
	if p := kinds[stage.Private]; p.Share <= 0 || p.Noise < 1 || p.Noise > 1.1 {
		t.Errorf("private means: share %v, noise × %v, want a small price", p.Share, p.Noise)
	}
	if f, tt := kinds[stage.Fitted], kinds[stage.TestedFit]; !(tt.Noise < f.Noise) {
		t.Errorf("a certified number of missing rows must be cheaper: × %v against × %v", tt.Noise, f.Noise)
	}
	if text := c.String(); !strings.Contains(text, "* public") || !strings.Contains(text, "τ = ") {
		t.Errorf("the table lacks the recommendation:\n%s", text)
	}
}

// TestCompareIsPublic: the comparison is the same for every dataset of the schema and size.
func TestCompareIsPublic(t *testing.T) {
	at := func(seed uint64) string {
		data := demo(t, tinyFrame(t, 500, seed)).Data().OneHot()
		return must(data.Impute(Mean{}).Scale().Mean(Target{Epsilon: 1, Delta: 1e-6}).Compare()).String()
	}
	if a, b := at(1), at(2); a != b {
		t.Errorf("two datasets, two comparisons:\n%s\n%s", a, b)
	}
}
