package rows

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// rowsOfPeople is a table with rows that repeat and miss, of people with one row to a few hundred. Some rows are gone, of some people all.
func rowsOfPeople(t testing.TB, rng *rand.Rand, rows int) *Matrix {
	t.Helper()
	m := tableOf(t, rows, 2, false, func(_, j int) float64 {
		if v := rng.IntN(9); v > 0 {
			return float64(v) / 10
		}
		return math.NaN()
	})
	m.Domain = must(frames.NewSchema(frames.Person("id"), frames.Numeric("a", 0, 1).MayMiss(), frames.Numeric("b", 0, 1).MayMiss(), frames.NumericLabel("y", 0, 1)))
	m.Y, m.Person = make([]float64, rows), make([]frames.PersonID, rows)
	who, left := uint64(0), 0
	for i := range rows {
		if left == 0 {
			who, left = who+1, []int{1, 2, 5, 40, 300}[rng.IntN(5)]
		}
		left--
		m.Y[i] = float64(rng.IntN(3)) / 2
		binary.LittleEndian.PutUint64(m.Person[i][:], who)
		if rng.IntN(5) == 0 || who%50 == 7 {
			m.Remove(i)
		}
	}
	return m
}

// shuffled is the same table in another order.
func shuffled(rng *rand.Rand, m *Matrix) *Matrix {
	out := *m
	out.X, out.Y, out.Empty, out.Person = slices.Clone(m.X), slices.Clone(m.Y), slices.Clone(m.Empty), slices.Clone(m.Person)
	rng.Shuffle(m.Rows(), func(i, j int) {
		for k := range m.Cols {
			out.X[i*m.Cols+k], out.X[j*m.Cols+k] = out.X[j*m.Cols+k], out.X[i*m.Cols+k]
		}
		out.Y[i], out.Y[j] = out.Y[j], out.Y[i]
		out.Empty[i], out.Empty[j] = out.Empty[j], out.Empty[i]
		out.Person[i], out.Person[j] = out.Person[j], out.Person[i]
	})
	return &out
}

// written are the rows of a source as text.
func written(t testing.TB, in frames.Source) (rows []string) {
	t.Helper()
	if err := in.Scan(t.Context(), func(b *frames.Block) error {
		for i := range b.Rows {
			if b.Empty != nil && b.Empty[i] {
				rows = append(rows, "")
			} else {
				rows = append(rows, fmt.Sprint(b.Row(i), b.Y[i]))
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestPeopleReadAnyWay: rows that are made of people have the same bits in any order of the table, whether it is in memory or read from
// elsewhere in blocks of any size, in however many parts, and on however many processors.
func TestPeopleReadAnyWay(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	rng := rand.New(rand.NewPCG(4, 21))
	st := stage.Stage{Out: must(frames.NewSchema(frames.Numeric("a", 0, 1).MayMiss(), frames.Numeric("b", 0, 1).MayMiss(), frames.NumericLabel("y", 0, 1)))}
	key := PlaceKey("key")
	for _, n := range []int{0, 1, 50, 9000} {
		m := rowsOfPeople(t, rng, n)
		for name, of := range map[string]func(in frames.Source, held int) (frames.Source, error){
			"rows kept": func(in frames.Source, held int) (frames.Source, error) {
				return BoundPeople(t.Context(), in, st, key, held, KeptRows{Rows: 3, PerGroup: 3, Groups: 3})
			},
			"groups kept": func(in frames.Source, held int) (frames.Source, error) {
				return BoundPeople(t.Context(), in, st, key, held, KeptRows{Rows: 4, PerGroup: 2, Groups: 2, By: []int{1, 2}})
			},
			"one row": func(in frames.Source, held int) (frames.Source, error) {
				return CollapsePeople(t.Context(), in, st, key, held, nil, func(dst []float64, y *float64, of Bag) {
					var s Neumaier
					for i := range of.Rows {
						if v := of.At(i, 0); !math.IsNaN(v) {
							s.Add(v)
						}
					}
					dst[0], dst[1], *y = s.Sum(), of.At(of.Rows-1, 1), of.At(0, 2)
				})
			},
		} {
			want := written(t, must(of(m, 1<<20)))
			for _, cpus := range []int{1, 2, 7} {
				runtime.GOMAXPROCS(cpus)
				other := shuffled(rng, m)
				for source, in := range map[string]frames.Source{"in memory": other, "in blocks": inParts{other, []int{1, 700, 13, 5000}}} {
					for _, held := range []int{1 << 30, 4*n + 4, n/2 + 100} {
						if got := written(t, must(of(in, held))); !slices.Equal(got, want) {
							t.Fatalf("%s of %d rows, %s, %d processors, at most %d cells: got other rows", name, n, source, cpus, held)
						}
					}
				}
			}
		}
	}
}

// TestPeopleHeld: of a table that is larger than what may be held only so many rows are in memory at a time, each of them once, and their
// memory serves all parts.
func TestPeopleHeld(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 21))
	m := rowsOfPeople(t, rng, 60_000)
	rows := m.Rows()
	for i := range rows {
		if m.IsEmpty(i) {
			rows--
		}
	}
	const each, held = 6, 60_000 // cells: of a row, whose it is and what chains it
	r := newPeopleReader(inParts{m, []int{900}}, held)
	if r.parts != 6 {
		t.Fatalf("got %d parts, want 6", r.parts)
	}
	all := 0
	for ; r.part < r.parts; r.part++ {
		if err := r.read(t.Context()); err != nil {
			t.Fatal(err)
		}
		now := 0
		s := r.newShard()
		for k := range r.shards {
			s.gather(r.dealt, k, nil)
			for _, p := range s.pages {
				now += p.rows
			}
			for _, n := range s.count {
				all += int(n)
			}
			s.clear()
		}
		// Parts are of random people: with at most 300 rows each a part of twice the expected size is 12 standard deviations off.
		if now > 2*held/each {
			t.Errorf("part %d: %d rows are held, want at most about %d", r.part+1, now, held/each)
		}
	}
	if all != rows {
		t.Errorf("got %d rows in all parts, want %d", all, rows)
	}
	if most := 2*held/each + r.shards<<r.paper.shift; len(r.paper.spare)<<r.paper.shift > most {
		t.Errorf("memory for %d rows, want at most %d", len(r.paper.spare)<<r.paper.shift, most)
	}
}

// TestPeopleStop: an end of the work that was asked for ends it.
func TestPeopleStop(t *testing.T) {
	m := rowsOfPeople(t, rand.New(rand.NewPCG(6, 21)), 5000)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := BoundPeople(ctx, m, stage.Stage{Out: m.Domain}, PlaceKey("key"), 1<<20, KeptRows{Rows: 3, PerGroup: 3, Groups: 3}); err != context.Canceled {
		t.Errorf("got %v, want that it was cancelled", err)
	}
}
