package dpkit

import (
	"math"

	"github.com/dpkit-go/dpnb/accountant/pair"
)

// spread has the public constants of a fitted scale on the columns that it writes to.
type spread struct {
	floor, gain float64 // absolute
	q           float64 // sup ‖a'² − a²‖₂ over the squared cells of two rows, from their centre
	cell        float64 // sup |a_j|: largest distance of a value from its centre
	centred     bool
	widths      []float64 // of the columns; nil where only a ball is known
}

// spreadOf derives them from the columns and the pair on them. The spread of a column cannot exceed
// half its width (Popoviciu 1935), or its height about 0: one that cannot exceed the floor is
// scaled by a constant, and has no part in Q.
func (s columnScale) spreadOf(cols subset, p pair.State) spread {
	w := spread{floor: s.floor, gain: s.gain, centred: s.centred}
	sizes, part := cols.heights(p.R), 1.
	if s.centred {
		sizes, part = cols.widths(p.R), 0.5
		w.widths = sizes
	}
	var active []float64
	for _, x := range sizes {
		if part*x > s.floor {
			active = append(active, x)
		}
	}
	two, four, most := powers(active)
	r, d := p.R, p.D()
	if s.centred {
		// The squares lie in [0, w_j²]; the outer products of two centred rows of the ball differ by
		// at most 4R² (docs/theory/calculus.md#lemma-6-centred-outer-products); ‖a'² − a²‖ ≤ ‖a' − a‖ max|a' + a|.
		w.q = min(4*r*r, four*four, most*math.Sqrt2*min(2*r, two), 2*most*d)
	} else {
		w.q = min(math.Sqrt2*r*r, four*four, most*math.Sqrt2*min(r, two), 2*most*d)
	}
	w.q, w.cell = up(w.q), up(most)
	return w
}

// bounds returns the least of the constants that hold.
func (w spread) bounds(p pair.State) pair.StepBounds {
	if !w.centred {
		return rmsBounds(p, w)
	}
	b := stdBounds(p, w)
	b.R = min(b.R, w.gain/w.floor*norm2(w.widths))
	return w.sharpen(p, b)
}

// rmsBounds are those of y = g·x/max(rms, fl) (docs/theory/calculus.md#standardisation): per column a projection onto
// the ball of radius fl·√n, times c = g/fl. Along a segment the rms of column j moves by
// Σ_i x_ij dx_ij/(n·rms_j), and a row by x∘Δ(g/rms): in total n·(Σ_j (rms_j Δ(g/rms_j))²)^½.
func rmsBounds(p pair.State, w spread) pair.StepBounds {
	n, g, fl, c := float64(p.N), w.gain, w.floor, w.gain/w.floor
	a1 := g * w.q / (2 * fl * fl)
	h := w.shift(p)
	return pair.StepBounds{
		K: c, KF: c,
		A1: a1, AF: a1 / math.Sqrt(n), AInf: g * w.cell * w.q / n / (2 * fl * fl * fl),
		H1: n * h, HF: math.Sqrt(n) * h, HInf: w.cell / fl * h,
		Affected: p.N - p.F, R: c * p.R,
	}
}

// shift is the root mean square over the rows of what displaced rows move by way of the spreads:
// these move by min(tF/√n, cell·t1/(n·fl)), ℓ2 over the columns, and it is c = g/fl times that.
func (w spread) shift(p pair.State) float64 {
	n := float64(p.N)
	return w.gain / w.floor * min(p.TF/math.Sqrt(n), w.cell/(n*w.floor)*p.T1)
}

// stdBounds are those of y = g·(x − mean)/max(sd, fl): the same on centred columns, and the mean
// moves by D/n for a replaced row (docs/theory/calculus.md#standardisation).
func stdBounds(p pair.State, w spread) pair.StepBounds {
	n, g, fl, c := float64(p.N), w.gain, w.floor, w.gain/w.floor
	common, d := n-1, p.D()
	scale := g * common / n * w.q / (2 * fl * fl)
	h := w.shift(p)
	return pair.StepBounds{
		K: c, KF: c,
		A1:   c*common*d/n + scale,
		AF:   c*math.Sqrt(common)*d/n + scale/math.Sqrt(n),
		AInf: c*d/n + g*w.cell*(common/(n*n))*w.q/(2*fl*fl*fl),
		H1:   c*common*p.T1/n + n*h,
		HInf: c*p.T1/n + w.cell/fl*h,

		Affected: p.N - p.F, R: c * 2 * p.R,
	}
}

// sharpen takes the bounds of docs/theory/preprocessing.md#theorem-41-scaling for one replaced row where they are less.
// Move weight 1/n from the one value to the other, with a and b their distances from the mean at
// any point of the path: a row moves at the rate g((b−a)/ŝ + (x−μ)(b²−a²)/(2ŝ³))/n, ŝ = max(sd, fl),
// the second term only where sd > fl.
//
// (c) Over the rows x − μ has mean 0 and mean square sd² ≤ ŝ², so that the terms add in squares:
// aF ≤ g·(D²/fl² + Q²/(4fl⁴))^½/√n.
//
// (a) In a column of width w the rate is at most w²(w + √(w² − 4fl²))/(4n·fl³), or w/(n·fl) where
// the spread cannot exceed the floor.
func (w spread) sharpen(p pair.State, b pair.StepBounds) pair.StepBounds {
	n, g, fl := float64(p.N), w.gain, w.floor
	aF := g / fl * math.Hypot(p.D(), w.q/(2*fl)) / math.Sqrt(n)
	b.AF, b.A1 = min(b.AF, aF), min(b.A1, math.Sqrt(n)*aF)
	each := make([]float64, len(w.widths))
	for j, x := range w.widths {
		if each[j] = x / (n * fl); x > 2*fl {
			each[j] = x * x * (x + math.Sqrt(x*x-4*fl*fl)) / (4 * n * fl * fl * fl)
		}
	}
	b.AInf = min(b.AInf, g*norm2(each))
	return b
}
