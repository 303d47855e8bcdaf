package frames

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestReadFeatures: whatever lies beside a column and wherever a page ends, a cell is read at its place, of all columns and of some.
func TestReadFeatures(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	var cols []Column
	for j := range 6 {
		cols = append(cols, Numeric(fmt.Sprint("a", j), -1, 1).MayMiss())
	}
	cols = append(cols, Category("c", "x", "y"), Numeric("s", -1, 1).Single())
	for j := range 9 {
		cols = append(cols, Numeric(fmt.Sprint("b", j), -1, 1))
	}
	s, err := NewSchema(cols...)
	if err != nil {
		t.Fatal(err)
	}
	d, n := len(cols), 2*pageRows+101
	x := make([]float64, n*d)
	for i := range x {
		switch x[i] = 2*r.Float64() - 1; {
		case i%d == 6:
			x[i] = float64(r.IntN(2))
		case i%d < 6 && r.IntN(5) == 0:
			x[i] = math.NaN()
		}
	}
	f, err := FromBlock(s, &Block{Rows: n, Cols: d, X: slices.Clone(x)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		x[i*d+7] = float64(float32(x[i*d+7]))
	}
	for _, c := range []struct {
		name string
		of   []string
	}{
		{"all", nil},
		{"one", []string{"b3"}},
		{"four side by side", []string{"b1", "b2", "b3", "b4"}},
		{"runs", []string{"a1", "a2", "c", "b0", "b1", "b2", "b3", "b4", "b8"}},
	} {
		src := Ranger(f)
		if c.of != nil {
			src = Narrow(f, c.of...).(Ranger)
		}
		b := &Block{}
		for range 40 {
			first := []int{0, pageRows - 50, 2*pageRows - 3, n - 90}[r.IntN(4)] + r.IntN(50)
			rows := min(r.IntN(400), n-first)
			src.ReadRange(b, first, rows)
			for i := range rows {
				for j, col := range cols {
					want := x[(first+i)*d+j]
					if c.of != nil && !slices.Contains(c.of, col.Name) {
						continue
					}
					if got := b.X[i*d+j]; math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
						t.Fatalf("%s: row %d of %d from %d, column %q: got %v, want %v", c.name, i, rows, first, col.Name, got, want)
					}
				}
			}
		}
	}
}
