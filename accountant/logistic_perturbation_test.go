package accountant

import (
	"errors"
	"math"
	"testing"
)

// TestLogisticPerturbationDominates: the profile of the Gaussian pair is nowhere below that of the release, and
// touches it somewhere.
func TestLogisticPerturbationDominates(t *testing.T) {
	for _, p := range []LogisticPerturbation{
		{C: 1, Sigma: 4, Lambda: 0.05},
		{C: 1, Sigma: 4, Lambda: 3},
		{C: 1, Sigma: 4, Lambda: 31.9},
		{C: 3, Sigma: 0.5, Lambda: 0.1},
		{C: 1, Sigma: 40, Lambda: 43},
		{C: 1, Sigma: 0.25, Lambda: 1e-2},
	} {
		p.Neighbours = AddRemove
		mu, tv, err := p.GDP(AddRemove)
		if err != nil || tv != 0 {
			t.Fatal(tv, err)
		}
		l := must[objectiveLoss](t)(p.objective().loss(AddRemove))
		end, closest := 2*p.C*p.C/p.Lambda+3, 0.0
		room := 0x1p-36
		if l.s > 2 { // chords between bounds are below bounds that are not convex themselves
			room = 1e-3
		}
		for i := range 240 {
			u := float64(i) / 239
			eps := end * u * u * u
			d, g := min(l.fall(eps), l.logisticDeltaTo(eps, coverTolerance), gaussianDelta(0, l.s)), gaussianDelta(eps, mu)
			if d > g*(1+room) {
				t.Errorf("%v: at ε = %g the pair with μ = %g has δ = %g, below %g", p, eps, mu, g, d)
			}
			if g > 1e-100 {
				closest = max(closest, d/g)
			}
		}
		if closest < 1-1e-3 {
			t.Errorf("%v: μ = %g is loose: the profile is at most %g of the pair's", p, mu, closest)
		}
		p.Neighbours = ReplaceOne
		if twice, _, err := p.GDP(ReplaceOne); twice != 2*mu || err != nil {
			t.Errorf("%v: got μ = %g, %v, want twice %g", p, twice, err, mu)
		}
	}
}

// TestLogisticPerturbationTheorem: at Λ ≥ 2σ² the release is (C/σ)-GDP, and not below it.
func TestLogisticPerturbationTheorem(t *testing.T) {
	for _, c := range []struct{ lambda, least, most float64 }{{32.0001, 0.25, 0.25 * (1 + 1e-14)}, {1e6, 0.25, 0.25 * (1 + 1e-14)}, {29, 0.25, 0.2501}, {3, 0.2521, 0.3}} {
		mu, _, err := LogisticPerturbation{C: 1, Sigma: 4, Lambda: c.lambda, Neighbours: AddRemove}.GDP(AddRemove)
		if err != nil || !(mu >= c.least && mu <= c.most) {
			t.Errorf("Λ = %g: got μ = %.17g, %v, want in [%g, %g]", c.lambda, mu, err, c.least, c.most)
		}
	}
}

// TestLogisticPerturbationTruth: the exact profiles of one-dimensional problems, both ways, are below the pair's at small and
// large ε, where the (ε, δ) of the calibration without composition is not.
func TestLogisticPerturbationTruth(t *testing.T) {
	backgrounds := [][]record{{}, {1, -1}, {-1, -1, -1, -1, -1, -1, 1, 1}, {1, 1, 1, 1}}
	worst := 0.0
	for _, mu := range []float64{0.1, 2} {
		p := must[LogisticPerturbation](t)(CalibrateLogisticPerturbation(mu, LogisticPerturbation{C: 1, Neighbours: AddRemove}))
		for _, back := range backgrounds {
			with := append([]record{1}, back...)
			for _, eps := range []float64{0, mu, 3 * mu} {
				for _, pair := range [][2][]record{{with, back}, {back, with}} {
					delta := trueDelta(p.objective(), pair[0], pair[1], eps, 0)
					worst = max(worst, delta/gaussianDelta(eps, mu))
				}
			}
		}
	}
	t.Logf("worst δ is %.4g of the pair's", worst)
	if worst > 1+1e-6 || worst < 0.5 {
		t.Errorf("worst δ is %g of the pair's, want in [0.5, 1]", worst)
	}
}

