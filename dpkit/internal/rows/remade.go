package rows

import (
	"context"
	"iter"
	"slices"
	"sync/atomic"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Under is the table that the rows of in are made of, by maps and filters that are recorded over it and know no other rows than those that they are given;
// nil where there is none.
func Under(in frames.Source) *Matrix {
	for {
		switch s := in.(type) {
		case *Matrix:
			return s
		case *Mapped:
			if s.Foreign {
				return nil
			}
			in = s.In
		case *Kept:
			in = s.In
		default:
			return nil
		}
	}
}

// Remake maps every row of in, which are made of those of m ([Under]), into the memory of m, so that no second table is held; m and in must not
// be used afterwards. Behind an error m is lost. Where rows become so wide that the memory of m ends, they are materialised with room for rows
// of so many numbers.
func (m *Matrix) Remake(ctx context.Context, in frames.Source, out frames.Schema, t stage.Transform, room int) (*Matrix, error) {
	n, d := m.Rows(), out.Width()
	if n*d > cap(m.X) {
		return MaterialiseWide(ctx, in, out, t, room)
	}
	made := *m
	made.Domain, made.Cols, made.X = out, d, m.X[:n*d]
	if _, ok := out.Label(); !ok {
		made.Y = nil
	}
	if _, ok := out.Person(); !ok {
		made.Person = nil
	}
	maps := recorded(in)
	filtered := slices.ContainsFunc(maps, func(m recording) bool { _, ok := m.(*Kept); return ok })
	if filtered && made.Empty == nil {
		made.Empty = make([]bool, n)
	}
	size := chunkRows(max(m.Cols, d))
	workers := workersFor(n, size)
	each := make([]remaker, workers)
	for w := range each {
		each[w] = remaker{from: m, to: &made, maps: maps, t: t, size: size, filtered: filtered, blocks: make([]*frames.Block, len(maps))}
	}
	for lo, hi := range spans((n+size-1)/size, m.Cols, d) {
		var c crew
		var next atomic.Int64
		work := func(w int) {
			for chunk := lo + int(next.Add(1)) - 1; chunk < hi && ctx.Err() == nil; chunk = lo + int(next.Add(1)) - 1 {
				each[w].chunk(chunk)
			}
		}
		for w := 1; w < min(workers, hi-lo); w++ {
			c.Go(func() { c.do(func() { work(w) }) })
		}
		c.do(func() { work(0) })
		if c.finish(); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return &made, nil
}

// A recording makes rows of others, block by block.
type recording interface {
	apply(out, b *frames.Block) *frames.Block
}

// recorded is what is recorded between a table and the rows of in, what reads the table first.
func recorded(in frames.Source) []recording {
	switch s := in.(type) {
	case *Mapped:
		return append(recorded(s.In), s)
	case *Kept:
		return append(recorded(s.In), s)
	}
	return nil
}

// remaker maps chunks of a table within its memory, one at a time.
type remaker struct {
	from, to *Matrix
	maps     []recording
	filtered bool // by one of them
	t        stage.Transform
	size     int
	blocks   []*frames.Block // what the recorded maps make
	read     []float64       // the rows, where their images come to lie on them
}

func (r *remaker) chunk(c int) {
	first, end := c*r.size, min((c+1)*r.size, r.from.Rows())
	b, d := r.from.Block(first, end), r.to.Cols
	for i, m := range r.maps {
		if r.blocks[i] == nil {
			r.blocks[i] = &frames.Block{}
		}
		b = m.apply(r.blocks[i], b)
	}
	if len(r.maps) == 0 && first*d < end*r.from.Cols && end*d > first*r.from.Cols {
		r.read = append(r.read[:0], b.X...)
		b.X = r.read
	}
	x := r.to.X[first*d : end*d]
	if b.Empty != nil {
		clear(x)
	}
	mapRows(x, d, b, r.t)
	if r.filtered {
		copy(r.to.Empty[first:end], b.Empty)
		if r.to.Y != nil {
			copy(r.to.Y[first:end], b.Y)
		}
	}
}

// spans parts the n chunks of rows that are a numbers wide and become b numbers wide in the memory that they lie in. Spans follow one another, and
// the chunks of one are mapped at the same time: none writes to where another of its span, or of a later one, is read from. A chunk may write to
// where it lies itself.
//
// Chunk c lies in [ca, (c+1)a) and comes to lie in [cb, (c+1)b), in numbers times rows of a chunk. Wider rows begin at the end: chunks lo..hi
// write to lo·b and on, and what is still read ends at hi·a, so that lo = ⌈hi·a/b⌉; one chunk alone writes behind those before it, since
// (hi−1)b ≥ (hi−1)a. Narrower ones begin at the front: chunks lo..hi write up to hi·b, and what is still read begins at lo·a.
func spans(n, a, b int) iter.Seq2[int, int] {
	return func(yield func(lo, hi int) bool) {
		switch {
		case a == b:
			yield(0, n)
		case a < b:
			for hi := n; hi > 0; {
				lo := min((hi*a+b-1)/b, hi-1)
				if !yield(lo, hi) {
					return
				}
				hi = lo
			}
		default:
			for lo := 0; lo < n; {
				hi := n
				if b > 0 {
					hi = min(max(lo*a/b, lo+1), n)
				}
				if !yield(lo, hi) {
					return
				}
				lo = hi
			}
		}
	}
}

// KeepSide leaves the rows of one side, in their order, in the memory of m, which must not be used afterwards.
func (m *Matrix) KeepSide(out frames.Schema, keep Side) *Matrix {
	left := *m
	left.Domain = out
	at := 0
	for i := range m.Rows() {
		if !keep.Kept[i/keep.Each] {
			continue
		}
		copy(m.X[at*m.Cols:], m.Row(i))
		if m.Y != nil {
			m.Y[at] = m.Y[i]
		}
		if m.Empty != nil {
			m.Empty[at] = m.Empty[i]
		}
		at++
	}
	left.X = m.X[:at*m.Cols]
	if m.Y != nil {
		left.Y = m.Y[:at]
	}
	if m.Empty != nil {
		left.Empty = m.Empty[:at]
	}
	left.Person, left.Who = nil, nil
	return &left
}
