package rows

import (
	"context"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// SameRow is the [stage.Transform] that leaves rows as they are.
func SameRow(dst, src []float64) { copy(dst, src) }

// Mapped is a source whose rows are mapped while they are read, a block at a time.
type Mapped struct {
	In     frames.Source
	Domain frames.Schema
	Cols   int
	T      stage.Transform
	Same   bool // T leaves rows as they are
	// Foreign says that T is of a step of the caller's own, which may hold the rows that it was fitted to.
	Foreign bool
}

func (m *Mapped) Schema() frames.Schema { return m.Domain }

func (m *Mapped) Rows() int { return m.In.Rows() }

func (m *Mapped) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	out := &frames.Block{}
	return m.In.Scan(ctx, func(b *frames.Block) error {
		if cap(out.X) < b.Rows*m.Cols {
			out = m.newBlock(b.Rows)
		}
		return fn(m.apply(out, b))
	})
}

// newBlock returns a block with room for so many mapped rows.
func (m *Mapped) newBlock(rows int) *frames.Block {
	return &frames.Block{X: make([]float64, rows*m.Cols)}
}

// apply writes the images of the rows of b to out. Empty rows stay empty; labels are those of b.
func (m *Mapped) apply(out, b *frames.Block) *frames.Block {
	x := out.X[:b.Rows*m.Cols]
	mapRows(x, m.Cols, b, m.T)
	*out = frames.Block{First: b.First, Rows: b.Rows, Cols: m.Cols, X: x, Empty: b.Empty}
	if _, ok := m.Domain.Label(); ok {
		out.Y = b.Y
	}
	if _, ok := m.Domain.Person(); ok {
		out.Person = b.Person
	}
	return out
}

// mapRows writes the images of the rows of b, but the empty ones, to x, cols cells each.
func mapRows(x []float64, cols int, b *frames.Block, t stage.Transform) {
	EachRun(b, func(from, to int) {
		for i := from; i < to; i++ {
			t(x[i*cols:(i+1)*cols:(i+1)*cols], b.Row(i))
		}
	})
}
