package dpkit

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
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
	return rows <= cmp.Or(q.held, heldCells)/max(s.Width(), 1)
}

// load prepares the rows that go into a chain. A file that may be held is read into memory if a step
// is fitted to its rows, which takes passes of its own. Rows that may not be held, and go to the
// mechanism as they are, are marked as such.
func (q quote) load(ctx context.Context, src frames.Source) (frames.Source, error) {
	_, memory := src.(*frames.Frame)
	held := q.fits(src.Rows(), src.Schema())
	switch {
	case len(q.stages) == 0 && !held:
		return &rows.Mapped{In: src, Domain: src.Schema(), Cols: src.Schema().Width(), T: rows.SameRow, Same: true}, nil
	case len(q.stages) == 0 || q.stages[0].Role == stage.RolePublic || memory || !held:
		return src, nil
	}
	return rows.Materialise(ctx, src, src.Schema(), rows.SameRow)
}

// transformed is a source with the map of a step applied to its rows. Behind a step that looks at
// the rows around a row they are held, however many.
func (q quote) transformed(ctx context.Context, in frames.Source, s stageOf, t stage.Transform) (frames.Source, error) {
	if !kind.IsOwn(s.Step) {
		t = serial(t)
	}
	if c, ok := s.Step.(rows.Collapser); ok {
		key, err := q.place()
		if err != nil {
			return nil, err
		}
		row, err := c.Collapse(s.Stage)
		if err != nil {
			return nil, err
		}
		return rows.CollapsePeople(ctx, in, s.Stage, key, row)
	}
	if b, ok := s.Step.(rows.Bounder); ok {
		key, err := q.place()
		if err != nil {
			return nil, err
		}
		keep, err := b.Bounds(s.Stage)
		if err != nil {
			return nil, err
		}
		return rows.BoundPeople(ctx, in, s.Stage, key, keep)
	}
	if r, ok := s.Step.(rows.Rewriter); ok {
		m, err := rows.Materialise(ctx, in, s.Out, t)
		if err != nil {
			return nil, err
		}
		return m, r.Rewrite(ctx, m, s.Stage)
	}
	if !q.fits(in.Rows(), s.Out) {
		return &rows.Mapped{In: in, Domain: s.Out, Cols: s.Out.Width(), T: t}, nil
	}
	return rows.Materialise(ctx, in, s.Out, t)
}

// serial makes a map safe to call from several workers, one at a time: that of a step of the
// caller's own may write to memory that its calls share.
func serial(t stage.Transform) stage.Transform {
	var mu sync.Mutex
	return func(dst, src []float64) {
		mu.Lock()
		defer mu.Unlock()
		t(dst, src)
	}
}
