package rows

import (
	"context"

	"github.com/dpkit-go/dpnb/frames"
)

// Elsewhere is a source whose rows are reached by passes alone.
type Elsewhere interface {
	frames.Source
	// Pass makes a pass over in, which is this source or what [Mapped], [OfSide] and [Kept] make of it.
	Pass(ctx context.Context, in frames.Source, begin func() Partial) (Partial, error)
}

// LieElsewhere is the source below in whose rows are reached by passes alone, or nil.
func LieElsewhere(in frames.Source) Elsewhere {
	for {
		switch s := in.(type) {
		case *Mapped:
			in = s.In
		case *OfSide:
			in = s.In
		case *Kept:
			in = s.In
		case *OfPeople:
			in = s.In
		case Elsewhere:
			return s
		default:
			return nil
		}
	}
}

// Accumulate makes a pass over all rows of a source in this process.
func Accumulate(ctx context.Context, in frames.Source, begin func() Partial) (Partial, error) {
	return accumulate(ctx, in, begin)
}

// Rounded is a state that adds numbers that round. All others add exactly.
type Rounded interface{ AddsRounded() }

// Rounds says whether a state adds numbers that round, so that the order of additions shows.
func Rounds(of Partial) bool {
	r, ok := of.(interface{ rounds() bool })
	return ok && r.rounds()
}

func (p boundPartial) rounds() bool { return Rounds(p.Partial) }

func (p part[S]) rounds() bool {
	_, ok := any(p.of).(Rounded)
	return ok
}

// Upon are the rows of a source that is reached by passes alone, with other rows in its place.
func Upon(in frames.Source, base frames.Source) frames.Source {
	switch s := in.(type) {
	case *Mapped:
		return &Mapped{In: Upon(s.In, base), Domain: s.Domain, Cols: s.Cols, T: s.T, Same: s.Same, Held: s.Held}
	case *OfSide:
		return &OfSide{In: Upon(s.In, base), Keep: s.Keep}
	case *Kept:
		return &Kept{In: Upon(s.In, base), Keep: s.Keep, Held: s.Held}
	case *OfPeople:
		return &OfPeople{In: Upon(s.In, base), Domain: s.Domain, Places: s.Places, Make: s.Make}
	}
	return base
}

// WithinRounding says whether shards of so many rows, of so many cells each, add up sums of products in no more parts than [GramRounding]
// counts for all rows: panels for at most twice the rows, and 2^16 sums.
func WithinRounding(shards []int, cols int) bool {
	size := chunkRows(cols)
	n, panels := 0, 0
	for _, rows := range shards {
		n += rows
		panels += rows / size * panelsOf(size)
		panels += panelsOf(rows % size)
	}
	return len(shards) <= 1<<16/lanes && panels <= (2*n+PanelRows)/PanelRows
}

func panelsOf(rows int) int { return (rows + PanelRows - 1) / PanelRows }
