package attack

import (
	"cmp"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// A threshold that code is written with is mostly a round number: those of a column are tried one by one.
const (
	roundMost = 2000 // of a column, where rows are displaced: many to a pair
	roundFree = 100  // for the free row alone

	mostUneven  = 1 // gaps between round numbers that are narrowed
	leastUneven = 3 // and how much wider than most they are at least
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
	var gaps []gap
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
		_, ok, err := h.try(p)
		if err != nil {
			return err
		}
		if ok && !free {
			gaps = append(gaps, uneven(h.behind, p.At, next-each))
		}
	}
	return h.narrow(gaps, numbers)
}

// gap is one between a round number and the next, of an index, across which the image changes so much more than across most.
type gap struct {
	index int
	by    float64
}

// uneven is the gap across which the images of common rows, which hold the round numbers from first on, differ the most.
func uneven(b *frames.Block, free, first int) gap {
	var rows [][]float64
	for i := range b.Rows {
		if i != free {
			rows = append(rows, b.Row(i))
		}
	}
	var by []float64
	widest := 0
	for i := range len(rows) - 1 {
		d := 0.0
		for j, v := range rows[i] {
			if w := rows[i+1][j]; v != w && !math.IsNaN(v-w) {
				d += math.Abs(v - w)
			}
		}
		if by = append(by, d); d > by[widest] {
			widest = i
		}
	}
	if len(by) < 3 {
		return gap{}
	}
	most := by[widest]
	slices.Sort(by)
	return gap{first + widest, most / max(by[len(by)/2], math.SmallestNonzeroFloat64)}
}

// narrow looks for the jump in the gaps that are the most uneven.
func (h *hunt) narrow(gaps []gap, numbers [][]float64) error {
	gaps = slices.DeleteFunc(gaps, func(g gap) bool {
		return g.by < leastUneven || slices.ContainsFunc(numbers, func(v []float64) bool { // behind the last comes the first
			return len(v) > 0 && g.index%len(v) == len(v)-1
		})
	})
	slices.SortFunc(gaps, func(a, b gap) int { return cmp.Compare(b.by, a.by) })
	for _, g := range gaps[:min(mostUneven, len(gaps))] {
		p := h.pair(7)
		p.Rows[0].EmptyA = false
		for j, v := range numbers {
			if len(v) == 0 {
				continue
			}
			look, at := h.looking(p, j), g.index%len(v)
			lo, err := look(v[at])
			if err != nil {
				return err
			}
			hi, err := look(v[at+1])
			if err != nil {
				return err
			}
			if err := h.follow(p, j, lo, hi, 1, 0); err != nil {
				return err
			}
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
