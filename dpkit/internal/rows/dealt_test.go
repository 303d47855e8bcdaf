package rows

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// blocksOf hands out blocks in an order of its own each time.
func blocksOf(rng *rand.Rand, of [][]byte) func(fn func([]byte) error) error {
	return func(fn func([]byte) error) error {
		for _, i := range rng.Perm(len(of)) {
			if err := fn(of[i]); err != nil {
				return err
			}
		}
		return nil
	}
}

// TestDealt: what is kept of people whose rows are dealt to buckets is what is kept of them in one table, however many buckets there are, in
// whatever order blocks come, and where a bucket is read in many parts.
func TestDealt(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	m := rowsOfPeople(t, rng, 6000)
	key := PlaceKey("a key")
	st := stage.Stage{In: m.Domain, Out: must(frames.NewSchema(frames.Numeric("a", 0, 1).MayMiss(), frames.Numeric("b", 0, 1).MayMiss(), frames.NumericLabel("y", 0, 1)))}
	keep := KeptRows{Rows: 3, PerGroup: 2, Groups: 2, By: []int{0}}
	kept := func(in frames.Source, held int) []string {
		out := written(t, must(BoundPeople(t.Context(), in, st, key, held, keep)))
		return slices.DeleteFunc(out, func(row string) bool { return row == "" })
	}
	want := kept(m, math.MaxInt32)
	slices.Sort(want)
	for _, buckets := range []int{1, 2, 7} {
		dealt := make([][][]byte, buckets)
		for _, half := range []frames.Source{partOf(m, 0, 2500), partOf(m, 2500, 6000)} {
			err := Deal(t.Context(), half, key, buckets, func(k int, block []byte) error {
				dealt[k] = append(dealt[k], block)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		whose := map[frames.PersonID]int{}
		for k, blocks := range dealt {
			d := must(NewDealt(m.Domain, blocksOf(rng, blocks)))
			err := d.Scan(t.Context(), func(b *frames.Block) error {
				for _, id := range b.Person {
					if at, ok := whose[id]; ok && at != k {
						t.Errorf("%d buckets: somebody is in two", buckets)
					}
					whose[id] = k
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, kept(d, 1000)...)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%d buckets: got %d rows, want %d", buckets, len(got), len(want))
		}
	}
}

// TestDealtGarbage: blocks of other rows, cut or changed, are refused without a panic, and an error of whoever hands them out is told.
func TestDealtGarbage(t *testing.T) {
	m := rowsOfPeople(t, rand.New(rand.NewPCG(5, 2)), 50)
	var block []byte
	err := Deal(t.Context(), m, PlaceKey("a key"), 1, func(_ int, b []byte) error {
		block = b
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string][]byte{
		"none": nil, "cut": block[:len(block)-3], "longer": append(slices.Clone(block), 1), "another version": append([]byte("dpnb rows 9\n"), block[12:]...),
		"another width": append([]byte("dpnb rows 1\n\x02\x00\x00\x00"), block[16:]...),
	} {
		if _, err := NewDealt(m.Domain, func(fn func([]byte) error) error { return fn(raw) }); !errors.Is(err, errDealt) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	full := errors.New("full")
	if err := Deal(t.Context(), m, PlaceKey("a key"), 1, func(int, []byte) error { return full }); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	gone := &Matrix{Domain: m.Domain, Cols: 2, X: make([]float64, 2), Y: make([]float64, 1), Person: m.Person[:1]}
	gone.Remove(0)
	blocks := 0
	if err := Deal(context.Background(), gone, PlaceKey("a key"), 3, func(int, []byte) error { blocks++; return nil }); err != nil || blocks != 1 {
		t.Errorf("no rows: got %d blocks, %v, want 1", blocks, err)
	}
}

// partOf are some rows of a table.
func partOf(m *Matrix, from, to int) *Matrix {
	return &Matrix{
		Domain: m.Domain, Cols: m.Cols, X: m.X[from*m.Cols : to*m.Cols], Y: m.Y[from:to], Person: m.Person[from:to], Empty: m.Empty[from:to],
	}
}
