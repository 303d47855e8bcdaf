package dpkit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// heldBytes is how much a chain holds of its tables in memory; it is a rule on public
// sizes. A step whose output takes more is not carried out but recorded: whoever reads the rows reads
// the source, in blocks, and maps them on the way. Either way the results have the same bits.
const heldBytes = 1 << 29

// cellPair are the bytes of a cell in two tables.
const cellPair = 16

// Memory sets how many bytes the table takes that a chain holds in memory, beside its source, in place of
// 512 MB. A step writes over the table that it reads; where rows are made of those of people ([Pipeline.PerPerson], [Pipeline.Bound],
// [Pipeline.JoinPeople]), and behind steps of other modules, two are held at a time, so that one may take half. A larger table is read anew, block by
// block, for every fit and for the mechanism; Dedup and QuantizeBall hold it nevertheless. Bound and PerPerson hold the rows of some people at a time,
// all that those have, 4 MB of them at least: they read a larger table once for each such part, and hold what they make of it. Groups that nobody lists
// wait in a private file where they do not fit, which has no name and is gone with the process. [Cost] says what a plan holds. This
// changes how long a release takes and nothing else. Call it before a release.
func (s *Session) Memory(bytes int) error {
	if bytes < cellPair {
		return fmt.Errorf("dpkit: memory: got %d bytes, want at least %d, those of one cell in two tables: %w", bytes, cellPair, ErrParameter)
	}
	s.held = bytes
	return nil
}

// leastOfPeople is how many cells of people's rows are held at a time at least: with fewer a table would be read ever so often.
const leastOfPeople = 1 << 18

// ofPeople is how many cells of people's rows are held at a time.
func (q quote) ofPeople() int { return max(cmp.Or(q.held, heldBytes)/cellPair, leastOfPeople) }

// fits reports whether a table may be held in memory.
func (q quote) fits(rows int, s frames.Schema) bool {
	cells := cmp.Or(q.held, heldBytes) / 8
	for i := range q.stages { // asked for every table of every release, and a stage is large to copy
		if q.stages[i].besides() {
			cells /= 2
			break
		}
	}
	return rows <= cells/max(s.Width(), 1)
}

// load prepares the rows that go into a chain. A file that may be held is read into memory if a step
// is fitted to its rows, which takes passes of its own. Rows that may not be held, and go to the
// mechanism as they are, are marked as such.
func (q quote) load(ctx context.Context, src frames.Source) (frames.Source, error) {
	if rows.LieElsewhere(src) != nil {
		return src, nil
	}
	_, memory := src.(*frames.Frame)
	if memory && !slices.ContainsFunc(q.stages, func(s stageOf) bool { return s.Role != stage.RolePublic }) && len(q.columns) > 0 {
		src = frames.Narrow(src, q.columns...) // steps that learn nothing: what comes out is made of these columns alone
	}
	held := q.fits(src.Rows(), src.Schema())
	switch {
	case len(q.stages) == 0 && !held:
		return &rows.Mapped{In: src, Domain: src.Schema(), Cols: src.Schema().Width(), T: rows.SameRow, Same: true}, nil
	case len(q.stages) == 0 || q.stages[0].Role == stage.RolePublic || memory || !held:
		return src, nil
	}
	return rows.MaterialiseWide(ctx, src, src.Schema(), rows.SameRow, q.loadRoom())
}

