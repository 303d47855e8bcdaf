package linear

import (
	"cmp"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// OutputFit releases the minimiser over ‖w‖ ≤ W of Σ ½(v − ⟨w, x⟩)² + nλ/2·‖w‖² with Gaussian noise. The objective
// is nλ-strongly convex, so that the minimiser moves by at most 1/nλ times what a change of rows adds to the gradient
// there: a gradient (⟨w, x⟩ − v)x is at most L = (C W + b)C long and moves by at most 2C W + b per unit of displacement
// (Chaudhuri, Monteleoni, Sarwate 2011; docs/theory/calculus.md#output-perturbation).
type OutputFit struct {
	*LinearDomain
	query.GaussianQuery
	st     stage.Stage
	target accountant.Budget
	lambda float64 // of a row
	bound  float64 // W
	free   float64
}

// defaultBall is W in units of b/C: the best model of the reference population has 1/√8·2√p of it.
const defaultBall = 2

func newOutputPerturbation(l LeastSquares, dom *LinearDomain, st stage.Stage) (*OutputFit, error) {
	unit := dom.Rx * dom.Rx
	ridges := []float64{l.Ridge * unit}
	if l.Ridge == 0 {
		ridges = ridges[:0]
		for e := -10; e <= 4; e++ {
			ridges = append(ridges, math.Ldexp(unit, e))
		}
	}
	mu, err := st.Spent.Mu(l.Target())
	if err != nil {
		return nil, err
	}
	var best *OutputFit
	for _, lambda := range ridges {
		o := &OutputFit{LinearDomain: dom, st: st, target: l.Target(), lambda: lambda}
		o.bound = cmp.Or(l.MaxNorm, defaultBall) * dom.Height / dom.Rx
		o.Coordinates, o.Max = dom.Coefficients(), stage.Up(o.bound)
		raw, err := pair.Start(dom.N, dom.Rx, st.Before.Neighbours)
		if err != nil {
			return nil, err
		}
		if o.free, err = o.moves(raw); err != nil {
			return nil, err
		}
		if o.Sensitivity, err = o.moves(dom.Features); err != nil {
			return nil, err
		}
		if err := o.CalibrateFine(mu); err != nil {
			return nil, err
		}
		if best == nil || o.predicted(dom.population()) < best.predicted(dom.population()) {
			best = o
		}
	}
	return best, nil
}

// moves bounds how far the minimiser moves on the pair state, as it is computed: each side may be off by solverError.
func (o *OutputFit) moves(p pair.State) (float64, error) {
	c, steps := o.Rx, float64(o.N)*o.lambda
	q := pair.Query{C: stage.Up(c * (c*o.bound + o.Height)), Lipschitz: stage.Up(2*c*o.bound + o.Height)}
	s, _, err := q.Sensitivity(p)
	return stage.Up(s/steps + 2*o.solverError()), err
}

// solverError is above what the eigensolver and the root search are off by: the moments, n C² long, by EigenRounding of
// that, (p + 64)·3·2^-51, of which 1/nλ times the right side moves w, and w itself by twice as much where vectors are not quite
// orthogonal. One column is decomposed without a rounding.
func (o *OutputFit) solverError() float64 {
	p := float64(o.Coefficients())
	return p * 0x1p-42 * (o.Rx*o.Rx/o.lambda + 1) * o.bound * (1 + o.Height/(o.Rx*o.bound))
}

func (*OutputFit) Finish() error { return nil }

func (o *OutputFit) Bill(name string) (query.Bill, error) {
	moves := func(p pair.State) (float64, error) {
		p, err := o.FeaturesBehind(p)
		if err != nil {
			return math.Inf(1), err
		}
		return o.moves(p)
	}
	return o.GaussianQuery.Price(o.target, o.st, o.free, moves, cost.Release{
		Name: name,
		Constants: []stage.Constant{
			{Symbol: "R̃", Value: o.Rx, Origin: stage.FromSchema, Meaning: "bound on a row's norm, the constant feature included"},
			{Symbol: "b", Value: o.Height, Origin: stage.FromParameter, Meaning: "bound on the scaled label"},
			{Symbol: "W", Value: o.bound, Origin: stage.FromParameter, Meaning: "bound on ‖w‖, by projection"},
			{Symbol: "λ", Value: o.lambda, Origin: stage.FromParameter, Meaning: "ridge for each row: the objective is nλ-strongly convex"},
			{Symbol: "σ", Value: o.Sigma, Origin: stage.FromParameter, Meaning: "noise on each coefficient"},
		},
		Reference: "output perturbation of ridge regression: S = (2Lf + (2CW + b)τ)/nλ; Chaudhuri, Monteleoni, Sarwate 2011",
	})
}

func (o *OutputFit) Fit(m *NormalEquations, rng *noise.Source) (Coefficients, error) {
	return Coefficients{Method: models.OutputPerturbation, W: o.Draw(rng, o.Minimiser(m)), law: o.law()}, nil
}

// Minimiser solves (A + (nλ + ν)I) w = b for the least ν ≥ 0 with ‖w‖ ≤ W, in the eigenbasis of A.
func (o *OutputFit) Minimiser(m *NormalEquations) []float64 {
	p := o.Coefficients()
	g := &rows.Gram{D: p, Total: make([]float64, p*p)}
	right := make([]float64, p)
	for i := range p {
		copy(g.Total[i*p:(i+1)*p], m.Sum[i*m.Size:i*m.Size+p])
		right[i] = m.Sum[i*m.Size+p]
	}
	s := g.Eigen(float64(o.N) * o.Rx * o.Rx)
	along := make([]float64, p)
	for k := range along {
		for i, v := range right {
			along[k] += s.Vectors[k*p+i] * v
		}
	}
	at := func(nu float64) ([]float64, float64) {
		c := make([]float64, p)
		for k := range c {
			c[k] = along[k] / (math.Max(s.Values[k], 0) + float64(o.N)*o.lambda + nu)
		}
		return c, num.Norm2(c)
	}
	c, size := at(0)
	if size > o.bound {
		lo, hi := 0.0, num.Norm2(along)/o.bound
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

func (o *OutputFit) predicted(p population) float64 {
	return p.risk(float64(o.N)*o.lambda, func(float64) float64 { return o.Sigma * o.Sigma })
}
