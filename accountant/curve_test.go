package accountant

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func zcdp(rho float64) Curve { return func(alpha float64) float64 { return rho * alpha } }

func TestCurveEdges(t *testing.T) {
	inf := math.Inf(1)
	pure := Curve(func(alpha float64) float64 { return min(0.5*alpha*0.25, 0.5) })
	unknown := Curve(func(float64) float64 { return inf })
	nan := Curve(func(float64) float64 { return math.NaN() })
	free := Curve(func(float64) float64 { return 0 })
	cases := []struct {
		name      string
		curve     Curve
		delta     float64
		eps       float64
		wantOrder float64
	}{
		{"pure DP at δ = 0", pure, 0, 0.5, inf},
		{"no pure DP at δ = 0", zcdp(1), 0, inf, inf},
		{"anything at δ = 1", unknown, 1, 0, inf},
		{"no bound", unknown, 1e-6, inf, inf},
		{"NaN is no bound", nan, 1e-6, inf, inf},
		{"equal laws", free, 1e-6, 0, inf},
		{"equal laws at δ = 0", free, 0, 0, inf},
		{"large δ", zcdp(0.01), 0.5, 0, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			eps, order, err := c.curve.Epsilon(c.delta)
			if err != nil || eps != c.eps || (c.wantOrder != 0 && order != c.wantOrder) {
				t.Errorf("got ε = %g at order %g, %v, want %g at %g", eps, order, err, c.eps, c.wantOrder)
			}
		})
	}
	for name, c := range map[string]struct {
		curve Curve
		eps   float64
		want  float64
	}{
		"pure DP reached": {pure, 0.5, 0},
		"no bound":        {unknown, 3, 1},
		"NaN":             {nan, 3, 1},
		"equal laws":      {free, 0, 0},
		"ε = 0, no bound": {zcdp(1e5), 0, 1},
	} {
		if delta, _, err := c.curve.Delta(c.eps); err != nil || delta != c.want {
			t.Errorf("%s: got δ = %g, %v, want %g", name, delta, err, c.want)
		}
	}
}

func TestCurveErrors(t *testing.T) {
	c := zcdp(1)
	nan, inf := math.NaN(), math.Inf(1)
	for _, d := range []float64{-1e-9, 1.5, nan} {
		if _, _, err := c.Epsilon(d); !errors.Is(err, ErrDelta) {
			t.Errorf("Epsilon(%g): got %v, want ErrDelta", d, err)
		}
	}
	for _, e := range []float64{-1, nan, inf} {
		if _, _, err := c.Delta(e); !errors.Is(err, ErrEpsilon) {
			t.Errorf("Delta(%g): got %v, want ErrEpsilon", e, err)
		}
	}
	for _, a := range []float64{1, 0.5, -2, nan} {
		if _, err := c.EpsilonAt(a, 1e-6); !errors.Is(err, ErrOrder) {
			t.Errorf("EpsilonAt(%g): got %v, want ErrOrder", a, err)
		}
		if _, err := c.DeltaAt(a, 1); !errors.Is(err, ErrOrder) {
			t.Errorf("DeltaAt(%g): got %v, want ErrOrder", a, err)
		}
	}
}

// TestCurveFindsTheOrder: the search is as good as a fine grid, for smooth curves, for curves that end at an
// order, for curves with steps and with noise in the last digits.
func TestCurveFindsTheOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	end := func(c Curve, last float64) Curve {
		return func(alpha float64) float64 {
			if alpha > last {
				return math.Inf(1)
			}
			return c(alpha)
		}
	}
	curves := map[string]Curve{
		"flat":      zcdp(1e-10),
		"steep":     zcdp(1e4),
		"ends at 5": end(zcdp(0.1), 5),
		"steps":     func(alpha float64) float64 { return 0.02 * math.Ceil(alpha/3) },
		"noisy":     func(alpha float64) float64 { return 0.03 * alpha * (1 + 1e-12*rng.Float64()) },
		"two wells": func(alpha float64) float64 { return min(0.05*alpha, 0.3+0.001*alpha) },
	}
	for name, c := range curves {
		for _, delta := range []float64{0.1, 1e-6, 1e-100} {
			eps, order, err := c.Epsilon(delta)
			if err != nil {
				t.Fatal(err)
			}
			at, err := c.EpsilonAt(order, delta)
			if err != nil || math.Abs(at-eps) > 1e-9*eps {
				t.Errorf("%s, δ = %g: ε = %g is not that of its order %g: %g, %v", name, delta, eps, order, at, err)
			}
			best := math.Inf(1)
			for u := math.Log(1e-6); u < math.Log(1e8); u += 0.003 {
				at, err := c.EpsilonAt(1+math.Exp(u), delta)
				if err != nil {
					t.Fatal(err)
				}
				best = min(best, at)
			}
			if eps > best*(1+1e-3) {
				t.Errorf("%s, δ = %g: ε = %.9g at order %.5g, a grid finds %.9g", name, delta, eps, order, best)
			}
			// Back again: the curve gives δ at that ε.
			back, _, err := c.Delta(eps)
			if err != nil || back > delta*(1+1e-6) {
				t.Errorf("%s: δ = %g at the ε of δ = %g, %v", name, back, delta, err)
			}
		}
	}
}

func BenchmarkCurveEpsilon(b *testing.B) {
	c := zcdp(0.1)
	for b.Loop() {
		if _, _, err := c.Epsilon(1e-6); err != nil {
			b.Fatal(err)
		}
	}
}
