package attack

import (
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// A threshold that code is written with is mostly a round number: those of a column are tried one by one.
const (
	roundMost = 2000 // of a column, where rows are displaced: many to a pair
	roundFree = 100  // for the free row alone
)

// sweep tries the round numbers of the columns, a hair below and a hair above each: by displaced rows or by the free one; from any of
// them on where so many pairs do not suffice for all.
func (h *hunt) sweep(n, pairs int) error {
	free, each, most := len(h.Displaced) == 0, 1, 0
	limit := float64(roundFree)
	if !free {
		each, limit = n-1, roundMost
	}
	numbers := make([][]float64, len(h.features))
	for j, c := range h.features {
		if isNumber(c) && (free || slices.Contains(h.Displaced, c.Name)) {
			numbers[j] = roundNumbers(c, limit)
			most = max(most, len(numbers[j]))
		}
	}
	next := 0
	if most > pairs*each {
		next = h.IntN(most)
	}
	hair := math.Pow(10, -6+0.6*h.Float64()) // at most 4e-6
	for tried := 0; tried < most && each > 0 && pairs > 0; tried, pairs = tried+each, pairs-1 {
		p := h.pair(n)
		p.Made = "round numbers, a hair beside them"
		rows := p.Rows[:1]
		if !free {
			rows = slices.Repeat(rows, each)
			p.Rows = append(p.Rows[:1:1], rows...)
			rows = p.Rows[1:]
		}
		for i := range rows {
			r := &rows[i]
			if r.A = slices.Clone(r.A); !free {
				r.EmptyA, r.EmptyB = false, false
			}
			r.B = slices.Clone(r.A)
			for j, v := range numbers {
				if len(v) > 0 && !math.IsNaN(r.A[j]) {
					at := v[next%len(v)]
					r.A[j], r.B[j] = beside(at, h.features[j], 1, hair), beside(at, h.features[j], -1, hair)
				}
			}
			next++
		}
		if _, _, err := h.try(p); err != nil {
			return err
		}
	}
	return nil
}

// roundNumbers are the multiples of a power of ten within a column, at most so many.
func roundNumbers(c frames.Column, most float64) (values []float64) {
	if math.IsInf(c.Hi-c.Lo, 0) {
		return nil
	}
	unit := math.Ceil(math.Log10((c.Hi-c.Lo)/most) - 1e-9)
	ten := math.Pow(10, math.Abs(unit))
	round := func(k float64) float64 {
		if unit < 0 {
			return k / ten
		}
		return k * ten
	}
	step := round(1)
	for k := math.Ceil(c.Lo / step); k <= math.Floor(c.Hi/step+1e-9) && len(values) <= int(most); k++ {
		values = append(values, held(round(k), c))
	}
	return values
}
