package mixing

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// simulated draws training rows and a quarter as many test rows, with labels y = ⟨x, θ₀⟩ + u/10, u uniform on [−1, 1] and θ₀ on the
// sphere. rows is drawn once and fixes what both have in common.
func simulated(stream uint64, rows func(d int, r *rand.Rand) func() []float64) func(Settings) (train, test table, err error) {
	return func(s Settings) (train, test table, err error) {
		r := rand.New(rand.NewPCG(s.Seed, stream))
		truth := make([]float64, s.Columns)
		for j := range truth {
			truth[j] = r.NormFloat64()
		}
		scale(truth, 1/norm(truth))
		row := rows(s.Columns, r)
		for i := range s.Rows + s.Rows/4 {
			part := &train
			if i >= s.Rows {
				part = &test
			}
			x := row()
			part.x = append(part.x, x)
			// C_Y = 1.
			part.y = append(part.y, min(max(dot(x, truth)+0.1*(2*r.Float64()-1), -1), 1))
		}
		return train, test, nil
	}
}

// gaussianRows are N(0, QQᵀ) with d×4 orthonormal columns Q.
func gaussianRows(d int, r *rand.Rand) func() []float64 {
	return inSubspace(d, r, r.NormFloat64)
}

// uniformRows are Qu, u uniform on [−1, 1]⁴.
func uniformRows(d int, r *rand.Rand) func() []float64 {
	return inSubspace(d, r, func() float64 { return 2*r.Float64() - 1 })
}

func inSubspace(d int, r *rand.Rand, coordinate func() float64) func() []float64 {
	const rank = 4
	g := mat.NewDense(d, rank, nil)
	for i := range d {
		for j := range rank {
			g.Set(i, j, r.NormFloat64())
		}
	}
	var qr mat.QR
	var q mat.Dense
	qr.Factorize(g)
	qr.QTo(&q)
	return func() []float64 {
		x := make([]float64, d)
		for j := range rank {
			u := coordinate()
			for i := range x {
				x[i] += u * q.At(i, j)
			}
		}
		return x
	}
}

// networkRows are φ(W₂φ(W₁x̃ + b₁) + b₂) of x̃ ~ N(0, I₂), φ the sigmoid, with 100 hidden units.
func networkRows(d int, r *rand.Rand) func() []float64 {
	layer := func(in, out int) func([]float64) []float64 {
		w, b := make([][]float64, out), make([]float64, out)
		for i := range w {
			w[i], b[i] = make([]float64, in), 1e-3*r.NormFloat64()
			for j := range in {
				w[i][j] = r.NormFloat64()
			}
		}
		return func(x []float64) []float64 {
			y := make([]float64, out)
			for i := range y {
				y[i] = 1 / (1 + math.Exp(-dot(w[i], x)-b[i]))
			}
			return y
		}
	}
	first, second := layer(2, 100), layer(100, d)
	return func() []float64 { return second(first([]float64{r.NormFloat64(), r.NormFloat64()})) }
}
