package rows

import (
	"context"
	"sync"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// SameRow is the [stage.Transform] that leaves rows as they are.
const SameRow = sameRow(0)

type sameRow int

// Map copies the rows.
func (sameRow) Map(dst, src []float64, _ int) { copy(dst, src) }

// Mapped is a source whose rows are mapped while they are read, a block at a time.
type Mapped struct {
	In     frames.Source
	Domain frames.Schema
	Cols   int
	T      stage.Transform
	Same   bool // T leaves rows as they are
	Held   bool // who reads the rows more than once may hold them: see [Hold]
	// Foreign says that T is of a step of the caller's own, which may hold the rows that it was fitted to.
	Foreign bool
	Over    *Matrix // of held rows: what they are made of ([Under]), where it may be written over; nil: it may not
	Room    int     // of held rows: a table of theirs has room for rows of so many numbers

	// Blocks of mapped rows, which passes leave to one another; nil: they do not. The pool lies by itself, since the runtime knows it until the second
	// collection from when it was used, and would keep the rows that it is of.
	blocks *sync.Pool
}

func (m *Mapped) Schema() frames.Schema { return m.Domain }

func (m *Mapped) Rows() int { return m.In.Rows() }

func (m *Mapped) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	out := &frames.Block{}
	return m.In.Scan(ctx, func(b *frames.Block) error { return fn(m.apply(out, b)) })
}

// Lent is a block for mapped rows, of [Mapped.GiveBack] where one is there.
func (m *Mapped) Lent() *frames.Block {
	if m.blocks != nil {
		if b, ok := m.blocks.Get().(*frames.Block); ok {
			return b
		}
	}
	return &frames.Block{}
}

// GiveBack takes a block from Lent that nobody reads any more.
func (m *Mapped) GiveBack(b *frames.Block) {
	if m.blocks != nil {
		m.blocks.Put(&frames.Block{X: b.X[:0]}) // all else is of what was read
	}
}

// apply writes the images of the rows of b to out. Empty rows stay empty; labels are those of b.
func (m *Mapped) apply(out, b *frames.Block) *frames.Block {
	x := Grown(out.X, b.Rows*m.Cols)
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
		num.Strips(to-from, max(cols, b.Cols), func(i, k int) {
			i, k = from+i, from+k
			t.Map(x[i*cols:k*cols:k*cols], b.X[i*b.Cols:k*b.Cols:k*b.Cols], k-i)
		})
	})
}

// Then is a source with one more map behind it, which may be held: of rows that are mapped already both are applied at a time. For over and room see
// [Mapped].
func Then(in frames.Source, out frames.Schema, t stage.Transform, over *Matrix, room int) *Mapped {
	m := &Mapped{In: in, Domain: out, Cols: out.Width(), T: t, Held: true, Over: over, Room: room, blocks: &sync.Pool{}}
	if before, ok := in.(*Mapped); ok && before.Held {
		m.follow(before)
	}
	return m
}

// Streamed is a source with one more map behind it, which may not be held: of rows that are mapped already both are applied at a time, but for the maps
// of steps of the caller's own.
func Streamed(in frames.Source, out frames.Schema, t stage.Transform, foreign bool) *Mapped {
	m := &Mapped{In: in, Domain: out, Cols: out.Width(), T: t, Foreign: foreign, blocks: &sync.Pool{}}
	if before, ok := in.(*Mapped); ok && !foreign && !before.Foreign {
		m.follow(before)
	}
	return m
}

// follow has m map what before reads, by both maps.
func (m *Mapped) follow(before *Mapped) {
	m.In = before.In
	m.T = stage.ByBlock(num.Chain([]num.Block{before.T.Map, m.T.Map}, []int{before.Cols}))
}

// Hold reads rows that may be held into memory, in the place of those of in, which must not be used afterwards. Others are returned as they are.
func Hold(ctx context.Context, in frames.Source) (frames.Source, error) {
	switch s := in.(type) {
	case *Mapped:
		if s.Held {
			return s.Hold(ctx)
		}
	case *Kept:
		if s.Held {
			return (&Mapped{In: s, Domain: s.Schema(), T: SameRow, Over: s.Over, Room: s.Room}).Hold(ctx)
		}
	}
	return in, nil
}

// Hold is [Hold] of rows that may be held.
func (m *Mapped) Hold(ctx context.Context) (*Matrix, error) {
	if m.Over != nil {
		return m.Over.Remake(ctx, m.In, m.Domain, m.T, m.Room)
	}
	return MaterialiseWide(ctx, m.In, m.Domain, m.T, m.Room)
}

// Near reports rows that lie in memory below all maps, so that it takes no longer to map them anew than to read what came of them.
func Near(in frames.Source) bool {
	switch s := in.(type) {
	case *Mapped:
		return s.Held && Near(s.In)
	case *Kept:
		return s.Held && Near(s.In)
	case *Matrix, frames.Ranger:
		return true
	}
	return false
}
