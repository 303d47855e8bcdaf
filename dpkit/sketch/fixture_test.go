package sketch

import (
	"fmt"
	"math"
	"math/rand/v2"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprint("test fixture: ", err))
	}
	return v
}

// gram is Σ z·zᵀ of rows.
func gram(rows [][]float64) []float64 {
	m := len(rows[0])
	out := make([]float64, m*m)
	for _, z := range rows {
		for i := range m {
			for j := range m {
				out[i*m+j] += z[i] * z[j]
			}
		}
	}
	return out
}

// draw is a sketch S·Z + σΞ of rows, drawn cell by cell, with noise of cover on its inner products.
func draw(r *rand.Rand, rows [][]float64, k int, sigma, cover float64) Sketch {
	m := len(rows[0])
	cells := make([][]float64, k)
	for i := range cells {
		cells[i] = make([]float64, m)
		for _, z := range rows {
			g := r.NormFloat64()
			for j, v := range z {
				cells[i][j] += g * v
			}
		}
		for j := range m {
			cells[i][j] += sigma * r.NormFloat64()
		}
	}
	s := Sketch{Columns: names(m), Inner: gram(cells), Rows: k, Sigma: sigma, cover: cover, LabelUnit: 1}
	for i := range m {
		for j := range i + 1 {
			s.Inner[i*m+j] += cover * r.NormFloat64()
			s.Inner[j*m+i] = s.Inner[i*m+j]
		}
	}
	return s
}

func names(m int) []string {
	var out []string
	for j := range m - 1 {
		out = append(out, fmt.Sprintf("x%d", j+1))
	}
	return append(out, "y")
}

// few rows whose Gram matrix is that of many: m orthogonal directions of given lengths, turned at random.
func turned(r *rand.Rand, lengths []float64) [][]float64 {
	m := len(lengths)
	var q [][]float64
	for len(q) < m {
		v := make([]float64, m)
		for j := range v {
			v[j] = r.NormFloat64()
		}
		for _, u := range q {
			dot := 0.0
			for j := range v {
				dot += u[j] * v[j]
			}
			for j := range v {
				v[j] -= dot * u[j]
			}
		}
		norm := 0.0
		for _, x := range v {
			norm = math.Hypot(norm, x)
		}
		for j := range v {
			v[j] /= norm
		}
		q = append(q, v)
	}
	for i, l := range lengths {
		for j := range q[i] {
			q[i][j] *= l
		}
	}
	return q
}

// leastSquares solves by elimination with pivots.
func leastSquares(g []float64, m int, features []int, label int) []float64 {
	p := len(features)
	a := make([][]float64, p)
	for i, f := range features {
		for _, h := range features {
			a[i] = append(a[i], g[f*m+h])
		}
		a[i] = append(a[i], g[f*m+label])
	}
	for i := range p {
		best := i
		for j := i; j < p; j++ {
			if math.Abs(a[j][i]) > math.Abs(a[best][i]) {
				best = j
			}
		}
		a[i], a[best] = a[best], a[i]
		for j := range p {
			if j != i {
				f := a[j][i] / a[i][i]
				for c := i; c <= p; c++ {
					a[j][c] -= f * a[i][c]
				}
			}
		}
	}
	w := make([]float64, p)
	for i := range p {
		w[i] = a[i][p] / a[i][i]
	}
	return w
}
