package steps

import (
	"math"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Spread has the public constants of a fitted scale on the columns that it writes to.
type Spread struct {
	Floor, Gain float64 // absolute
	Q           float64 // sup ‖a'² − a²‖₂ over the squared cells of two rows, from their centre
	Cell        float64 // sup |a_j|: largest distance of a value from its centre
	Centred     bool
	Widths      []float64 // of the columns; nil where only a ball is known
}

// spreadOf derives them from the columns and the pair on them. The spread of a column cannot exceed
// half its width (Popoviciu 1935), or its height about 0: one that cannot exceed the floor is
// scaled by a constant, and has no part in Q.
func (s columnScale) spreadOf(cols subset, p pair.State) Spread {
	w := Spread{Floor: s.floor, Gain: s.gain, Centred: s.centred}
	sizes, part := cols.heights(p.R), 1.
	if s.centred {
		sizes, part = cols.widths(p.R), 0.5
		w.Widths = sizes
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
		w.Q = min(4*r*r, four*four, most*math.Sqrt2*min(2*r, two), 2*most*d)
	} else {
		w.Q = min(math.Sqrt2*r*r, four*four, most*math.Sqrt2*min(r, two), 2*most*d)
	}
	w.Q, w.Cell = stage.Up(w.Q), stage.Up(most)
	return w
}

// bounds returns the least of the constants that hold.
func (w Spread) bounds(p pair.State) pair.StepBounds {
	if !w.Centred {
		return RmsBounds(p, w)
	}
	b := StdBounds(p, w)
	b.R = min(b.R, w.Gain/w.Floor*num.Norm2(w.Widths))
	return w.Sharpen(p, b)
}

// RmsBounds are those of y = g·x/max(rms, fl) (docs/theory/calculus.md#standardisation): per column a projection onto
// the ball of radius fl·√n, times c = g/fl. Along a segment the rms of column j moves by
// Σ_i x_ij dx_ij/(n·rms_j), and a row by x∘Δ(g/rms): in total n·(Σ_j (rms_j Δ(g/rms_j))²)^½.
func RmsBounds(p pair.State, w Spread) pair.StepBounds {
	n, g, fl, c := float64(p.N), w.Gain, w.Floor, w.Gain/w.Floor
	a1 := g * w.Q / (2 * fl * fl)
	h := w.shift(p)
	return pair.StepBounds{
		K: c, KF: c,
		A1: a1, AF: a1 / math.Sqrt(n), AInf: g * w.Cell * w.Q / n / (2 * fl * fl * fl),
		H1: n * h, HF: math.Sqrt(n) * h, HInf: w.Cell / fl * h,
		Affected: p.N - p.F, R: c * p.R,
	}
}

// shift is the root mean square over the rows of what displaced rows move by way of the spreads:
// these move by min(tF/√n, cell·t1/(n·fl)), ℓ2 over the columns, and it is c = g/fl times that.
func (w Spread) shift(p pair.State) float64 {
	n := float64(p.N)
	return w.Gain / w.Floor * min(p.TF/math.Sqrt(n), w.Cell/(n*w.Floor)*p.T1)
}

// StdBounds are those of y = g·(x − mean)/max(sd, fl): the same on centred columns, and the mean
// moves by D/n for a replaced row (docs/theory/calculus.md#standardisation).
func StdBounds(p pair.State, w Spread) pair.StepBounds {
	n, g, fl, c := float64(p.N), w.Gain, w.Floor, w.Gain/w.Floor
	common, d := n-1, p.D()
	scale := g * common / n * w.Q / (2 * fl * fl)
	h := w.shift(p)
	return pair.StepBounds{
		K: c, KF: c,
		A1:   c*common*d/n + scale,
		AF:   c*math.Sqrt(common)*d/n + scale/math.Sqrt(n),
		AInf: c*d/n + g*w.Cell*(common/(n*n))*w.Q/(2*fl*fl*fl),
		H1:   c*common*p.T1/n + n*h,
		HInf: c*p.T1/n + w.Cell/fl*h,

		Affected: p.N - p.F, R: c * 2 * p.R,
	}
}

// Sharpen takes the bounds of docs/theory/preprocessing.md#theorem-41-scaling for one replaced row where they are less.
// Move weight 1/n from the one value to the other, with a and b their distances from the mean at
// any point of the path: a row moves at the rate g((b−a)/ŝ + (x−μ)(b²−a²)/(2ŝ³))/n, ŝ = max(sd, fl),
// the second term only where sd > fl.
//
// (c) Over the rows x − μ has mean 0 and mean square sd² ≤ ŝ², so that the terms add in squares:
// aF ≤ g·(D²/fl² + Q²/(4fl⁴))^½/√n.
//
// (a) In a column of width w the rate is at most w²(w + √(w² − 4fl²))/(4n·fl³), or w/(n·fl) where
// the spread cannot exceed the floor.
func (w Spread) Sharpen(p pair.State, b pair.StepBounds) pair.StepBounds {
	n, g, fl := float64(p.N), w.Gain, w.Floor
	aF := g / fl * math.Hypot(p.D(), w.Q/(2*fl)) / math.Sqrt(n)
	b.AF, b.A1 = min(b.AF, aF), min(b.A1, math.Sqrt(n)*aF)
	each := make([]float64, len(w.Widths))
	for j, x := range w.Widths {
		if each[j] = x / (n * fl); x > 2*fl {
			each[j] = x * x * (x + math.Sqrt(x*x-4*fl*fl)) / (4 * n * fl * fl * fl)
		}
	}
	b.AInf = min(b.AInf, g*num.Norm2(each))
	return b
}
