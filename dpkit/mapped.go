package dpkit

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/dpkit-go/dpnb/frames"
)

// heldCells is how many cells of a table a chain holds in memory, 256 MB; it is a rule on public
// sizes. A step whose output has more is not carried out but recorded: whoever reads the rows reads
// the source, in blocks, and maps them on the way. Either way the results have the same bits.
const heldCells = 1 << 25

// HoldAtMost sets how many cells of a table a chain holds in memory, in place of 2^25 (256 MB; two
// tables may be held at a time). A larger table is read anew, block by block, for every fit and for
// the mechanism; Dedup and QuantizeBall hold it nevertheless. This changes how long a release takes
// and nothing else. Call it before a release.
func (s *Session) HoldAtMost(cells int) error {
	if cells < 1 {
		return fmt.Errorf("dpkit: hold at most: got %d cells, want at least 1: %w", cells, ErrParameter)
	}
	s.held = cells
	return nil
}

// fits reports whether a table may be held in memory.
func (q quote) fits(rows int, s frames.Schema) bool {
	return rows <= cmp.Or(q.held, heldCells)/max(len(s.Features()), 1)
}

// load prepares the rows that go into a chain. A file that may be held is read into memory if a step
// is fitted to its rows, which takes passes of its own. Rows that may not be held, and go to the
// mechanism as they are, are marked as such.
func (q quote) load(ctx context.Context, src frames.Source) (frames.Source, error) {
	_, memory := src.(*frames.Frame)
	held := q.fits(src.Rows(), src.Schema())
	switch {
	case len(q.stages) == 0 && !held:
		return &mapped{in: src, schema: src.Schema(), cols: len(src.Schema().Features()), t: sameRow}, nil
	case len(q.stages) == 0 || q.stages[0].Role == RolePublic || memory || !held:
		return src, nil
	}
	return materialise(ctx, src, src.Schema(), sameRow)
}

func sameRow(dst, src []float64) { copy(dst, src) }

// transformed is a source with the map of a step applied to its rows. Behind a step that looks at
// the rows around a row they are held, however many.
func (q quote) transformed(ctx context.Context, in frames.Source, s stageOf, t Transform) (frames.Source, error) {
	if !isOwn(s.step) {
		t = serial(t)
	}
	if r, ok := s.step.(rewriter); ok {
		m, err := materialise(ctx, in, s.Out, t)
		if err != nil {
			return nil, err
		}
		return m, r.rewrite(ctx, m, s.Stage)
	}
	if !q.fits(in.Rows(), s.Out) {
		return &mapped{in: in, schema: s.Out, cols: len(s.Out.Features()), t: t}, nil
	}
	return materialise(ctx, in, s.Out, t)
}

// mapped is a source whose rows are mapped while they are read, a block at a time.
type mapped struct {
	in     frames.Source
	schema frames.Schema
	cols   int
	t      Transform
}

func (m *mapped) Schema() frames.Schema { return m.schema }
func (m *mapped) Rows() int             { return m.in.Rows() }

func (m *mapped) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	out := &frames.Block{}
	return m.in.Scan(ctx, func(b *frames.Block) error {
		if cap(out.X) < b.Rows*m.cols {
			out = m.newBlock(b.Rows)
		}
		return fn(m.apply(out, b))
	})
}

// newBlock returns a block with room for so many mapped rows.
func (m *mapped) newBlock(rows int) *frames.Block {
	return &frames.Block{X: make([]float64, rows*m.cols)}
}

// apply writes the images of the rows of b to out. Empty rows stay empty; labels are those of b.
func (m *mapped) apply(out, b *frames.Block) *frames.Block {
	x := out.X[:b.Rows*m.cols]
	mapRows(x, m.cols, b, m.t)
	*out = frames.Block{First: b.First, Rows: b.Rows, Cols: m.cols, X: x, Empty: b.Empty}
	if _, ok := m.schema.Label(); ok {
		out.Y = b.Y
	}
	return out
}

// mapRows writes the images of the rows of b, but the empty ones, to x, cols cells each.
func mapRows(x []float64, cols int, b *frames.Block, t Transform) {
	eachRun(b, func(from, to int) {
		for i := from; i < to; i++ {
			t(x[i*cols:(i+1)*cols:(i+1)*cols], b.Row(i))
		}
	})
}

// serial makes a map safe to call from several workers, one at a time: that of a step of the
// caller's own may write to memory that its calls share.
func serial(t Transform) Transform {
	var mu sync.Mutex
	return func(dst, src []float64) {
		mu.Lock()
		defer mu.Unlock()
		t(dst, src)
	}
}
