package linalg

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"
)

const (
	// PanelRows is the number of rows that a [Gram] sums at a time.
	PanelRows = 128
	// leafPanels is how many panels are added one after the other, before sums of equal size are added in pairs.
	leafPanels = 16
	leafRows   = leafPanels * PanelRows
	// mostColumns are those whose Gram matrix an int can count, where ints have 32 bits.
	mostColumns = 1 << min(20, bits.UintSize/2-2)
)

// Gram sums the outer products of rows, XᵀX, in one pass over blocks of any size. The order of additions is fixed by the
// order of rows and by Flush: entry (j, k) is a sum of PanelRows products at a time, panels are added in leaves of 16,
// and leaves in pairs, so that rounding grows with the logarithm of the number of rows; see [GramRounding]. The block
// sizes in which rows come do not matter.
//
// It is not safe for concurrent use: give every goroutine its own and Merge them in a fixed order.
type Gram struct {
	isa    isa
	cols   int
	ld     int         // row length of panel and sums: whole vectors
	panel  []float64   // of rows of ld, PanelRows of them once so many were there
	rows   int         // in the panel
	leaf   []float64   // ld×ld, on and above the diagonal
	panels int         // in the leaf
	levels [][]float64 // levels[l] sums 2^l leaves, or is nil
	full   int         // leaves that are in levels, those of merged sums included
	spare  [][]float64
}

// NewGram returns an empty sum for rows of cols numbers, cols at least 1.
func NewGram(cols int) (*Gram, error) {
	if cols < 1 || cols > mostColumns {
		return nil, fmt.Errorf("linalg: Gram matrix: got %d columns, want 1 to %d: %w", cols, mostColumns, ErrShape)
	}
	return newGram(cols), nil
}

func newGram(cols int) *Gram {
	ld := paddedRow(cols)
	return &Gram{isa: active, cols: cols, ld: ld, leaf: make([]float64, ld*ld)}
}

// paddedRow is the length of a row of cols numbers in whole cache lines, an odd number of them: rows an even number
// apart, a power of two above all, compete for the same sets of a cache.
func paddedRow(cols int) int { return ((cols+7)/8 | 1) * 8 }

// Add takes in rows of a row-major matrix whose rows are stride numbers apart. The error wraps [ErrShape].
func (s *Gram) Add(x []float64, rows, stride int) error {
	if err := matrixShape("Gram matrix", len(x), rows, s.cols, stride); err != nil {
		return err
	}
	s.add(x, rows, stride)
	return nil
}

func (s *Gram) add(x []float64, rows, stride int) {
	for rows > 0 {
		n := min(rows, PanelRows-s.rows)
		s.panel = roomy(s.panel, s.rows, n, s.ld)
		s.isa.padRows(n, s.cols, x, stride, s.panel[s.rows*s.ld:], s.ld)
		s.rows += n
		if s.rows == PanelRows {
			s.Flush()
		}
		if rows -= n; rows > 0 {
			x = x[n*stride:]
		}
	}
}

// roomy is a panel that holds n more rows than the first of its own: few rows ask for a small one.
func roomy(panel []float64, rows, n, ld int) []float64 {
	have := len(panel) / ld
	if rows+n <= have {
		return panel
	}
	larger := make([]float64, min(max(rows+n, 2*have), PanelRows)*ld)
	copy(larger, panel[:rows*ld])
	return larger
}

// AddSteps takes in rows z_i of integers, for a row-major rows×features matrix x whose rows are stride numbers apart: z_i
// begins with scale·x_i rounded to the nearest integers, ties to even. finish is called for each row, in order, with
// z_i whole, x_i·x_i, which is off by at most γ_features of itself (Higham 2002, §3.1), and the number of the row, and sets the
// rest of z_i; what it finds there is of no meaning. Where |scale·x_ij| is above 2^51 or no number, finish has to
// replace it. The error wraps [ErrShape].
func (s *Gram) AddSteps(x []float64, rows, features, stride int, scale float64, finish func(z []float64, square float64, row int)) error {
	if err := matrixShape("Gram matrix of steps", len(x), rows, features, stride); err != nil {
		return err
	}
	if features > s.cols {
		return fmt.Errorf("linalg: Gram matrix of steps: got %d features for %d columns, want as many or fewer: %w", features, s.cols, ErrShape)
	}
	var squares [PanelRows]float64
	for row := 0; row < rows; {
		n := min(rows-row, PanelRows-s.rows)
		s.panel = roomy(s.panel, s.rows, n, s.ld)
		to := s.panel[s.rows*s.ld:]
		s.isa.roundRows(n, features, x[row*stride:], stride, to, s.ld, scale, squares[:n])
		for i := range n {
			finish(to[i*s.ld:][:s.cols], squares[i], row+i)
		}
		row += n
		if s.rows += n; s.rows == PanelRows {
			s.Flush()
		}
	}
	return nil
}

