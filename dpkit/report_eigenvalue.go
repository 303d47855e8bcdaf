package dpkit

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// leastEigenvalue is the smallest eigenvalue of a matrix that has none below 0, off by less than spectralRounding covers. It ends
// on any rows: an iteration that gives up, and an error for it, would tell something of them.
func leastEigenvalue(g *gram) float64 {
	if values, _, err := g.eigen(); err == nil {
		return values[g.d-1]
	}
	return leastByFactors(g)
}

// leastByFactors bisects: the matrix less v on the diagonal has a Cholesky factor where v is below all eigenvalues.
func leastByFactors(g *gram) float64 {
	lo, hi := 0.0, g.total[0]
	for j := range g.d {
		hi = min(hi, g.total[j*g.d+j])
	}
	var factor mat.Cholesky
	for range 60 {
		mid := (lo + hi) / 2
		m := mat.NewSymDense(g.d, slices.Clone(g.total))
		for j := range g.d {
			m.SetSym(j, j, m.At(j, j)-mid)
		}
		if factor.Factorize(m) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
