package rows

import (
	"context"
	"slices"
	"sync"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// Packed are rows of one-hot blocks in memory, the zeros of which are left out: see [linalg.Packed]. Whether rows are packed is settled by the schema.
// A row that is no such row (a category that was missing may be filled by shares of all levels) is held as it is, so that this shows in how long
// a pass takes, and in nothing else (docs/threat-model.md#what-is-not).
type Packed struct {
	side Matrix // without the cells
	rows int
	runs []*linalg.Packed // of packedRows each
}

// packedRows is how many rows are packed together: all that is computed of them stays in a first-level cache.
const packedRows = 256

// A packedState is a state that takes packed rows in.
type packedState interface {
	// AddPacked is Add for the rows of a block without cells. It reports false where it would rather have the cells, and has done nothing.
	AddPacked(b *frames.Block, x *linalg.Packed) bool
}

// PackedShape is the shape of rows of that schema, or nil where they take more than half of their memory packed.
func PackedShape(in frames.Schema) *linalg.PackedShape {
	var blocks []string
	for _, c := range in.Features() {
		blocks = append(blocks, c.Block)
	}
	if s := linalg.NewPackedShape(blocks); s.Saves(2) {
		return s
	}
	return nil
}

// besideTable is the part of a table that its rows may take packed beside it, until it is let go.
const besideTable = 4

// HoldForPasses is [Hold] for who makes many passes: rows of one-hot blocks are packed. Where a table is there, which they could be written over, they
// are if they take little beside it.
func HoldForPasses(ctx context.Context, in frames.Source) (frames.Source, error) {
	held, table := false, false
	switch s := in.(type) {
	case *Mapped:
		held, table = s.Held, s.Over != nil
	case *Kept:
		held, table = s.Held, s.Over != nil
	case *Matrix:
		held, table = true, true
	}
	if held {
		if shape := PackedShape(in.Schema()); shape != nil && shape.Pays() && (!table || shape.Saves(besideTable)) {
			return pack(ctx, in, shape)
		}
	}
	return Hold(ctx, in)
}

// pack reads rows into memory.
func pack(ctx context.Context, in frames.Source, shape *linalg.PackedShape) (*Packed, error) {
	n, out := in.Rows(), in.Schema()
	d := out.Width()
	p := &Packed{side: Matrix{Domain: out, Cols: d}, rows: n, runs: make([]*linalg.Packed, (n+packedRows-1)/packedRows)}
	if _, ok := out.Label(); ok {
		p.side.Y = make([]float64, n)
	}
	if _, ok := out.Person(); ok {
		p.side.Person = make([]frames.PersonID, n)
	}
	var once sync.Once
	err := scanChunks(ctx, in, packedRows, mostWorkers, func() chunkFunc {
		work := &linalg.PackedWork{}
		return func(b *frames.Block) {
			x := b.X
			if b.Empty != nil {
				once.Do(func() { p.side.Empty = make([]bool, n) })
				copy(p.side.Empty[b.First:], b.Empty)
				x = slices.Clone(x)
				for i, empty := range b.Empty {
					if empty { // its cells are anything
						clear(x[i*b.Cols : (i+1)*b.Cols])
					}
				}
			}
			if missing := p.rowsOf(b.First/packedRows) - b.Rows; missing > 0 { // of a source that ends before its time
				x = append(slices.Clone(x), make([]float64, missing*d)...)
			}
			run := b.First / packedRows
			packed, err := shape.Pack(x, p.rowsOf(run), d, nil, work)
			if err != nil {
				panic(err) // impossible: the rows are of the schema
			}
			p.runs[run] = packed
			if p.side.Y != nil {
				copy(p.side.Y[b.First:], b.Y)
			}
			if p.side.Person != nil {
				copy(p.side.Person[b.First:], b.Person)
			}
		}
	})
	if err != nil {
		return p, err
	}
	for i, run := range p.runs {
		if run != nil {
			continue
		}
		if p.runs[i], err = shape.Pack(make([]float64, p.rowsOf(i)*d), p.rowsOf(i), d, nil, &linalg.PackedWork{}); err != nil {
			return p, err
		}
	}
	return p, nil
}

// rowsOf is how many rows a run has.
func (p *Packed) rowsOf(run int) int { return min(packedRows, p.rows-run*packedRows) }

func (p *Packed) Schema() frames.Schema { return p.side.Domain }

func (p *Packed) Rows() int { return p.rows }

// ReadRange writes n rows, those from from on, to a block, whose memory is used again.
func (p *Packed) ReadRange(b *frames.Block, from, n int) {
	d := p.side.Cols
	x := Grown(b.X, n*d)
	for at := from; at < from+n; {
		run := p.runs[at/packedRows]
		first := at % packedRows
		to := min(first+from+n-at, packedRows)
		if err := run.Expand(x[(at-from)*d:(at-from+to-first)*d], first, to); err != nil {
			panic(err) // impossible: the rows are those of the run
		}
		at += to - first
	}
	var view frames.Block
	p.sides(&view, from, n)
	copyBlock(b, &view) // what is read of the others are copies, as the cells are
	b.X = x
}

// sides makes b a view of the rows without cells.
func (p *Packed) sides(b *frames.Block, from, n int) {
	*b = frames.Block{First: from, Rows: n, Cols: p.side.Cols}
	if p.side.Y != nil {
		b.Y = p.side.Y[from : from+n]
	}
	if p.side.Empty != nil {
		b.Empty = p.side.Empty[from : from+n]
	}
	if p.side.Person != nil {
		b.Person = p.side.Person[from : from+n]
	}
}

func (p *Packed) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	b := &frames.Block{}
	for from := 0; from < p.rows; from += ChunkSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.ReadRange(b, from, min(ChunkSize, p.rows-from))
		if err := fn(b); err != nil {
			return err
		}
	}
	return nil
}

// chunks hands out the runs to states of a pass.
func (p *Packed) chunks(ctx context.Context, cells int, state func() Partial) error {
	return share(ctx, p.rows, packedRows, statesOf(p.side.Cols, cells), func() (chunkFunc, func(from, to int) *frames.Block) {
		own := state()
		var x []float64
		b := &frames.Block{}
		add := func(b *frames.Block) {
			run := p.runs[b.First/packedRows]
			if own.AddPacked(b, run) {
				return
			}
			x = Grown(x, b.Rows*b.Cols)
			if err := run.Expand(x, 0, b.Rows); err != nil {
				panic(err) // impossible: the rows are those of the run
			}
			b.X = x
			own.Add(b)
		}
		return add, func(from, to int) *frames.Block { p.sides(b, from, to-from); return b }
	})
}
