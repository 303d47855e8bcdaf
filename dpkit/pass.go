package dpkit

import (
	"context"

	"github.com/dpkit-go/dpnb/frames"
)

// A state is what a pass accumulates over rows. A pass is given by its empty state, and is all that says how rows are read: a
// driver may part the rows as it likes, accumulate each part where it lies, carry the states to one place and merge them there.
//
// Those that add exactly (integers, fixed point) may merge in any order and any grouping. For the others the order is fixed, so
// that the result has the same bits for any number of workers, from memory and from a file: see [accumulate].
type state[S any] interface {
	// add takes the rows of a block in, but the empty ones. It must not keep the block. Nothing is under way behind it.
	add(b *frames.Block)
	// merge takes in what the state of the next part gathered.
	merge(next S)
	coded
}

// A driver runs passes over the rows of a release, and is all that a mechanism is told of them.
type driver interface {
	// drive accumulates all rows, from the empty state that begin returns.
	drive(ctx context.Context, begin func() partial) (partial, error)
	// gathered is a driver of the same rows for many passes: it may read them once and hold them.
	gathered(ctx context.Context) (driver, error)
	// rows is the public number of rows, those included that a step removed.
	rows() int
	// resident is rows where they stay in memory between passes, so that a pass may keep numbers of each for the next one; else 0.
	resident() int
	// inOrder hands out the rows in blocks, in order, to what is no pass: a recursion on the rows as they come ([ByIteration]), and
	// sums on public data whose bits depend on the order of additions. Such a reading cannot be parted.
	inOrder(ctx context.Context, fn func(b *frames.Block) error) error
}

// drive makes a pass over all rows.
func drive[S state[S]](ctx context.Context, rows driver, begin func() S) (S, error) {
	all, err := rows.drive(ctx, func() partial { return part[S]{begin()} })
	if err != nil {
		return begin(), err
	}
	return all.(part[S]).of, nil
}

// A partial is a state of any pass, in the hands of a driver.
type partial interface {
	add(b *frames.Block)
	merge(next partial) // of the same pass
	coded
}

// part is the one partial.
type part[S state[S]] struct{ of S }

func (p part[S]) add(b *frames.Block) { p.of.add(b) }
func (p part[S]) merge(next partial)  { p.of.merge(next.(part[S]).of) }
func (p part[S]) code(c *coder)       { p.of.code(c) }
