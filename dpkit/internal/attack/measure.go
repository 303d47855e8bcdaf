package attack

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/frames"
)

// A Constant is one of those that a step states of a pair.
type Constant uint8

const (
	Total     Constant = iota // Pair.T1: the displacement of all common rows together
	Frobenius                 // Pair.TF
	Largest                   // Pair.TInf: the displacement of a common row
	Moved                     // Pair.M: common rows that differ
	Norm                      // Pair.R: the norm of a row
	FreeRow                   // Pair.D: the displacement of the free row
	FreeRows                  // Pair.F: rows that are any on either side
	Query                     // the sensitivity of a private query

	// Constants counts them.
	Constants
)

var constantNames = [Constants]string{"total", "Frobenius", "largest", "moved", "norm", "free row", "free rows", "query"}

func (c Constant) String() string {
	if c < Constants {
		return constantNames[c]
	}
	return fmt.Sprintf("Constant(%d)", uint8(c))
}

// Shares are measured/claimed, one for each constant; 0 where nothing is claimed and nothing was measured.
type Shares [Constants]float64

func (s Shares) String() string {
	var parts []string
	for c, v := range s {
		if v > 0 {
			parts = append(parts, fmt.Sprintf("%v %.4g", Constant(c), v))
		}
	}
	return strings.Join(parts, ", ")
}

// A Breach is a claim that a pair of datasets breaks.
type Breach struct {
	What  string // measured and claimed
	Pair  Pair
	Claim Claim
	From  string // the state of the pair as it arrived
}

func (b *Breach) Error() string {
	return fmt.Sprintf("attack: %s\nby %d rows (%s):\n%v\narriving as: %s\nclaimed behind the step: %v", b.What, b.Pair.Len(), b.Pair.Made, b.Pair, b.From, b.Claim.Pair)
}

// displacement sums what rows are displaced by.
type displacement struct {
	sum, frobenius, largest float64
	moved                   int
}

func (d *displacement) add(by float64, times int) {
	if by == 0 {
		return
	}
	d.moved += times
	d.sum += by * float64(times)
	d.frobenius = math.Hypot(d.frobenius, by*math.Sqrt(float64(times)))
	d.largest = max(d.largest, by)
}

// apart is the distance of two rows, categories as blocks of norm 1 and an empty row as zeros; infinite where a cell is missing on
// one side alone. A free row may miss other cells on each side, which count as zeros: see apartFree.
func apart(features []frames.Column, a, b []float64, noA, noB bool) float64 {
	switch {
	case noA && noB:
		return 0
	case noA:
		return size(features, b, false)
	case noB:
		return size(features, a, false)
	}
	d := 0.0
	for j, c := range features {
		switch {
		case a[j] == b[j] || math.IsNaN(a[j]) && math.IsNaN(b[j]):
		case math.IsNaN(a[j]) || math.IsNaN(b[j]):
			return math.Inf(1)
		case c.Kind == frames.KindCategory:
			d = hypot(d, math.Sqrt2)
		default:
			d = hypot(d, a[j]-b[j])
		}
	}
	return d
}

// apartFree is the distance of the sides of a free row.
func apartFree(features []frames.Column, a, b []float64, noA, noB bool) float64 {
	if noA || noB {
		return apart(features, a, b, noA, noB)
	}
	d := 0.0
	for j := range features {
		x, y, c := a[j:j+1], b[j:j+1], features[j:j+1]
		if math.IsNaN(x[0]) != math.IsNaN(y[0]) {
			d = hypot(d, max(size(c, x, false), size(c, y, false)))
		} else {
			d = hypot(d, apart(c, x, y, false, false))
		}
	}
	return d
}

// hypot is math.Hypot, at once where one of the numbers is 0.
func hypot(a, b float64) float64 {
	switch {
	case a == 0:
		return math.Abs(b)
	case b == 0:
		return math.Abs(a)
	}
	return math.Hypot(a, b)
}

// size is the norm of a row.
func size(features []frames.Column, row []float64, empty bool) (n float64) {
	if empty {
		return 0
	}
	for j, c := range features {
		switch {
		case math.IsNaN(row[j]):
		case c.Kind == frames.KindCategory:
			n = hypot(n, 1)
		default:
			n = hypot(n, row[j])
		}
	}
	return n
}

