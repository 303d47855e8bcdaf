package accountant

import (
	"math"
	"sync"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// addRemoveBounds are those of a Poisson step under add/remove; lengths are in units of the noise.
func addRemoveBounds(q, t float64, shift displacement) []bound {
	pair := sgm{q, t}
	if shift.Rows == 0 {
		return []bound{{name: "Poisson, exact", rdp: perOrder(pair.logMoment)}}
	}
	c := newCoin(q)
	hop := newOneHop(q, t, t, shift)
	return []bound{
		{name: "Poisson, rows drawn alike", rdp: perOrder(func(alpha float64) float64 {
			return hop.logMoment(alpha, addAlike{c, t, false}, addAlike{c, t, true})
		})},
		splitBound("Poisson, noise split", pair, 1, hop.vertex, shift),
		{name: "Gaussian, worst batch", rdp: gaussianCurve(quad.AddUp(t, shift.Total))},
	}
}

// replaceBounds are those of a Poisson step under replace-one.
func replaceBounds(q, t float64, shift displacement) []bound {
	pair := replaceAlike{newCoin(q), t}
	if shift.Rows == 0 {
		return []bound{{name: "Poisson, exact", rdp: perOrder(func(alpha float64) float64 {
			return min(pair.undisplaced(alpha), oneSided(sgm{q, t}, alpha))
		})}}
	}
	hop := newOneHop(q, t, 2*t, shift)
	return []bound{
		{name: "Poisson, rows drawn alike", rdp: perOrder(func(alpha float64) float64 { return hop.logMoment(alpha, pair) })},
		splitBound("Poisson, noise split", sgm{q, t}, 2, hop.vertex, shift),
		{name: "Gaussian, worst batch", rdp: gaussianCurve(quad.AddUp(2*t, shift.Total))}, // by quasi-convexity over the draws
	}
}

// oneSided bounds (α−1) D_α of the replaced pair by Q ≥ (1−q) N(0), where quadrature does not reach: it is above
// the divergence of add/remove by −ln(1−q) per unit of α−1.
func oneSided(s sgm, alpha float64) float64 {
	if s.t <= 32 && 2*alpha*s.t <= largestReach {
		return math.Inf(1)
	}
	return quad.AddUp(s.logMoment(alpha), quad.Inflate((alpha-1)*-math.Log1p(-s.q), 4*eps))
}

// largestReach is the largest product of the order and the shift at which quadrature keeps its digits.
const largestReach = 2e3

// gaussMoment is (α−1) D_α of one shift by s, α(α−1) s²/2.
func gaussMoment(alpha, s float64) float64 {
	if s == 0 {
		return 0
	}
	return quad.Inflate(alpha*(alpha-1)*s*s/2, 8*eps)
}

// oneHop averages e^{(α−1)D} over the number K of displaced rows that a Poisson step draws, which both sides
// share (docs/theory/preprocessing.md#poisson-sampling-under-replace-one): e^{(α−1)D} is jointly convex, and D rises with the displacement v of
// the sum. Any K rows move it by at most min(K·Each, Total).
//
// Where αt² ≤ 4 it is enough to spread Total over as few rows as possible, each moved by Each, as then the average
// is convex in the displacements. For, with m and m' the two mixtures' ratios to their Gaussians,
//
//	e^{(α−1)D(v)} = e^{α(α−1)v²/2} E_{z~N(0,1)} m(z + (α−1)v)^α m'(z + αv)^{1−α},
//
// ln m and ln m' are convex with second derivatives in [0, t²/4], so the logarithm of the integrand has a second
// derivative in v of at least α(α−1)(1 − αt²/4).
type oneHop struct {
	t, free float64 // shift of one gradient, and of the free row in all
	shift   displacement
	rows    func() countLaw // of all displaced rows
	vertex  countLaw        // of as few as possible
}

// convexOrder is the largest order with αt² ≤ 4, or a little below it.
func convexOrder(t float64) float64 { return 4 * (1 - 4*eps) / (t * t) }

func newOneHop(q, t, free float64, shift displacement) oneHop {
	h := oneHop{t: t, free: free, shift: shift, vertex: binomialCount(shift.fewest, q)}
	h.rows = sync.OnceValue(func() countLaw { return binomialCount(shift.Rows, q) })
	return h
}

// logMoment is (α−1) D_α, rounded up, for the worst of the directions of a step. Counts that cannot matter are priced
// by the Gaussian bound.
func (h oneHop) logMoment(alpha float64, directions ...alike) float64 {
	if math.IsInf(alpha, 1) {
		return alpha
	}
	convex := alpha <= convexOrder(h.t)
	var law countLaw
	if convex {
		law = h.vertex
	} else {
		law = h.rows()
	}
	const negligible = -102 // ln of a part of the sum, which is of the order of the squared rate at least
	terms := make([]float64, len(law.count))
	v := make([]float64, len(law.count))
	exact := make([]int, 0, len(law.count)) // the counts that matter
	most := 0.0
	for i, k := range law.count {
		v[i] = quad.MulUp(k, h.shift.Each)
		if !convex {
			v[i] = min(v[i], h.shift.Total)
		}
		p, gauss := law.logP[i], gaussMoment(alpha, quad.AddUp(h.free, v[i]))
		terms[i] = gauss
		// ln(e^g − 1) is between ln g and g.
		if p+gauss > negligible && ((p > -60 && gauss > 1e-18) || p+logExpm1(gauss) > negligible) {
			exact = append(exact, i)
			if alpha*(h.free+v[i]) <= tableReach {
				most = v[i]
			}
		}
	}
	worst := 0.0
	for _, pairs := range directions {
		nodes := pairs.nodes(alpha, most)
		for j, i := range exact {
			if j > 0 && v[i] == v[exact[j-1]] {
				terms[i] = terms[exact[j-1]]
				continue
			}
			terms[i] = h.pairMoment(pairs, nodes, alpha, v[i])
		}
		worst = max(worst, law.logMean(terms))
	}
	return worst
}

// pairMoment is (α−1) D_α of one pair: on the shared nodes if they suffice.
func (h oneHop) pairMoment(pairs alike, nodes func(v float64) float64, alpha, v float64) float64 {
	reach := quad.AddUp(h.free, v)
	if nodes != nil && alpha*reach <= tableReach {
		if m := nodes(v); m < math.Inf(1) {
			return min(m, gaussMoment(alpha, reach))
		}
	}
	return boundedMoment(pairs.at(v), alpha, reach, h.t)
}

// splitBound bounds (α−1) D_α by giving each source of change its own share of the noise
// (docs/theory/calculus.md#lemma-8-noise-splitting, docs/theory/calculus.md#subsampled-steps-by-noise-splitting): the free row on each of its sides, by symmetry with equal shares, and the
// displacement. The average of the latter's e^{(α−1)D} is convex in the displacements, so it is largest where
// as few rows as possible have all of it.
func splitBound(name string, free sgm, sides int, law countLaw, shift displacement) bound {
	each := shift.Each
	b := splitNoise(func(alpha, share float64) float64 {
		s := free
		s.t = quad.DivUp(s.t, math.Sqrt(share/float64(sides))*(1-eps))
		return quad.MulUp(float64(sides), s.logMoment(alpha))
	}, func(alpha, share float64) float64 {
		return law.logExpectSquare(quad.Inflate(alpha*(alpha-1)*each*each/(2*share), 8*eps))
	})
	b.name = name
	return b
}

// splitNoise minimises the sum of two moments over their shares of the noise. It is above what both would be with all
// of the noise each.
func splitNoise(free, displaced func(alpha, share float64) float64) bound {
	return bound{rdp: perOrder(func(alpha float64) float64 {
		if math.IsInf(alpha, 1) {
			return alpha
		}
		f := func(u float64) float64 { // the shares 1/(1+e^-u) and 1/(1+e^u)
			return quad.AddUp(free(alpha, (1-eps)/(1+math.Exp(-u))), displaced(alpha, (1-eps)/(1+math.Exp(u))))
		}
		_, v := minimizeUnimodal(f, 0, 1.5, 0.01)
		return v
	}), above: perOrder(func(alpha float64) float64 {
		const margin = 1e-9 // of the roundings
		return (1 - margin) * (free(alpha, 1) + displaced(alpha, 1))
	})}
}

// worBounds are those of a batch without replacement under replace-one; t = 2C/σ.
func worBounds(s Sampling, t float64, shift displacement) []bound {
	w := wor{s.rate(), t}
	if shift.Rows == 0 {
		return []bound{
			{name: "without replacement, hybrid", rdp: perOrder(w.hybrid)},
			{name: "without replacement, ternary", rdp: perOrder(w.corrected)},
		}
	}
	r := min(shift.fewest, s.Rows-1)
	worst := min(shift.Total, quad.MulUp(float64(min(s.Batch, r)), shift.Each))
	drawn := displacedDraw(hypergeometricCount(s.Rows, r, s.Batch), shift.Each, worst)
	bs := []bound{
		{name: "Gaussian, worst batch", rdp: gaussianCurve(quad.AddUp(t, worst))}, // by quasi-convexity over the batches
		{name: "without replacement, weak triangle", rdp: perOrder(weakTriangle(w.logMoment, drawn))},
	}
	batch := splitNoise(func(alpha, share float64) float64 {
		v := w
		v.t = quad.DivUp(t, math.Sqrt(share)*(1-eps))
		return v.logMoment(alpha)
	}, func(alpha, share float64) float64 {
		return gaussMoment(alpha, quad.DivUp(worst, math.Sqrt(share)*(1-eps)))
	})
	batch.name = "without replacement, noise split, worst batch"
	bs = append(bs, batch)
	if s.Rows > 1 {
		// One of the batch is swapped for the free row by an independent coin, on each side (docs/theory/calculus.md#subsampled-steps-by-noise-splitting).
		law := hypergeometricCount(s.Rows-1, r, s.Batch)
		bs = append(bs, splitBound("without replacement, noise split", sgm{w.gamma, t}, 2, law, shift))
	}
	return bs
}

// displacedDraw is (α−1) D_α of a step on the same batch of displaced rows (docs/theory/preprocessing.md#displacement-of-a-batch).
func displacedDraw(law countLaw, each, worst float64) func(alpha float64) float64 {
	return func(alpha float64) float64 {
		if math.IsInf(alpha, 1) {
			return alpha
		}
		c := alpha * (alpha - 1) * each * each / 2
		return min(gaussMoment(alpha, worst), law.logExpectSquare(quad.Inflate(c, 8*eps)))
	}
}

// weakTriangle goes from one table to the other through a third, in both orders, with the best c > 1:
//
//	D_α(P‖Q) ≤ (α−1/c)/(α−1) D_{cα}(P‖R) + D_{(cα−1)/(c−1)}(R‖Q)
//
// (Mironov 2017, Proposition 11).
func weakTriangle(free, displaced func(alpha float64) float64) func(alpha float64) float64 {
	return func(alpha float64) float64 {
		if math.IsInf(alpha, 1) {
			return alpha
		}
		best := math.Inf(1)
		for _, legs := range [2][2]func(float64) float64{{free, displaced}, {displaced, free}} {
			f := func(logU float64) float64 {
				u := math.Exp(logU) // c − 1
				first := alpha * (1 + u)
				second := (alpha - 1 + alpha*u) / u
				if !(first > alpha && second > alpha) {
					return math.Inf(1)
				}
				// In (α−1) D: the factor of the first is (α−1/c)/(cα−1) = 1/c, that of the second (α−1)/(second−1).
				v := quad.AddUp(legs[0](first)/(1+u), legs[1](second)*(alpha-1)/(second-1))
				return quad.Inflate(v, 16*eps)
			}
			_, v := minimizeUnimodal(f, 0, 1.5, 0.01)
			best = min(best, v)
		}
		return best
	}
}
