package accountant

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/memo"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// mixShift holds the extreme eigenvalues of the whitened change of a GaussMix covariance on a displaced pair.
type mixShift struct {
	up     float64 // R²/v: a free row that the whitening dataset lacks
	down   float64 // −R²/(R²+v) in absolute value: a free row that it has
	shift  float64 // F: 2-norm of what the displacement of the common rows adds to the spectrum
	both   bool    // replace-one: one eigenvalue of each sign; else one of either
	noFree bool    // no free row
}

// displacedGaussMix bounds the spectrum for rows of norm at most 1, v = s: with Σ = X'ᵀX' + σ²I and
// v = σ² + l, l the certified smallest eigenvalue of the common rows' Gram, a displacement of Frobenius
// norm D changes the whitened covariance by at most
//
//	F = √2 c D + D²/v,  c² = max(1/v, 2l/v²)
//
// in the Frobenius norm (docs/theory/calculus.md#gaussian-mixtures-on-a-displaced-pair), hence its eigenvalues by at most F in the
// 2-norm (Hoffman, Wielandt 1953).
func displacedGaussMix(g GaussMix, s float64) mixShift {
	m := mixShift{both: g.Neighbours == ReplaceOne, noFree: g.ShiftOnly}
	if s > 0 {
		m.up = quad.DivUp(1, s)
		m.down = math.Nextafter(1/(1+s), 2)
	}
	if d := g.Displacement; d > 0 {
		l := math.Nextafter(s-g.Noise, math.Inf(1))
		c2 := max(m.up, quad.DivUp(quad.DivUp(2*l, s), s))
		m.shift = quad.AddUp(quad.MulUp(quad.SqrtUp(quad.MulUp(2, c2)), d), quad.DivUp(quad.MulUp(d, d), s))
	}
	return m
}

// divergence bounds the Rényi divergence of one output row: the smallest of three bounds that hold.
func (m mixShift) divergence(alpha float64) float64 {
	if m.noFree {
		return swings(m.shift, alpha)
	}
	if m.shift == 0 {
		up, down := eigenvalueCost(m.up, alpha), eigenvalueCost(-m.down, alpha)
		if m.both {
			return quad.AddUp(up, down)
		}
		return max(up, down)
	}
	return min(m.apart(alpha), m.joint(alpha), mixGrids.Of(mixGrid{m, alpha}, func() float64 { return m.grid(alpha) }))
}

// mixGrids keeps what grid says at an order: a profile asks for the same orders at every ε.
var mixGrids memo.Memo[mixGrid, float64]

type mixGrid struct {
	shift mixShift
	alpha float64
}

// rising is the largest cost of the free row's positive eigenvalue when it moves by at most v, falling that
// of the negative one; both rise with v.
func (m mixShift) rising(v, alpha float64) float64 {
	return max(eigenvalueCost(quad.AddUp(m.up, v), alpha), eigenvalueCost(-v, alpha))
}

func (m mixShift) falling(v, alpha float64) float64 {
	return max(eigenvalueCost(-quad.AddUp(m.down, v), alpha), eigenvalueCost(v, alpha))
}

// apart moves every eigenvalue by F: those of the free row, and the rest together, as φ(t)/t² rises with |t|.
func (m mixShift) apart(alpha float64) float64 {
	up, down, rest := m.rising(m.shift, alpha), m.falling(m.shift, alpha), swings(m.shift, alpha)
	if m.both {
		return quad.AddUp(quad.AddUp(up, down), rest)
	}
	return quad.AddUp(max(up, down), rest)
}

// joint bounds the spectrum by its 2-norm N and its largest entry e: N² max(φ(e), φ(−e))/e².
func (m mixShift) joint(alpha float64) float64 {
	e := quad.AddUp(m.up, m.shift)
	free := m.up
	if m.both {
		free = quad.SqrtUp(quad.AddUp(quad.MulUp(m.up, m.up), quad.MulUp(m.down, m.down)))
	}
	ratio := quad.DivUp(quad.AddUp(free, m.shift), e)
	return quad.MulUp(quad.MulUp(ratio, ratio), swings(e, alpha))
}

// grid is the supremum over v1² + v2² + v3² ≤ F² of rising(v1) + falling(v2) + (v3/F)² swings(F), on cells of
// equal width in v1² and v2² whose upper corners are taken.
func (m mixShift) grid(alpha float64) float64 {
	const cells = 32
	if !m.both {
		return math.Inf(1)
	}
	rest := swings(m.shift, alpha)
	var up, down [cells]float64
	for i := range up {
		v := quad.MulUp(m.shift, quad.SqrtUp(float64(i+1)/cells))
		up[i], down[i] = m.rising(v, alpha), m.falling(v, alpha)
	}
	var left [cells]float64 // of the rest, where the others have so many cells
	for n := range left {
		left[n] = quad.MulUp(rest, float64(cells-n)/cells)
	}
	worst := 0.0
	for i := range cells {
		for j := range cells - i {
			if up[i]+down[j]+left[i+j] < worst*(1-0x1p-40) {
				continue // nor does it exceed it rounded up
			}
			worst = max(worst, quad.AddUp(quad.AddUp(up[i], down[j]), left[i+j]))
		}
	}
	return worst
}
