package accountant

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// TestCalibrated: a calibrated mechanism, priced again, meets its target from below, and barely.
func TestCalibrated(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	for range 500 {
		b := Budget{Epsilon: math.Exp(3 * rng.NormFloat64()), Delta: math.Pow(10, -14*rng.Float64()-0.01)}
		tv := 0.0
		if rng.IntN(2) == 0 {
			tv = b.Delta / (1 + math.Exp(b.Epsilon)) * rng.Float64()
		}
		mu, err := CalibrateGaussianTV(b, tv)
		if err != nil {
			t.Fatalf("%+v, tv %g: %v", b, tv, err)
		}
		profile := gaussianProfile(mu, tv)
		if d := profile(b.Epsilon); d > b.Delta {
			t.Errorf("%+v, tv %g: μ = %g has δ = %g", b, tv, mu, d)
		}
		if d := gaussianProfile(mu*(1+1e-9), tv)(b.Epsilon); d <= b.Delta && tv == 0 {
			t.Errorf("%+v: μ = %g is not the largest: δ = %g above it", b, mu, d)
		}
		if eps, err := profile.Epsilon(b.Delta); err != nil || eps > b.Epsilon*(1+1e-12) {
			t.Errorf("%+v, tv %g: μ = %g costs ε = %.15g, %v", b, tv, mu, eps, err)
		}
	}
}

func TestCalibrateExtremes(t *testing.T) {
	for _, b := range []Budget{{1e-12, 1e-12}, {1e-9, 1e-300}, {1e4, 1e-300}, {1e-6, 0.999}, {700, 0.5}, {1e6, 1e-9}, {1, 1e-310}} {
		mu, err := CalibrateGaussian(b)
		if err != nil {
			t.Errorf("%+v: %v", b, err)
			continue
		}
		if d := gaussianDelta(b.Epsilon, mu); !(d <= b.Delta) || gaussianDelta(b.Epsilon, mu*1.0001) <= b.Delta {
			t.Errorf("%+v: μ = %g has δ = %g", b, mu, d)
		}
	}
}

func TestCalibrateErrors(t *testing.T) {
	cases := []struct {
		name string
		b    Budget
		tv   float64
		want error
	}{
		{"zero epsilon", Budget{0, 1e-6}, 0, ErrEpsilon},
		{"NaN epsilon", Budget{math.NaN(), 1e-6}, 0, ErrEpsilon},
		{"zero delta", Budget{1, 0}, 0, ErrDelta},
		{"negative distance", Budget{1, 1e-6}, -1e-9, ErrParameter},
		{"NaN distance", Budget{1, 1e-6}, math.NaN(), ErrParameter},
		{"distance takes all", Budget{1, 1e-6}, 1e-6, ErrDelta},
		{"distance overflows", Budget{1000, 1e-6}, 1e-300, ErrDelta},
		{"delta below resolution", Budget{1, 5e-324}, 0, ErrDelta},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			mu, err := CalibrateGaussianTV(c.b, c.tv)
			if !errors.Is(err, c.want) {
				t.Errorf("got μ = %g, %v, want %v", mu, err, c.want)
			}
		})
	}
}

func BenchmarkCalibrateGaussian(b *testing.B) {
	for b.Loop() {
		if _, err := CalibrateGaussian(Budget{1, 1e-6}); err != nil {
			b.Fatal(err)
		}
	}
}
