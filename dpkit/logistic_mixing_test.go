package dpkit

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/baseline"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// TestLogisticMixingScale: −b₁/2b₂ for monomial coefficients, not the 1.178 of Chebyshev coefficients at Q = 6.
func TestLogisticMixingScale(t *testing.T) {
	for q, want := range map[float64]float64{1: 2.0614, 3: 2.4902, 6: 3.5332} {
		if got := (glm.MixingFit{ByMixing: ByMixing{Range: q}}).Scale(); math.Abs(got-want) > 1e-4 {
			t.Errorf("Q = %g: scale %g, want %g", q, got, want)
		}
	}
}

// TestLogisticMixingMinimises: on public rows the model is the minimiser of Σ b₁s + b₂s² over the signed margins s.
func TestLogisticMixingMinimises(t *testing.T) {
	f := twoClasses(t, 400)
	for _, constant := range []bool{false, true} {
		o := ByMixing{Epsilon: 1, Delta: 1e-6, Range: 6, NoIntercept: !constant}
		m := must(must(OnPublic(frames.Public(f))).Data().Scale().FitLogistic(o).Release(t.Context())).Value
		_, b1, b2 := quad.LogisticQuadratic(6)
		linear := LinearModel{Columns: m.Columns, Coef: m.Coef, Intercept: m.Intercept, Lo: math.Inf(-1), Hi: math.Inf(1), Reader: m.Reader}
		margins := must(linear.Predict(t.Context(), frames.Public(f)))
		// Its derivatives in the coefficients vanish: Σ (b₁ + 2b₂s)·y·x = 0.
		var gradient [3]float64
		at := 0
		must(0, f.Scan(t.Context(), func(b *frames.Block) error {
			for i := range b.Rows {
				y := 2*b.Y[i] - 1
				g := (b1 + 2*b2*y*margins[at]) * y
				x := b.Row(i)
				for j, v := range []float64{x[0], x[1], 1} {
					gradient[j] += g * v
				}
				at++
			}
			return nil
		}))
		if !constant { // Scale centres both columns at ½: only their difference has no constant in it
			gradient = [3]float64{gradient[0] - gradient[1]}
		}
		// The public ridge is 1e-9 of a row, and cells are rounded to the grid of the moments.
		if g := num.Norm2(gradient[:]); g > 1e-2 {
			t.Errorf("intercept %v: gradient %v of 400 rows", constant, gradient)
		}
	}
}

// TestBaselineNoise: Kifer's constants add 2.3 to 3.2 times the noise of Alone, with half its ridge at least.
func TestBaselineNoise(t *testing.T) {
	f := twoClasses(t, 400)
	for _, eps := range []float64{0.1, 1, 5} {
		plan := func(o LogisticMethod) map[string]float64 {
			cost := must(must(Demo(f, 1, AddRemove)).Data().Scale().FitLogistic(o).Cost())
			if g := cost.Guarantee; !(g.Epsilon <= eps) || g.Delta != 1e-5 {
				t.Errorf("%+v: priced at %v", o, g)
			}
			out := map[string]float64{}
			for _, c := range cost.Release.Constants {
				out[c.Symbol] = c.Value
			}
			return out
		}
		ours, theirs := plan(ByObjective{Epsilon: eps, Delta: 1e-5, Alone: true}), plan(baseline.Kifer2012{Epsilon: eps, Delta: 1e-5})
		if r := theirs["σ"] / ours["σ"]; r < 2.3 || r > 3.3 {
			t.Errorf("ε = %g: %v times the noise", eps, r)
		}
		if r := theirs["Λ"] / ours["Λ"]; r < 0.45 || r > 1 {
			t.Errorf("ε = %g: %v times the ridge", eps, r)
		}
		if want := theirs["C"] * theirs["C"] / 2 / eps; theirs["Λ"] < want {
			t.Errorf("ε = %g: Λ = %v, below C²/2ε = %v", eps, theirs["Λ"], want)
		}
	}
}
