package accountant

import (
	"errors"
	"math"
	"testing"
)

// TestAttackWidened: where deviations are rounded up by any factor up to 1 + excess, no pair of norms, distances and factors
// exceeds the widened curve; without the widening some do.
func TestAttackWidened(t *testing.T) {
	const excess = 0.01
	for _, c := range []struct {
		eta, gamma float64
		d          int
	}{{0.1, 0.5, 1}, {0.02, 0.01, 20}, {0.5, 3, 4}} {
		r := RelativeGaussian{Eta: c.eta, Gamma: c.gamma, Dim: c.d, Matched: 1, Neighbours: ReplaceOne}
		wide := must[RelativeGaussian](t)(r.Widened(excess))
		plain, curve := curveOf(t, r, ReplaceOne), curveOf(t, wide, ReplaceOne)
		for _, share := range []float64{0.05, 0.5, 0.9} {
			alpha := 1 + share/(wide.Eta*(2+wide.Eta))
			worst := 0.0
			for i := range 101 { // the other norm, both deviations are rounded separately
				b := 1 + c.eta*float64(i)/100
				for _, k := range [][2]float64{{1, 1}, {1 + excess, 1}, {1, 1 + excess}, {1 + excess, 1 + excess}, {1 + excess/2, 1}} {
					for _, v := range [2][2]float64{{k[0], b * k[1]}, {b * k[1], k[0]}} {
						d, err := SphericalPair{Distance: c.eta, From: c.gamma * v[0] * v[0], To: c.gamma * v[1] * v[1], Coordinates: c.d}.Divergence(alpha)
						if err != nil {
							t.Fatal(err)
						}
						worst = max(worst, d)
					}
				}
			}
			if !(worst <= curve(alpha)*(1+1e-12)) {
				t.Errorf("%v, order %g: a pair has %.9g, the widened curve %.9g", r, alpha, worst, curve(alpha))
			}
			if !(worst > plain(alpha)) {
				t.Errorf("%v, order %g: the widening is for nothing: %g at most %g", r, alpha, worst, plain(alpha))
			}
		}
	}
	r := RelativeGaussian{Eta: 0.1, Gamma: 1, Dim: 1, Matched: 1, Neighbours: ReplaceOne}
	for _, excess := range []float64{-1, math.NaN(), 2} {
		if _, err := r.Widened(excess); !errors.Is(err, ErrParameter) {
			t.Errorf("excess %g: got %v, want ErrParameter", excess, err)
		}
	}
	r.Matched = 0.5
	if _, err := r.Widened(0); !errors.Is(err, ErrParameter) {
		t.Errorf("unmatched: got %v, want ErrParameter", err)
	}
}

func TestCompareRelativeGaussian(t *testing.T) {
	r := RelativeGaussian{Eta: 1e-3, Dim: 10, Matched: 1, Neighbours: ReplaceOne}
	b := Budget{1, 1e-6}
	at := func(norm, absolute, sensitivity float64) NoiseComparison {
		c, err := CompareRelativeGaussian(b, r, 10, norm, absolute, sensitivity)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	// With η → 0 and equal sensitivities both are the Gaussian mechanism.
	tiny := r
	tiny.Eta = 1e-9
	if c, err := CompareRelativeGaussian(b, tiny, 10, 0, 0.5, 0.5); err != nil || math.Abs(c.Relative/c.Plain-1) > 1e-6 {
		t.Errorf("η = 1e-9: %+v, %v, want equal noise", c, err)
	}
	c := at(0, 1, 10)
	if !(c.Relative < c.Plain) || c.Crossing <= 0 {
		t.Fatalf("small absolute part: %+v", c)
	}
	if at := at(c.Crossing, 1, 10); math.Abs(at.Relative/at.Plain-1) > 1e-9 {
		t.Errorf("at the crossing: %+v", at)
	}
	if c := at(0, 10, 1); c.Crossing != 0 || !(c.Relative > c.Plain) {
		t.Errorf("large absolute part: %+v, want no crossing", c)
	}
	for _, bad := range [][3]float64{{-1, 1, 1}, {1, math.NaN(), 1}, {1, 1, math.Inf(1)}} {
		if _, err := CompareRelativeGaussian(b, r, 10, bad[0], bad[1], bad[2]); !errors.Is(err, ErrParameter) {
			t.Errorf("%v: got %v, want ErrParameter", bad, err)
		}
	}
	if _, err := CompareRelativeGaussian(b, r, 0, 1, 1, 1); !errors.Is(err, ErrParameter) {
		t.Errorf("no release: got %v", err)
	}
}

// TestCalibrateRelativeGaussianBeside: what stands beside the releases is within the budget too.
func TestCalibrateRelativeGaussianBeside(t *testing.T) {
	r := RelativeGaussian{Eta: 1e-3, Dim: 10, Matched: 1, Neighbours: ReplaceOne}
	beside := Gaussian{Sensitivity: 0.05, Sigma: 1, Neighbours: ReplaceOne}
	b := Budget{1, 1e-6}
	alone := must[RelativeGaussian](t)(CalibrateRelativeGaussian(b, r, 20))
	got := must[RelativeGaussian](t)(CalibrateRelativeGaussian(b, r, 20, beside))
	eps := must[Guarantee](t)(EpsilonOf(Compose(Repeat(got, 20), beside), ReplaceOne, b.Delta)).Epsilon
	if !(eps <= b.Epsilon) || eps < b.Epsilon*(1-1e-6) || !(got.Gamma > alone.Gamma) {
		t.Errorf("gamma %g beside a Gaussian, %g alone; ε = %g", got.Gamma, alone.Gamma, eps)
	}
}
