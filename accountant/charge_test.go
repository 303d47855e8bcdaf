package accountant

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// density is a pair of laws on points of the line, each of a mass.
type density struct{ p, q []float64 }

// gained is sup over S of P(S) − w Q(S), and the same with the laws exchanged.
func (d density) gained(w float64) (forth, back float64) {
	for i := range d.p {
		forth += max(0, d.p[i]-w*d.q[i])
		back += max(0, d.q[i]-w*d.p[i])
	}
	return forth, back
}

// onLine sums two densities over cells.
func onLine(from, to float64, p, q func(x float64) float64) density {
	const cells = 40_000
	h := (to - from) / cells
	d := density{make([]float64, cells), make([]float64, cells)}
	for i := range cells {
		x := from + (float64(i)+0.5)*h
		d.p[i], d.q[i] = h*p(x), h*q(x)
	}
	return d
}

// logisticAlone is objective perturbation of the logistic loss in one dimension: one row of norm c with the label y beside one more with
// the label other (0: none), against the second alone.
func logisticAlone(o ObjectivePerturbation, y, other float64) density {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	slope := func(y, z float64) float64 { return -y * sigmoid(-y*z) }
	curve := func(y, z float64) float64 { return y * y * sigmoid(z) * sigmoid(-z) }
	law := func(rows ...float64) func(float64) float64 {
		return func(theta float64) float64 {
			b, jacobian := o.Lambda*theta, o.Lambda
			for _, y := range rows {
				b += o.C * slope(y, o.C*theta)
				jacobian += o.C * o.C * curve(y, o.C*theta)
			}
			return quad.NormalPDF(b/o.Sigma, 0) * jacobian / o.Sigma
		}
	}
	reach := (10*o.Sigma + 2*o.C) / o.Lambda
	return onLine(-reach, reach, law(y, other), law(other))
}

// TestChargesHold: what an event is charged as bounds the exact laws of hostile pairs, both ways and for every w, those below 1 too.
func TestChargesHold(t *testing.T) {
	const delta = 1e-5
	type attack struct {
		event Event
		pairs []density
	}
	var attacks []attack
	for _, eps := range []float64{0.3, 1, 3} {
		o, err := CalibrateObjectivePerturbation(Budget{eps, delta}, ObjectivePerturbation{C: 1.5, Neighbours: AddRemove})
		if err != nil {
			t.Fatal(err)
		}
		attacks = append(attacks, attack{o, []density{logisticAlone(o, 1, 0), logisticAlone(o, 1, 1), logisticAlone(o, 1, -1)}})
		sigma := 1 / eps
		sub := SubsampledGaussian{C: 1, Sigma: sigma, Sampling: Sampling{Kind: Poisson, Rate: 0.2}, Neighbours: AddRemove}
		normal := func(x float64) float64 { return quad.NormalPDF(x/sigma, 0) / sigma }
		mixed := func(x float64) float64 { return 0.8*normal(x) + 0.2*normal(x-1) }
		pair := onLine(-10*sigma, 10*sigma+1, mixed, normal)
		attacks = append(attacks, attack{Compose(Covered(sub, delta/2, 0, CoverByLosses), ApproxDP{Delta: delta / 2, Neighbours: AddRemove}), []density{pair}})
		a := ApproxDP{Epsilon: eps, Delta: delta / 10, Neighbours: AddRemove}
		up, rest := math.Exp(eps)/(1+math.Exp(eps)), 1-a.Delta
		attacks = append(attacks, attack{a, []density{{[]float64{a.Delta, rest * up, rest * (1 - up), 0}, []float64{0, rest * (1 - up), rest * up, a.Delta}}}})
		laplace := func(x float64) float64 { return math.Exp(-math.Abs(x)/2) / 4 }
		product := density{} // of Laplace noise and of Gaussian noise
		l, g := onLine(-60, 61, func(x float64) float64 { return laplace(x - 1) }, laplace), onLine(-9, 10, func(x float64) float64 { return quad.NormalPDF(x-eps/4, 0) }, func(x float64) float64 { return quad.NormalPDF(x, 0) })
		for i := range 400 {
			for j := range 400 {
				var p, q, pg, qg float64
				for k := range 100 {
					p, q, pg, qg = p+l.p[100*i+k], q+l.q[100*i+k], pg+g.p[100*j+k], qg+g.q[100*j+k]
				}
				product.p, product.q = append(product.p, p*pg), append(product.q, q*qg)
			}
		}
		both := Compose(Laplace{Sensitivity: 1, Scale: 2, Neighbours: AddRemove}, Gaussian{Sensitivity: eps / 4, Sigma: 1, Neighbours: AddRemove})
		attacks = append(attacks, attack{both, []density{product}})
	}
	closest := math.Inf(1)
	for _, a := range attacks {
		ways, err := Charges(a.event, AddRemove, delta/50, true, func(mu float64) float64 { eps, _ := gaussianProfile(mu, 0).Epsilon(delta); return eps })
		if err != nil {
			t.Fatalf("%v: %v", a.event, err)
		}
		for _, w := range ways {
			for i, pair := range a.pairs {
				for x := -4.0; x <= 8; x += 0.25 {
					bound := w.Failure + gaussianDelta(x, w.Mu)
					forth, back := pair.gained(math.Exp(x + w.Pure))
					if got := max(forth, back); !(got <= bound*(1+1e-4)+1e-9) {
						t.Errorf("%v charged as %+v, pair %d: at w = e^%g it gains %g, more than %g", a.event, w, i, x, got, bound)
					} else if got > delta/10 {
						closest = min(closest, bound/got)
					}
				}
			}
		}
	}
	t.Logf("the closest bound is %.6g of what is gained", closest)
}

