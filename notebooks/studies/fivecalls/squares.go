package fivecalls

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/dpkit"
)

// leastSquares is that of the label on all other columns of a sketch, the constant one included: ridge regression of the rows with
// the ridge σ², as [dpkit.LinearMixing] has it. With components it is least squares on so many principal components of the sketch, from
// which the noise is taken off: nothing but post-processing. A matrix that is not positive definite gives zeros.
func leastSquares(k dpkit.Sketch, components int) []float64 {
	d := len(k.Columns) - 1
	second, cross := mat.NewSymDense(d, nil), mat.NewVecDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			second.SetSym(i, j, k.Inner[i*(d+1)+j])
		}
		cross.SetVec(i, k.Inner[i*(d+1)+d])
	}
	w := mat.NewVecDense(d, nil)
	if components > 0 {
		var e mat.EigenSym
		if !e.Factorize(second, true) {
			return w.RawVector().Data
		}
		var vectors mat.Dense
		e.VectorsTo(&vectors)
		values := e.Values(nil)
		for c := d - components; c < d; c++ {
			v := vectors.ColView(c)
			if left := values[c] - float64(k.Rows)*k.Sigma*k.Sigma; left > 0 {
				w.AddScaledVec(w, mat.Dot(v, cross)/left, v)
			}
		}
		return w.RawVector().Data
	}
	var c mat.Cholesky
	if c.Factorize(second) {
		if err := c.SolveVecTo(w, cross); err != nil {
			w.Zero()
		}
	}
	return w.RawVector().Data
}

// filled are rows whose gaps are filled as the log's are: with the middle of the bounds, 0, or with the columns' means, which are public here.
func filled(rows [][]float64, means bool) [][]float64 {
	out := make([][]float64, len(rows))
	for i, row := range rows {
		out[i] = slices.Clone(row)
	}
	for j := range rows[0] {
		sum, known := 0.0, 0.0
		for _, row := range rows {
			if !math.IsNaN(row[j]) {
				sum, known = sum+row[j], known+1
			}
		}
		fill := 0.0
		if means {
			fill = sum / known
		}
		for _, row := range out {
			if math.IsNaN(row[j]) {
				row[j] = fill
			}
		}
	}
	return out
}

// errorOf is the mean squared error on rows without gaps, over their label's variance.
func errorOf(w []float64, k dpkit.Sketch, rows [][]float64, labels []float64) float64 {
	mean, spread, sum := 0.0, 0.0, 0.0
	for _, y := range labels {
		mean += y / float64(len(labels))
	}
	for i, x := range rows {
		p := k.Constant * w[len(x)]
		for j, v := range x {
			p += w[j] * v
		}
		p = k.LabelMid + k.LabelUnit*p
		sum += (p - labels[i]) * (p - labels[i])
		spread += (labels[i] - mean) * (labels[i] - mean)
	}
	return sum / spread
}
