package pld

import (
	"fmt"
	"math"
)

// NewFailure returns the law of a mere failure of probability delta, of what is (0, δ)-DP: the loss is +∞ with that
// probability, else 0. A [Composition] accounts for all of them exactly. The error wraps [ErrParameter].
func NewFailure(delta float64) (Law, error) {
	if !(delta > 0 && delta <= 1) {
		return nil, fmt.Errorf("pld: failure: probability: got %g, want a number in (0, 1]: %w", delta, ErrParameter)
	}
	return failure{delta}, nil
}

type failure struct{ delta float64 }

func (f failure) Tails(l float64) Tails {
	finite := 1 - f.delta
	if l < 0 {
		return Tails{PAbove: finite, QAbove: math.Exp(l) * finite}
	}
	return Tails{PBelow: finite, QBelow: math.Exp(l) * finite}
}

func (failure) Range(float64) (lo, hi float64) { return 0, 0 }

func (f failure) Infinite() float64 { return f.delta }

// failures is the probability that one of them happens, bounded from both sides.
type failures struct{ low, up float64 }

func (f *failures) add(law failure, count int) {
	// 1 − (1 − f)(1 − p)
	p := -math.Expm1(float64(count) * math.Log1p(-law.delta))
	if law.delta == 1 {
		p = 1
	}
	f.low = min(1, (f.low+(1-f.low)*p)*(1-0x1p-48))
	f.up = min(1, (f.up+(1-f.up)*p)*(1+0x1p-48))
}

// epsilon asks for the ε of what is not a failure: at (δ − f)/(1 − f), for f from both sides.
func (f failures) epsilon(delta float64, rest func(delta float64) (Interval, error)) (Interval, error) {
	switch {
	case delta == 1:
		return Interval{}, nil
	case f.low >= delta:
		return Interval{math.Inf(1), math.Inf(1)}, nil
	}
	r, err := rest(min(1, (delta-f.low)/(1-f.low)*(1+0x1p-50)))
	if err != nil || f.up >= delta {
		return Interval{r.Lower, math.Inf(1)}, err
	}
	u, err := rest((delta - f.up) / (1 - f.up) * (1 - 0x1p-50))
	return Interval{min(r.Lower, u.Upper), u.Upper}, err
}

// delta adds them to the δ of the rest: f + (1 − f)δ.
func (f failures) delta(r Interval) Interval {
	return Interval{
		Lower: (f.low + (1-f.low)*r.Lower) * (1 - 0x1p-50),
		Upper: min(1, (f.up+(1-f.up)*r.Upper)*(1+0x1p-50)),
	}
}
