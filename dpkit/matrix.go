package dpkit

import (
	"context"
	"sync"

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
	n, d := src.Rows(), len(out.Features())
	m := &matrix{schema: out, cols: d, x: make([]float64, n*d)}
	if _, ok := out.Label(); ok {
		m.y = make([]float64, n)
	}
	var once sync.Once
	err := scanChunks(ctx, src, chunkRows(len(src.Schema().Features())), func() chunkFunc {
		return func(_ int, b *frames.Block) {
			if b.Empty != nil {
				once.Do(func() { m.empty = make([]bool, n) })
				copy(m.empty[b.First:], b.Empty)
			}
			mapRows(m.x[b.First*d:(b.First+b.Rows)*d], d, b, t)
			if m.y != nil {
				copy(m.y[b.First:], b.Y)
			}
		}
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
	n := m.Rows()
	for from := 0; from < n; from += chunkSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fn(m.block(from, min(from+chunkSize, n))); err != nil {
			return err
		}
	}
	return nil
}
