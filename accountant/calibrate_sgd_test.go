package accountant

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func sgdEpsilon(t *testing.T, p SGDPlan, delta float64) float64 {
	t.Helper()
	g, err := EpsilonOf(p.Event(), p.Neighbours, delta)
	if err != nil {
		t.Fatal(err)
	}
	return g.Epsilon
}

// TestCalibratedSGD: what is calibrated keeps the budget, and a little more of it does not.
func TestCalibratedSGD(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	for range 40 {
		b := Budget{Epsilon: math.Exp(1.5 * rng.NormFloat64()), Delta: math.Pow(10, -3-9*rng.Float64())}
		p := SGDPlan{C: 0.5 + rng.Float64(), Sampling: PoissonSampling(math.Pow(10, -4*rng.Float64())), Steps: 1 + rng.IntN(20000), Neighbours: AddRemove}
		if rng.IntN(4) == 0 {
			p.Neighbours = ReplaceOne
			if rng.IntN(2) == 0 {
				p.Sampling = BatchSampling(1+rng.IntN(100), 10_000)
			}
		}
		sigma, err := CalibrateSGD(b, p)
		if err != nil {
			t.Fatalf("%+v, %+v: %v", b, p, err)
		}
		p.Sigma = sigma
		if eps := sgdEpsilon(t, p, b.Delta); !(eps <= b.Epsilon) {
			t.Errorf("%+v, %+v: ε = %g", b, p, eps)
		}
		less := p
		less.Sigma *= 1 - 1e-2
		if eps := sgdEpsilon(t, less, b.Delta); !(eps > b.Epsilon) {
			t.Errorf("%+v, %+v: less noise still has ε = %g", b, less, eps)
		}
		steps := p
		steps.Steps = 0
		n, err := CalibrateSGDSteps(b, steps)
		if err != nil || n < p.Steps || float64(n) > float64(p.Steps)*1.05+1 {
			t.Errorf("%+v, %+v: %d steps, %v", b, p, n, err)
		}
		if p.Sampling.Kind == Poisson {
			rate := p
			rate.Sampling.Rate = 0
			q, err := CalibrateSGDRate(b, rate)
			if err != nil || !(math.Abs(q/p.Sampling.Rate-1) < 0.02) {
				t.Errorf("%+v, %+v: rate %g, %v", b, p, q, err)
			}
			rate.Sampling.Rate = q
			if eps := sgdEpsilon(t, rate, b.Delta); !(eps <= b.Epsilon) {
				t.Errorf("%+v, %+v: ε = %g", b, rate, eps)
			}
		}
	}
}

func TestCalibrateSGDErrors(t *testing.T) {
	good := SGDPlan{C: 1, Sampling: PoissonSampling(0.01), Steps: 100, Neighbours: AddRemove}
	b := Budget{Epsilon: 1, Delta: 1e-5}
	change := func(f func(*SGDPlan)) SGDPlan {
		p := good
		f(&p)
		return p
	}
	for name, c := range map[string]struct {
		b    Budget
		p    SGDPlan
		want error
	}{
		"zero epsilon": {Budget{0, 1e-5}, good, ErrEpsilon},
		"NaN delta":    {Budget{1, math.NaN()}, good, ErrDelta},
		"noise given":  {b, change(func(p *SGDPlan) { p.Sigma = 1 }), ErrParameter},
		"no steps":     {b, change(func(p *SGDPlan) { p.Steps = 0 }), ErrParameter},
		"NaN C":        {b, change(func(p *SGDPlan) { p.C = math.NaN() }), ErrParameter},
		"bad rate":     {b, change(func(p *SGDPlan) { p.Sampling.Rate = 2 }), ErrParameter},
		"no relation":  {b, change(func(p *SGDPlan) { p.Neighbours = 0 }), ErrNeighbours},
	} {
		if sigma, err := CalibrateSGD(c.b, c.p); !errors.Is(err, c.want) {
			t.Errorf("%s: got %g, %v, want %v", name, sigma, err, c.want)
		}
	}
	if _, err := CalibrateSGDRate(b, good); !errors.Is(err, ErrParameter) {
		t.Errorf("a rate that is given: got %v", err)
	}
	if _, err := CalibrateSGDSteps(b, good); !errors.Is(err, ErrParameter) {
		t.Errorf("steps that are given: got %v", err)
	}
	nothing := change(func(p *SGDPlan) { p.Sampling.Rate = 0 })
	if sigma, err := CalibrateSGD(b, nothing); sigma != 0 || err != nil {
		t.Errorf("nothing drawn: got %g, %v, want 0", sigma, err)
	}
	noisy := change(func(p *SGDPlan) { p.Sampling.Rate, p.Sigma = 0, 1e6 })
	if q, err := CalibrateSGDRate(b, noisy); q != 1 || err != nil {
		t.Errorf("much noise: got rate %g, %v, want 1", q, err)
	}
	silent := change(func(p *SGDPlan) { p.Steps, p.Sigma = 0, 1e-3 })
	if n, err := CalibrateSGDSteps(b, silent); n != 0 || err != nil {
		t.Errorf("no noise: got %d steps, %v, want 0", n, err)
	}
}

// TestCalibratedDisplacedSGD: displaced rows need more noise, and what is calibrated keeps the budget.
func TestCalibratedDisplacedSGD(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 54))
	for range 15 {
		b := Budget{Epsilon: math.Exp(rng.NormFloat64()), Delta: math.Pow(10, -4-4*rng.Float64())}
		p := SGDPlan{C: 0.5 + rng.Float64(), Sampling: PoissonSampling(math.Pow(10, -1-3*rng.Float64())), Steps: 1 + rng.IntN(5000), Neighbours: AddRemove}
		if rng.IntN(2) == 0 {
			p.Neighbours = ReplaceOne
		}
		free, err := CalibrateSGD(b, p)
		if err != nil {
			t.Fatalf("%+v, %+v: %v", b, p, err)
		}
		p.Shift = DisplacedRows{Rows: 1 + rng.IntN(5000), Each: 0.01 * rng.Float64()}
		sigma, err := CalibrateSGD(b, p)
		if err != nil || !(sigma > free*(1-1e-5)) {
			t.Fatalf("%+v, %+v: %g, %v, want more than %g", b, p, sigma, err, free)
		}
		p.Sigma = sigma
		if eps := sgdEpsilon(t, p, b.Delta); !(eps <= b.Epsilon) {
			t.Errorf("%+v, %+v: ε = %g", b, p, eps)
		}
		p.Sigma *= 1 - 2e-2
		if eps := sgdEpsilon(t, p, b.Delta); !(eps > b.Epsilon) {
			t.Errorf("%+v, %+v: less noise still has ε = %g", b, p, eps)
		}
	}
}
