package rows

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// tableOf is a matrix of rows × cols cells that draw makes; some rows are empty if holes says so.
func tableOf(t testing.TB, size, cols int, holes bool, draw func(i, j int) float64) *Matrix {
	t.Helper()
	var cs []frames.Column
	for j := range cols {
		cs = append(cs, frames.Numeric(fmt.Sprint("x", j), -1e9, 1e9).MayMiss())
	}
	m := &Matrix{Domain: must(frames.NewSchema(cs...)), Cols: cols, X: make([]float64, size*cols)}
	for i := range m.X {
		m.X[i] = draw(i/cols, i%cols)
	}
	if holes {
		m.Empty = make([]bool, size)
		for i := range m.Empty {
			m.Empty[i] = i%7 == 3 || i > 10 && i < 200
		}
	}
	return m
}

// inParts is a source that yields the rows of a matrix in blocks of its own sizes.
type inParts struct {
	*Matrix
	sizes []int
}

func (p inParts) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	for at, k := 0, 0; at < p.Rows(); k++ {
		n := min(p.sizes[k%len(p.sizes)], p.Rows()-at)
		if err := ctx.Err(); err != nil {
			return err
		}
		b := p.Block(at, at+n)
		b.X = slices.Clone(b.X) // a scan may reuse its block
		err := fn(b)
		for i := range b.X {
			b.X[i] = math.NaN()
		}
		if err != nil {
			return err
		}
		at += n
	}
	return nil
}

// sourcesOf are the ways to read a matrix.
func sourcesOf(m *Matrix) map[string]frames.Source {
	same := &Mapped{In: inParts{m, []int{1000}}, Domain: m.Domain, Cols: m.Cols, T: SameRow}
	return map[string]frames.Source{
		"memory":       m,
		"one block":    inParts{m, []int{1 << 30}},
		"chunks":       inParts{m, []int{chunkRows(m.Cols)}},
		"odd blocks":   inParts{m, []int{1, 700, 64, 2000}},
		"mapped":       &Mapped{In: m, Domain: m.Domain, Cols: m.Cols, T: SameRow},
		"mapped twice": &Mapped{In: same, Domain: m.Domain, Cols: m.Cols, T: SameRow},
	}
}

// everyWay runs a computation over every source and number of workers.
func everyWay(t *testing.T, m *Matrix, run func(name string, src frames.Source)) {
	t.Helper()
	for name, src := range sourcesOf(m) {
		for _, procs := range []int{1, 2, 5, 16} {
			old := runtime.GOMAXPROCS(procs)
			run(fmt.Sprintf("%s, %d workers", name, procs), src)
			runtime.GOMAXPROCS(old)
		}
	}
}

// TestChunks: every row comes once, at its place, and to each worker in order.
func TestChunks(t *testing.T) {
	for _, size := range []int{1, 63, 1024, 1025, 5000, 20000} {
		m := tableOf(t, size, 2, true, func(i, j int) float64 { return float64(2*i + j) })
		everyWay(t, m, func(name string, src frames.Source) {
			seen := make([]int, size)
			var workers atomic.Int64
			err := scanChunks(t.Context(), src, 100, 7, func() chunkFunc {
				workers.Add(1)
				last := -1
				return func(b *frames.Block) {
					if b.First%100 != 0 || b.First <= last || b.Rows > 100 {
						t.Errorf("%s: chunk at %d of %d rows behind %d", name, b.First, b.Rows, last)
					}
					last = b.First
					for i := range b.Rows {
						seen[b.First+i]++
						if empty := b.Empty[i]; empty != m.Empty[b.First+i] || !empty && b.Row(i)[1] != float64(2*(b.First+i)+1) {
							t.Errorf("%s: row %d differs", name, b.First+i)
						}
					}
				}
			})
			if err != nil || slices.Min(seen) != 1 || slices.Max(seen) != 1 || workers.Load() > 7 {
				t.Errorf("%s, %d rows: %v, seen %d to %d times by %d workers", name, size, err, slices.Min(seen), slices.Max(seen), workers.Load())
			}
		})
	}
}

func TestChunksStop(t *testing.T) {
	m := tableOf(t, 100000, 2, false, func(int, int) float64 { return 1 })
	everyWay(t, m, func(name string, src frames.Source) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		err := scanChunks(ctx, src, 100, mostWorkers, func() chunkFunc {
			return func(*frames.Block) { cancel() }
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want Canceled", name, err)
		}
		func() {
			defer func() {
				if r := recover(); r != "mine" {
					t.Errorf("%s: recovered %v", name, r)
				}
			}()
			_ = scanChunks(t.Context(), src, 100, mostWorkers, func() chunkFunc { return func(*frames.Block) { panic("mine") } })
			t.Errorf("%s: no panic", name)
		}()
	})
}

