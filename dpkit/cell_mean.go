package dpkit

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// CellMean are the parameters of [Pipeline.QuantizeMeans]; neither has a default.
type CellMean struct {
	// Width is the side of the cells of the public grid, counted from each column's lower bound.
	Width float64
	// Weight is κ > 0: so many rows at the centre of its cell are added to every cell. One row moves
	// another by (diameter of a cell)/(2 + κ) at most.
	Weight float64
}

// QuantizeMeans replaces the values of the named numeric columns by the mean of the rows that share
// their cell of a public grid over these columns, drawn towards the cell's centre:
//
//	(Σ_{rows of the cell} x + κ·centre) / (rows of the cell + κ).
//
// It denoises training rows, whatever the sizes of the cells, where [Pipeline.Quantize] would move
// them to the centres for free. Missing cells stay missing. The means are fitted without noise and
// priced; they stay inside the pipeline, and prediction reads the values as they are.
func (p Pipeline) QuantizeMeans(m CellMean, columns ...string) Pipeline {
	return p.with(cellMean{m, slices.Clone(columns)})
}

type cellMean struct {
	CellMean
	Columns []string
}

func (cellMean) kind() kind { return kind{"quantize/means", 1, "QuantizeMeans", "dpkit.cellMean"} }

func (cellMean) labelBlind() {}

// maxCells of a column keep the rounding of a cell's number far below 1, see diameter.
const maxCells = 1 << 20

func (m cellMean) Check(in frames.Schema) (frames.Schema, error) {
	if err := errors.Join(sized("cell Width", m.Width), sized("centre Weight", m.Weight)); err != nil {
		return in, err
	}
	if err := distinctNumbers(in, m.Columns); err != nil {
		return in, err
	}
	for _, name := range m.Columns {
		if c, _ := in.Column(name); !((c.Hi-c.Lo)/m.Width <= maxCells) {
			return in, fmt.Errorf("cell Width: got %g for column %q in [%g, %g], want at most %d cells: %w", m.Width, name, c.Lo, c.Hi, maxCells, ErrParameter)
		}
	}
	return in, nil
}

// diameter bounds the distance of two rows of one cell. A cell's number is off by rounding, so that
// cells overlap by a part of 2^-31 of their width.
func (m cellMean) diameter(in frames.Schema) (d float64) {
	for _, name := range m.Columns {
		c, _ := in.Column(name)
		d = math.Hypot(d, min(m.Width, c.Hi-c.Lo)) // squares of the sides could underflow
	}
	return d * (1 + 0x1p-28)
}

func (m cellMean) Propagate(st Stage) (Propagation, error) {
	if err := cleanKeys(st, m.Columns); err != nil {
		return Propagation{}, err
	}
	p, n := st.Before, float64(st.Before.N)
	w := m.diameter(st.In)
	var largest float64
	for _, name := range m.Columns {
		c, _ := st.In.Column(name)
		largest = math.Hypot(largest, max(math.Abs(c.Lo), math.Abs(c.Hi)))
	}
	// The cell is one group for all its columns together: w is its diameter and the column count 1
	// (docs/theory/calculus.md#cell-mean-quantisation).
	b := groupMeanBounds(p, 1, w, m.Weight)
	b.R = min(startRadius(st.Out), up(p.R+w)) // no value moves further than across its cell
	b = rounded(b, p.N, largest*(0x1p-48+n*n*0x1p-103))
	pr, err := keyedPropagation(st, b, m.Columns, RoleTrainOnly)
	pr.Constants = append(pr.Constants,
		Constant{"w", w, FromParameter, "diameter of a cell"},
		Constant{"κ", m.Weight, FromParameter, "weight of a cell's centre, rows"})
	pr.Note = "means of private rows stand in for the rows of a cell: every row of the cells that a row leaves and joins moves"
	pr.Reference = "stability calculus §3, cell-mean quantisation (Lemma 2); Hu, Sanyal, Schölkopf 2024, Prop. 3, replaced by a public grid"
	return pr, err
}

// grid finds cells; it is public.
type grid struct {
	width  float64
	at     []int // positions of the columns
	lo, hi []float64
}

func (m cellMean) grid(in frames.Schema) grid {
	g := grid{width: m.Width, at: featuresAt(in, m.Columns)}
	for _, name := range m.Columns {
		c, _ := in.Column(name)
		g.lo, g.hi = append(g.lo, c.Lo), append(g.hi, c.Hi)
	}
	return g
}

// cell returns the number of the cell along column k, NaN for a missing value.
func (g grid) cell(k int, row []float64) float64 {
	return math.Max(math.Floor((row[g.at[k]]-g.lo[k])/g.width), 0)
}

// centre returns the middle of that cell, within the column's bounds.
func (g grid) centre(k int, cell float64) float64 {
	return math.Min(g.lo[k]+(cell+0.5)*g.width, g.hi[k])
}

// key names the cell of a row; missing values are one cell of their own along a column.
func (g grid) key(buf []byte, row []float64) []byte {
	for k := range g.at {
		n := uint32(math.MaxUint32)
		if c := g.cell(k, row); !math.IsNaN(c) {
			n = uint32(c)
		}
		buf = binary.LittleEndian.AppendUint32(buf, n)
	}
	return buf
}

func (m cellMean) Fit(ctx context.Context, in frames.Source, st Stage) (Transform, error) {
	g := m.grid(st.In)
	type cell struct {
		rows float64
		sums []neumaier
	}
	cells := map[string]*cell{}
	var buf []byte
	err := scanRows(ctx, in, func(row []float64, _ float64) {
		buf = g.key(buf[:0], row)
		c := cells[string(buf)]
		if c == nil {
			c = &cell{sums: make([]neumaier, len(g.at))}
			cells[string(buf)] = c
		}
		c.rows++
		for k, j := range g.at {
			if !math.IsNaN(row[j]) {
				c.sums[k].add(row[j])
			}
		}
	})
	if err != nil {
		return nil, err
	}
	fitted, weight := hide(cells), m.Weight
	return func(dst, src []float64) {
		copy(dst, src)
		c := fitted.get()[string(g.key(nil, src))]
		for k, j := range g.at {
			if n := g.cell(k, src); !math.IsNaN(n) {
				mean := (c.sums[k].sum() + weight*g.centre(k, n)) / (c.rows + weight)
				dst[j] = clamp(mean, g.lo[k], g.hi[k])
			}
		}
	}, nil
}

// Deploy leaves the values: the means stand in for training rows only.
func (m cellMean) Deploy(Stage) (RowMap, error) { return RowMap{}, nil }
