package tables

import (
	"encoding/binary"
	"runtime"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
)

// TestSpillWithoutRoom: where the file takes no more, at any time, groups stay in memory, and come out with those that it took.
func TestSpillWithoutRoom(t *testing.T) {
	const groups = 40
	key := func(g int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(g*7%groups)) }
	for _, full := range []int{0, 1, 30, 100, 119} {
		t.Setenv("TMPDIR", t.TempDir())
		p := &spill{most: 8, keyBytes: 8, width: 2}
		s := &foundCells{width: 2, at: map[string]int{}, spill: p}
		want := map[string]int64{}
		for i := range 3 * groups {
			if i == full {
				if p.open() == nil {
					t.Skip("no private file here")
				}
				if err := p.runs.Add(1, func(int) (string, []int64) { return "short", nil }); err == nil {
					t.Fatal("no error of a record of another length")
				}
			}
			at := s.place(key(i))
			s.cells[at]++
			s.cells[at+1] -= int64(i)
			want[string(key(i))] -= int64(i)
			s.spill.relieve(s)
		}
		s, err := p.finish(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if s.runs != nil {
			t.Errorf("full at %d: there is a file that was not written to its end", full)
		}
		got := 0
		err = s.each(t.Context(), func(keys []string, cells []int64) {
			if !slices.IsSorted(keys) {
				t.Error("not in the order of keys")
			}
			for g, key := range keys {
				if got++; cells[2*g] != 3 || cells[2*g+1] != want[key] {
					t.Errorf("full at %d: group %x has %v, want 3 and %d", full, key, cells[2*g:2*g+2], want[key])
				}
			}
		})
		if err != nil || got != groups {
			t.Errorf("full at %d: %d groups, want %d: %v", full, got, groups, err)
		}
	}
}

// TestSpillIsParted: all states of a pass together hold what memory there is, however many processors.
func TestSpillIsParted(t *testing.T) {
	const memory, each = 64 << 20, 8 + 96 // of a group of one key
	for _, processors := range []int{1, 2, 16, 64, 200} {
		func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			c := &finding{keys: keys{at: []int{0}}}
			if most := c.spillFor(memory, rows.States()).most; most*rows.States()*each > memory || most == leastHeld {
				t.Errorf("%d processors: %d states hold %d groups each", processors, rows.States(), most)
			}
		}()
	}
}
