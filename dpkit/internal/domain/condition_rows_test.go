package domain

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// TestConditionsOfRows: which rows of a block meet a condition is what SQL says of each row alone, wherever a run begins and however long it is.
func TestConditionsOfRows(t *testing.T) {
	day := frames.Date("d", "2024-01-01", "2024-01-31")
	in, err := frames.NewSchema(frames.Numeric("x", -2, 2).MayMiss(), frames.Category("c", "a", "b", "c").MayMiss(), day.MayMiss(), frames.Label("y", "no", "yes"))
	if err != nil {
		t.Fatal(err)
	}
	const rows = 3*strip + 7
	b := &frames.Block{Rows: rows, Cols: 3}
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...float64) float64 { return of[r.IntN(len(of))] }
	for range rows {
		b.X = append(b.X,
			pick(math.NaN(), -2, -1, math.Nextafter(-1, 0), math.Copysign(0, -1), 0, 1, math.Nextafter(1, 2), 2),
			pick(math.NaN(), 0, 1, 2), pick(math.NaN(), 0, 4, 4.5, 5, 30))
		b.Y = append(b.Y, pick(0, 1))
	}
	// leaf is a condition on one cell, and the same by hand.
	type leaf struct {
		c  Condition
		on func(row []float64, y float64) (met, known bool)
	}
	cell := func(at int, holds func(x float64) bool) func([]float64, float64) (bool, bool) {
		return func(row []float64, _ float64) (bool, bool) { return holds(row[at]), !math.IsNaN(row[at]) }
	}
	leaves := []leaf{
		{Between("x", -1, 1), cell(0, func(x float64) bool { return x >= -1 && x <= 1 })},
		{Between("x", 0, math.Inf(1)), cell(0, func(x float64) bool { return x >= 0 })},
		{Is("c", "b"), cell(1, func(x float64) bool { return x == 1 })},
		{Is("c", "a", "c"), cell(1, func(x float64) bool { return x != 1 })},
		{During("d", "2024-01-05", "2024-01-05"), cell(2, func(x float64) bool { return x >= 4 && x < 5 })},
		{Is("y", "yes"), func(_ []float64, y float64) (bool, bool) { return y == 1, true }},
	}
	// tree is a random condition, and what is known of a row: −1, 0 or 1.
	var tree func(depth int) (Condition, func(row []float64, y float64) int)
	tree = func(depth int) (Condition, func(row []float64, y float64) int) {
		if depth == 0 || r.IntN(4) == 0 {
			l := leaves[r.IntN(len(leaves))]
			return l.c, func(row []float64, y float64) int {
				switch met, known := l.on(row, y); {
				case !known:
					return 0
				case met:
					return 1
				}
				return -1
			}
		}
		if r.IntN(3) == 0 {
			c, on := tree(depth - 1)
			return Not(c), func(row []float64, y float64) int { return -on(row, y) }
		}
		var of []Condition
		var ons []func([]float64, float64) int
		for range r.IntN(4) {
			c, on := tree(depth - 1)
			of, ons = append(of, c), append(ons, on)
		}
		best := func(start int, join func(a, b int) int) func(row []float64, y float64) int {
			return func(row []float64, y float64) int {
				all := start
				for _, on := range ons {
					all = join(all, on(row, y))
				}
				return all
			}
		}
		if r.IntN(2) == 0 {
			return And(of...), best(1, func(a, b int) int { return min(a, b) })
		}
		return Or(of...), best(-1, func(a, b int) int { return max(a, b) })
	}
	for k := range 200 {
		c, on := tree(4)
		meets, err := Meets([]Condition{c}, stage.Stage{In: in}, "count")
		if err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		from := r.IntN(rows)
		to := from + r.IntN(rows-from+1)
		if k == 0 {
			from, to = 0, rows
		}
		met := make([]bool, to-from+1)
		met[to-from] = true // which is not the condition's to write
		meets(b, from, to, met)
		for i := range to - from {
			if want := on(b.Row(from+i), b.Y[from+i]) == 1; met[i] != want {
				t.Fatalf("%v: row %d is met: got %v, want %v", c, from+i, met[i], want)
			}
		}
		if !met[to-from] {
			t.Fatalf("%v wrote beyond row %d", c, to)
		}
	}
	// A row that was removed may hold anything.
	b.X[1], b.Y[0] = 7, -3
	for _, l := range leaves {
		meets, err := Meets([]Condition{l.c}, stage.Stage{In: in}, "count")
		if err != nil {
			t.Fatal(err)
		}
		meets(b, 0, 1, make([]bool, 1))
	}
}
