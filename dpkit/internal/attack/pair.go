package attack

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/frames"
)

// A Pair is two datasets of the same number of rows. Rows[0] is free: anything on either side. The others are common, and stand in
// the order of Rows.
type Pair struct {
	Rows []Row
	At   int // so many common rows come before the free one: its place in the dataset
	// Blocks are the sizes of the blocks in which a scan gives the rows, in turn and again from the first; none: all in one block.
	Blocks []int
	// Made says of which structures the pair was made.
	Made string
}

// A Row is so many equal rows, on side A and on side B: features, then the label where there is one.
type Row struct {
	A, B           []float64
	EmptyA, EmptyB bool // removed before the step, or absent from this side
	Times          int
}

// Len counts the rows of a side.
func (p Pair) Len() (n int) {
	for _, r := range p.Rows {
		n += r.Times
	}
	return n
}

func (p Pair) clone() Pair {
	p.Rows, p.Blocks = slices.Clone(p.Rows), slices.Clone(p.Blocks)
	for i := range p.Rows {
		r := &p.Rows[i]
		shared := sameCells(r.A, r.B)
		r.A = slices.Clone(r.A)
		if r.B = slices.Clone(r.B); shared {
			r.B = slices.Clone(r.A)
		}
	}
	return p
}

// each calls do for runs of equal rows in the order of the dataset, some of no rows.
func (p Pair) each(do func(r Row, times int)) {
	before, placed := p.At, false
	for _, r := range p.Rows[1:] {
		switch {
		case placed:
			do(r, r.Times)
		case before <= r.Times:
			do(r, before)
			do(p.Rows[0], 1)
			do(r, r.Times-before)
			placed = true
		default:
			do(r, r.Times)
			before -= r.Times
		}
	}
	if !placed {
		do(p.Rows[0], 1)
	}
}

// side is the block of rows of side A or B.
func (p Pair) side(b bool, features int, label bool) *frames.Block {
	n, empty := p.Len(), false
	out := &frames.Block{Rows: n, Cols: features, X: make([]float64, 0, n*features)}
	flags := make([]bool, 0, n)
	p.each(func(r Row, times int) {
		cells, none := r.A, r.EmptyA
		if b {
			cells, none = r.B, r.EmptyB
		}
		if none && times > 0 {
			cells, empty = make([]float64, len(cells)), true
		}
		for range times {
			out.X = append(out.X, cells[:features]...)
			if label {
				out.Y = append(out.Y, cells[features])
			}
			flags = append(flags, none)
		}
	})
	if empty {
		out.Empty = flags
	}
	return out
}

// stretch returns a pair of n rows in the proportions of p, its free row where it was: first, last, or as far from both.
func (p Pair) stretch(n int) Pair {
	was := p.Len()
	if was == n || was < 2 || n < 2 {
		return p
	}
	q := p.clone()
	common, left, most := q.Rows[1:], n-1, 1
	q.Rows = slices.Clone(q.Rows[:1])
	for _, r := range common {
		if r.Times = min(left, max(1, r.Times*(n-1)/(was-1))); r.Times == 0 {
			break
		}
		left -= r.Times
		if q.Rows = append(q.Rows, r); r.Times > q.Rows[most].Times {
			most = len(q.Rows) - 1
		}
	}
	q.Rows[most].Times += left
	q.At = p.At * (n - 1) / (was - 1)
	q.Made += ", stretched"
	return q
}

// sameCells reports whether two rows agree, missing cells too.
func sameCells(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
}

// String has a line for each row: "3 * 0.5 NaN", and "1 * 0.5 / none" where the sides differ. The free row is the first line, "1 at 7 * …"
// where seven rows stand before it. A last line "blocks 5 1" has the sizes of blocks, where there are several.
func (p Pair) String() string {
	lines := make([]string, len(p.Rows))
	for i, r := range p.Rows {
		lines[i] = r.text(0)
	}
	if p.At > 0 {
		lines[0] = p.Rows[0].text(p.At)
	}
	if len(p.Blocks) > 0 {
		lines = append(lines, blocksWord+strings.Trim(fmt.Sprint(p.Blocks), "[]"))
	}
	return strings.Join(lines, "\n")
}

func (r Row) text(at int) string {
	a, b := cellsText(r.A, r.EmptyA), cellsText(r.B, r.EmptyB)
	times := strconv.Itoa(r.Times)
	if at > 0 {
		times += atWord + strconv.Itoa(at)
	}
	if a == b {
		return times + " * " + a
	}
	return times + " * " + a + " / " + b
}

const (
	noRow      = "none"
	atWord     = " at "
	blocksWord = "blocks "
)

func cellsText(cells []float64, empty bool) string {
	if empty {
		return noRow
	}
	words := make([]string, len(cells))
	for j, v := range cells {
		words[j] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strings.Join(words, " ")
}

// ParsePair reads the lines of [Pair.String], rows of so many cells.
func ParsePair(lines []string, cells int) (Pair, error) {
	var p Pair
	for i, line := range lines {
		fail := func(what string) (Pair, error) {
			return Pair{}, fmt.Errorf(`attack: row %d: got %q, want %s, as in "3 * 0.5 NaN / none"`, i, line, what)
		}
		if sizes, ok := strings.CutPrefix(line, blocksWord); ok && i == len(lines)-1 {
			for _, w := range strings.Fields(sizes) {
				size, err := strconv.Atoi(w)
				if err != nil || size < 1 {
					return fail("sizes of blocks")
				}
				p.Blocks = append(p.Blocks, size)
			}
			continue
		}
		times, rest, ok := strings.Cut(line, " * ")
		times, at, moved := strings.Cut(times, atWord)
		n, err := strconv.Atoi(times)
		if !ok || err != nil || n < 1 || i == 0 && n != 1 {
			return fail("how often the row is there, the free row once")
		}
		if moved {
			if p.At, err = strconv.Atoi(at); err != nil || p.At < 1 || i > 0 {
				return fail("the place of the free row")
			}
		}
		r := Row{Times: n}
		left, right, two := strings.Cut(rest, " / ")
		if !two {
			right = left
		}
		if r.A, r.EmptyA, err = parseCells(left, cells); err == nil {
			r.B, r.EmptyB, err = parseCells(right, cells)
		}
		if err != nil {
			return fail(err.Error())
		}
		p.Rows = append(p.Rows, r)
	}
	if len(p.Rows) == 0 {
		return p, fmt.Errorf("attack: got a pair of no rows")
	}
	if p.At >= p.Len() {
		return p, fmt.Errorf("attack: got %d rows before the free one, of %d", p.At, p.Len())
	}
	return p, nil
}

// parseCells reads the cells of one side of a row; the error is what is wanted.
func parseCells(text string, cells int) (row []float64, empty bool, err error) {
	row = make([]float64, cells)
	if text == noRow {
		return row, true, nil
	}
	words := strings.Fields(text)
	if len(words) != cells {
		return nil, false, fmt.Errorf("%d cells", cells)
	}
	for j, w := range words {
		if row[j], err = strconv.ParseFloat(w, 64); err != nil {
			return nil, false, errors.New("numbers")
		}
	}
	return row, false, nil
}