// TestFixedSums: within the stated distance of the exact sum, and the same bits every way.
func TestFixedSums(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	sizes := []float64{1, 1e9, 0.3, num.MinSize, num.MaxSize}
	for _, height := range []int{1, 64, 3000, 20000} {
		m := tableOf(t, height, len(sizes), true, func(_, j int) float64 {
			switch r.IntN(5) {
			case 0:
				return math.NaN()
			case 1:
				return sizes[j] * float64(1-2*r.IntN(2))
			case 2:
				return sizes[j] * math.Exp(-40*r.Float64())
			}
			return sizes[j] * (2*r.Float64() - 1)
		})
		columns := []int{4, 0, 1, 2, 3}
		size := make([]float64, len(columns))
		grid := make([]FixedPoint, len(columns))
		for k, j := range columns {
			size[k], grid[k] = sizes[j], NewFixedPoint(0, sizes[j])
		}
		want := make([]float64, len(columns))
		count := make([]int, len(columns))
		for k, j := range columns {
			exact := new(big.Float).SetPrec(3000)
			for i := range height {
				if v := m.Row(i)[j]; !m.Empty[i] && !math.IsNaN(v) {
					exact.Add(exact, big.NewFloat(v))
					count[k]++
				}
			}
			want[k], _ = exact.Float64()
		}
		var first *FixedSums
		everyWay(t, m, func(name string, src frames.Source) {
			s := must(Drive(t.Context(), InProcess{In: src}, func() *FixedSums { return NewFixedSums(columns, grid) }))
			if first == nil {
				first = s
			}
			for k := range columns {
				bound := 0x1p-50*size[k]*float64(count[k]) + 0x1p-51*math.Abs(want[k])
				if s.Count[k] != count[k] || !(math.Abs(s.Total(k)-want[k]) <= bound) {
					t.Errorf("%s: column %d: got %v of %d, want %v of %d within %v", name, k, s.Total(k), s.Count[k], want[k], count[k], bound)
				}
				if s.sum[k] != first.sum[k] {
					t.Errorf("%s: column %d: other bits", name, k)
				}
			}
		})
	}
}

// TestFixedPointSaturates: what no step leaves behind does not wrap around either.
func TestFixedPointSaturates(t *testing.T) {
	f := NewFixedPoint(0, 1)
	for _, c := range []struct{ x, want float64 }{
		{0, 0}, {1, 1}, {-1, -1}, {0.5, 0.5}, {3.99, 3.99}, {1e300, 4}, {math.Inf(-1), -4}, {0x1p-60, 0}, {1 - 0x1p-53, 1},
	} {
		if got := f.Value(float64(f.Of(c.x))); math.Abs(got-c.want) > 0x1p-49 {
			t.Errorf("%v: got %v", c.x, got)
		}
	}
	m := tableOf(t, 3, 1, false, func(i, _ int) float64 { return []float64{1e300, 1e300, -1e300}[i] })
	s := must(Drive(t.Context(), InProcess{In: m}, func() *FixedSums {
		return NewFixedSums([]int{0}, []FixedPoint{NewFixedPoint(0, 1)})
	}))
	if got := s.Total(0); math.Abs(got-4) > 1e-12 || s.Count[0] != 3 {
		t.Errorf("got %v of %d", got, s.Count[0])
	}
}

func TestInt128(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var a int128
	want := new(big.Int)
	for range 20000 {
		v, n := r.Int64()>>r.IntN(63), int(r.Int64()>>(1+r.IntN(62)))&math.MaxInt
		if r.IntN(2) == 0 {
			v = -v
		}
		if r.IntN(2) == 0 {
			a.Add(v)
			want.Add(want, big.NewInt(v))
		} else if r.IntN(2) == 0 && float64(n) < 1<<40 {
			v >>= 20
			a.addTimes(n, v)
			want.Add(want, new(big.Int).Mul(big.NewInt(int64(n)), big.NewInt(v)))
		}
		exact, _ := new(big.Float).SetInt(want).Float64()
		if got := a.Float(); !(math.Abs(got-exact) <= 0x1p-51*math.Abs(exact)) {
			t.Fatalf("got %v, want %v", got, exact)
		}
		if r.IntN(50) == 0 {
			a, want = int128{}, new(big.Int)
		}
	}
}

// TestGridSum agrees with the plain loop, and has the same bits every way.
func TestGridSum(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for d := 1; d <= 13; d++ {
		size := []int{1, 5, 127, 128, 129, 1500, 9000}[d%7]
		m := tableOf(t, size, d, d%2 == 0, func(int, int) float64 { return r.NormFloat64() })
		want := make([]float64, d*d)
		for i := range size {
			if m.Empty != nil && m.Empty[i] {
				continue
			}
			for j, x := range m.Row(i) {
				for k, y := range m.Row(i) {
					want[j*d+k] += x * y
				}
			}
		}
		var first []float64
		everyWay(t, m, func(name string, src frames.Source) {
			g := must(must(Drive(t.Context(), InProcess{In: src}, func() *GridSum { return NewGridSum(d, 8) })).Total(d))
			if first == nil {
				first = g
			}
			for j := range d {
				for k := j; k < d; k++ {
					if got := g[j*d+k]; math.Abs(got-want[j*d+k]) > 65*linalg.GridGramRounding(1)*float64(size) {
						t.Errorf("%s, d = %d: entry %d, %d: got %v, want %v", name, d, j, k, got, want[j*d+k])
					}
				}
			}
			if !slices.Equal(first, g) {
				t.Errorf("%s, d = %d: other bits", name, d)
			}
		})
	}
}

