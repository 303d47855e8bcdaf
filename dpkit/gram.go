package dpkit

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/frames"
)

// gram sums the outer products of rows, upper triangle, in blocks of rows: the rounding of a sum
// grows with a block and with the number of blocks instead of with the number of rows.
type gram struct {
	d            int
	total, block []float64
	rows         int // in the block
}

const gramBlock = 1024

// gramRounding bounds the Frobenius norm of what rounding does to the two sides' XᵀX/n, in units of R².
func gramRounding(n int) float64 { return (gramBlock + float64(n)/gramBlock + 16) * 0x1p-51 }

func gramOf(ctx context.Context, in frames.Source, d int) (*gram, error) {
	g := &gram{d: d, total: make([]float64, d*d), block: make([]float64, d*d)}
	err := scanRows(ctx, in, func(row []float64, _ float64) { g.add(row) })
	g.flush()
	return g, err
}

func (g *gram) add(row []float64) {
	for j, x := range row {
		if x == 0 {
			continue
		}
		sums := g.block[j*g.d : (j+1)*g.d]
		for k := j; k < g.d; k++ {
			sums[k] += x * row[k]
		}
	}
	if g.rows++; g.rows == gramBlock {
		g.flush()
	}
}

func (g *gram) flush() {
	for i, x := range g.block {
		g.total[i] += x
	}
	clear(g.block)
	g.rows = 0
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
