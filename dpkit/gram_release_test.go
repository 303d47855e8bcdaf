package dpkit

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// TestGram: the release is the exact sum plus symmetric noise, of variance σ² on the diagonal and σ²/2 off it, at the
// sensitivity of one row; streamed rows give the same bits.
func TestGram(t *testing.T) {
	ctx := t.Context()
	f := tinyFrame(t, 500, 2)
	target := Target{Epsilon: 1, Delta: 1e-6}
	exact := must(publicSteps(must(OnPublic(frames.Public(f))).Data()).Gram(target).Release(ctx)).Value
	var first GramMatrix
	for i, held := range []int{1 << 20, 1} {
		s := must(Demo(f, 5, AddRemove))
		must(0, s.Memory(16*held))
		r := must(publicSteps(s.Data()).Gram(target).Release(ctx))
		if g := r.Cost.Guarantee; !(g.Epsilon <= 1 && g.Epsilon > 0.999) {
			t.Errorf("priced at %v", g)
		}
		if i == 0 {
			first = r.Value
		} else if !slices.Equal(first.Second, r.Value.Second) {
			t.Errorf("streamed rows give another release")
		}
		if s := r.Cost.Release.Sensitivity; !(s >= 1 && s < 1.001) {
			t.Errorf("sensitivity %g, want R² = 1", s)
		}
	}
	d := len(first.Columns)
	var diagonal, off, n float64
	for seed := range uint64(60) {
		m := must(publicSteps(must(Demo(f, seed, AddRemove)).Data()).Gram(target).Release(ctx)).Value
		for i := range d {
			for j := range d {
				e := (m.Second[i*d+j] - exact.Second[i*d+j]) / m.Sigma
				if m.Second[i*d+j] != m.Second[j*d+i] {
					t.Fatalf("not symmetric at %d, %d", i, j)
				}
				if i == j {
					diagonal += e * e
					n++
				} else if i < j {
					off += 2 * e * e
				}
			}
		}
	}
	// χ² with n degrees of freedom is within 7·√(2n) + 25 of n but with probability below 1e-10 (Laurent, Massart 2000).
	pairs := n * float64(d-1) / 2
	if math.Abs(diagonal-n) > 7*math.Sqrt(2*n)+25 || math.Abs(off-pairs) > 7*math.Sqrt(2*pairs)+25 {
		t.Errorf("variances %.3f and %.3f of what was priced", diagonal/n, off/pairs)
	}
	if spread := must(first.Spread(0.05)); !(spread > first.Sigma && spread < 4*first.Sigma*math.Sqrt(float64(d))) {
		t.Errorf("spread %g at σ = %g", spread, first.Sigma)
	}
	for _, err := range []error{
		second(first.Spread(0)), second(GramMatrix{}.Spread(0.1)),
		second(publicSteps(must(Demo(f, 1, AddRemove)).Data()).Gram(Target{Epsilon: 1, Noise: NoiseLaplace}).Cost()),
	} {
		if !errors.Is(err, ErrParameter) {
			t.Errorf("got %v, want ErrParameter", err)
		}
	}
}

// TestLinearAudits: losses of released moments, of a sketch, and of coefficients are those of single rows by hand.
func TestLinearAudits(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	schema := must(frames.NewSchema(frames.Numeric("a", -1, 1), frames.Numeric("b", -1, 1), frames.NumericLabel("y", -2, 2)))
	var rows [][]float64
	rng := noise.NewDemo(9)
	for range 200 {
		a, b := 2*rng.Float64()-1, 2*rng.Float64()-1
		rows = append(rows, []float64{a, b, a - b/2 + 0.2*rng.Float64()})
	}
	f := frameOf(t, schema, rows)
	data := func() Pipeline { return must(Demo(f, 4, AddRemove)).Data().Scale() }

	moments := data().Gram(Target{Epsilon: 1, Delta: 1e-6})
	m := must(moments.Release(ctx)).Value
	losses, _ := must(moments.Audit(ctx, m)).Losses.Open()
	exact := must(must(OnPublic(frames.Public(f))).Data().Scale().Gram(Target{Epsilon: 1, Delta: 1e-6}).Release(ctx)).Value
	scale := 1 / math.Sqrt2 // of two columns in [−1, 1]
	for i, row := range rows[:20] {
		x := []float64{scale * row[0], scale * row[1]}
		inner, square := 0.0, x[0]*x[0]+x[1]*x[1]
		for j := range 2 {
			for k := range 2 {
				inner += x[j] * x[k] * (m.Second[2*j+k] - exact.Second[2*j+k])
			}
		}
		if want := (inner + square*square/2) / (m.Sigma * m.Sigma); !(math.Abs(losses[i]-want) <= 1e-4*(1+math.Abs(want))) {
			t.Errorf("moments, row %d: %g, want %g", i, losses[i], want)
		}
	}

	sketch := data().GaussMix(Sketching{Epsilon: 1, Delta: 1e-6})
	w := must(sketch.Release(ctx)).Value
	losses, ok := must(sketch.Audit(ctx, w)).Losses.Open()
	if !ok || len(losses) != len(rows) || slices.Min(losses) < -3 || slices.Max(losses) > 3 || slices.Max(losses) == slices.Min(losses) {
		t.Errorf("sketch: %d losses from %g to %g", len(losses), slices.Min(losses), slices.Max(losses))
	}
	coefficients := data().FitLinear(LinearMixing{Epsilon: 1, Delta: 1e-6, CoefficientsOnly: true})
	model := must(coefficients.Release(ctx)).Value
	losses, ok = must(coefficients.Audit(ctx, model)).Losses.Open()
	if !ok || len(losses) != len(rows) || slices.Min(losses) < -3 || slices.Max(losses) > 3 || slices.Max(losses) == slices.Min(losses) {
		t.Errorf("coefficients: %d losses from %g to %g", len(losses), slices.Min(losses), slices.Max(losses))
	}
	for name, err := range map[string]error{
		"with intervals": second(data().FitLinear(LinearMixing{Epsilon: 1, Delta: 1e-6}).Audit(ctx, model)),
		"AdaSSP":         second(data().FitLinear(AdaSSP{Epsilon: 1, Delta: 1e-6}).Audit(ctx, model)),
		"eigenvalue":     second(data().GaussMix(Sketching{Epsilon: 1, Delta: 1e-6, ReleaseEigenvalue: true}).Audit(ctx, w)),
		"other model":    second(coefficients.Audit(ctx, LinearModel{})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