// TestLogisticPerturbationWithoutACover: where next to nothing is hidden no Gaussian of use dominates.
func TestLogisticPerturbationWithoutACover(t *testing.T) {
	for _, p := range []LogisticPerturbation{{C: 1, Sigma: 0.05, Lambda: 1e-3}, {C: 1, Lambda: 1}, {C: 1, Sigma: 1, Lambda: 1e-300}} {
		p.Neighbours = AddRemove
		if mu, _, err := p.GDP(AddRemove); err != nil || !math.IsInf(mu, 1) {
			t.Errorf("%v: got μ = %g, %v, want +Inf", p, mu, err)
		}
	}
}

func TestCalibrateLogisticPerturbation(t *testing.T) {
	for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
		for _, mu := range []float64{0.03, 4} {
			free := must[LogisticPerturbation](t)(CalibrateLogisticPerturbation(mu, LogisticPerturbation{C: 2, Neighbours: rel}))
			if got, _, err := free.GDP(rel); err != nil || !(got <= mu) || got < mu*(1-1e-4) {
				t.Errorf("%v is %g-GDP, %v, want %g", free, got, err, mu)
			}
			for name, lambda := range map[string]float64{"a larger Λ": 3 * free.Lambda, "a huge Λ": 1e9} {
				p, err := CalibrateLogisticPerturbation(mu, LogisticPerturbation{C: 2, Lambda: lambda, Neighbours: rel})
				if err != nil {
					t.Errorf("%s, μ = %g, %v: %v", name, mu, rel, err)
					continue
				}
				if got, _, err := p.GDP(rel); err != nil || !(got <= mu) || got < mu*(1-1e-4) {
					t.Errorf("%s: %v is %g-GDP, %v, want %g", name, p, got, err, mu)
				}
				if p.Lambda != lambda {
					t.Errorf("%s: Λ = %g, asked for %g", name, p.Lambda, lambda)
				}
			}
		}
	}
	good := LogisticPerturbation{C: 1, Neighbours: AddRemove}
	for name, c := range map[string]struct {
		mu   float64
		p    LogisticPerturbation
		want error
	}{
		"no μ":          {0, good, ErrParameter},
		"NaN":           {math.NaN(), good, ErrParameter},
		"infinite μ":    {math.Inf(1), good, ErrParameter},
		"no C":          {1, LogisticPerturbation{Neighbours: AddRemove}, ErrParameter},
		"no relation":   {1, LogisticPerturbation{C: 1}, ErrNeighbours},
		"negative Λ":    {1, LogisticPerturbation{C: 1, Lambda: -1, Neighbours: AddRemove}, ErrParameter},
		"too small a Λ": {0.01, LogisticPerturbation{C: 1, Lambda: 1, Neighbours: AddRemove}, ErrParameter},
	} {
		if _, err := CalibrateLogisticPerturbation(c.mu, c.p); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
}

// TestObjectivePerturbationCover: ledgers admit every loss as Gaussian DP.
func TestObjectivePerturbationCover(t *testing.T) {
	o := must[ObjectivePerturbation](t)(CalibrateObjectivePerturbation(Budget{1, 1e-6}, ObjectivePerturbation{C: 1, Neighbours: AddRemove}))
	if mu, tv, err := GDPOf(o, AddRemove); err != nil || tv != 0 || !(mu > 1.05*o.C/o.Sigma && mu < 1.2*o.C/o.Sigma) {
		t.Errorf("got %g, %g, %v, want a little more than C/σ = %g: below ε the loss is not Gaussian", mu, tv, err, o.C/o.Sigma)
	}
	glm := ObjectivePerturbation{C: 1, Sigma: 4, Lambda: 1, Loss: GLM, Slope: 1, Curvature: 1, Neighbours: AddRemove}
	for _, loss := range []GLMLoss{GLM, MonotoneGLM} {
		glm.Loss = loss
		if mu, tv, err := GDPOf(glm, AddRemove); err != nil || tv != 0 || !(mu > glm.C/glm.Sigma) || math.IsInf(mu, 1) {
			t.Errorf("%v: got %g, %g, %v, want more than C/σ = %g", loss, mu, tv, err, glm.C/glm.Sigma)
		}
	}
}

func BenchmarkCalibrateLogisticPerturbation(b *testing.B) {
	for b.Loop() {
		if _, err := CalibrateLogisticPerturbation(0.24, LogisticPerturbation{C: 1, Neighbours: AddRemove}); err != nil {
			b.Fatal(err)
		}
	}
}