// bySorting is the answer to a query the plain way.
func bySorting(m *Matrix, q RankQuery) RankAnswer {
	var all []int64
	for i := range m.Rows() {
		if m.Empty != nil && m.Empty[i] {
			continue
		}
		if v, ok := q.of(m.Row(i)[q.Column]); ok {
			all = append(all, v)
		}
	}
	for len(all) < q.Floor {
		all = append(all, q.Pad)
	}
	slices.Sort(all)
	a, b := q.Ranks(len(all))
	out := RankAnswer{N: len(all), Low: all[a], High: all[b]}
	for _, v := range all[a:max(b, a+1)][1:] {
		out.Between.Add(v)
	}
	return out
}

// TestOrderStatistics is exact on smooth, concentrated, constant and padded columns.
func TestOrderStatistics(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	draws := []func() float64{
		r.Float64,
		func() float64 { return 0.25 },
		func() float64 { return 0.25 + 0x1p-45*float64(r.IntN(3)) },
		func() float64 { return 0.25 + 0x1p-30*r.Float64() },
		func() float64 { return float64(r.IntN(2)) },
		func() float64 { return math.Exp(-60 * r.Float64()) },
	}
	trims := []float64{1e-9, 0.01, 0.25, 0.4999, 0.5 - 0x1p-54}
	for _, size := range []int{1, 2, 200, 3000, 9000} {
		m := tableOf(t, size, len(draws), true, func(_, j int) float64 {
			if r.IntN(4) == 0 {
				return math.NaN()
			}
			return draws[j]()
		})
		for _, trim := range trims {
			g := NewFixedPoint(0, 1)
			var queries []RankQuery
			for j := range draws {
				queries = append(queries, RankQuery{
					Column: j, Grid: g, Lo: g.Of(-0.5), Hi: g.Of(1), Pad: g.Of([]float64{0.25, 0, 1}[r.IntN(3)]),
					Floor: []int{1, size, 3 * size}[r.IntN(3)],
					Ranks: func(n int) (int, int) {
						first := min(int(trim*float64(n)), n-1)
						return first, max(min(int(math.Ceil((1-trim)*float64(n)))-1, n-1), first)
					},
				})
			}
			for name, src := range sourcesOf(m) {
				got := must(OrderStatistics(t.Context(), src, queries))
				for k, q := range queries {
					if want := bySorting(m, q); got[k] != want {
						t.Errorf("%s, %d rows, trim %v, column %d: got %v, want %v", name, size, trim, k, got[k], want)
					}
				}
			}
		}
	}
}

// TestOrderStatisticsNarrow: a column in which one bin holds more than may be held is cut further.
func TestOrderStatisticsNarrow(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, c := range []struct {
		name string
		draw func() float64
	}{
		{"constant", func() float64 { return 0.3 }},
		{"close", func() float64 { return 0.3 + 0x1p-35*r.Float64() }},
	} {
		size := gatherLimit + 5000
		m := tableOf(t, size, 1, false, func(int, int) float64 { return c.draw() })
		g := NewFixedPoint(0, 1)
		q := RankQuery{Grid: g, Lo: 0, Hi: g.Of(1), Pad: g.Of(0.5), Floor: size + 100, Ranks: func(n int) (int, int) { return n / 5, n - n/5 }}
		if got, want := must(OrderStatistics(t.Context(), m, []RankQuery{q}))[0], bySorting(m, q); got != want {
			t.Errorf("%s: got %v, want %v", c.name, got, want)
		}
	}
}

// TestChunksOfASourceThatPanics: nobody works on behind it.
func TestChunksOfASourceThatPanics(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	m := tableOf(t, 5000, 2, false, func(int, int) float64 { return 1 })
	for range 20 {
		var at, over atomic.Int64
		func() {
			defer func() {
				if r := recover(); r != "theirs" {
					t.Errorf("recovered %v", r)
				}
				over.Store(1)
			}()
			_ = scanChunks(t.Context(), panicking{m}, 100, mostWorkers, func() chunkFunc {
				return func(*frames.Block) {
					time.Sleep(50 * time.Microsecond)
					at.Add(over.Load())
				}
			})
		}()
		if time.Sleep(time.Millisecond); at.Load() != 0 {
			t.Fatal("a chunk was worked on behind the panic")
		}
	}
}

// panicking is a source that panics behind some rows.
type panicking struct{ *Matrix }

func (p panicking) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	for first := 0; first < 3000; first += 100 {
		if err := fn(p.Block(first, first+100)); err != nil {
			return err
		}
	}
	panic("theirs")
}

func (panicking) ReadRange() {} // is no Ranger