// Flush ends the panel that is under way, full or not: a place where the sum of other goroutines can begin without a
// change of the result.
func (s *Gram) Flush() {
	if s.rows == 0 {
		return
	}
	multiplyPanel(s.isa, s.panel, s.rows, s.cols, s.leaf, s.ld, 0)
	s.rows = 0
	if s.panels++; s.panels < leafPanels {
		return
	}
	s.panels = 0
	s.full++
	s.push(s.leaf, 0)
	s.leaf = s.buffer()
}

// multiplyPanel adds PᵀP of the panel P to the leaf, tile by tile on and above the diagonal; for start see [isa]. The columns of a group of tiles
// stay in the first-level cache while the rows of the group go by.
func multiplyPanel(s isa, panel []float64, rows, cols int, leaf []float64, ld int, start float64) {
	l := s.lanes()
	width := (cols + l - 1) / l * l
	for j := 0; j < width; j += 3 * l {
		to := min(j+3*l, width)
		for i := 0; i < to; i += l {
			from := max(i, j)
			s.tile((to-from)/l, rows, panel[i:], ld, panel[from:], ld, leaf[i*ld+from:], ld, start)
		}
	}
}

// push adds a sum of 2^level leaves. Two of equal size make one of the next, as in a binary counter.
func (s *Gram) push(sum []float64, level int) {
	for {
		for len(s.levels) <= level {
			s.levels = append(s.levels, nil)
		}
		other := s.levels[level]
		if other == nil {
			s.levels[level] = sum
			return
		}
		s.levels[level] = nil
		addUpper(other, sum, s.cols, s.ld)
		s.spare = append(s.spare, sum)
		sum = other
		level++
	}
}

// buffer returns zeros for a leaf.
func (s *Gram) buffer() []float64 {
	if n := len(s.spare); n > 0 {
		b := s.spare[n-1]
		s.spare = s.spare[:n-1]
		clear(b)
		return b
	}
	return make([]float64, s.ld*s.ld)
}

func addUpper(to, from []float64, n, ld int) {
	for i := range n {
		t, f := to[i*ld+i:i*ld+n], from[i*ld+i:i*ld+n]
		for j, v := range f {
			t[j] += v
		}
	}
}

// collapse flushes, and leaves the whole sum in a buffer of its own; the Gram is empty after it.
func (s *Gram) collapse() []float64 {
	s.Flush()
	sum := s.leaf
	for l, level := range s.levels {
		if level != nil {
			addUpper(level, sum, s.cols, s.ld)
			s.spare = append(s.spare, sum)
			sum = level
			s.levels[l] = nil
		}
	}
	s.panels, s.full, s.levels = 0, 0, s.levels[:0]
	s.leaf = s.buffer()
	return sum
}

// Merge adds the rows of next, as many or fewer than those of s where rounding counts, and empties next. Both end
// their panels. The error wraps [ErrShape].
func (s *Gram) Merge(next *Gram) error {
	if s == next || s.cols != next.cols || s.ld != next.ld {
		return fmt.Errorf("linalg: Gram matrix: merge of %d columns into %d, want two sums of the same number: %w", next.cols, s.cols, ErrShape)
	}
	s.Flush()
	full := next.full
	s.push(next.collapse(), bits.Len(uint(full))) // by what it sums, and not by how often it was merged: levels do not grow with that
	s.full += full
	return nil
}

// Upper writes the sum on and above the diagonal of the row-major cols×cols matrix dst, nothing below, and empties the
// Gram. The error wraps [ErrShape].
func (s *Gram) Upper(dst []float64) error {
	if err := square("Gram matrix", dst, s.cols); err != nil {
		return err
	}
	sum := s.collapse()
	s.write(dst, sum)
	s.spare = append(s.spare, sum)
	return nil
}

