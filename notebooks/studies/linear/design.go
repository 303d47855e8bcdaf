package linear

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// design is the encoded and scaled rows of one part, row-major, and their labels.
type design struct {
	n, d int
	x, y []float64
}

// designOf applies the public row maps of a linear model: column j is what it predicts with 1 for its j-th coefficient.
func designOf(ctx context.Context, of dpkit.LinearModel, rows *frames.PublicFrame) (design, error) {
	out := design{n: rows.Rows(), d: len(of.Columns)}
	out.x = make([]float64, out.n*out.d)
	for j := range out.d {
		m := dpkit.LinearModel{Columns: of.Columns, Coef: make([]float64, out.d), Lo: math.Inf(-1), Hi: math.Inf(1), Reader: of.Reader}
		m.Coef[j] = 1
		column, err := m.Predict(ctx, rows)
		if err != nil {
			return out, err
		}
		for i, v := range column {
			out.x[i*out.d+j] = v
		}
	}
	err := rows.Frame().Scan(ctx, func(b *frames.Block) error {
		out.y = append(out.y, b.Y...)
		return nil
	})
	return out, err
}

func (d design) row(i int) []float64 { return d.x[i*d.d : (i+1)*d.d] }

// squaredError is the mean squared error of a model whose predictions are clamped to [lo, hi].
func (d design) squaredError(coef []float64, intercept, lo, hi float64) float64 {
	sum := 0.0
	for i, y := range d.y {
		e := min(max(intercept+dot(coef, d.row(i)), lo), hi) - y
		if math.IsNaN(e) { // a model that overflowed says nothing
			e = hi - lo
		}
		sum += e * e
	}
	return sum / float64(d.n)
}

// accuracy is the share of rows whose class is that of the sign.
func (d design) accuracy(coef []float64, intercept float64) float64 {
	right := 0
	for i, y := range d.y {
		if (intercept+dot(coef, d.row(i)) > 0) == (y == 1) {
			right++
		}
	}
	return float64(right) / float64(d.n)
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}
