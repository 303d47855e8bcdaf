package frames

import (
	"math"
	"testing"
)

// TestNarrow: cells of the named columns are those of the frame, in whatever order blocks are read and used again, and others are the same in every row, of
// their column's domain.
func TestNarrow(t *testing.T) {
	s, err := NewSchema(Numeric("a", 5, 9).MayMiss(), Category("c", "x", "y", "z"), Numeric("b", -4, -1), Person("p"), NumericLabel("y", 2, 3))
	if err != nil {
		t.Fatal(err)
	}
	const rows = 2*pageRows + 11
	in := &Block{Rows: rows, Cols: 3}
	for i := range rows {
		a := 5 + float64(i%5)
		if i%7 == 0 {
			a = math.NaN()
		}
		in.X = append(in.X, a, float64(i%3), -1-float64(i%4))
		in.Y = append(in.Y, 2+float64(i%2))
		in.Person = append(in.Person, newPersonID([]byte{byte(i), byte(i >> 8)}))
	}
	f, err := FromBlock(s, in)
	if err != nil {
		t.Fatal(err)
	}
	for _, columns := range [][]string{{"a"}, {"c", "y"}, {"y"}, {"b", "c"}, {"a", "b", "c"}} {
		has := map[string]bool{}
		for _, c := range columns {
			has[c] = true
		}
		v := Narrow(f, columns...).(Ranger)
		b := &Block{}
		for k, at := range [][2]int{{0, 10}, {pageRows - 3, 7}, {20, 5}, {0, 3000}, {rows - 4, 4}, {5, 2999}} {
			if k%2 == 1 { // who reads all columns may have had the block
				f.ReadRange(b, at[0], at[1])
			}
			v.ReadRange(b, at[0], at[1])
			if b.First != at[0] || b.Rows != at[1] || b.Cols != 3 || len(b.X) != 3*at[1] || len(b.Y) != at[1] || len(b.Person) != at[1] {
				t.Fatalf("%v: shape of %v", columns, at)
			}
			for i := range at[1] {
				for j, name := range []string{"a", "c", "b"} {
					want := []float64{5, 0, -1}[j]
					if has[name] {
						want = in.X[3*(at[0]+i)+j]
					}
					if cellBits(b.Row(i)[j]) != cellBits(want) {
						t.Fatalf("%v: row %d, %s: got %v, want %v", columns, at[0]+i, name, b.Row(i)[j], want)
					}
				}
				want := 2.0
				if has["y"] {
					want = in.Y[at[0]+i]
				}
				if b.Y[i] != want || b.Person[i] != in.Person[at[0]+i] {
					t.Fatalf("%v: row %d: label or person", columns, at[0]+i)
				}
			}
		}
	}
	if Narrow(f, "a", "b", "c", "y") != Source(f) {
		t.Error("a frame of which all is read is not itself")
	}
	first := Narrow(f, "a")
	lent := first.(*narrowed).Lent()
	first.(Ranger).ReadRange(lent, 0, 10)
	first.(*narrowed).GiveBack(lent)
	if Narrow(f, "a") != first {
		t.Error("the view of the same columns is another, whose blocks have to be made")
	}
	if Narrow(f, "a", "y") == first || Narrow(f, "b") == first || Narrow(f, "a") == first {
		t.Error("the view of other columns is the same, or more than the last one is kept")
	}
}
