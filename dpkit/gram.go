package dpkit

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// gram is a sum of outer products of rows, row-major; below the diagonal unused.
type gram struct {
	d     int
	total []float64
}

// gramRounding bounds the Frobenius norm of what rounding does to the two sides' XᵀX/n, in units of
// R². A chunk fills at least every second of its panels, and every panel counts as a full one; 2^-47 is for the division
// and what callers subtract.
func gramRounding(n int) float64 { return 2*linalg.GramRounding(2*n+panelRows) + 0x1p-47 }

func gramOf(ctx context.Context, in frames.Source, d int) (*gram, error) {
	sum, err := accumulate(ctx, in, func() *gramSum { return newGramSum(d) })
	if err != nil {
		return nil, err
	}
	total, err := sum.total(d)
	return &gram{d, total}, err
}

// scale divides by n.
func (g *gram) scale(n int) {
	for i := range g.total {
		g.total[i] /= float64(n)
	}
}

// subtractOuter takes vvᵀ off.
func (g *gram) subtractOuter(v []float64) {
	for j, x := range v {
		for k := j; k < g.d; k++ {
			g.total[j*g.d+k] -= x * v[k]
		}
	}
}

// spectralRounding bounds the Frobenius norm of what floating point does to XᵀX/n and to its
// eigenvalues, in units of R².
func spectralRounding(n int) float64 { return 0x1p-36 + gramRounding(n) }

// eigen returns the eigenvalues in descending order and their vectors as columns.
func (g *gram) eigen() ([]float64, *mat.Dense, error) {
	var eig mat.EigenSym
	if !eig.Factorize(mat.NewSymDense(g.d, g.total), true) {
		return nil, nil, errors.New("the eigensolver did not converge")
	}
	values := eig.Values(nil)
	slices.Reverse(values)
	var ascending mat.Dense
	eig.VectorsTo(&ascending)
	vectors := mat.NewDense(g.d, g.d, nil)
	for k := range g.d {
		for i := range g.d {
			vectors.Set(i, k, ascending.At(i, g.d-1-k))
		}
	}
	return values, vectors, nil
}

// apply returns f of the matrix, row-major: f acts on its eigenvalues, negative ones counting as 0.
func (g *gram) apply(f func(a float64) float64) ([]float64, error) {
	values, vectors, err := g.eigen()
	if err != nil {
		return nil, err
	}
	var scaled, out mat.Dense
	scaled.CloneFrom(vectors)
	for j, a := range values {
		v := f(math.Max(a, 0))
		for i := range g.d {
			scaled.Set(i, j, scaled.At(i, j)*v)
		}
	}
	out.Mul(&scaled, vectors.T())
	return out.RawMatrix().Data, nil
}
