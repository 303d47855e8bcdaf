package pld

import (
	"fmt"
	"math"
)

// NewDiscreteGaussian returns the law of a shift by an integer of the discrete Gaussian N_Z(0, s²)
// (Canonne, Kamath, Steinke 2020): P is centred at shift, Q at 0, and the loss at k is
// shift (2k − shift)/(2s²). It dominates smaller shifts: the likelihood ratio rises in k, so that tests
// {k > c} are the best ones, and their power rises with the shift. s must lie in [0.05, 10000].
// The error wraps [ErrParameter].
func NewDiscreteGaussian(shift int, s float64) (Law, error) {
	if shift < 1 || !(s >= 0.05 && s <= 10000) || float64(shift) > 1e6*s {
		return nil, fmt.Errorf("pld: discrete Gaussian: got shift %d, s = %g, want a shift in [1, 1e6·s], s in [0.05, 10000]: %w", shift, s, ErrParameter)
	}
	half := int(math.Ceil(38.7*s)) + 1 // e^{-38.6²/2} underflows
	above := make([]float64, 2*half+2) // Σ_{k > m} e^{-k²/2s²} at m + half + 1
	sum := 0.0
	for k := half; k >= -half; k-- {
		z := float64(k) / s
		sum += math.Exp(-z * z / 2)
		above[k+half] = sum
	}
	for i := range above {
		above[i] /= sum
	}
	return discreteGaussian{shift: shift, s: s, half: half, above: above}, nil
}

type discreteGaussian struct {
	shift int
	s     float64
	half  int
	above []float64 // P(K > m) for the centred law, at m + half + 1
}

func (d discreteGaussian) tail(m int64) float64 { // P(K > m)
	switch i := m + int64(d.half) + 1; {
	case i < 0:
		return 1
	case i >= int64(len(d.above)):
		return 0
	default:
		return d.above[i]
	}
}

func (d discreteGaussian) Lattice() (origin, step float64, only bool) {
	a := float64(d.shift)
	return -a * a / (2 * d.s * d.s), a / (d.s * d.s), true
}

func (d discreteGaussian) Tails(l float64) Tails {
	origin, step, _ := d.Lattice()
	shift := int64(d.shift)
	limit := float64(2*int64(d.half) + 2*shift)
	m := int64(math.Floor(max(-limit, min(limit, latticeIndex(l, origin, step)))))
	e := math.Exp(l)
	// P(K ≤ m) = P(K > −m−1).
	return Tails{
		PBelow: d.tail(-(m - shift) - 1), PAbove: d.tail(m - shift),
		QBelow: e * d.tail(-m-1), QAbove: scaled(l, d.tail(m)),
	}
}

// scaled is e^l x where e^l may overflow.
func scaled(l, x float64) float64 {
	if l < 600 || x == 0 {
		return math.Exp(min(l, 700)) * x
	}
	return math.Exp(l + math.Log(x))
}

// Range cuts at the quantiles of the table.
func (d discreteGaussian) Range(tail float64) (lo, hi float64) {
	origin, step, _ := d.Lattice()
	// least m ≥ 0 with P(K > m) ≤ tail
	m, end := int64(0), int64(d.half)
	for m < end {
		if mid := (m + end) / 2; d.tail(mid) <= tail {
			end = mid
		} else {
			m = mid + 1
		}
	}
	return origin + step*float64(int64(d.shift)-m), origin + step*float64(int64(d.shift)+m)
}

func (discreteGaussian) Infinite() float64 { return 0 }