// share is measured/claimed; infinite where something was measured and nothing claimed.
func share(measured, claimed float64) float64 {
	switch {
	case measured == 0:
		return 0
	case !(claimed > 0):
		return math.Inf(1)
	}
	return measured / claimed
}

// measure compares both sides behind the subject with the claim. What names the claim that fails, or is empty.
func measure(in Pair, c Claim, a, b Output) (s Shares, what string) {
	x, y := a.Rows, b.Rows
	features := c.Schema.Features()
	for _, side := range []*frames.Block{x, y} {
		if side.Rows != in.Len() || side.Cols != len(features) {
			return s, fmt.Sprintf("%d rows of %d cells, want %d of %d", side.Rows, side.Cols, in.Len(), len(features))
		}
	}
	if what := labels(in, c, x, y); what != "" {
		return s, what
	}
	return MeasureAt([]int{in.At}, c, a, b)
}

// MeasureAt compares both sides with a claim on rows of which those at the places free may be any. What names the claim that fails, or is
// empty.
func MeasureAt(free []int, c Claim, a, b Output) (s Shares, what string) {
	x, y := a.Rows, b.Rows
	features := c.Schema.Features()
	if c.Pair.F < len(free) || x.Rows != c.Pair.N || y.Rows != c.Pair.N {
		return s, fmt.Sprintf("%d and %d rows, %d of them free: the claim forgets some", x.Rows, y.Rows, len(free))
	}
	for _, side := range []*frames.Block{x, y} {
		if what := domain(features, c.Pair.R, side, &s); what != "" {
			return s, what
		}
	}
	for k, claimed := range c.Sensitivities {
		if k >= len(a.Answers) || k >= len(b.Answers) || len(a.Answers[k]) != len(b.Answers[k]) {
			return s, fmt.Sprintf("query %d of %d was not answered", k+1, len(c.Sensitivities))
		}
		d := 0.0
		for j, v := range a.Answers[k] {
			d = math.Hypot(d, v-b.Answers[k][j])
		}
		s[Query] = max(s[Query], share(d, claimed))
	}
	if c.Unordered {
		s[FreeRows] = share(float64(unmatched(x, y)), float64(c.Pair.F))
	} else if what := ordered(features, free, c, x, y, &s); what != "" {
		return s, what
	}
	for k, v := range s {
		if !(v <= 1) {
			return s, fmt.Sprintf("%v: measured %.6g of what is claimed", Constant(k), v)
		}
	}
	return s, ""
}

// domain holds every row of a side to its columns and the radius.
func domain(features []frames.Column, radius float64, side *frames.Block, s *Shares) string {
	slack := 0x1p-40 * radius
	blocks := map[string]float64{}
	for i := range side.Rows {
		row := side.Row(i)
		if isEmpty(side, i) || i > 0 && !isEmpty(side, i-1) && sameCells(row, side.Row(i-1)) {
			continue
		}
		clear(blocks)
		s[Norm] = max(s[Norm], share(size(features, row, false), radius*(1+0x1p-40)))
		for j, f := range features {
			v := row[j]
			switch {
			case math.IsNaN(v):
				if !f.Missing {
					return fmt.Sprintf("row %d: column %q is missing", i, f.Name)
				}
			case f.Kind == frames.KindCategory:
				if v < 0 || v >= float64(len(f.Levels)) || v != math.Trunc(v) {
					return fmt.Sprintf("row %d: column %q has the code %g of %d levels", i, f.Name, v, len(f.Levels))
				}
			case !(v >= f.Lo-slack) || !(v <= f.Hi+slack):
				return fmt.Sprintf("row %d: column %q = %g left [%g, %g]", i, f.Name, v, f.Lo, f.Hi)
			case f.Block != "":
				if blocks[f.Block] = math.Hypot(blocks[f.Block], v); blocks[f.Block] > f.Hi+slack {
					return fmt.Sprintf("row %d: block %q has the norm %g, above %g", i, f.Block, blocks[f.Block], f.Hi)
				}
			}
		}
	}
	return ""
}

