package printed

import (
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// pair is the pair state behind a step, with corrected sensitivities. It needs the promises of the setting. A
// row that deduplication removes on one side only counts as displaced by 1, and is priced by what it
// contributes.
func (s Setting) pair(step Step) (pair.State, error) {
	p, err := pair.Start(s.Rows, 1, accountant.ReplaceOne)
	if err != nil {
		return p, err
	}
	n, others := float64(s.Rows), s.Rows-1
	switch step {
	case Dedup:
		p.M = int(min(float64(others), 2*(clustersTouched(s.Columns)*float64(s.Cluster-1)+1)))
		p.TInf = 1
		p.T1 = float64(p.M)
	case Quantization:
		touched := clustersTouched(s.Columns) * float64(s.Cluster)
		p.M = int(min(float64(others), 2*touched))
		p.TInf = stage.Up(2 * s.Eta)
		p.T1 = stage.Up(2 * s.Eta * min(touched, float64(others)))
	case Imputation:
		p.M = s.Missing
		p.TInf = stage.Up(imputationShift(n, n-float64(s.Missing), float64(s.Columns)))
		p.T1 = stage.Up(float64(p.M) * p.TInf)
	case PCA:
		// docs/theory/preprocessing.md#theorem-31-projectors for a covariance with re-centring left out: c/(nβ), c = 3√3/2.
		p.M = others
		p.TInf = stage.Up(min(1, 1.5*math.Sqrt(3)/(n*s.Gap)))
		p.T1 = stage.Up(float64(others) * p.TInf)
	case Scaling:
		p.M = others
		p.R = stage.Up(2 / s.Std)
		p.TInf, p.T1 = scalingShift(n, float64(s.Columns), s.Std)
		p.T1 = min(p.T1, stage.Up(float64(others)*p.TInf))
	}
	p.TF = stage.Up(math.Sqrt(float64(p.M)) * p.TInf)
	return p.Close(), nil
}

// clustersTouched bounds K_d, the number of points of the unit ball that are more than 1 apart.
func clustersTouched(d int) float64 {
	switch d {
	case 1, 2, 3, 4, 8:
		return map[int]float64{1: 2, 2: 5, 3: 12, 4: 24, 8: 240}[d]
	}
	return math.Pow(3, float64(d)) - 1
}

// imputationShift bounds how far a row moves when one row of n is replaced and each mean has at least m
// values, masks included: c/m with c = √(4+2M²) for M² ≤ 2, else √2 + M; M² = min(n/m, d); at most 2√d,
// and 2 for one column (docs/theory/preprocessing.md#theorem-21-mean-imputation).
func imputationShift(n, m, d float64) float64 {
	m2 := min(n/m, d)
	c := math.Sqrt2 + math.Sqrt(m2)
	if m2 <= 2 {
		c = math.Sqrt(4 + 2*m2)
	}
	return min(c, 2*math.Sqrt(d)) / m
}

// scalingShift bounds the displacement of a row and of all rows together, for a population standard
// deviation of at least s in every one of d columns of the unit ball (width 2; docs/theory/preprocessing.md#theorem-41-scaling).
func scalingShift(n, d, s float64) (row, total float64) {
	feature := 4 * (2 + math.Sqrt(max(0, 4-4*s*s))) / (4 * n * s * s * s)
	row = min(math.Sqrt(d)*feature, 4/(n*s*s*s)+2/(n*s))
	box, ball := d*(4/(s*s)+4/(s*s*s*s)), 4/(s*s)+27/(4*s*s*s*s)
	return stage.Up(row), stage.Up(math.Sqrt(min(box, ball)))
}

// events are a mechanism on a pair: what the free row costs alone, what the displacement costs
// alone, and both in one hop.
type events struct{ free, shift, direct accountant.Event }

// events builds them with the paper's noise. The displacement alone has no free row; its divergence is that
// of the sum's shift.
func (s Setting) events(m Mechanism, step Step) (e events, err error) {
	p, err := s.pair(step)
	if err != nil {
		return e, err
	}
	start, err := pair.Start(s.Rows, p.R, p.Neighbours)
	if err != nil {
		return e, err
	}
	rel, n := p.Neighbours, float64(s.Rows)
	output := pair.Query{C: s.Sensitivity / 2, Lipschitz: s.Lipschitz}
	gradient := pair.Query{C: s.Lipschitz, Lipschitz: s.Smoothness}
	if step == Dedup {
		gradient.Lipschitz = s.Lipschitz // a row that is there on one side only contributes all of its gradient
	}
	q := output
	if m == GD || m == SGDSampled || m == SGDIterated {
		q = gradient
	}
	total, free, err := q.Sensitivity(p)
	if err != nil {
		return e, err
	}
	shift := max(0, stage.Up(total-free))
	on := func(build func(pair.State) (accountant.Event, error)) {
		if err == nil {
			e.free, err = build(start)
		}
		if err == nil {
			e.direct, err = build(p)
		}
	}
	switch m {
	case Gaussian:
		sigma := s.Sensitivity / s.Epsilon
		on(func(p pair.State) (accountant.Event, error) { return pair.GaussianOn(p, q, sigma) })
		e.shift = accountant.Gaussian{Sensitivity: shift, Sigma: sigma, Neighbours: rel}
	case Laplace:
		scale := s.Sensitivity / s.Epsilon
		on(func(p pair.State) (accountant.Event, error) { return pair.LaplaceOn(p, q, scale) })
		e.shift = accountant.Laplace{Sensitivity: shift, Scale: scale, Neighbours: rel}
	case Exponential:
		eta := s.Epsilon / (2 * s.Sensitivity)
		on(func(p pair.State) (accountant.Event, error) { return pair.ExponentialOn(p, q, eta) })
		e.shift = accountant.Exponential{Epsilon: stage.Up(2 * eta * shift), Neighbours: rel}
	case GD:
		sigma := s.Lipschitz * math.Sqrt(float64(s.Steps)) / s.Epsilon // on the sum
		on(func(p pair.State) (accountant.Event, error) {
			g, err := pair.GaussianOn(p, q, sigma)
			return accountant.Repeat(g, s.Steps), err
		})
		e.shift = accountant.Repeat(accountant.Gaussian{Sensitivity: shift, Sigma: sigma, Neighbours: rel}, s.Steps)
	case SGDSampled:
		sigma := s.Lipschitz * math.Sqrt(float64(s.Steps)) / (s.Epsilon * n)
		on(func(p pair.State) (accountant.Event, error) {
			g, err := pair.SubsampledGaussianOn(p, q, sigma, accountant.BatchSampling(1, s.Rows))
			return accountant.Repeat(g, s.Steps), err
		})
		// One row is drawn, alike on both sides: at most its own displacement shows.
		each := min(stage.Up(q.Lipschitz*p.TInf), 2*q.C, shift)
		e.shift = accountant.Repeat(accountant.Gaussian{Sensitivity: each, Sigma: sigma, Neighbours: rel}, s.Steps)
	case SGDIterated:
		sigma := math.Sqrt(2*math.Log(n)/n) * 8 * s.Lipschitz / s.Epsilon
		on(func(p pair.State) (accountant.Event, error) {
			return pair.SGDIterationOn(p, q, sigma, s.Rows)
		})
		e.shift = accountant.SGDIteration{C: shift / 2, Sigma: sigma, Steps: s.Rows, Neighbours: rel}
	}
	return e, err
}
