package accountant

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// TestMomentNoise: re-priced as the event that the documentation names, each noise has the rate that it was asked for, from
// below.
func TestMomentNoise(t *testing.T) {
	for _, rel := range []Neighbours{ReplaceOne, AddRemove} {
		for _, rho := range []float64{1e-9, 0.1, 40} {
			for _, n := range []int{1, 7, 1e6} {
				const r = 1.7
				factor := map[Neighbours]float64{ReplaceOne: 2, AddRemove: 1}[rel]
				outer := map[Neighbours]float64{ReplaceOne: math.Sqrt2, AddRemove: 1}[rel]
				moment := must[float64](t)(SecondMomentNoise(r, n, rho, rel))
				mean := must[float64](t)(MeanNoise(r, n, rho, rel))
				sigma, threshold, err := StabilityHistogram(n, rho, 1e-6, rel)
				if err != nil {
					t.Fatal(err)
				}
				for what, e := range map[string]Gaussian{
					"second moment": {outer * r * r / float64(n), math.Sqrt2 * moment, rel},
					"mean":          {factor * r / float64(n), mean, rel},
					"histogram":     {math.Sqrt(factor * float64(n)), sigma, rel},
				} {
					got := must[float64](t)(RhoOf(e, rel))
					if !(got <= rho*(1+4e-16)) || got < rho*(1-1e-13) {
						t.Errorf("%s, %v, n = %d: rate %.17g, want %.17g from below", what, rel, n, got, rho)
					}
				}
				// 1 − (1−δ')^d for the tail δ' beyond the threshold.
				tail := quad.NormalCDF(-(threshold - 1) / sigma)
				if all := -math.Expm1(float64(n) * math.Log1p(-tail)); !(all <= 1e-6*(1+1e-12)) || all < 1e-6*(1-1e-6) {
					t.Errorf("%d columns: one fails with probability %g, want 1e-6", n, all)
				}
			}
		}
	}
}

// TestSecondMomentSensitivity: orthogonal rows attain √2 r², and none of a grid of pairs in the plane exceeds it.
func TestSecondMomentSensitivity(t *testing.T) {
	worst := 0.0
	for i := range 200 {
		for j := range 21 {
			for k := range 21 {
				a, s, r := math.Pi*float64(i)/200, float64(j)/20, float64(k)/20
				// ‖s² uuᵀ − r² vvᵀ‖_F² = s⁴ + r⁴ − 2 s² r² cos²a
				d := s*s*s*s + r*r*r*r - 2*s*s*r*r*math.Cos(a)*math.Cos(a)
				worst = max(worst, math.Sqrt(max(0, d))/math.Sqrt2)
			}
		}
	}
	if worst > 1+1e-12 || worst < 1-1e-9 {
		t.Errorf("the largest distance is %g of √2 r²", worst)
	}
}

func TestGaussianRadius(t *testing.T) {
	for _, d := range []int{1, 2, 30, 1000} {
		for _, n := range []int{1, 1000, 1e9} {
			for _, beta := range []float64{0.5, 0.05, 1e-12} {
				r := must[float64](t)(GaussianRadius(d, n, beta))
				if got, want := quad.LogChiSquareSF(r*r, d), math.Log(beta/float64(n)); math.Abs(got-want) > 1e-9*(1-want) {
					t.Errorf("d = %d, n = %d, β = %g: ln tail %.12g, want %.12g", d, n, beta, got, want)
				}
			}
		}
	}
	// d ln(n/β) is too small a square at d = 1.
	if r := must[float64](t)(GaussianRadius(1, 1000, 0.05)); r*r <= math.Log(1000/0.05) {
		t.Errorf("radius² %g is not above ln(n/β) = %g", r*r, math.Log(1000/0.05))
	}
}

func TestUnboundedErrors(t *testing.T) {
	nan := math.NaN()
	moment := func(r float64, n int, rho float64, rel Neighbours) error {
		_, err1 := SecondMomentNoise(r, n, rho, rel)
		_, err2 := MeanNoise(r, n, rho, rel)
		if (err1 == nil) != (err2 == nil) {
			t.Errorf("radius %g, rows %d, rho %g: %v and %v", r, n, rho, err1, err2)
		}
		return err1
	}
	histogram := func(d int, rho, delta float64) error {
		_, _, err := StabilityHistogram(d, rho, delta, ReplaceOne)
		return err
	}
	radius := func(d, n int, beta float64) error {
		_, err := GaussianRadius(d, n, beta)
		return err
	}
	for _, c := range []struct {
		name string
		err  error
		want error
	}{
		{"radius", moment(0, 10, 1, ReplaceOne), ErrParameter},
		{"radius", moment(nan, 10, 1, ReplaceOne), ErrParameter},
		{"rows", moment(1, 0, 1, ReplaceOne), ErrParameter},
		{"rho", moment(1, 10, 0, ReplaceOne), ErrParameter},
		{"rho", moment(1, 10, nan, ReplaceOne), ErrParameter},
		{"neighbours", moment(1, 10, 1, 0), ErrNeighbours},
		{"columns", histogram(0, 1, 0.1), ErrParameter},
		{"rho", histogram(3, -1, 0.1), ErrParameter},
		{"delta", histogram(3, 1, 0), ErrDelta},
		{"delta", histogram(3, 1, 1), ErrDelta},
		{"delta", histogram(3, 1, nan), ErrDelta},
		{"dim", radius(0, 1, 0.1), ErrParameter},
		{"rows", radius(1, 0, 0.1), ErrParameter},
		{"beta", radius(1, 1, 0), ErrParameter},
		{"beta", radius(1, 1, nan), ErrParameter},
	} {
		if !errors.Is(c.err, c.want) || !strings.Contains(c.err.Error(), c.name) {
			t.Errorf("%s: got %v, want %v that names it", c.name, c.err, c.want)
		}
	}
}
