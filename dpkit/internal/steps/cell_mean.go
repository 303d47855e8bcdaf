package steps

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// CellMean are the parameters of dpkit.Pipeline.QuantizeMeans; neither has a default.
type CellMean struct {
	// Width is the side of the cells of the public grid, counted from each column's lower bound.
	Width float64
	// Weight is κ > 0: so many rows at the centre of its cell are added to every cell. One row moves
	// another by (diameter of a cell)/(2 + κ) at most.
	Weight float64
}

// CellMeans is dpkit.Pipeline.QuantizeMeans: values move to the mean of the rows of their cell, fitted without noise and
// priced.
type CellMeans struct {
	CellMean
	Columns []string
}

func (CellMeans) Kind() kind.Kind {
	return kind.Kind{Name: "quantize/means", Law: 1, Call: "QuantizeMeans", Was: "dpkit.cellMean"}
}

func (CellMeans) LabelBlind() {}

// maxCells of a column keep the rounding of a cell's number far below 1, see diameter.
const maxCells = 1 << 20

func (m CellMeans) Check(in frames.Schema) (frames.Schema, error) {
	if err := errors.Join(num.Sized("cell Width", m.Width), num.Sized("centre Weight", m.Weight)); err != nil {
		return in, err
	}
	if err := domain.DistinctNumbers(in, m.Columns); err != nil {
		return in, err
	}
	for _, name := range m.Columns {
		if c, _ := in.Column(name); !((c.Hi-c.Lo)/m.Width <= maxCells) {
			return in, fmt.Errorf("cell Width: got %g for column %q in [%g, %g], want at most %d cells: %w", m.Width, name, c.Lo, c.Hi, maxCells, kind.ErrParameter)
		}
	}
	return in, nil
}

// diameter bounds the distance of two rows of one cell. A cell's number is off by rounding, so that
// cells overlap by a part of 2^-31 of their width.
func (m CellMeans) diameter(in frames.Schema) (d float64) {
	for _, name := range m.Columns {
		c, _ := in.Column(name)
		d = math.Hypot(d, min(m.Width, c.Hi-c.Lo)) // squares of the sides could underflow
	}
	return d * (1 + 0x1p-28)
}

func (m CellMeans) Propagate(st stage.Stage) (stage.Propagation, error) {
	if err := domain.CleanKeys(st, m.Columns); err != nil {
		return stage.Propagation{}, err
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
	b := GroupMeanBounds(p, 1, w, m.Weight)
	b.R = min(stage.StartRadius(st.Out), stage.Up(p.R+w)) // no value moves further than across its cell
	b = domain.Rounded(b, p.N, largest*(0x1p-48+n*n*0x1p-103))
	pr, err := domain.KeyedPropagation(st, b, m.Columns, stage.RoleNonPrivate)
	pr.Constants = append(pr.Constants,
		stage.Constant{Symbol: "w", Value: w, Origin: stage.FromParameter, Meaning: "diameter of a cell"},
		stage.Constant{Symbol: "κ", Value: m.Weight, Origin: stage.FromParameter, Meaning: "weight of a cell's centre, rows"})
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

func (m CellMeans) grid(in frames.Schema) grid {
	g := grid{width: m.Width, at: domain.FeaturesAt(in, m.Columns)}
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

func (m CellMeans) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	g := m.grid(st.In)
	type cell struct {
		rows float64
		sums []rows.Neumaier
	}
	cells := map[string]*cell{}
	var buf []byte
	err := stage.ScanRows(ctx, in, func(row []float64, _ float64) {
		buf = g.key(buf[:0], row)
		c := cells[string(buf)]
		if c == nil {
			c = &cell{sums: make([]rows.Neumaier, len(g.at))}
			cells[string(buf)] = c
		}
		c.rows++
		for k, j := range g.at {
			if !math.IsNaN(row[j]) {
				c.sums[k].Add(row[j])
			}
		}
	})
	if err != nil {
		return nil, err
	}
	fitted, weight := stage.Hide(cells), m.Weight
	return stage.ByRow(func(dst, src []float64) {
		copy(dst, src)
		c := fitted.Get()[string(g.key(nil, src))]
		for k, j := range g.at {
			if n := g.cell(k, src); !math.IsNaN(n) {
				mean := (c.sums[k].Sum() + weight*g.centre(k, n)) / (c.rows + weight)
				dst[j] = num.Clamp(mean, g.lo[k], g.hi[k])
			}
		}
	}), nil
}

// Deploy leaves the values: the means stand in for training rows only.
func (m CellMeans) Deploy(stage.Stage) (stage.RowMap, error) { return stage.RowMap{}, nil }