// transformed is a source with the map of a step applied to its rows. Behind a step that looks at
// the rows around a row they are held, however many. Other maps are recorded, one behind the other, and carried out by the first who needs the
// rows at hand ([rows.Hold]), or by who reads them. A table that the chain made, not the one that is kept, is written over; a new one gets room
// for what later steps make of it. s is the i-th step.
func (q quote) transformed(ctx context.Context, in, kept frames.Source, i int, s stageOf, t stage.Transform) (frames.Source, error) {
	room := q.room(i)
	foreign := !kind.IsOwn(s.Step)
	if foreign {
		t = serial(t)
	}
	if foreign || parts(s.Step) || !q.fits(in.Rows(), s.Out) && !rows.Near(in) {
		var err error
		if in, err = rows.Hold(ctx, in); err != nil {
			return nil, err
		}
	}
	if c, ok := s.Step.(rows.Collapser); ok {
		return q.collapsed(ctx, in, i, s, c)
	}
	if j, ok := s.Step.(steps.JoinPeople); ok {
		return q.joined(ctx, in, s, j)
	}
	if b, ok := s.Step.(rows.Bounder); ok {
		return q.bounded(ctx, in, i, s, b)
	}
	if side, ok := s.Step.(rows.Sided); ok {
		keep, err := side.Side(s.Stage)
		if err != nil {
			return nil, err
		}
		if m, ok := in.(*rows.Matrix); ok && in != kept {
			return m.KeepSide(s.Out, keep), nil
		}
		in, t = &rows.OfSide{In: in, Keep: keep}, rows.SameRow
	}
	over := func() *rows.Matrix {
		if m := rows.Under(in); m != nil && frames.Source(m) != kept && !foreign {
			return m
		}
		return nil
	}
	fits := q.fits(in.Rows(), s.Out) && rows.LieElsewhere(in) == nil
	if f, ok := s.Step.(rows.Filter); ok {
		keep, err := f.Keeps(s.Stage)
		return &rows.Kept{In: in, Keep: keep, Held: fits, Over: over(), Room: room}, err
	}
	if r, ok := s.Step.(rows.Rewriter); ok {
		m, err := rows.Then(in, s.Out, t, over(), room).Hold(ctx)
		if err != nil {
			return nil, err
		}
		return m, r.Rewrite(ctx, m, s.Stage)
	}
	if !fits {
		return rows.Streamed(in, s.Out, t, foreign), nil
	}
	mapped := rows.Then(in, s.Out, t, over(), room)
	if foreign {
		return rows.Hold(ctx, mapped)
	}
	return mapped, nil
}

// parts reports a step that reads rows person by person, in passes of its own.
func parts(step stage.Preprocessor) bool {
	switch step.(type) {
	case rows.Joiner, rows.Collapser, rows.Bounder, rows.Sided:
		return true
	}
	return false
}

// collapsed are the rows of a step that makes one of all rows of a person.
func (q quote) collapsed(ctx context.Context, in frames.Source, i int, s stageOf, c rows.Collapser) (frames.Source, error) {
	key, err := q.place()
	if err != nil {
		return nil, err
	}
	row, err := c.Collapse(s.Stage)
	if err != nil {
		return nil, err
	}
	unread := q.unread(i)
	return madeOfPeople(ctx, in, s, func(ctx context.Context, in frames.Source) (frames.Source, error) {
		return rows.CollapsePeople(ctx, in, s.Stage, key, q.ofPeople(), unread, row)
	})
}

// bounded are the rows of a step that bounds those of a person.
func (q quote) bounded(ctx context.Context, in frames.Source, i int, s stageOf, b rows.Bounder) (frames.Source, error) {
	key, err := q.place()
	if err != nil {
		return nil, err
	}
	keep, err := b.Bounds(s.Stage)
	if err != nil {
		return nil, err
	}
	keep.Unread = q.unread(i)
	return madeOfPeople(ctx, in, s, func(ctx context.Context, in frames.Source) (frames.Source, error) {
		return rows.BoundPeople(ctx, in, s.Stage, key, q.ofPeople(), keep)
	})
}

// madeOfPeople are the rows that a step makes of those of each person: here, or where they lie.
func madeOfPeople(ctx context.Context, in frames.Source, s stageOf, of func(ctx context.Context, in frames.Source) (frames.Source, error)) (frames.Source, error) {
	if rows.LieElsewhere(in) == nil {
		return of(ctx, in)
	}
	return &rows.OfPeople{In: in, Domain: s.Out, Places: s.Pair.N, Make: of}, nil
}

// serial makes a map of a step of the caller's own safe to call: from several workers, one at a time, as it may write to memory that its calls share, and
// with zeros in the cells that it leaves unwritten, where other rows or other tables stood before.
func serial(t stage.Transform) stage.Transform {
	var mu sync.Mutex
	return stage.ByBlock(func(dst, src []float64, n int) {
		mu.Lock()
		defer mu.Unlock()
		clear(dst)
		t.Map(dst, src, n)
	})
}
