package frames

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestSegmentsWriteRows: rows that those who parse write into the table are those of one goroutine, over pages of all kinds of cells, and in tables that
// are too wide for it.
func TestSegmentsWriteRows(t *testing.T) {
	var levels []string
	for k := range 300 {
		levels = append(levels, fmt.Sprint("l", k))
	}
	for _, c := range []struct{ numbers, rows int }{{3, 2*pageRows + 77}, {sharedColumns, 3000}} {
		cols := []Column{Person("p"), Category("few", "a", "b").MayMiss(), Category("many", levels...), Label("y", "no", "yes")}
		for j := range c.numbers {
			cols = append(cols, Numeric(fmt.Sprint("x", j), -10, 10).MayMiss())
		}
		s, err := NewSchema(cols...)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for i := range c.rows {
			fmt.Fprintf(&text, "%d,%s,l%d,%s", i/3, []string{"a", "b", ""}[i%3], i%300, []string{"no", "yes"}[i%2])
			for j := range c.numbers {
				if i%11 == j {
					text.WriteString(",")
				} else {
					fmt.Fprintf(&text, ",%d.%d", i%10, j)
				}
			}
			text.WriteString("\n")
		}
		var want [32]byte
		for _, procs := range []int{1, 4} {
			before := runtime.GOMAXPROCS(procs)
			f, err := ParseCSV(strings.NewReader(text.String()), "rows", s, CSVOptions{})
			runtime.GOMAXPROCS(before)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Fingerprint(t.Context(), f, []byte("key"))
			if err != nil || f.Rows() != c.rows {
				t.Fatalf("%d numbers, %d processors: %d rows, %v, want %d", c.numbers, procs, f.Rows(), err, c.rows)
			}
			if procs == 1 {
				want = got
			} else if got != want {
				t.Errorf("%d numbers: rows that %d processors wrote are others than those of one", c.numbers, procs)
			}
		}
	}
}
