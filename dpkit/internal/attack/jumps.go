package attack

import (
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// A bound that was proved for smooth maps is broken where the map is not. Where that is, no random cell tells: the jumps of a subject
// are searched for by bisection.

const (
	probeShare  = 8  // one in so many pairs looks for jumps
	probeLine   = 8  // intervals on a line, of which the steepest is halved
	smoothAfter = 12 // halves after which a jump is steeper than anything smooth
	mostHalves  = 64 // at the end two neighbouring numbers enclose it
	mostJumps   = 32 // probes of a search
)

// jumps records where the subject's output jumps as one cell of the free row moves, so many pairs long.
func (h *hunt) jumps(n, pairs int) error {
	var numbers []int
	for j, c := range h.columns {
		if isNumber(c) {
			numbers = append(numbers, j)
		}
	}
	for end, k := h.found.Tried+pairs, 0; k < mostJumps && h.found.Tried < end && len(numbers) > 0; k++ {
		p := h.pair(n)
		if p.Rows[0].EmptyA {
			continue
		}
		if err := h.probe(p, numbers[h.IntN(len(numbers))]); err != nil {
			return err
		}
	}
	return nil
}

// image is what one dataset becomes.
type image struct {
	rows *frames.Block
	told [][]float64
	ok   bool
}

// spot is a dataset of which one cell has the value at.
type spot struct {
	at float64
	image
}

// probe moves cell j of the free row on side A through its column, and halves an interval: by the common rows with the answers, and by
// the free row. It is the one on which they change in another proportion than on most, or, since a small jump does not show in it, any.
func (h *hunt) probe(p Pair, j int) error {
	c, look := h.columns[j], h.looking(p, j)
	var line []spot
	for k := range probeLine + 1 {
		v := held(c.Lo+(c.Hi-c.Lo)*(float64(k)+h.Float64()-0.5)/probeLine, c)
		if k > 0 && !(v > line[len(line)-1].at) {
			continue
		}
		s, err := look(v)
		if err != nil {
			return err
		}
		line = append(line, s)
	}
	if len(line) < 2 { // the column has hardly any numbers
		return nil
	}
	for part := range 2 {
		slopes := make([]float64, len(line)-1)
		for i := range slopes {
			slopes[i] = slope(line[i], line[i+1], p.At, part)
		}
		usual := slices.Sorted(slices.Values(slopes))[len(slopes)/2]
		k, oddest := h.IntN(len(slopes)), h.one(2)
		for i := range slopes {
			if oddest && math.Abs(slopes[i]-usual) > math.Abs(slopes[k]-usual) {
				k = i
			}
		}
		if err := h.follow(p, j, line[k], line[k+1], part, usual); err != nil {
			return err
		}
	}
	return nil
}

// looking returns what the dataset of side A becomes with a value in cell j of the free row.
func (h *hunt) looking(p Pair, j int) func(v float64) (spot, error) {
	return func(v float64) (spot, error) {
		q := p.clone()
		q.Rows[0].A[j] = v
		_, ok, err := h.try(q)
		return spot{v, image{h.behind, h.told, ok}}, err
	}
}

// slope is how fast a part of the image changes between two spots.
func slope(a, b spot, free, part int) float64 {
	return change(a.image, b.image, free)[part] / (b.at - a.at)
}

// follow narrows an interval to where a part of the image changes unusually fast, and tries what lies across the jump that is left.
func (h *hunt) follow(p Pair, j int, lo, hi spot, part int, usual float64) error {
	before := change(lo.image, hi.image, p.At)[part]
	lo, hi, err := halve(lo, hi, h.looking(p, j), func(a, b spot) float64 { return math.Abs(slope(a, b, p.At, part) - usual) })
	if err != nil || !(change(lo.image, hi.image, p.At)[part] > before*0x1p-6) {
		return err
	}
	return h.across(p, j, lo.at, hi.at)
}

// halve follows the half of an interval that is the odder one, down to two neighbouring numbers, or until that has become no odder
// than a smooth map is.
func halve(lo, hi spot, look func(float64) (spot, error), odd func(a, b spot) float64) (spot, spot, error) {
	first := odd(lo, hi)
	for k := range mostHalves {
		mid := lo.at + (hi.at-lo.at)/2
		if !(mid > lo.at && mid < hi.at) {
			break
		}
		m, err := look(mid)
		if err != nil {
			return lo, hi, err
		}
		if odd(lo, m) >= odd(m, hi) {
			hi = m
		} else {
			lo = m
		}
		if k == smoothAfter && !(odd(lo, hi) > first*0x1p6) {
			break
		}
	}
	return lo, hi, nil
}

// across records a jump between two values, and tries rows that lie on both sides of it.
func (h *hunt) across(p Pair, j int, lo, hi float64) error {
	c := h.columns[j]
	h.points.add(c, lo)
	h.points.add(c, hi)
	q := p.clone()
	if free := &q.Rows[0]; !free.EmptyB && !free.EmptyA {
		free.B = slices.Clone(free.A)
		free.A[j], free.B[j] = lo, hi
	}
	if slices.Contains(h.subject.Displaced, c.Name) {
		for i := 1; i < len(q.Rows); i += 2 {
			if r := &q.Rows[i]; !math.IsNaN(r.A[j]) {
				r.B = slices.Clone(r.A)
				r.A[j], r.B[j] = lo, hi
			}
		}
	}
	q.Made += ", across a jump"
	_, _, err := h.try(q)
	return err
}

// change is how far two images of datasets that differ in one row are apart: the common rows with the answers, and the row itself.
func change(a, b image, free int) (by [2]float64) {
	if !a.ok || !b.ok || len(a.rows.X) != len(b.rows.X) {
		return by
	}
	add := func(k int, x, y float64) {
		switch {
		case x == y || math.IsNaN(x) && math.IsNaN(y):
		case math.IsNaN(x - y):
			by[k]++
		default:
			by[k] += math.Abs(x - y)
		}
	}
	for i, x := range a.rows.X {
		k := 0
		if i/a.rows.Cols == free {
			k = 1
		}
		add(k, x, b.rows.X[i])
	}
	for k, answer := range a.told {
		for i, x := range answer {
			add(0, x, b.told[k][i])
		}
	}
	return by
}