func (s *Gram) write(dst, sum []float64) {
	for i := range s.cols {
		copy(dst[i*s.cols+i:(i+1)*s.cols], sum[i*s.ld+i:])
	}
}

// GramRounding bounds the rounding of a Gram matrix of n rows: entry (j, k) of [SumGram], and of a [Gram] that was
// flushed at multiples of [PanelRows] only and merged from at most 2^16, is off by at most
// GramRounding(n)·Σ|x_ij·x_ik| plus n·2^-1074, as long as no sum overflows; hence its Frobenius norm by
// GramRounding(n)·Σ‖x_i‖². A Gram that was flushed elsewhere counts 128 rows for each of its panels.
//
// A term is rounded as a product (not with fused multiplication), at most 127 times in its panel, 15 in its leaf, and
// once a level of the tree, of which there are log₂(n/2048) and a few: m = 160 + ⌈log₂ n⌉ in all, and
// γ_m = mu/(1-mu) with u = 2^-53 (Higham 2002, Accuracy and Stability of Numerical Algorithms, §3.1, §4.2).
func GramRounding(n int) float64 {
	return float64(160+bits.Len(uint(max(n, 1)))) * 0x1.0001p-53
}

// SumGram writes XᵀX on and above the diagonal of the row-major cols×cols matrix dst, nothing below, for a row-major
// rows×cols matrix X whose rows are stride numbers apart. It uses all processors; the result has the same bits for any
// number of them. For its rounding see [GramRounding]. The error wraps [ErrShape].
func SumGram(dst, x []float64, rows, cols, stride int) error {
	if err := matrixShape("Gram matrix", len(x), rows, cols, stride); err != nil {
		return err
	}
	if err := square("Gram matrix", dst, cols); err != nil {
		return err
	}
	layout, sum := sumGram(x, rows, cols, stride, processors())
	layout.write(dst, sum)
	return nil
}

// sumGram returns an empty Gram and the sum, which has its layout. Rows are parted into lanes, whose number depends on
// the shape alone; the sums of neighbouring lanes are added in pairs, by the worker that is second.
func sumGram(x []float64, rows, cols, stride, workers int) (layout *Gram, sum []float64) {
	const mostLanes, mostCells = 32, 1 << 23
	leaves := max((rows+leafRows-1)/leafRows, 1)
	lanes := min(leaves, mostLanes, max(mostCells/(cols*cols), 1))
	lanes = 1 << (bits.Len(uint(lanes)) - 1)
	nodes := make([]atomic.Pointer[[]float64], lanes) // node i has children 2i and 2i+1; those from lanes on are the lanes
	var next atomic.Int64
	work := func(s *Gram) {
		for {
			lane := int(next.Add(1)) - 1
			if lane >= lanes {
				return
			}
			from, to := lane*leaves/lanes*leafRows, min((lane+1)*leaves/lanes*leafRows, rows)
			if from < to {
				s.add(x[from*stride:], to-from, stride)
			}
			part := s.collapse()
			at := (lane + lanes) / 2
			for at > 0 && !nodes[at].CompareAndSwap(nil, &part) {
				other := *nodes[at].Load()
				addUpper(part, other, cols, s.ld)
				s.spare = append(s.spare, other)
				at /= 2
			}
			if at == 0 {
				sum = part
			}
		}
	}
	layout = newGram(cols)
	var wg sync.WaitGroup
	for range min(workers, lanes) - 1 {
		wg.Go(func() { work(newGram(cols)) })
	}
	work(layout)
	wg.Wait()
	return layout, sum
}

// matrixShape checks that a slice of so many numbers holds a row-major matrix.
func matrixShape(what string, size, rows, cols, stride int) error {
	if rows < 0 || cols < 1 || cols > 1<<20 || stride < cols || rows > 0 && (size < cols || (size-cols)/stride < rows-1) {
		return fmt.Errorf("linalg: %s: got %d numbers for %d rows of %d, %d apart, want all rows, and 1 to 2^20 columns: %w", what, size, rows, cols, stride, ErrShape)
	}
	return nil
}
