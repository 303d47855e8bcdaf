package dpkit

import (
	"context"

	"github.com/dpkit-go/dpnb/frames"
)

// matrix is a transformed dataset in memory, row-major.
type matrix struct {
	schema frames.Schema
	cols   int
	x, y   []float64
	empty  []bool // rows that a step removed; nil if none
}

// materialise maps every row of src.
func materialise(ctx context.Context, src frames.Source, out frames.Schema, t Transform) (*matrix, error) {
	d := len(out.Features())
	m := &matrix{schema: out, cols: d, x: make([]float64, src.Rows()*d)}
	if _, ok := out.Label(); ok {
		m.y = make([]float64, src.Rows())
	}
	err := src.Scan(ctx, func(b *frames.Block) error {
		if b.Empty != nil && m.empty == nil {
			m.empty = make([]bool, src.Rows())
		}
		for i := range b.Rows {
			at := b.First + i
			if b.Empty != nil && b.Empty[i] {
				m.empty[at] = true
				continue
			}
			t(m.x[at*d:(at+1)*d:(at+1)*d], b.Row(i))
		}
		if m.y != nil {
			copy(m.y[b.First:b.First+b.Rows], b.Y)
		}
		return nil
	})
	return m, err
}

func (m *matrix) Schema() frames.Schema { return m.schema }

func (m *matrix) Rows() int {
	if m.cols == 0 {
		return len(m.y)
	}
	return len(m.x) / m.cols
}

func (m *matrix) isEmpty(i int) bool { return m.empty != nil && m.empty[i] }

// remove empties row i: it keeps its place.
func (m *matrix) remove(i int) {
	if m.empty == nil {
		m.empty = make([]bool, m.Rows())
	}
	m.empty[i] = true
	clear(m.row(i))
	if m.y != nil {
		m.y[i] = 0
	}
}

func (m *matrix) row(i int) []float64 { return m.x[i*m.cols : (i+1)*m.cols : (i+1)*m.cols] }

func (m *matrix) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return fn(&frames.Block{Rows: m.Rows(), Cols: m.cols, X: m.x, Y: m.y, Empty: m.empty})
}
