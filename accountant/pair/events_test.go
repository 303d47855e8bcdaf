package pair

import (
	"errors"
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

func TestLeavesOnAPair(t *testing.T) {
	still, err := Start(1000, 1, accountant.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	moved, err := still.Propagate(StepBounds{K: 1, A1: 0.5, AF: 0.02, AInf: 0.001, Affected: 999, R: 1})
	if err != nil {
		t.Fatal(err)
	}
	q := Query{C: 1, Lipschitz: 1.5}
	total := 2 + 1.5*moved.T1
	leaves := map[string]func(p State) (accountant.Event, error){
		"Laplace":     func(p State) (accountant.Event, error) { return LaplaceOn(p, q, 10) },
		"Exponential": func(p State) (accountant.Event, error) { return ExponentialOn(p, q, 0.05) },
		"subsampled": func(p State) (accountant.Event, error) {
			return SubsampledGaussianOn(p, q, 4, accountant.PoissonSampling(0.01))
		},
		"full batch": func(p State) (accountant.Event, error) {
			return SubsampledGaussianOn(p, q, 4, accountant.PoissonSampling(1))
		},
		"SGD": func(p State) (accountant.Event, error) { return SGDIterationOn(p, q, 8, 100) },
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
			ca, err := a.RDP(accountant.ReplaceOne)
			if err != nil {
				t.Fatal(err)
			}
			cb, err := b.RDP(accountant.ReplaceOne)
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
	full, err := SubsampledGaussianOn(moved, q, 4, accountant.PoissonSampling(1))
	if err != nil {
		t.Fatal(err)
	}
	curve, err := full.RDP(accountant.ReplaceOne)
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
		if _, err := leaves[name](two); !errors.Is(err, accountant.ErrNoRoute) {
			t.Errorf("%s with two free rows: got %v, want ErrNoRoute", name, err)
		}
	}
}

func TestGaussianOn(t *testing.T) {
	p := State{Neighbours: accountant.AddRemove, N: 100, R: 1, F: 1, M: 10, T1: 0.4, TF: 0.2, TInf: 0.1, DFree: math.Inf(1)}
	q := Query{C: 1, Lipschitz: 2}
	g, err := GaussianOn(p, q, 3)
	if err != nil || math.Abs(g.Sensitivity-1.8) > 1e-12 || g.Sigma != 3 || g.Neighbours != accountant.AddRemove {
		t.Errorf("got %v, %v", g, err)
	}
	p.F = 0
	if g, err = GaussianOn(p, q, 3); err != nil || math.Abs(g.Sensitivity-0.8) > 1e-12 {
		t.Errorf("smooth: got %v, %v", g, err)
	}
	if _, err = GaussianOn(p, q, -3); !errors.Is(err, accountant.ErrParameter) {
		t.Errorf("negative noise: got %v", err)
	}
	if _, err = GaussianOn(State{}, q, 3); err == nil {
		t.Error("zero pair: got no error")
	}
}
