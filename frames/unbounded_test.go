package frames

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func unboundedSchema(t *testing.T) Schema {
	t.Helper()
	s, err := NewSchema(Unbounded("income").Guess(5e4), Unbounded("delta").MayMiss(), Numeric("age", 0, 100), UnboundedLabel("y"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestUnboundedCells: any finite number is a value of an unbounded column, and nothing else is.
func TestUnboundedCells(t *testing.T) {
	s := unboundedSchema(t)
	f, err := ParseCSV(strings.NewReader("income,delta,age,y\n1e300,-1e-300,5,-7e307\n-0,?,6,3\n"), "t.csv", s, CSVOptions{Header: true, Missing: []string{"?"}})
	if err != nil {
		t.Fatal(err)
	}
	p := Public(f)
	if got := strings.Join(p.Row(0), " "); got != "1e+300 -1e-300 5 -7e+307" {
		t.Errorf("row 1: got %s", got)
	}
	if got := strings.Join(p.Row(1), " "); got != "0 NA 6 3" {
		t.Errorf("row 2: got %s", got)
	}
	for _, cell := range []string{"NaN", "Inf", "-inf", "1e309", "", "x", "0x1p3"} {
		_, err := ParseCSV(strings.NewReader("income,delta,age,y\n"+cell+",0,5,1\n"), "t.csv", s, CSVOptions{Header: true, Missing: []string{"?"}})
		if !errors.Is(err, ErrNumber) {
			t.Errorf("cell %q: got %v, want %v", cell, err, ErrNumber)
		}
		if err != nil && cell != "" && cell != "x" && strings.Contains(err.Error(), cell+"\"") {
			t.Errorf("cell %q: the error repeats it: %v", cell, err)
		}
	}
}

func TestUnboundedSchema(t *testing.T) {
	s := unboundedSchema(t)
	for _, want := range []string{"income  numeric  unbounded", "scale guessed as 50000", "y       label    unbounded", "age     numeric  [0, 100]"} {
		if !strings.Contains(s.String(), want) {
			t.Errorf("got\n%swant %q in it", s, want)
		}
	}
	if !math.IsInf(s.NormBound(), 1) {
		t.Errorf("norm bound: got %g, want +Inf", s.NormBound())
	}
	if got := strings.Join(s.Unbounded(), " "); got != "income delta y" {
		t.Errorf("unbounded columns: got %s", got)
	}
	d := Describe(s).String()
	if !strings.Contains(d, "3 columns without bounds") || !strings.Contains(d, "norm of a row: none\n") {
		t.Errorf("description: got\n%s", d)
	}
	other, err := NewSchema(Unbounded("income").Guess(4e4), Unbounded("delta").MayMiss(), Numeric("age", 0, 100), UnboundedLabel("y"))
	if err != nil {
		t.Fatal(err)
	}
	if other.Hash() == s.Hash() {
		t.Error("another guess has the same hash")
	}
}

func TestUnboundedColumnRefused(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]Column{
		"clamped":          Unbounded("x").Clamped(),
		"infinite bounds":  Numeric("x", -inf, inf),
		"flag alone":       {Name: "x", Kind: KindNumeric, Lo: 0, Hi: 1, NoBounds: true},
		"flagged levels":   {Name: "x", Kind: KindCategory, Levels: []string{"a", "b"}, NoBounds: true},
		"flagged ignored":  {Name: "x", Kind: KindIgnored, NoBounds: true},
		"half":             {Name: "x", Kind: KindNumeric, Lo: 0, Hi: inf},
		"other half":       {Name: "x", Kind: KindNumeric, Lo: -inf, Hi: 0},
		"reversed":         {Name: "x", Kind: KindNumeric, Lo: inf, Hi: -inf},
		"block":            {Name: "x", Kind: KindNumeric, Lo: -inf, Hi: inf, Block: "b"},
		"guess of a bound": Numeric("x", 0, 1).Guess(1),
		"guess of levels":  Category("x", "a", "b").Guess(1),
		"negative guess":   Unbounded("x").Guess(-1),
		"NaN guess":        Unbounded("x").Guess(math.NaN()),
		"infinite guess":   Unbounded("x").Guess(inf),
		"missing label":    UnboundedLabel("x").MayMiss(),
		"ignored guess":    Ignored("x").Guess(1),
	} {
		if _, err := NewSchema(c); !errors.Is(err, ErrSchema) {
			t.Errorf("%s: got %v, want %v", name, err, ErrSchema)
		}
	}
}
