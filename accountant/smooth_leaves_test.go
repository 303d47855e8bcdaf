package accountant

import (
	"errors"
	"math"
	"testing"
)

func TestLeavesOnAPair(t *testing.T) {
	still, err := Start(1000, 1, ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	moved, err := still.Propagate(StepBounds{K: 1, A1: 0.5, AF: 0.02, AInf: 0.001, Affected: 999, R: 1})
	if err != nil {
		t.Fatal(err)
	}
	q := Query{C: 1, Lipschitz: 1.5}
	total := 2 + 1.5*moved.T1
	leaves := map[string]func(p Pair) (Event, error){
		"Laplace":     func(p Pair) (Event, error) { return LaplaceOn(p, q, 10) },
		"Exponential": func(p Pair) (Event, error) { return ExponentialOn(p, q, 0.05) },
		"subsampled":  func(p Pair) (Event, error) { return SubsampledGaussianOn(p, q, 4, PoissonSampling(0.01)) },
		"full batch":  func(p Pair) (Event, error) { return SubsampledGaussianOn(p, q, 4, PoissonSampling(1)) },
		"SGD":         func(p Pair) (Event, error) { return SGDIterationOn(p, q, 8, 100) },
	}
	for name, on := range leaves {
		t.Run(name, func(t *testing.T) {
			a, err := on(still)
			if err != nil {
				t.Fatal(err)
			}
			b, err := on(moved)
			if err != nil {
				t.Fatal(err)
			}
			ca, err := a.RDP(ReplaceOne)
			if err != nil {
				t.Fatal(err)
			}
			cb, err := b.RDP(ReplaceOne)
			if err != nil {
				t.Fatal(err)
			}
			for _, alpha := range []float64{1.5, 2, 8, 40} {
				if !(cb(alpha) > ca(alpha)) {
					t.Errorf("order %g: %g on a displaced pair, %g without displacement, want more", alpha, cb(alpha), ca(alpha))
				}
			}
			nan := still
			nan.R = math.NaN()
			if _, err := on(nan); !errors.Is(err, ErrPair) {
				t.Errorf("R = NaN: got %v, want ErrPair", err)
			}
		})
	}
	l, err := LaplaceOn(moved, q, 10)
	if err != nil || math.Abs(l.Sensitivity/total-1) > 1e-12 || l.Sensitivity < total {
		t.Errorf("Laplace: sensitivity %v, %v, want %v", l.Sensitivity, err, total)
	}
	e, err := ExponentialOn(moved, q, 0.05)
	if err != nil || math.Abs(e.Epsilon/(0.1*total)-1) > 1e-12 {
		t.Errorf("exponential: range %v, %v, want %v", e.Epsilon, err, 0.1*total)
	}
	// At rate 1 the step is a Gaussian release.
	full, err := SubsampledGaussianOn(moved, q, 4, PoissonSampling(1))
	if err != nil {
		t.Fatal(err)
	}
	curve, err := full.RDP(ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := curve(3), 3*total*total/32; got < want*(1-1e-12) || got > want*(1+1e-6) {
		t.Errorf("full batch: D_3 = %v, want %v", got, want)
	}
	two, err := still.Group(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"subsampled", "SGD"} {
		if _, err := leaves[name](two); !errors.Is(err, ErrNoRoute) {
			t.Errorf("%s with two free rows: got %v, want ErrNoRoute", name, err)
		}
	}
}
