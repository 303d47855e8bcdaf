package frames

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

// notes is a table with texts, loaded under a schema of its own.
func notes(t *testing.T, csv string) *Frame {
	t.Helper()
	s, err := NewSchema(Text("code").MayMiss(), Numeric("days", 0, 10))
	if err != nil {
		t.Fatal(err)
	}
	f, err := ParseCSV(strings.NewReader("code,days\n"+csv), "notes", s, CSVOptions{Header: true})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestTextsArePrivate: no verb, error or encoding shows a text, and public rows do.
func TestTextsArePrivate(t *testing.T) {
	f := notes(t, "secretcode,1\nE11,2\n,3\n")
	c, _ := f.Schema().Column("code")
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%x", "%q"} {
		for _, v := range []any{f, f.Schema(), c, c.parts(), c.parts().texts, Describe(f.Schema())} {
			if s := fmt.Sprintf(format, v); strings.Contains(s, "secret") || strings.Contains(s, fmt.Sprintf("%x", "secret")) {
				t.Errorf("%s of a %T has a text", format, v)
			}
		}
	}
	raw, err := json.Marshal(f.Schema())
	if err != nil || strings.Contains(string(raw), "secret") {
		t.Errorf("JSON: %s, %v", raw, err)
	}
	var back Schema
	if err := json.Unmarshal(raw, &back); err != nil || back.Hash() != f.Schema().Hash() {
		t.Errorf("JSON: %v, or another schema", err)
	}
	if fresh, _ := back.Column("code"); fresh.Kind != KindText {
		t.Errorf("JSON: kind %v", fresh.Kind)
	}
	if got := Public(f).Row(0); !reflect.DeepEqual(got, []string{"secretcode", "1"}) {
		t.Errorf("public row: %q", got)
	}
	if got := Public(f).Row(2)[0]; got != "NA" {
		t.Errorf("missing cell: %q", got)
	}
	if g := Public(f).Gota().Col("code").Records(); !reflect.DeepEqual(g[:2], []string{"secretcode", "E11"}) {
		t.Errorf("gota: %q", g)
	}
}

// TestTextCodes: a code is made of the text alone, whatever else a table has and in whatever order, so that what keeps rows by a hash of their cells
// is a map of each person's rows.
func TestTextCodes(t *testing.T) {
	a, b := notes(t, "x,1\ny,2\n"), notes(t, "z,5\ny,2\n\"y\",2\n")
	at := func(f *Frame, i int) float64 { return f.data().value(i, 0) }
	if at(a, 1) != at(b, 1) || at(b, 1) != at(b, 2) || at(a, 1) != TextCode("y") {
		t.Error("a text has several codes")
	}
	seen := map[float64]bool{}
	for i := range 20000 {
		v := TextCode(fmt.Sprint(i))
		if !(math.Abs(v) < 0x1p128) || !(math.Abs(v) >= 0x1p-128) || seen[v] {
			t.Fatalf("code %g of %d", v, i)
		}
		seen[v] = true
	}
	if a.Fingerprint([]byte("k")) != notes(t, "x,1\ny,2\n").Fingerprint([]byte("k")) {
		t.Error("one table has two fingerprints")
	}
}

// TestTextsOfBlocks: a block's codes are those of texts that the column knows.
func TestTextsOfBlocks(t *testing.T) {
	c := Text("code")
	s, err := NewSchema(c)
	if err != nil {
		t.Fatal(err)
	}
	code, err := c.Code("E11")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := FromBlock(s, &Block{Rows: 1, Cols: 1, X: []float64{code}}); err != nil {
		t.Error(err)
	}
	for name, v := range map[string]float64{"none": 17, "missing": math.NaN(), "infinite": math.Inf(1), "unknown": TextCode("E12")} {
		if _, err := FromBlock(s, &Block{Rows: 1, Cols: 1, X: []float64{v}}); !errors.Is(err, ErrText) && !errors.Is(err, ErrMissing) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := c.Code(" E11"); !errors.Is(err, ErrText) {
		t.Errorf("space: %v", err)
	}
	for name, text := range map[string]string{"long": strings.Repeat("x", 1001), "control": "a\x07b", "no UTF-8": "\xff"} {
		if _, err := c.Code(text); !errors.Is(err, ErrText) || strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	both, err := Concat(notes(t, "x,1\n"), notes(t, "y,2\n"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := Collect(context.Background(), both)
	if err != nil {
		t.Fatal(err)
	}
	if got := Public(all).Row(1)[0]; got != "y" {
		t.Errorf("of two tables: %q", got)
	}
	if _, err := Check(context.Background(), all); err != nil {
		t.Error(err)
	}
}

// TestTextsThatCollide: a text with the hash of another is refused, so that a code has one text.
func TestTextsThatCollide(t *testing.T) {
	texts := newTexts()
	first, again, other := texts.keep(1, []byte("a")), texts.keep(1, []byte("a")), texts.keep(1, []byte("b"))
	if !first || !again || other {
		t.Error("a code has two texts")
	}
}

// TestTextSchemas: what a column of texts cannot have.
func TestTextSchemas(t *testing.T) {
	for name, c := range map[string]Column{
		"by hand": {Name: "c", Kind: KindText, NoBounds: true, Lo: math.Inf(-1), Hi: math.Inf(1)}, "clamped": Text("c").Clamped(),
		"ordered": Text("c").InOrder(), "guess": Text("c").Guess(3), "roster": Text("c").Roster("a"), "other": Text("c").Other("x"),
	} {
		if _, err := NewSchema(c); !errors.Is(err, ErrSchema) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	s, err := NewSchema(Text("c"), NumericLabel("y", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ParseLibSVM(strings.NewReader("1 1:2\n"), "x", s, LibSVMOptions{}); !errors.Is(err, ErrSchema) {
		t.Errorf("libsvm: %v", err)
	}
}

// TestTextsInSegments: a text of many segments, which several processors parse, has the codes that each cell has alone, and all texts are known.
func TestTextsInSegments(t *testing.T) {
	var b strings.Builder
	b.WriteString("code,n\n")
	const rows = 80000
	for i := range rows {
		fmt.Fprintf(&b, "text %d,%d\n", i*7919%50021, i%10)
	}
	s, err := NewSchema(Text("code"), Numeric("n", 0, 9))
	if err != nil {
		t.Fatal(err)
	}
	f, err := ParseCSV(strings.NewReader(b.String()), "texts", s, CSVOptions{Header: true})
	if err != nil {
		t.Fatal(err)
	}
	column, _ := s.Column("code")
	i := 0
	err = f.Scan(t.Context(), func(b *Block) error {
		for k := range b.Rows {
			want := fmt.Sprintf("text %d", i*7919%50021)
			if got, ok := column.TextOf(b.Row(k)[0]); !ok || got != want || b.Row(k)[0] != TextCode(want) {
				t.Fatalf("row %d: another text", i+1)
			}
			i++
		}
		return nil
	})
	if err != nil || i != rows {
		t.Errorf("%d rows: %v", i, err)
	}
}
