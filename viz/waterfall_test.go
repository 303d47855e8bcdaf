package viz

import (
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

func TestShares(t *testing.T) {
	public, fitted := stage.RolePublic, stage.RoleNonPrivate
	for name, c := range map[string]struct {
		roles []stage.Role
		tau   []float64
		want  []float64
	}{
		"none":                         {},
		"all public":                   {[]stage.Role{public, public}, []float64{0, 0}, []float64{0, 0}},
		"one cause, rescaled":          {[]stage.Role{public, fitted, public}, []float64{0, 2, 0.5}, []float64{0, 1, 0}},
		"two causes":                   {[]stage.Role{fitted, fitted}, []float64{1, 4}, []float64{0.25, 0.75}},
		"two causes, map between":      {[]stage.Role{fitted, public, fitted}, []float64{4, 1, 2}, []float64{0.5, 0, 0.5}},
		"a fitted step that lowers it": {[]stage.Role{fitted, fitted, fitted}, []float64{1, 4, 2}, []float64{0.25, 0.75, 0}},
		"deleted at the end":           {[]stage.Role{fitted, public}, []float64{1, 0}, []float64{0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			var steps []cost.Step
			for i, r := range c.roles {
				steps = append(steps, cost.Step{Role: r, Displacement: c.tau[i]})
			}
			got := shares(steps)
			if len(got) != len(c.want) {
				t.Fatalf("got %v", got)
			}
			for i := range got {
				if math.Abs(got[i]-c.want[i]) > 1e-12 {
					t.Errorf("got %v, want %v", got, c.want)
				}
			}
		})
	}
}

// The bars of the first panel end where S/S_free is.
func TestBuildUpEndsAtA(t *testing.T) {
	real, _ := demoResult(t)
	for name, c := range map[string]dpkit.Cost{"by hand": handCost(true), "real": real} {
		t.Run(name, func(t *testing.T) {
			bars := buildUp(c).Bars
			want := c.Release.Amplification()
			last, together := bars[len(bars)-2].Spans[0].To, bars[len(bars)-1].Spans[1].To
			if math.Abs(last-want) > 1e-9 || math.Abs(together-want) > 1e-9 || !(want > 1) {
				t.Errorf("steps end at %v, together at %v, want %v", last, together, want)
			}
		})
	}
}

// Costs with hostile numbers draw something, and say what the number is.
func TestWaterfallOfOddNumbers(t *testing.T) {
	odd := []float64{0, math.NaN(), math.Inf(1), -1, 1e300, 5e-324}
	for _, x := range odd {
		for _, y := range []float64{x, 1} {
			c := handCost(false)
			c.Release.Sensitivity, c.Release.FreeSensitivity, c.Release.Nominal = x, y, x
			c.Steps[1].Displacement, c.Guarantee.Epsilon = y, x
			if _, err := Waterfall(c).SVG(); err != nil {
				t.Errorf("S = %v, S_free = %v: %v", x, y, err)
			}
			_ = Waterfall(c).Text() + Cost(c).HTML()
		}
		m := handModel()
		m.Coef[0], m.Intercept = x, x
		if s := Coefficients(m, 0).Text(); !strings.Contains(s, near(x)) {
			t.Errorf("coefficient %v is not shown: %s", x, s)
		}
	}
	if _, err := Waterfall(dpkit.Cost{}).PNG(); err != nil {
		t.Error(err)
	}
	if _, err := Coefficients(dpkit.LogisticModel{}, 3).PNG(); err != nil {
		t.Error(err)
	}
}

func TestRealCost(t *testing.T) {
	c, r := demoResult(t)
	text := Cost(c).Text()
	for _, want := range []string{"OneHot()", "Impute(Mean{})", "Scale()", "non-private", up(c.Release.Uncounted), up(c.Release.Nominal), "replace-one, unconditional"} {
		if !strings.Contains(text, want) {
			t.Errorf("the cost table lacks %q:\n%s", want, text)
		}
	}
	if !(c.Release.Uncounted < c.Guarantee.Epsilon && c.Guarantee.Epsilon < c.Release.Nominal) {
		t.Errorf("uncounted %v, promised %v, nominal %v", c.Release.Uncounted, c.Guarantee.Epsilon, c.Release.Nominal)
	}
	v := Result(r)
	if s := v.Text(); !strings.Contains(s, "!! NOT PRIVATE") || strings.Contains(s, "-DP") || strings.Contains(s, "ε") {
		t.Errorf("a demonstration shows\n%s", s)
	}
	if s := v.HTML(); !strings.Contains(s, "<strong>NOT PRIVATE:</strong>") {
		t.Errorf("a demonstration shows\n%s", s)
	}
	m := Coefficients(r.Value, 10)
	if n := len(m.fig.Panels[0].(barPanel).Bars); n != 10 {
		t.Errorf("got %d bars", n)
	}
	if c.Guarantee.Neighbours != accountant.ReplaceOne {
		t.Errorf("got %v", c.Guarantee.Neighbours)
	}
}