func isEmpty(b *frames.Block, i int) bool { return b.Empty != nil && b.Empty[i] }

// labels holds the labels to those that went in, or to a set of rows where the order is lost.
func labels(in Pair, c Claim, x, y *frames.Block) string {
	if _, ok := c.Schema.Label(); !ok {
		return ""
	}
	for k, side := range []*frames.Block{x, y} {
		i, changed := 0, -1
		in.each(func(r Row, times int) {
			cells, none := r.A, r.EmptyA
			if k == 1 {
				cells, none = r.B, r.EmptyB
			}
			for range times {
				if side.Y == nil || !isEmpty(side, i) && !none && side.Y[i] != cells[len(cells)-1] {
					changed = i
				}
				i++
			}
		})
		if changed >= 0 {
			return fmt.Sprintf("row %d: its label changed", changed)
		}
	}
	return ""
}

// ordered measures rows that keep their places: those of the free rows and, beside them, as many as the claim has free rows more, of those
// that moved furthest.
func ordered(features []frames.Column, free []int, c Claim, x, y *frames.Block, s *Shares) string {
	by := make([]float64, x.Rows)
	common := make([]int, 0, x.Rows)
	for i := range by {
		if slices.Contains(free, i) {
			by[i] = apartFree(features, x.Row(i), y.Row(i), isEmpty(x, i), isEmpty(y, i))
			s[FreeRow] = max(s[FreeRow], share(by[i], c.Pair.D()*(1+0x1p-40)))
			continue
		}
		common = append(common, i)
		noA, noB := isEmpty(x, i), isEmpty(y, i)
		if i > 0 && !slices.Contains(free, i-1) && isEmpty(x, i-1) == noA && isEmpty(y, i-1) == noB && sameCells(x.Row(i), x.Row(i-1)) && sameCells(y.Row(i), y.Row(i-1)) {
			by[i] = by[i-1]
		} else {
			by[i] = apart(features, x.Row(i), y.Row(i), noA, noB)
		}
		if x.Y != nil && y.Y != nil && (x.Y[i] != y.Y[i] || noA != noB) {
			by[i] = math.Inf(1)
		}
	}
	if extra := c.Pair.F - len(free); extra > 0 {
		slices.SortStableFunc(common, func(i, j int) int { return cmp.Compare(by[j], by[i]) })
		common = common[min(extra, len(common)):]
	}
	var d displacement
	run := 0 // of rows that moved as far
	for k, i := range common {
		run++
		if k == len(common)-1 || by[common[k+1]] != by[i] {
			d.add(by[i], run)
			run = 0
		}
		if by[i] == 0 {
			continue
		}
		if isEmpty(x, i) != isEmpty(y, i) {
			return fmt.Sprintf("common row %d is there on one side only, with %d free rows", i, c.Pair.F)
		}
		for j, f := range features {
			if v, w := x.Row(i)[j], y.Row(i)[j]; v != w && !(math.IsNaN(v) && math.IsNaN(w)) && !c.Taint[f.Name] {
				return fmt.Sprintf("column %q is called clean, and common row %d has %g on one side and %g on the other", f.Name, i, v, w)
			}
		}
	}
	s[Total] = share(d.sum, c.Pair.T1*(1+0x1p-42))
	s[Frobenius] = share(d.frobenius, c.Pair.TF*(1+0x1p-42))
	s[Largest] = share(d.largest, c.Pair.TInf)
	s[Moved] = share(float64(d.moved), float64(c.Pair.M))
	return ""
}

// unmatched counts the rows of one side that the other has not, in whatever order: the larger count of both sides.
func unmatched(x, y *frames.Block) int {
	count := map[string]int{}
	for i := range x.Rows {
		count[key(x, i)]++
		count[key(y, i)]--
	}
	more, fewer := 0, 0
	for _, n := range count {
		more, fewer = more+max(n, 0), fewer+max(-n, 0)
	}
	return max(more, fewer)
}

func key(b *frames.Block, i int) string {
	if isEmpty(b, i) {
		return noRow
	}
	text := cellsText(b.Row(i), false)
	if b.Y != nil {
		text += cellsText(b.Y[i:i+1], false)
	}
	return text
}
