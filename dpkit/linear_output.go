package dpkit

import (
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// outputPerturbation releases the minimiser over ‖w‖ ≤ W of Σ ½(v − ⟨w, x⟩)² + nλ/2·‖w‖² with Gaussian noise. The objective
// is nλ-strongly convex, so that the minimiser moves by at most 1/nλ times what a change of rows adds to the gradient
// there: a gradient (⟨w, x⟩ − v)x is at most L = (C W + b)C long and moves by at most 2C W + b per unit of displacement
// (Chaudhuri, Monteleoni, Sarwate 2011; docs/theory/calculus.md#output-perturbation).
type outputPerturbation struct {
	*linearDomain
	gaussianQuery
	st     Stage
	target accountant.Budget
	lambda float64 // of a row
	bound  float64 // W
	free   float64
}

// defaultBall is W in units of b/C: the best model of the reference population has 1/√8·2√p of it.
const defaultBall = 2

func newOutputPerturbation(l linear, dom *linearDomain, st Stage) (*outputPerturbation, error) {
	unit := dom.rx * dom.rx
	ridges := []float64{l.Ridge * unit}
	if l.Ridge == 0 {
		ridges = ridges[:0]
		for e := -10; e <= 4; e++ {
			ridges = append(ridges, math.Ldexp(unit, e))
		}
	}
	mu, err := st.spent.mu(l.target())
	if err != nil {
		return nil, err
	}
	var best *outputPerturbation
	for _, lambda := range ridges {
		o := &outputPerturbation{linearDomain: dom, st: st, target: l.target(), lambda: lambda}
		o.bound = orDefault(l.MaxNorm, defaultBall) * dom.height / dom.rx
		o.coordinates, o.max = dom.coefficients(), up(o.bound)
		raw, err := pair.Start(dom.n, dom.rx, st.Before.Neighbours)
		if err != nil {
			return nil, err
		}
		if o.free, err = o.moves(raw); err != nil {
			return nil, err
		}
		if o.sensitivity, err = o.moves(dom.features); err != nil {
			return nil, err
		}
		if err := o.calibrateFor(mu, o.target, st.Before.Neighbours); err != nil {
			return nil, err
		}
		if best == nil || o.predicted(dom.population()) < best.predicted(dom.population()) {
			best = o
		}
	}
	return best, nil
}

// moves bounds how far the minimiser moves on the pair state, as it is computed: each side may be off by solverError.
func (o *outputPerturbation) moves(p pair.State) (float64, error) {
	c, steps := o.rx, float64(o.n)*o.lambda
	q := pair.Query{C: up(c * (c*o.bound + o.height)), Lipschitz: up(2*c*o.bound + o.height)}
	s, _, err := q.Sensitivity(p)
	return up(s/steps + 2*o.solverError()), err
}

// solverError is above what the eigensolver and the root search are off by: the moments, n C² long, by EigenRounding of
// that, (p + 64)·3·2^-51, of which 1/nλ times the right side moves w, and w itself by twice as much where vectors are not quite
// orthogonal. One column is decomposed without a rounding.
func (o *outputPerturbation) solverError() float64 {
	p := float64(o.coefficients())
	return p * 0x1p-42 * (o.rx*o.rx/o.lambda + 1) * o.bound * (1 + o.height/(o.rx*o.bound))
}

func (*outputPerturbation) finish() error { return nil }

func (o *outputPerturbation) bill(l linear) (bill, error) {
	return o.gaussianQuery.price(o.target, o.st, o.free, ReleaseCost{
		Name: describe(l),
		Constants: []Constant{
			{"R̃", o.rx, FromSchema, "bound on a row's norm, the constant feature included"},
			{"b", o.height, FromParameter, "bound on the scaled label"},
			{"W", o.bound, FromParameter, "bound on ‖w‖, by projection"},
			{"λ", o.lambda, FromParameter, "ridge for each row: the objective is nλ-strongly convex"},
			{"σ", o.sigma, FromParameter, "noise on each coefficient"},
		},
		Reference: "output perturbation of ridge regression: S = (2Lf + (2CW + b)τ)/nλ; Chaudhuri, Monteleoni, Sarwate 2011",
	})
}

func (o *outputPerturbation) fit(m *secondMoments, rng *noise.Source) (coefficients, error) {
	return coefficients{method: OutputPerturbation, w: o.draw(rng, o.minimiser(m))}, nil
}

// minimiser solves (A + (nλ + ν)I) w = b for the least ν ≥ 0 with ‖w‖ ≤ W, in the eigenbasis of A.
func (o *outputPerturbation) minimiser(m *secondMoments) []float64 {
	p := o.coefficients()
	g := &gram{d: p, total: make([]float64, p*p)}
	right := make([]float64, p)
	for i := range p {
		copy(g.total[i*p:(i+1)*p], m.sum[i*m.size:i*m.size+p])
		right[i] = m.sum[i*m.size+p]
	}
	s := g.eigen(float64(o.n) * o.rx * o.rx)
	along := make([]float64, p)
	for k := range along {
		for i, v := range right {
			along[k] += s.Vectors[k*p+i] * v
		}
	}
	at := func(nu float64) ([]float64, float64) {
		c := make([]float64, p)
		for k := range c {
			c[k] = along[k] / (math.Max(s.Values[k], 0) + float64(o.n)*o.lambda + nu)
		}
		return c, norm2(c)
	}
	c, size := at(0)
	if size > o.bound {
		lo, hi := 0.0, norm2(along)/o.bound
		for range 200 { // to neighbouring numbers
			mid := lo + (hi-lo)/2
			if mid <= lo || mid >= hi {
				break
			}
			if _, size := at(mid); size > o.bound {
				lo = mid
			} else {
				hi = mid
			}
		}
		c, _ = at(hi)
	}
	w := make([]float64, p)
	for k, v := range c {
		for i := range w {
			w[i] += s.Vectors[k*p+i] * v
		}
	}
	return w
}

func (o *outputPerturbation) predicted(p population) float64 {
	return p.risk(float64(o.n)*o.lambda, o.sigma*o.sigma)
}