// TestChargesAreClose: what a ledger charges that gives a 64th of δ to a cover is within 2 % of what is printed.
func TestChargesAreClose(t *testing.T) {
	const delta = 1e-6
	epsilonOf := func(mu float64) float64 { eps, _ := gaussianProfile(mu, 0).Epsilon(delta); return eps }
	alone, err := CalibrateObjectivePerturbation(Budget{1, delta}, ObjectivePerturbation{C: 1, Neighbours: AddRemove})
	if err != nil {
		t.Fatal(err)
	}
	joint := Compose(Laplace{Sensitivity: 0.5, Scale: 1, Neighbours: AddRemove}, Laplace{Sensitivity: 0.2, Scale: 1, Neighbours: AddRemove}, Gaussian{Sensitivity: 0.1, Sigma: 1, Neighbours: AddRemove})
	exact, err := Best(joint, AddRemove, delta, BestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	sub, err := PLD(Repeat(SubsampledGaussian{C: 1, Sigma: 3.2, Sampling: Sampling{Kind: Poisson, Rate: 0.05}, Neighbours: AddRemove}, 200), AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	printed, _, err := sub.Epsilon(delta)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name           string
		event          Event
		printed        float64
		gaussian, with float64 // most of the charge in units of what is printed, by Gaussians alone and with a part of ε
	}{
		{"objective perturbation alone", alone, 1, 1.12, 1.02},
		{"sampled descent", Covered(Repeat(SubsampledGaussian{C: 1, Sigma: 3.2, Sampling: Sampling{Kind: Poisson, Rate: 0.05}, Neighbours: AddRemove}, 200), delta/2, 0, CoverByLosses), printed, 1, 1},
		{"Laplace", Laplace{Sensitivity: 1, Scale: 1, Neighbours: AddRemove}, 1, 5.1, 1},
		{"two sums by Laplace noise and one by Gaussian noise", joint, exact.Epsilon, 2.5, 1.02},
	} {
		for _, pure := range []bool{false, true} {
			ways, err := Charges(c.event, AddRemove, delta/64, pure, epsilonOf)
			if err != nil {
				t.Fatal(err)
			}
			least := math.Inf(1)
			for _, w := range ways {
				if w.Failure <= delta/32 {
					least = min(least, (w.Pure+epsilonOf(w.Mu))/c.printed)
				}
			}
			most := c.gaussian
			if pure {
				most = c.with
			}
			t.Logf("%s: printed %.4g, pure %v: charged %.4f of it", c.name, c.printed, pure, least)
			if !(least <= most) {
				t.Errorf("%s, pure %v: charged %g of what is printed, want at most %g", c.name, pure, least, most)
			}
		}
	}
}
