package frames

import (
	"fmt"
	"strings"
	"testing"
)

// TestTextsOfSegments: a text in segments, whose cells several goroutines parse, has the codes of each text, and the column knows them all.
func TestTextsOfSegments(t *testing.T) {
	t.Parallel()
	s, err := NewSchema(Text("code").MayMiss(), Numeric("days", 0, 10))
	if err != nil {
		t.Fatal(err)
	}
	p, err := newCSVParser("notes", s, CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p.segments = segmentation{first: 1 << 8, size: 1 << 9, workers: 4}
	const rows = 1 << 13
	text := func(i int) string { return fmt.Sprint("code ", i*i%(rows/2)) }
	var csv strings.Builder
	for i := range rows {
		fmt.Fprintf(&csv, "%s,%d\n", text(i), i%10)
	}
	b := newBlock(s, 0)
	err = readText(p, strings.NewReader(csv.String()), p.o, func(of *Block) error { b.append(of, 0, of.Rows); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if other := p.another().common(); len(other.cells[0].seen) > 0 {
		t.Error("parsers of two goroutines share a map")
	}
	c, _ := s.Column("code")
	for i := range rows {
		if got, ok := c.TextOf(b.X[2*i]); !ok || got != text(i) {
			t.Fatalf("row %d: got %q, want %q", i+1, got, text(i))
		}
	}
}
