package rows

import (
	"context"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// Elsewhere is a source whose rows are reached by passes alone.
type Elsewhere interface {
	frames.Source
	// Pass makes a pass over in, which is this source or what [Mapped], [OfSide] and [Kept] make of it.
	Pass(ctx context.Context, in frames.Source, begin func() Partial) (Partial, error)
}

// LieElsewhere is the source below in whose rows are reached by passes alone, or nil.
func LieElsewhere(in frames.Source) Elsewhere {
	for below := in; below != nil; below = madeOf(in) {
		in = below
	}
	e, _ := in.(Elsewhere)
	return e
}

// madeOf is the source that recorded rows are made of; nil for one that has rows of its own.
func madeOf(in frames.Source) frames.Source {
	switch s := in.(type) {
	case *Mapped:
		return s.In
	case *OfSide:
		return s.In
	case *Kept:
		return s.In
	case *OfPeople:
		return s.In
	}
	return nil
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

func (m moved) AddPacked(b *frames.Block, x *linalg.Packed) bool {
	at := *b
	at.First += m.by
	return m.Partial.AddPacked(&at, x)
}

func (m moved) Merge(next Partial) { m.Partial.Merge(next.(moved).Partial) }

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
