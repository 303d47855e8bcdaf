package pld

import (
	"fmt"
	"math"
)

// NewPure returns the law that dominates every (ε, δ)-DP mechanism: the loss is +∞ with probability δ,
// else ±ε (Kairouz, Oh, Viswanath 2015, Theorem 3.4). The error wraps [ErrParameter].
func NewPure(epsilon, delta float64) (Law, error) {
	if !(epsilon > 0) || math.IsInf(epsilon, 1) || !(delta >= 0 && delta < 1) {
		return nil, fmt.Errorf("pld: (ε, δ)-DP: got ε = %g, δ = %g, want ε > 0 and finite, δ in [0, 1): %w", epsilon, delta, ErrParameter)
	}
	f := finite{origin: -epsilon, step: 2 * epsilon, infinite: delta}
	e := math.Exp(-epsilon)
	return f.fill([]float64{(1 - delta) * e / (1 + e), (1 - delta) / (1 + e)}), nil
}

// NewRandomizedResponse returns the law of k-ary randomised response at the local parameter ε:
// the truth is k−1 times e^ε likelier than a lie. The error wraps [ErrParameter].
func NewRandomizedResponse(k int, epsilon float64) (Law, error) {
	if k < 2 || !(epsilon > 0) || math.IsInf(epsilon, 1) {
		return nil, fmt.Errorf("pld: randomised response: got k = %d, ε = %g, want k of at least 2, ε > 0 and finite: %w", k, epsilon, ErrParameter)
	}
	e := math.Exp(-epsilon)
	truth := 1 / (1 + float64(k-1)*e)
	if k == 2 {
		f := finite{origin: -epsilon, step: 2 * epsilon}
		return f.fill([]float64{truth * e, truth}), nil
	}
	f := finite{origin: -epsilon, step: epsilon}
	return f.fill([]float64{truth * e, float64(k-2) * e * truth, truth}), nil
}

// finite is a law on origin + step·k, k = 0 … len(tails)−1.
type finite struct {
	origin, step, infinite float64
	tails                  []Tails // at each atom, Q not scaled
}

func (f finite) fill(p []float64) Law {
	n := len(p)
	f.tails = make([]Tails, n)
	var s Tails
	for i := range n {
		s.PBelow += p[i]
		s.QBelow += p[i] * math.Exp(-f.at(i))
		f.tails[i].PBelow, f.tails[i].QBelow = s.PBelow, s.QBelow
	}
	for i := n - 1; i >= 0; i-- {
		f.tails[i].PAbove, f.tails[i].QAbove = s.PAbove, s.QAbove
		s.PAbove += p[i]
		s.QAbove += p[i] * math.Exp(-f.at(i))
	}
	return f
}

func (f finite) at(i int) float64 { return f.origin + float64(i)*f.step }

func (f finite) Tails(l float64) Tails {
	i := int(math.Floor(min(float64(len(f.tails)), max(-1, latticeIndex(l, f.origin, f.step)))))
	e := math.Exp(l)
	if i < 0 {
		t := f.tails[0]
		return Tails{PAbove: t.PBelow + t.PAbove, QAbove: e * (t.QBelow + t.QAbove)}
	}
	t := f.tails[min(i, len(f.tails)-1)]
	t.QAbove *= e
	t.QBelow *= e
	return t
}

// latticeIndex is (l − origin)/step, moved up past the rounding of a loss that is meant to be a point of
// the lattice.
func latticeIndex(l, origin, step float64) float64 {
	return (l - origin + 0x1p-50*(math.Abs(l)+math.Abs(origin))) / step
}

func (f finite) Range(float64) (lo, hi float64) { return f.origin, f.at(len(f.tails) - 1) }

func (f finite) Infinite() float64 { return f.infinite }

func (f finite) Lattice() (origin, step float64, only bool) { return f.origin, f.step, true }
