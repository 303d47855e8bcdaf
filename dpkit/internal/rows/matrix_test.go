package rows

import (
	"context"
	"runtime"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/fresh"
)

// TestMaterialisedCellsAreWritten: cells of rows that are empty, or that a source does not give, are 0, whatever the memory held.
func TestMaterialisedCellsAreWritten(t *testing.T) {
	const n, d = 40 * ChunkSize, 20 // 6.5 MB
	for _, given := range []int{n, n - 3*ChunkSize - 5, 0} {
		soil := fresh.Floats(n * d)
		for i := range soil {
			soil[i] = 7
		}
		soil = nil
		runtime.GC()
		m, err := Materialise(t.Context(), shortOf{n, given, d}, wideSchema(t, d), SameRow)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			want := 3.0
			if i >= given || i%5 == 0 {
				want = 0
			}
			for j, v := range m.Row(i) {
				if v != want {
					t.Fatalf("%d of %d rows are given: row %d, cell %d: got %g, want %g", given, n, i, j, v, want)
				}
			}
		}
	}
}

// shortOf gives fewer rows than it says. Every fifth is empty.
type shortOf struct{ rows, given, d int }

func (s shortOf) Schema() frames.Schema { return frames.Schema{} }

func (s shortOf) Rows() int { return s.rows }

func (s shortOf) Scan(_ context.Context, fn func(*frames.Block) error) error {
	for from := 0; from < s.given; from += 1000 {
		b := &frames.Block{First: from, Rows: min(1000, s.given-from), Cols: s.d}
		for i := range b.Rows {
			b.Empty = append(b.Empty, (from+i)%5 == 0)
			for range s.d {
				b.X = append(b.X, 3)
			}
		}
		if err := fn(b); err != nil {
			return err
		}
	}
	return nil
}

func wideSchema(t *testing.T, d int) frames.Schema {
	t.Helper()
	var cols []frames.Column
	for j := range d {
		cols = append(cols, frames.Numeric(string(rune('a'+j)), 0, 8))
	}
	s, err := frames.NewSchema(cols...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
