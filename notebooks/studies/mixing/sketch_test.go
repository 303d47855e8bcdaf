package mixing

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// sketched draws the sketch and regresses on it.
func sketched(m *Moments, k int, variance float64, r *rand.Rand) ([]float64, error) {
	a := mat.NewSymDense(m.Columns+1, nil)
	a.CopySym(m.Gram)
	for j := range m.Columns + 1 {
		a.SetSym(j, j, a.At(j, j)+variance)
	}
	var c mat.Cholesky
	c.Factorize(a)
	var l mat.TriDense
	c.LTo(&l)
	rows := mat.NewDense(k, m.Columns+1, nil)
	for i := range k {
		g := mat.NewVecDense(m.Columns+1, nil)
		for j := range m.Columns + 1 {
			g.SetVec(j, r.NormFloat64())
		}
		var z mat.VecDense
		z.MulVec(&l, g)
		rows.SetRow(i, z.RawVector().Data)
	}
	var w mat.VecDense
	err := w.SolveVec(rows.Slice(0, k, 0, m.Columns), rows.ColView(m.Columns))
	return w.RawVector().Data, err
}

// distance is that of two empirical distributions.
func distance(a, b []float64) float64 {
	slices.Sort(a)
	slices.Sort(b)
	worst := 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		if a[i] <= b[j] {
			i++
		} else {
			j++
		}
		worst = math.Max(worst, math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))))
	}
	return worst
}
