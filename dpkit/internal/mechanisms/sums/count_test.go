package sums

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// TestWithin: the loop over cells counts the rows that meet the condition, of whatever columns it is.
func TestWithin(t *testing.T) {
	s, err := frames.NewSchema(frames.Numeric("x", -4, 4).MayMiss(), frames.Category("c", "a", "b"), frames.Numeric("z", 0, 1), frames.NumericLabel("y", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	values := []float64{math.NaN(), -4, -1, math.Nextafter(-1, 0), math.Copysign(0, -1), 0, 2, math.Nextafter(2, 3), 4}
	b := &frames.Block{Cols: 3}
	for i := range 5 * len(values) {
		b.X = append(b.X, values[i%len(values)], float64(i%2), float64(i%3)/2)
		b.Y = append(b.Y, float64(i%4)/3)
		b.Rows++
	}
	for _, c := range []struct {
		name  string
		where []domain.Condition
		loop  bool
	}{
		{"a number", []domain.Condition{domain.Between("x", -1, 2)}, true},
		{"one value", []domain.Condition{domain.Between("x", 0, 0)}, true},
		{"beyond all", []domain.Condition{domain.Between("x", 5, math.Inf(1))}, true},
		{"another number", []domain.Condition{domain.Between("z", 0.5, 1)}, true},
		{"the label", []domain.Condition{domain.Between("y", 0, 0.5)}, false},
		{"a level", []domain.Condition{domain.Is("c", "b")}, false},
		{"two", []domain.Condition{domain.Between("x", -1, 2), domain.Between("z", 0, 0.5)}, false},
		{"none", []domain.Condition{domain.Not(domain.Between("x", -1, 2))}, false},
		{"no condition", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, lo, hi, ok := domain.Within(c.where, s)
			if ok != c.loop {
				t.Fatalf("got a loop over cells: %v, want %v", ok, c.loop)
			}
			meets, err := domain.Meets(c.where, stage.Stage{In: s}, "count")
			if err != nil || !ok {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			for _, r := range [][2]int{{0, b.Rows}, {3, 4}, {7, 31}, {b.Rows, b.Rows}} {
				want := int64(0)
				for i := r[0]; i < r[1]; i++ {
					if meets(b.Row(i), b.Y[i]) {
						want++
					}
				}
				if got := within(b, at, r[0], r[1], lo, hi); got != want {
					t.Errorf("rows %d to %d: got %d, want %d", r[0], r[1], got, want)
				}
			}
		})
	}
}
