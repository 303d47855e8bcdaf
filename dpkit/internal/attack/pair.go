package attack

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/frames"
)

// A Pair is two datasets of the same number of rows. Row 0 is free: anything on either side. The others are common.
type Pair struct {
	Rows []Row
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
	p.Rows = slices.Clone(p.Rows)
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

// side is the block of rows of side A or B.
func (p Pair) side(b bool, features int, label bool) *frames.Block {
	n, empty := p.Len(), false
	out := &frames.Block{Rows: n, Cols: features, X: make([]float64, 0, n*features)}
	flags := make([]bool, 0, n)
	for _, r := range p.Rows {
		cells, none := r.A, r.EmptyA
		if b {
			cells, none = r.B, r.EmptyB
		}
		if none {
			cells, empty = make([]float64, len(cells)), true
		}
		for range r.Times {
			out.X = append(out.X, cells[:features]...)
			if label {
				out.Y = append(out.Y, cells[features])
			}
			flags = append(flags, none)
		}
	}
	if empty {
		out.Empty = flags
	}
	return out
}

// sameCells reports whether two rows agree, missing cells too.
func sameCells(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
}

// String has a line for each row: "3 * 0.5 NaN", and "1 * 0.5 / none" where the sides differ.
func (p Pair) String() string {
	lines := make([]string, len(p.Rows))
	for i, r := range p.Rows {
		lines[i] = r.String()
	}
	return strings.Join(lines, "\n")
}

func (r Row) String() string {
	a, b := cellsText(r.A, r.EmptyA), cellsText(r.B, r.EmptyB)
	if a == b {
		return fmt.Sprintf("%d * %s", r.Times, a)
	}
	return fmt.Sprintf("%d * %s / %s", r.Times, a, b)
}

const noRow = "none"

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
		times, rest, ok := strings.Cut(line, " * ")
		n, err := strconv.Atoi(times)
		if !ok || err != nil || n < 1 || i == 0 && n != 1 {
			return fail("how often the row is there, the free row once")
		}
		left, right, two := strings.Cut(rest, " / ")
		if !two {
			right = left
		}
		r := Row{Times: n, EmptyA: left == noRow, EmptyB: right == noRow}
		for k, text := range []string{left, right} {
			row := make([]float64, cells)
			words := strings.Fields(text)
			if text == noRow {
				words = nil
			} else if len(words) != cells {
				return fail(fmt.Sprintf("%d cells", cells))
			}
			for j, w := range words {
				if row[j], err = strconv.ParseFloat(w, 64); err != nil {
					return fail("numbers")
				}
			}
			if k == 0 {
				r.A = row
			} else {
				r.B = row
			}
		}
		p.Rows = append(p.Rows, r)
	}
	if len(p.Rows) == 0 {
		return p, fmt.Errorf("attack: got a pair of no rows")
	}
	return p, nil
}
