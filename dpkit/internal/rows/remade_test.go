package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// wide is a schema of so many numbers and a label.
func wide(d int) frames.Schema {
	var cols []frames.Column
	for j := range d {
		cols = append(cols, frames.Numeric(fmt.Sprint("x", j), -100, 100))
	}
	return must(frames.NewSchema(append(cols, frames.NumericLabel("y", -100, 100))...))
}

// turned makes rows of d numbers of others, the last first: such a map reads cells after their place was written.
func turned(d int) stage.Transform {
	return stage.ByRow(func(dst, src []float64) {
		for j := range d {
			if dst[j] = float64(j); len(src) > 0 {
				dst[j] += src[(len(src)-1-j%len(src))%len(src)]
			}
		}
	})
}

// TestRemake: rows that become wider, narrower or stay as wide have the bits of those in a table of their own, with recorded maps between or not,
// and lie in the memory of the table that they are made of where that has room.
func TestRemake(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for _, size := range []int{1, 2, ChunkSize, 5000, 40*ChunkSize + 17} {
		for _, widths := range [][2]int{{5, 5}, {5, 4}, {5, 6}, {5, 1}, {1, 5}, {5, 0}, {0, 5}, {20, 21}, {21, 20}, {150, 3}, {3, 150}} {
			from, to := widths[0], widths[1]
			if size > 5000 && from*to > 100 && from+to != 41 {
				continue // enough of large ones
			}
			draws := make([]float64, max(from, to)*size)
			for i := range draws {
				draws[i] = r.NormFloat64()
			}
			table := func() *Matrix {
				m := &Matrix{Domain: wide(from), Cols: from, X: slices.Clone(draws)[:from*size], Y: make([]float64, size)}
				for i := range m.Y {
					m.Y[i] = float64(i)
				}
				if m.Empty = make([]bool, size); size > 2 && from > 0 {
					m.Remove(size / 2) // whose cells mean nothing
					m.Row(size / 2)[0] = math.NaN()
				}
				return m
			}
			odd := byRow(func(_ []float64, y float64) bool { return int(y)%2 == 1 })
			over := func(m *Matrix) map[string]frames.Source {
				return map[string]frames.Source{
					"the table":      m,
					"a recorded map": &Mapped{In: m, Domain: wide(7), Cols: 7, T: turned(7)},
					"a filter":       &Kept{In: m, Keep: odd},
					"maps of a filter of maps": &Mapped{
						In:     &Kept{In: &Mapped{In: m, Domain: wide(7), Cols: 7, T: turned(7)}, Keep: odd},
						Domain: wide(3), Cols: 3, T: turned(3),
					},
				}
			}
			for name := range over(nil) {
				want := must(Materialise(t.Context(), over(table())[name], wide(to), turned(to)))
				m := table()
				got := must(m.Remake(t.Context(), over(m)[name], wide(to), turned(to), 0))
				if !slices.Equal(got.X, want.X) || !slices.Equal(got.Y, want.Y) || !slices.Equal(got.Empty, want.Empty) || got.Cols != to {
					t.Errorf("%d rows of %d to %d over %s: another table", size, from, to, name)
				}
				if to > 0 && from > 0 && &got.X[0] != &m.X[0] {
					t.Errorf("%d rows of %d to %d over %s: in other memory", size, from, to, name)
				}
			}
		}
	}
}

// TestRemakeElsewhere: a table without room is made anew, with room for what comes.
func TestRemakeElsewhere(t *testing.T) {
	m := &Matrix{Domain: wide(1), Cols: 1, X: []float64{1, 2, 3}, Y: make([]float64, 3)}
	got := must(m.Remake(t.Context(), m, wide(2), turned(2), 5))
	if !slices.Equal(got.X, []float64{1, 2, 2, 3, 3, 4}) || cap(got.X) < 15 || m.X[0] != 1 { // and the one that was read is left as it was
		t.Errorf("got %v with room for %d numbers, of %v", got.X, cap(got.X), m.X)
	}
}

// TestUnder: a recorded map of another module's step may hold the rows under it.
func TestUnder(t *testing.T) {
	m := &Matrix{Domain: wide(1), Cols: 1}
	own := &Mapped{In: m, Domain: wide(1), Cols: 1, T: SameRow}
	foreign := &Mapped{In: own, Domain: wide(1), Cols: 1, T: SameRow, Foreign: true}
	behind := &Mapped{In: foreign, Domain: wide(1), Cols: 1, T: SameRow}
	for i, c := range []struct {
		in   frames.Source
		want *Matrix
	}{{m, m}, {own, m}, {&Kept{In: own}, m}, {&Kept{In: foreign}, nil}, {foreign, nil}, {behind, nil}, {&OfSide{In: m}, nil}} {
		if got := Under(c.in); got != c.want {
			t.Errorf("case %d: got %v, want %v", i, got, c.want)
		}
	}
}

// TestSpans: spans cover the chunks once, and no chunk writes to where another of its span, or of a later one, is read from.
func TestSpans(t *testing.T) {
	for _, n := range []int{1, 2, 7, 100} {
		for a := range 12 {
			for b := range 12 {
				done := make([]bool, n)
				for lo, hi := range spans(n, a, b) {
					for c := lo; c < hi; c++ {
						for other := range n {
							reads := other != c && !done[other]
							if reads && c*b < (other+1)*a && other*a < (c+1)*b {
								t.Fatalf("%d chunks of %d to %d: %d writes over %d, of span [%d, %d)", n, a, b, c, other, lo, hi)
							}
						}
					}
					for c := lo; c < hi; c++ {
						if done[c] {
							t.Fatalf("%d chunks of %d to %d: %d is mapped twice", n, a, b, c)
						}
						done[c] = true
					}
				}
				if slices.Contains(done, false) {
					t.Fatalf("%d chunks of %d to %d: some are not mapped", n, a, b)
				}
			}
		}
	}
}

// TestRemakeAllocates: what a table that is written over takes is a few chunks, whatever its size.
func TestRemakeAllocates(t *testing.T) {
	const n = 100_000
	m := &Matrix{Domain: wide(8), Cols: 8, X: make([]float64, 8*n, 20*n), Y: make([]float64, n)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, d := range []int{20, 3, 17, 17, 1} {
		m = must(m.Remake(t.Context(), m, wide(d), turned(d), 0))
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 8<<20 { // the table is 16 MB; each of five maps has a chunk of at most 160 KB for each of at most 8 workers
		t.Errorf("got %d bytes for five maps of a table of %d", got, 8*20*n)
	}
}

// TestKeepSide is the rows of a side as [OfSide] has them.
func TestKeepSide(t *testing.T) {
	keep := Side{Kept: []bool{false, true, true, false, true}, Each: 2, Left: 3}
	table := func() *Matrix {
		m := &Matrix{Domain: wide(2), Cols: 2, Y: make([]float64, 10), Empty: make([]bool, 10)}
		for i := range 10 {
			m.X, m.Y[i] = append(m.X, float64(i), -float64(i)), float64(i)
		}
		m.Remove(3)
		return m
	}
	want := must(Materialise(t.Context(), &OfSide{In: table(), Keep: keep}, wide(2), SameRow))
	got := table().KeepSide(wide(2), keep)
	if !slices.Equal(got.X, want.X) || !slices.Equal(got.Y, want.Y) || !slices.Equal(got.Empty, want.Empty) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
