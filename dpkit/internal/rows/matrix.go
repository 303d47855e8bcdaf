package rows

import (
	"context"
	"sync"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/fresh"
)

// Matrix is a transformed dataset in memory, row-major.
type Matrix struct {
	Domain frames.Schema
	Cols   int
	X, Y   []float64
	Empty  []bool            // rows that a step removed; nil if none
	Person []frames.PersonID // whose row each is; nil where rows are not of people
	Who    []frames.PersonID // right behind [CollapsePeople]: people by place, each of whom has as many rows; zero for who is listed and was not read
}

// Materialise maps every row of src.
func Materialise(ctx context.Context, src frames.Source, out frames.Schema, t stage.Transform) (*Matrix, error) {
	return MaterialiseWide(ctx, src, out, t, 0)
}

// MaterialiseWide is [Materialise] into memory that has room for rows of so many numbers, if they become wider ([Matrix.Remake]).
func MaterialiseWide(ctx context.Context, src frames.Source, out frames.Schema, t stage.Transform, room int) (*Matrix, error) {
	n, d := src.Rows(), out.Width()
	m := &Matrix{Domain: out, Cols: d, X: fresh.Floats(n * max(d, room))[:n*d]}
	if _, ok := out.Label(); ok {
		m.Y = make([]float64, n)
	}
	if _, ok := out.Person(); ok {
		m.Person = make([]frames.PersonID, n)
	}
	var once sync.Once
	err := scanChunks(ctx, src, chunkRows(src.Schema().Width()), mostWorkers, func() chunkFunc {
		return func(b *frames.Block) {
			if b.Empty != nil {
				once.Do(func() { m.Empty = make([]bool, n) })
				copy(m.Empty[b.First:], b.Empty)
			}
			mapRows(m.X[b.First*d:(b.First+b.Rows)*d], d, b, t)
			if m.Y != nil {
				copy(m.Y[b.First:], b.Y)
			}
			if m.Person != nil {
				copy(m.Person[b.First:], b.Person)
			}
		}
	})
	return m, err
}

func (m *Matrix) Schema() frames.Schema { return m.Domain }

func (m *Matrix) Rows() int {
	switch {
	case m.Cols > 0:
		return len(m.X) / m.Cols
	case m.Y != nil:
		return len(m.Y)
	}
	return len(m.Person)
}

// IsEmpty says whether a step removed row i.
func (m *Matrix) IsEmpty(i int) bool { return m.Empty != nil && m.Empty[i] }

// Remove empties row i: it keeps its place.
func (m *Matrix) Remove(i int) {
	if m.Empty == nil {
		m.Empty = make([]bool, m.Rows())
	}
	m.Empty[i] = true
	clear(m.Row(i))
	if m.Y != nil {
		m.Y[i] = 0
	}
}

// Row is row i itself, Cols numbers: who writes to it changes the matrix.
func (m *Matrix) Row(i int) []float64 { return m.X[i*m.Cols : (i+1)*m.Cols : (i+1)*m.Cols] }

func (m *Matrix) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	n := m.Rows()
	for from := 0; from < n; from += ChunkSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fn(m.Block(from, min(from+ChunkSize, n))); err != nil {
			return err
		}
	}
	return nil
}
