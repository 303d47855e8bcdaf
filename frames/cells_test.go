package frames

import (
	"crypto/sha256"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

// columnOf is the declaration of a column of so many levels, of numbers for none.
func columnOf(levels int) *Column {
	c := &Column{Kind: KindCategory, Levels: make([]string, max(levels, 0))}
	if levels <= 0 {
		*c = Numeric("x", -1e6, 1e6)
	}
	if levels < 0 {
		*c = c.Single()
	}
	return c
}

// TestCells: numbers, and levels at the largest numbers of them that 1, 2 and 4 bytes hold, beside missing cells, over several pages.
func TestCells(t *testing.T) {
	single.Goroutine(t)
	for _, c := range []struct{ levels, size int }{{-1, 4}, {0, 8}, {1, 1}, {255, 1}, {256, 2}, {65535, 2}, {65536, 4}} {
		for _, rows := range []int{1, 5, pageRows - 1, pageRows, pageRows + 1, 2*pageRows + 7} {
			r := rand.New(rand.NewPCG(uint64(c.levels+1), uint64(rows)))
			want := make([]float64, rows)
			for i := range want {
				switch {
				case i%3 == 1:
					want[i] = math.NaN()
				case c.levels == 0:
					want[i] = r.NormFloat64()
				case c.levels < 0:
					want[i] = float64(float32(r.NormFloat64()))
				default:
					want[i] = []float64{0, float64(c.levels - 1), float64(r.IntN(c.levels))}[r.IntN(3)]
				}
			}
			col := cells{as: storageOf(columnOf(c.levels))}
			if col.as.size() != c.size {
				t.Fatalf("%d levels: got %d bytes a cell, want %d", c.levels, col.as.size(), c.size)
			}
			for at := 0; at < rows; { // in blocks of several sizes, from the second of three columns
				n := min(1+r.IntN(3000), rows-at)
				x := make([]float64, 3*n)
				for i := range n {
					x[3*i+1] = want[at+i]
				}
				col.add(x[1:], 3, n)
				at += n
			}
			col.trim()
			held := 0
			for _, page := range col.pages {
				held += cap(page)
			}
			if held > rows*c.size*9/8+64 {
				t.Errorf("%d levels, %d rows: holds %d bytes", c.levels, rows, held)
			}
			check := func(what string, col *cells, want []float64) {
				for range 8 {
					first := r.IntN(len(want))
					n := 1 + r.IntN(len(want)-first)
					got := make([]float64, 2*n)
					col.read(got[1:], 2, first, n)
					for i, v := range want[first : first+n] {
						if cellBits(got[2*i+1]) != cellBits(v) || cellBits(col.at(first+i)) != cellBits(v) {
							t.Fatalf("%s, %d levels, %d rows: cell %d: got %g, want %g", what, c.levels, rows, first+i, got[2*i+1], v)
						}
					}
				}
			}
			check("column", &col, want)
			var which []int
			var picked []float64
			for i := rows - 1; i >= 0; i -= 1 + r.IntN(2) {
				which, picked = append(which, i), append(picked, want[i])
			}
			part := col.subset(which)
			check("subset", &part, picked)
			hash, plain := sha256.New(), sha256.New()
			for _, v := range want {
				hash.Write(appendValue(nil, v))
			}
			if col.hash(plain, rows); [32]byte(hash.Sum(nil)) != [32]byte(plain.Sum(nil)) {
				t.Errorf("%d levels, %d rows: another hash", c.levels, rows)
			}
		}
	}
}

// TestCellsOfPeople: IDs over several pages.
func TestCellsOfPeople(t *testing.T) {
	want := make([]PersonID, 2*pageRows+3)
	for i := range want {
		want[i] = newPersonID([]byte{byte(i), byte(i >> 8), byte(i >> 16)})
	}
	col := cells{as: asPerson}
	for at := 0; at < len(want); at += 1000 {
		col.addPeople(want[at:min(at+1000, len(want))])
	}
	for _, first := range []int{0, 1, pageRows - 5, pageRows, 2 * pageRows} {
		got := make([]PersonID, min(pageRows+2, len(want)-first))
		col.readPeople(got, first)
		for i := range got {
			if got[i] != want[first+i] {
				t.Fatalf("cell %d differs", first+i)
			}
		}
	}
	part := col.subset([]int{pageRows + 1, 3})
	got := make([]PersonID, 2)
	if part.readPeople(got, 0); got[0] != want[pageRows+1] || got[1] != want[3] {
		t.Error("subset differs")
	}
}
