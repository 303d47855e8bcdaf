package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// SubsampledGroup is one Poisson-subsampled Gaussian step on tables where preprocessing, such as deduplication, may
// have removed up to OneSided rows on one side only, beside the row that differs; an absent row keeps its place and
// has the gradient 0.
type SubsampledGroup struct {
	C          float64 // bound on the norm of one row's gradient
	Sigma      float64 // standard deviation of the noise on the sum; 0 costs +Inf
	Rate       float64 // q of Poisson sampling
	OneSided   int
	Neighbours Neighbours
}

var _ = registerLeaf[SubsampledGroup]("subsampled_group")

// groupLimit is the largest number of rows of which the pair is integrated.
const groupLimit = 24

// RDP is the divergence of the worst pair, E N(C·Bin(r₁, q), σ²) against E N(−C·Bin(r₂, q), σ²), over all ways to
// share the rows among the sides (docs/theory/preprocessing.md#poisson-sampling-under-replace-one): r₁ + r₂ = 2 + OneSided under
// [ReplaceOne], 1 + OneSided under [AddRemove]. Beyond 24 rows in all it is the Gaussian of all of them.
// Errors wrap [ErrNeighbours] or [ErrParameter].
func (g SubsampledGroup) RDP(rel Neighbours) (Curve, error) {
	if err := g.Neighbours.match("SubsampledGroup", rel); err != nil {
		return nil, err
	}
	t, err := noiseRatio("SubsampledGroup", g.C, g.Sigma)
	if err != nil {
		return nil, err
	}
	if err := PoissonSampling(g.Rate).Validate(); err != nil {
		return nil, err
	}
	if g.OneSided < 0 {
		return nil, fmt.Errorf("accountant: SubsampledGroup: one-sided rows: got %d, want at least 0: %w", g.OneSided, ErrParameter)
	}
	rows := g.OneSided + 2
	if rel == AddRemove {
		rows--
	}
	shift := quad.MulUp(float64(rows), t)
	switch {
	case g.Rate == 0:
		return gaussianCurve(0), nil
	case g.Rate == 1 || rows > groupLimit || shift > 64 || t == 0:
		return gaussianCurve(shift), nil
	}
	least := 1 // on the side that has fewer
	if rel == AddRemove {
		least = 0
	}
	var pairs []groupPair
	for r := least; r <= rows-least; r++ {
		pairs = append(pairs, newGroupPair(g.Rate, t, 0, r, rows-r))
	}
	return perOrder(func(alpha float64) float64 {
		worst := 0.0
		for _, p := range pairs {
			worst = max(worst, boundedMoment(p, alpha, shift, t))
		}
		return worst
	}), nil
}

// guide of a step: its curve is one.
func (g SubsampledGroup) guide(rel Neighbours) (*guide, error) {
	c, err := g.RDP(rel)
	return &guide{curve: c, whole: true, tol: 1e-2}, err
}

// String names the step and its constants.
func (g SubsampledGroup) String() string {
	return fmt.Sprintf("SubsampledGroup(C %.6g, sigma %.6g, Poisson %.6g, %d one-sided rows, %v)", g.C, g.Sigma, g.Rate, g.OneSided, g.Neighbours)
}

// groupPair is P = E N(t·Bin(r₁, q)), Q = E N(−v − t·Bin(r₂, q)).
type groupPair struct {
	t, v   float64
	c1, c2 []float64 // ln of the binomial probabilities, less k²t²/2
}

func newGroupPair(q, t, v float64, r1, r2 int) groupPair {
	logs := func(r int) []float64 {
		c := make([]float64, r+1)
		for k := range c {
			n, x := float64(r), float64(k)
			c[k] = logBinomial(n, x) + x*math.Log(q) + (n-x)*math.Log1p(-q) - x*x*t*t/2
		}
		return c
	}
	return groupPair{t: t, v: v, c1: logs(r1), c2: logs(r2)}
}

// tilted is ln Σ e^{c_k + kw}, and the mean of k under these weights.
func tilted(c []float64, w float64) (log, mean float64) {
	top := math.Inf(-1)
	for k, v := range c {
		top = max(top, v+float64(k)*w)
	}
	sum := 0.0
	for k, v := range c {
		e := math.Exp(v + float64(k)*w - top)
		sum += e
		mean += float64(k) * e
	}
	return top + math.Log(sum), mean / sum
}

func (p groupPair) at(x float64) (ratio, slack, weight, base float64) {
	m1, _ := tilted(p.c1, p.t*x)
	m2, _ := tilted(p.c2, -p.t*(x+p.v))
	n := float64(len(p.c1) + len(p.c2))
	size := n*p.t*(math.Abs(x)+p.v) + math.Abs(p.c1[len(p.c1)-1]) + math.Abs(p.c2[len(p.c2)-1]) + n
	return p.v*(x+p.v/2) + m1 - m2, 4 * eps * (size + p.v*math.Abs(x)), 1, m2 - (x+p.v)*(x+p.v)/2
}

func (p groupPair) bumps(alpha float64) []float64 {
	r1, r2 := len(p.c1)-1, len(p.c2)-1
	pull := func(x float64) float64 {
		_, k1 := tilted(p.c1, p.t*x)
		_, k2 := tilted(p.c2, -p.t*(x+p.v))
		return alpha*p.t*k1 + (alpha-1)*(p.v+p.t*k2)
	}
	lo := (alpha - 1) * p.v
	hi := lo + p.t*(alpha*float64(r1)+(alpha-1)*float64(r2))
	var modes []float64
	for k := range r2 + 1 {
		modes = append(modes, -p.v-p.t*float64(k))
	}
	return sortedBumps(pull, lo, hi, modes...)
}

// strip: |Σ p_k e^{ikθ}| ≥ 1 − θ² Var(k)/2 ≥ 1 − θ² r²/8 for any law on 0…r.
func (p groupPair) strip(alpha, d float64) float64 {
	turn := func(c []float64) float64 {
		theta := p.t * d * float64(len(c)-1)
		return theta * theta / 8
	}
	a, b := turn(p.c1), turn(p.c2)
	if max(a, b) > 0.5 {
		return math.Inf(1)
	}
	return -alpha * (math.Log1p(-b) + math.Log1p(-a))
}
