package dpkit

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// unclipped passes for LogLoss by its methods, one of which it replaces.
type unclipped struct{ LogLoss }

func (unclipped) Factors([][]float64, []float64, []float64, float64, float64) error { return nil }

// seldom says that it reads fewer rows than it does.
type seldom struct{ PoissonSampling }

// generous takes a part of the budget that its text does not show.
type generous struct{ RMS }

func (generous) PartOf() float64 { return 0.5 }

// TestOptionsOfOthers: an option that is of no type of this module is refused, whatever it embeds, and its words are in no error.
func TestOptionsOfOthers(t *testing.T) {
	f := tinyFrame(t, 200, 3)
	d := must(Demo(f, 1, ReplaceOne)).Data()
	g := convexOptions{Epsilon: 1, Delta: 1e-6}
	for name, plan := range map[string]cost.Priced{
		"loss":       d.FitConvex(func() (Loss, ByGradient) { g := g; g.Loss = unclipped{}; return g.apart() }()),
		"a pointer":  d.FitConvex(func() (Loss, ByGradient) { g := g; g.Loss = &unclipped{}; return g.apart() }()),
		"solver":     d.FitConvex(func() (Loss, ByGradient) { g := g; g.Solver = seldom{PoissonSampling{}}; return g.apart() }()),
		"scale":      d.Standardize(generous{RMS{Floor: 0.1}}).Mean(Target{Epsilon: 1, Delta: 1e-6}),
		"its solver": d.FitConvex(func() (Loss, ByGradient) { g := g; g.Solver = &seldom{}; return g.apart() }()),
	} {
		if _, err := plan.Cost(); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), "want one of the types of package dpkit") {
			t.Errorf("%s: got %v, want that it is refused", name, err)
		}
	}
	if _, err := d.SuggestGradient(unclipped{}, ByGradient{Epsilon: 1, Delta: 1e-6}); !errors.Is(err, ErrParameter) {
		t.Errorf("suggestion: got %v, want that it is refused", err)
	}
}

// setting says the same of all its values.
type setting struct{ A float64 }

func (setting) Text() string { return "mode" }

type moded struct{ M setting }

func (moded) Check(in frames.Schema) (frames.Schema, error) { return in, nil }
func (moded) Propagate(st stage.Stage) (stage.Propagation, error) {
	return stage.Columnwise(st, stage.Bounds{K: 1, R: st.Before.R}, "a copy")
}

func (moded) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return stage.ByRow(func(dst, src []float64) { copy(dst, src) }), nil
}

// TestTextsOfOthers: the parameters of a step of another module tell releases apart, whatever methods their types have.
func TestTextsOfOthers(t *testing.T) {
	if err := stage.Register[moded]("example.com/steps/moded", 1); err != nil {
		t.Fatal(err)
	}
	if a, b := kind.TextOf(moded{setting{1}}), kind.TextOf(moded{setting{0.25}}); a == b {
		t.Errorf("two values have the text %s", a)
	}
}
