package rows

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// TestThen: maps that are recorded one behind the other, around a filter, lead to the rows of tables that are made after each of them, whether they are read
// in order or by chunks, and whether a table is written over.
func TestThen(t *testing.T) {
	double := stage.ByBlock(func(dst, src []float64, _ int) {
		for i, x := range src {
			dst[i] = 2 * x
		}
	})
	drop := stage.ByRow(func(dst, src []float64) { copy(dst, src[1:]) })
	keep := byRow(func(row []float64, y float64) bool { return row[0] > 0 || y > 1 })
	for _, size := range []int{1, 700, 5000} {
		r := rand.New(rand.NewPCG(23, uint64(size)))
		draws := make([]float64, 5*size)
		for i := range draws {
			draws[i] = r.NormFloat64()
		}
		table := func() *Matrix {
			m := tableOf(t, size, 5, true, func(i, j int) float64 { return draws[5*i+j] })
			m.Empty[0] = size > 1
			return m
		}
		of := table().Domain
		narrow := tableOf(t, 1, 4, false, func(int, int) float64 { return 0 }).Domain
		made := func(hold bool) frames.Source {
			var in frames.Source = table()
			for _, next := range []func(frames.Source) frames.Source{
				func(in frames.Source) frames.Source { return Then(in, of, double, Under(in), 0) },
				func(in frames.Source) frames.Source { return Then(in, of, double, Under(in), 0) },
				func(in frames.Source) frames.Source { return &Kept{In: in, Keep: keep, Held: true, Over: Under(in)} },
				func(in frames.Source) frames.Source { return Then(in, narrow, drop, Under(in), 0) },
				func(in frames.Source) frames.Source { return Then(in, narrow, double, Under(in), 0) },
			} {
				if in = next(in); hold {
					in = must(Hold(t.Context(), in))
				}
			}
			return in
		}
		want := must(Hold(t.Context(), made(true))).(*Matrix)
		got := must(Hold(t.Context(), made(false))).(*Matrix)
		if !slices.Equal(got.X, want.X) || !slices.Equal(got.Empty, want.Empty) {
			t.Errorf("%d rows: other rows by chunks", size)
		}
		at := 0
		if err := made(false).Scan(t.Context(), func(b *frames.Block) error {
			EachRun(b, func(from, to int) {
				if !slices.Equal(b.X[from*b.Cols:to*b.Cols], want.X[(at+from)*4:(at+to)*4]) {
					t.Errorf("%d rows: others in order from %d on", size, at+from)
				}
			})
			if !slices.Equal(b.Empty, want.Empty[at:at+b.Rows]) {
				t.Errorf("%d rows: others are left in order from %d on", size, at)
			}
			at += b.Rows
			return nil
		}); err != nil || at != size {
			t.Errorf("read %d rows of %d: %v", at, size, err)
		}
		if !Near(made(false)) || Near(&Mapped{In: table(), T: double}) {
			t.Error("rows in memory are near, unless nobody may hold them")
		}
	}
}

// TestStreamed: maps of rows that may not be held lead to the rows of one after the other, in any number of passes at a time, around the map of a step of
// the caller's own, which stays by itself.
func TestStreamed(t *testing.T) {
	each := func(f func(x float64) float64) stage.Transform {
		return stage.ByBlock(func(dst, src []float64, _ int) {
			for i, x := range src {
				dst[i] = f(x)
			}
		})
	}
	double, more := each(func(x float64) float64 { return 2 * x }), each(func(x float64) float64 { return x + 1 })
	drop := stage.ByRow(func(dst, src []float64) { copy(dst, src[1:]) })
	for _, size := range []int{1, 255, 3001} {
		table := tableOf(t, size, 5, true, func(i, j int) float64 { return float64(5*i + j) })
		table.Empty[0] = size > 1
		narrow := tableOf(t, 1, 4, false, func(int, int) float64 { return 0 }).Domain
		for _, foreign := range []bool{false, true} {
			in := Streamed(Streamed(Streamed(table, table.Domain, double, false), table.Domain, more, foreign), narrow, drop, false)
			if below := in.In == frames.Source(table); below == foreign {
				t.Errorf("the last map reads a %T, foreign is %v", in.In, foreign)
			}
			check := func(name string, b *frames.Block) {
				for i := range b.Rows {
					for j, v := range b.Row(i) {
						if want := float64(2*(5*(b.First+i)+j+1) + 1); v != want && !(b.Empty != nil && b.Empty[i]) {
							t.Errorf("%d rows, %s: row %d, cell %d: got %g, want %g", size, name, b.First+i, j, v, want)
						}
					}
				}
				if !slices.Equal(b.Empty, table.Empty[b.First:b.First+b.Rows]) {
					t.Errorf("%d rows, %s: others are empty: %v", size, name, b.Empty)
				}
			}
			var wait sync.WaitGroup
			for pass := range 3 {
				wait.Go(func() {
					for range 2 {
						var rows atomic.Int64
						if err := scanChunks(context.Background(), in, 64, mostWorkers, func() chunkFunc {
							return func(b *frames.Block) { rows.Add(int64(b.Rows)); check(fmt.Sprint("pass ", pass), b) }
						}); err != nil {
							t.Error(err)
						}
						if n := rows.Load(); n != int64(size) {
							t.Errorf("pass %d read %d rows of %d", pass, n, size)
						}
					}
				})
			}
			wait.Wait()
			if err := in.Scan(context.Background(), func(b *frames.Block) error { check("in order", b); return nil }); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestMappedLeavesItsRows: what passes leave to one another does not keep the table that they read.
func TestMappedLeavesItsRows(t *testing.T) {
	read := func() weak.Pointer[Matrix] {
		table := tableOf(t, 3000, 3, false, func(i, j int) float64 { return float64(i + j) })
		for _, m := range []*Mapped{Then(table, table.Domain, SameRow, nil, 0), Streamed(table, table.Domain, SameRow, false)} {
			if err := scanChunks(t.Context(), m, 64, mostWorkers, func() chunkFunc { return func(*frames.Block) {} }); err != nil {
				t.Fatal(err)
			}
		}
		return weak.Make(table)
	}
	table := read()
	for range 1000 { // workers that have done all may hold their last block yet
		if runtime.GC(); table.Value() == nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
	if table.Value() != nil {
		t.Error("a table is there yet, of which only blocks that were mapped of it are left")
	}
}
