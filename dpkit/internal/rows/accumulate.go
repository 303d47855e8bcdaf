package rows

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/dpkit-go/dpnb/frames"
)

// InProcess drives passes over a source of rows in this process.
type InProcess struct {
	In     frames.Source
	Memory int // bytes that a state which grows with what rows hold may take; 0: whatever it takes
}

// MemoryOf is what a state may take that is driven over those rows, see [InProcess]; 0 where another process may hold it.
func MemoryOf(in Driver) int {
	for {
		switch d := in.(type) {
		case bound:
			in = d.Driver
			continue
		case InProcess:
			if LieElsewhere(d.In) != nil { // states travel whole
				return 0
			}
			return d.Memory
		}
		return 0
	}
}

func (r InProcess) Drive(ctx context.Context, begin func() Partial) (Partial, error) {
	if e := LieElsewhere(r.In); e != nil {
		return e.Pass(ctx, r.In, begin)
	}
	return accumulate(ctx, r.In, begin)
}

func (r InProcess) Rows() int { return r.In.Rows() }

func (r InProcess) Resident() int {
	switch r.In.(type) {
	case *Matrix, *Packed:
		return r.In.Rows()
	}
	return 0
}

// Gathered holds the rows, unless the chain did not because they are too many.
func (r InProcess) Gathered(ctx context.Context) (Driver, error) {
	if LieElsewhere(r.In) != nil {
		return r, nil
	}
	switch in := r.In.(type) {
	case *Mapped:
		if !in.Held {
			return r, nil
		}
	case *Kept:
		if !in.Held {
			return r, nil
		}
	case *Matrix, *Places, *Packed:
		return r, nil
	}
	m, err := Materialise(ctx, r.In, r.In.Schema(), SameRow)
	return InProcess{m, r.Memory}, err
}

func (r InProcess) InOrder(ctx context.Context, fn func(b *frames.Block) error) error {
	return r.In.Scan(ctx, fn)
}

// statesOf is how many states of a pass there are at most, each of so many cells and maybe a matrix of so many columns: as many as take about 128 MB
// together, and eight however large they are.
func statesOf(cols, cells int) int {
	most := 1 << 24 / max(cols, 1) / max(cols, 1)
	return min(max(min(most, 1<<24/max(cells, 1)), 8), mostWorkers)
}

// States is how many states of a pass there are at a time at most, of what size they may be: what all of them may hold is parted among so many.
func States() int { return min(runtime.GOMAXPROCS(0), mostWorkers) }

// accumulate runs a pass over all rows, in parallel. States add exactly, so that it does not show which worker takes which rows: there are no more states
// than workers.
func accumulate(ctx context.Context, in frames.Source, begin func() Partial) (Partial, error) {
	all := begin()
	var mu sync.Mutex
	var parts []Partial
	state := func() Partial {
		mu.Lock()
		defer mu.Unlock()
		own := all
		if len(parts) > 0 {
			own = begin()
		}
		parts = append(parts, own)
		return own
	}
	var err error
	if p, ok := in.(*Packed); ok {
		err = p.chunks(ctx, all.cells(), state)
	} else {
		width := in.Schema().Width()
		err = scanChunks(ctx, in, chunkRows(width), statesOf(width, all.cells()), func() chunkFunc { return state().Add })
	}
	if err != nil {
		return all, err
	}
	mergeAll(parts)
	return all, nil
}

// mergeAll merges states into the first: large ones two by two, at the same time.
func mergeAll(parts []Partial) {
	if len(parts) < 2 {
		return
	}
	began := time.Now()
	parts[0].Merge(parts[1])
	if left := time.Since(began) * time.Duration(len(parts)-2); left <= worthSharing {
		for _, part := range parts[2:] {
			parts[0].Merge(part)
		}
		return
	}
	parts = slices.Delete(slices.Clone(parts), 1, 2)
	for step := 1; step < len(parts); step *= 2 {
		var c crew
		for i := 0; i+step < len(parts); i += 2 * step {
			c.Go(func() { c.do(func() { parts[i].Merge(parts[i+step]) }) })
		}
		c.finish()
	}
}

// IntegerSums sums integers over rows, exactly. Each part asks for a function of its own, which
// adds a row to sums and may hold buffers; y is the label, 0 where the schema has none.
func IntegerSums(ctx context.Context, rows Driver, width int, lane func() func(sums []int64, row []float64, y float64)) ([]int64, error) {
	s, err := Drive(ctx, rows, summing(width, lane))
	return s.Sums, err
}

// summing is that pass.
func summing(width int, lane func() func(sums []int64, row []float64, y float64)) func() *RowSums {
	return func() *RowSums { return &RowSums{make([]int64, width), runOf(lane())} }
}

// IntegerRuns is [IntegerSums] by functions that add several rows at a time: those from..to of a block, none of which is empty.
func IntegerRuns(ctx context.Context, rows Driver, width int, lane func() func(sums []int64, b *frames.Block, from, to int)) ([]int64, error) {
	s, err := Drive(ctx, rows, func() *RowSums { return &RowSums{make([]int64, width), lane()} })
	return s.Sums, err
}

// runOf adds rows one by one.
func runOf(row func(sums []int64, row []float64, y float64)) func(sums []int64, b *frames.Block, from, to int) {
	return func(sums []int64, b *frames.Block, from, to int) {
		labels := b.Y
		for i := from; i < to; i++ {
			y := 0.0
			if labels != nil {
				y = labels[i]
			}
			row(sums, b.Row(i), y)
		}
	}
}

// RowSums is the accumulator of [IntegerSums].
type RowSums struct {
	Sums []int64
	run  func(sums []int64, b *frames.Block, from, to int)
}

// Cells is how many numbers the sums take.
func (s *RowSums) Cells() int { return len(s.Sums) }

func (s *RowSums) Add(b *frames.Block) {
	EachRun(b, func(from, to int) { s.run(s.Sums, b, from, to) })
}

func (s *RowSums) Merge(next *RowSums) {
	for j, v := range next.Sums {
		s.Sums[j] += v
	}
}

func (s *RowSums) Code(c *Coder) {
	c.Name("integer sums 1")
	c.Integers(s.Sums)
}
