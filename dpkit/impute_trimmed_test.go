package dpkit

import (
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/frames"
)

// trimmed is the trimmed mean of values in [-1, 1].
func trimmed(t *testing.T, values []float64, q float64) float64 {
	t.Helper()
	m := &rows.Matrix{Domain: must(frames.NewSchema(frames.Numeric("x", -1e9, 1e9).MayMiss())), Cols: 1, X: slices.Clone(values)}
	w := steps.Window{Grid: rows.NewFixedPoint(0, 1), Lo: -1, Hi: 1, From: q, To: 1 - q, Floor: 1}
	return must(steps.WindowMeans(t.Context(), m, []steps.Window{w}))[0]
}

// TestMeansOfANarrowColumn: a column that is narrow for its size keeps its digits, and fills stay in
// its domain.
func TestMeansOfANarrowColumn(t *testing.T) {
	lo, hi := 1e9, 1e9+0x1p-20
	s := must(frames.NewSchema(frames.Numeric("x", lo, hi).MayMiss()))
	for _, how := range []Imputer{Mean{Pad: 1}, TrimmedMean{Trim: 0.25, Pad: 1}} {
		for _, c := range []struct {
			rows []float64
			want float64
		}{
			{[]float64{hi, hi, hi, math.NaN()}, hi},
			{[]float64{lo, lo, math.NaN()}, lo},
			{[]float64{lo, hi, math.NaN()}, lo + (hi-lo)/2},
		} {
			f := must(frames.FromBlock(s, &frames.Block{Rows: len(c.rows), Cols: 1, X: c.rows}))
			stages, end, err := demo(t, f).Data().Impute(how).trace()
			if err != nil {
				t.Fatal(err)
			}
			fitted, err := quote{stages: stages, end: end}.apply(t.Context(), f, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := fitted.rows.(*rows.Matrix).Row(len(c.rows) - 1)[0]; math.Abs(got-c.want) > 0x1p-22 || got < lo || got > hi {
				t.Errorf("%v of %v: got %v, want %v", how, c.rows, got, c.want)
			}
		}
	}
}

func TestTrimmedMean(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		trim   float64
		pad    int
		want   float64
	}{
		{"one of five cut from each end", []float64{-100, 1, 2, 3, 100}, 0.2, 1, 2},
		{"half of one cut", []float64{0, 1, 2, 3}, 0.125, 1, 1.5},
		{"half of the ends left", []float64{0, 0, 0, 10}, 0.125, 1, 10. / 6},
		{"constant", []float64{4, 4, 4}, 0.3, 1, 4},
		{"single", []float64{7}, 0.1, 1, 7},
		{"padded by two midpoints", []float64{1, 2}, 0.25, 4, 0.5},
		{"padded by many", []float64{1, 2}, 0.25, 100, 0},
		{"cut to the median", []float64{1, 5, 50}, 0.5 - 0x1p-54, 1, 5},
		{"cut between two", []float64{1, 5, 5, 50}, 0.5 - 0x1p-54, 1, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := must(frames.NewSchema(frames.Numeric("x", -100, 100).MayMiss()))
			table := append(slices.Clone(c.values), math.NaN())
			f := must(frames.FromBlock(s, &frames.Block{Rows: len(table), Cols: 1, X: table}))
			p := demo(t, f).Data().Impute(TrimmedMean{Trim: c.trim, Pad: c.pad})
			stages, end, err := p.trace()
			if err != nil {
				t.Fatal(err)
			}
			fitted, err := quote{stages: stages, end: end}.apply(t.Context(), f, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := fitted.rows.(*rows.Matrix).Row(len(c.values))[0]; math.Abs(got-c.want) > 1e-11 {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
