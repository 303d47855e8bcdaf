package steps

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
)

// TestDerivedConstants: a chain reads the constants of docs/theory/calculus.md#standardisation off its columns. Where a ball is all that
// is known they are those of the table; narrow columns make them smaller; a floor that no column
// can pass leaves nothing to fit.
func TestDerivedConstants(t *testing.T) {
	start := must(pair.Start(1000, 1, accountant.ReplaceOne))
	columns := func(d int, half float64) subset {
		s := subset{radius: math.Inf(1), diameter: math.Inf(1)}
		for range d {
			s.lo, s.hi, s.at = append(s.lo, -half), append(s.hi, half), append(s.at, len(s.at))
		}
		return s
	}
	for _, c := range []struct {
		name  string
		cols  subset
		scale columnScale
		q     float64
		cell  float64
	}{
		{"ball, centred", columns(9, 1), newColumnScale(0.2, 0.2, true), 4, 2},
		{"ball, public centre", columns(9, 1), newColumnScale(0.2, 0.2, false), math.Sqrt2, 1},
		{"narrow columns, centred: l4 norm of the widths", columns(4, 0.3), newColumnScale(0.2, 0.2, true), 0.36 * 2, 0.6},
		{"narrow columns, public centre: l4 norm of the heights", columns(4, 0.3), newColumnScale(0.2, 0.2, false), 0.09 * 2, 0.3},
		{"many narrow columns, centred: width times norm", columns(400, 0.3), newColumnScale(0.2, 0.2, true), 0.6 * math.Sqrt2 * 2, 0.6},
		{"many narrow columns, public centre", columns(400, 0.3), newColumnScale(0.2, 0.2, false), 0.3 * math.Sqrt2, 0.3},
		{"columns below the floor, centred", columns(4, 0.19), newColumnScale(0.2, 0.2, true), 0, 0},
		{"columns below the floor, public centre", columns(4, 0.19), newColumnScale(0.2, 0.2, false), 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := c.scale.spreadOf(c.cols, c.cols.pair(start))
			if !(math.Abs(w.Q-c.q) <= 1e-9) || !(math.Abs(w.Cell-c.cell) <= 1e-9) {
				t.Errorf("Q, cell = %v, %v, want %v, %v", w.Q, w.Cell, c.q, c.cell)
			}
			b := w.bounds(start)
			if err := b.Validate(); err != nil {
				t.Error(err)
			}
			if table := StdBounds(start, w); c.scale.centred && !(b.A1 <= table.A1 && b.AF <= table.AF && b.AInf <= table.AInf) {
				t.Errorf("sharpened to %+v, above the table's %+v", b, table)
			}
		})
	}
}
