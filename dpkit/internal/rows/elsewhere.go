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

// Accumulate makes a pass over all rows of a source in this process, which have places from the first on.
func Accumulate(ctx context.Context, in frames.Source, first int, begin func() Partial) (Partial, error) {
	if first == 0 {
		return accumulate(ctx, in, begin)
	}
	all, err := accumulate(ctx, in, func() Partial { return moved{begin(), first} })
	if err != nil {
		return nil, err
	}
	return all.(moved).Partial, nil
}

// moved takes rows in at other places.
type moved struct {
	Partial
	by int
}

func (m moved) Add(b *frames.Block) {
	at := *b
	at.First += m.by
	m.Partial.Add(&at)
}

func (m moved) Merge(next Partial) { m.Partial.Merge(next.(moved).Partial) }

// Rounding says how a state adds numbers.
type Rounding int

const (
	Exact   Rounding = iota // to the same bits in any order
	Rounded                 // to others in another order, which only a bound on the error of all orders rests on
	Counted                 // as Rounded, and what the release is priced at counts in how many parts rows are added up, see WithinRounding
)

// RoundingOf is how a state adds numbers: it may say so, and all others add exactly.
func RoundingOf(of Partial) Rounding {
	if r, ok := of.(interface{ rounding() Rounding }); ok {
		return r.rounding()
	}
	return Exact
}

func (p boundPartial) rounding() Rounding { return RoundingOf(p.Partial) }

func (m moved) rounding() Rounding { return RoundingOf(m.Partial) }

func (p part[S]) rounding() Rounding {
	if r, ok := any(p.of).(interface{ Adds() Rounding }); ok {
		return r.Adds()
	}
	return Exact
}

// Upon are the rows of a source that is reached by passes alone, with other rows in the place of a source below in it.
func Upon(in, below, base frames.Source) frames.Source {
	if in == below {
		return base
	}
	switch s := in.(type) {
	case *Mapped:
		return &Mapped{In: Upon(s.In, below, base), Domain: s.Domain, Cols: s.Cols, T: s.T, Same: s.Same}
	case *OfSide:
		return &OfSide{In: Upon(s.In, below, base), Keep: s.Keep}
	case *Kept:
		return &Kept{In: Upon(s.In, below, base), Keep: s.Keep}
	case *OfPeople:
		return &OfPeople{In: Upon(s.In, below, base), Domain: s.Domain, Places: s.Places, Make: s.Make}
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
	return len(shards) <= mostParts && panels <= (2*n+PanelRows)/PanelRows
}

// mostParts is in how many parts rows may lie whose sums round: each has a sum a lane, and 2^16 may merge.
const mostParts = 1 << 16 / lanes

// PeopleWithinRounding is [WithinRounding] of so many places of people, who lie in parts, whoever is in which: a chunk of n rows that are there
// adds up in at most n/PanelRows + 1 panels. Part of a roster has places for all of it.
func PeopleWithinRounding(parts, places, cols int, roster bool) bool {
	more := parts
	if size := chunkRows(cols); roster {
		more *= (places + size - 1) / size
	}
	return parts <= mostParts && more <= places/PanelRows
}

func panelsOf(rows int) int { return (rows + PanelRows - 1) / PanelRows }
