package rows

import (
	"context"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// A state is what a pass accumulates over rows. A pass is given by its empty state, and is all that says how rows are read: a
// driver may part the rows as it likes, accumulate each part where it lies, carry the states to one place and merge them there.
//
// All add exactly (integers, numbers on public grids, sums that round when they are read), so that they may merge in any order and any grouping, and
// the order of rows does not show: the result has the same bits for any number of workers, from memory, from files and from shards.
type state[S any] interface {
	// Add takes the rows of a block in, but the empty ones. It must not keep the block. Nothing is under way behind it.
	Add(b *frames.Block)
	// Merge takes in what the state of the next part gathered.
	Merge(next S)
	Coded
}

// A Driver runs passes over the rows of a release, and is all that a mechanism is told of them.
type Driver interface {
	// Drive accumulates all rows, from the empty state that begin returns.
	Drive(ctx context.Context, begin func() Partial) (Partial, error)
	// Gathered is a driver of the same rows for many passes: it may read them once and hold them.
	Gathered(ctx context.Context) (Driver, error)
	// Rows is the public number of rows, those included that a step removed.
	Rows() int
	// Resident is rows where they stay in memory between passes, so that a pass may keep numbers of each for the next one; else 0.
	Resident() int
	// InOrder hands out the rows in blocks, in order, to what is no pass: a recursion on the rows as they come (gradient.ByIteration), and
	// sums on public data whose bits depend on the order of additions. Such a reading cannot be parted.
	InOrder(ctx context.Context, fn func(b *frames.Block) error) error
}

// Drive makes a pass over all rows.
func Drive[S state[S]](ctx context.Context, rows Driver, begin func() S) (S, error) {
	all, err := rows.Drive(ctx, func() Partial { return part[S]{begin()} })
	if err != nil {
		return begin(), err
	}
	return all.(part[S]).of, nil
}

// A Partial is a state of any pass, in the hands of a driver.
type Partial interface {
	// Add is that of the state.
	Add(b *frames.Block)
	packedState
	// Merge takes in the state of the next part, of the same pass.
	Merge(next Partial)
	Coded
	cells() int
}

// part is the one partial.
type part[S state[S]] struct{ of S }

func (p part[S]) Add(b *frames.Block) { p.of.Add(b) }

func (p part[S]) AddPacked(b *frames.Block, x *linalg.Packed) bool {
	s, ok := any(p.of).(packedState)
	return ok && s.AddPacked(b, x)
}

func (p part[S]) Merge(next Partial) { p.of.Merge(next.(part[S]).of) }

// cells is how many numbers the state tells that it takes; 0: at most about a matrix of the columns.
func (p part[S]) cells() int {
	if s, ok := any(p.of).(interface{ Cells() int }); ok {
		return s.Cells()
	}
	return 0
}

func (p part[S]) Code(c *Coder) { p.of.Code(c) }
