package frames

import (
	"bytes"
	"crypto/sha256"
	"math/rand/v2"
	"runtime"
	"testing"
)

// TestColumnHashes: whatever pieces columns come in, and however many processors hash them, they have the hash of all of their bytes in order.
func TestColumnHashes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct{ columns, pieces, bytes int }{
		{1, 100, 64}, {2, 1, 64}, {3, fewPieces, 64}, {3, fewPieces + 1, 64}, {3, 300, 4096}, {11, 300, 512}, {100, 50, 64}, {40, 30, ringBytes / 40}, {0, 40, 64},
	} {
		for _, procs := range []int{1, 2, 5} {
			runtime.GOMAXPROCS(procs)
			h, want := newColumnHashes(c.columns, c.bytes), make([][]byte, c.columns)
			for range c.pieces {
				n := 1 + r.IntN(min(c.bytes, 1<<12))
				for j := range c.columns {
					room := h.room(j)[:n]
					for i := range room {
						room[i] = byte(r.Uint32())
					}
					h.add(j, room)
					want[j] = append(want[j], room...)
				}
				h.next()
			}
			sums := h.sums()
			for j, sum := range sums {
				if sum != sha256.Sum256(want[j]) {
					t.Fatalf("%+v on %d processors: column %d has another hash", c, procs, j)
				}
			}
			h.end() // again
		}
	}
}

// TestRowHashes: how rows are cut into blocks does not show in their hashes, and nobody hashes on behind an end that came early.
func TestRowHashes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	s, err := NewSchema(Numeric("a", 0, 1), Numeric("b", 0, 1), Label("y", "no", "yes"), Person("p"))
	if err != nil {
		t.Fatal(err)
	}
	const rows = 50 * blockRows / 2
	all := newBlock(s, rows)
	r := rand.New(rand.NewPCG(5, 6))
	for range rows {
		all.X, all.Y = append(all.X, r.Float64(), r.Float64()), append(all.Y, float64(r.IntN(2)))
		all.Person = append(all.Person, newPersonID([]byte{byte(r.IntN(256))}))
	}
	all.Rows = rows
	var want shard
	for i, cut := range []func() int{
		func() int { return rows },
		func() int { return 1 },
		func() int { return blockRows },
		func() int { return 1 + r.IntN(3*blockRows) },
		func() int { return blockRows/2 + 1 },
	} {
		h := newRowHashes(s)
		for at := 0; at < rows; {
			n := min(cut(), rows-at)
			part := &Block{First: at, Cols: 2}
			part.X, part.Y, part.Person = []float64{}, []float64{}, []PersonID{}
			part.append(all, at, n)
			h.add(part)
			at += n
		}
		got := h.sum()
		if i == 0 {
			want = got
			var y []byte
			for _, v := range all.Y {
				y = appendValue(y, v)
			}
			if sum := sha256.Sum256(y); !bytes.Equal(got.columns[2][:], sum[:]) {
				t.Error("the label has another hash")
			}
		}
		if !got.same(want) {
			t.Errorf("cut %d: other hashes", i)
		}
	}
	h := newRowHashes(s)
	h.add(all)
	h.end()
}
