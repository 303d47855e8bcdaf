package accountant

import (
	"math"
	"math/rand/v2"
	"testing"
)

// stepParameters draws a rate, a shift C/σ and an order over the ranges that matter.
func stepParameters(rng *rand.Rand) (q, shift, alpha float64) {
	q = math.Pow(10, -6*rng.Float64())
	if rng.IntN(4) == 0 {
		q = rng.Float64()
	}
	return q, math.Exp(-5 + 7*rng.Float64()), 1 + math.Exp(-4+8*rng.Float64())
}

// TestBinomialIsQuadrature: two independent routes at integer orders.
func TestBinomialIsQuadrature(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	worst := 0.0
	for range 2000 {
		q, shift, _ := stepParameters(rng)
		alpha := 2 + rng.IntN(80)
		s := sgm{q, shift}
		a, b := s.quadrature(float64(alpha)), s.binomial(alpha)
		diff := math.Abs(a-b) / b
		if !(diff <= 1e-10) {
			t.Errorf("q = %g, shift %g, order %d: quadrature %.15g, binomial %.15g", q, shift, alpha, a, b)
		}
		worst = max(worst, diff)
	}
	t.Logf("largest relative difference %.2g", worst)
}

// refined sums the same integrand on nodes at a third of the distance.
type refined struct{ linePair }

func (r refined) strip(alpha, d float64) float64 {
	h := lineStep(r.linePair, alpha)
	return 2*math.Pi*d/(h/3) - d*d/2 - math.Log(1e7*(1+d*d)) - 46*math.Ln2
}

// TestQuadratureConverged: nodes three times as dense change nothing.
func TestQuadratureConverged(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for range 300 {
		q, shift, alpha := stepParameters(rng)
		if alpha*shift > 200 {
			continue
		}
		v := shift * rng.Float64() * float64(rng.IntN(2)) * 2
		add := addPair{newCoin(q), shift, v}
		for name, p := range map[string]linePair{"add": add, "remove": removePair{add}, "replace": replacePair{newCoin(q), shift, v}} {
			a, b := lineMoment(p, alpha), lineMoment(refined{p}, alpha)
			if !(math.Abs(a-b) <= 1e-12*b) {
				t.Errorf("%s: q = %g, shift %g, v = %g, order %g: %.15g and %.15g", name, q, shift, v, alpha, a, b)
			}
		}
	}
}

// TestPairsAgree: without displacement addPair is sgm, which dominates its reverse; replace-one costs
// more, and no more than a Gaussian.
func TestPairsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	for range 300 {
		q, shift, alpha := stepParameters(rng)
		if alpha*shift > 200 {
			continue
		}
		s := sgm{q, shift}.quadrature(alpha)
		add := addPair{newCoin(q), shift, 0}
		if a := lineMoment(add, alpha); !(math.Abs(a-s) <= 1e-11*s) {
			t.Errorf("q = %g, shift %g, order %g: sgm %.15g, addPair %.15g", q, shift, alpha, s, a)
		}
		if r := lineMoment(removePair{add}, alpha); !(r <= s*(1+1e-12)) {
			t.Errorf("q = %g, shift %g, order %g: the reverse has %.15g, more than %.15g", q, shift, alpha, r, s)
		}
		want := gaussMoment(alpha, 2*shift)
		if got := lineMoment(replacePair{newCoin(q), shift, 0}, alpha); !(got <= want) || !(got >= s) {
			t.Errorf("q = %g, shift %g, order %g: replace-one %.15g, want %.15g to %.15g", q, shift, alpha, got, s, want)
		}
	}
}

// TestStepBoundsBelowClosedForms: what is returned outside the reach of quadrature is an upper bound inside.
func TestStepBoundsBelowClosedForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 38))
	for range 1000 {
		q, shift, alpha := stepParameters(rng)
		s := sgm{q, shift}
		exact := s.quadrature(alpha)
		for name, b := range map[string]float64{"Minkowski": s.minkowski(alpha), "subadditive": s.subadditive(alpha), "Gaussian": gaussMoment(alpha, shift)} {
			if !(b >= exact*(1-1e-12)) {
				t.Errorf("q = %g, shift %g, order %g: %s %.15g, below the exact %.15g", q, shift, alpha, name, b, exact)
			}
		}
	}
}

// TestStepExtremes: no parameters give a NaN, a negative price, or one above the Gaussian's.
func TestStepExtremes(t *testing.T) {
	for _, q := range []float64{0, 1e-300, 1e-12, 0.5, 1 - 0x1p-53, 1} {
		for _, sigma := range []float64{1e-12, 1e-4, 0.01, 0.1, 1, 1e4, 1e12} {
			for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
				e := SubsampledGaussian{C: 1, Sigma: sigma, Sampling: PoissonSampling(q), Neighbours: rel}
				curve, err := e.RDP(rel)
				if err != nil {
					t.Fatal(err)
				}
				for _, alpha := range []float64{1 + 1e-12, 1 + 1e-4, 1.5, 2, 63.7, 1e3, 1e7, 1e12, math.Inf(1)} {
					d := curve(alpha)
					top := gaussMoment(alpha, e.free()) / (alpha - 1)
					if math.IsInf(alpha, 1) {
						top = math.Inf(1)
					}
					if !(d >= 0) || (q > 0 && d > top*(1+1e-9)) || (q == 0 && d != 0) {
						t.Errorf("%v, order %g: got %g, want 0 to %g", e, alpha, d, top)
					}
				}
			}
		}
	}
}
