package dpkit

import (
	"context"
	"slices"

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
	sum, err := drive(ctx, inProcess{in}, func() *gramSum { return newGramSum(d) })
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

// spectralRounding bounds what floating point does to XᵀX/n of d columns, its eigenvalues and projectors on eigenvectors, on both sides
// of a pair, in units of R² ≥ ‖XᵀX/n‖_F. The solver's matrix is off by e = EigenRounding on each side, and its vectors, that are not
// quite orthogonal, by less than e, of which projectors have twice as much: 4e, with room for an eigengap that is
// known to an eighth. Up to 2600 columns that is less than 2^-36.
func spectralRounding(n, d int) float64 {
	return max(0x1p-36, 4*linalg.EigenRounding(d)) + gramRounding(n)
}

// eigen decomposes the matrix. bound is a public bound on its entries; 0 is for a matrix that is public.
func (g *gram) eigen(bound float64) linalg.Spectrum {
	s, err := linalg.Symmetric(g.total, g.d, bound)
	if err != nil {
		panic(err) // impossible: the matrix is square
	}
	return s
}

// apply returns f of a matrix whose eigenvalues are in [0, bound], row-major: f acts on them; one that rounding led out counts as
// the nearer end.
func (g *gram) apply(f func(a float64) float64, bound float64) []float64 {
	s := g.eigen(bound)
	scaled := slices.Clone(s.Vectors)
	for k, a := range s.Values {
		v := f(clamp(a, 0, bound))
		for j := range g.d {
			scaled[k*g.d+j] *= v
		}
	}
	return product(linalg.Dense(s.Vectors, g.d, g.d).T(), linalg.Dense(scaled, g.d, g.d))
}

// product returns A·B, row-major.
func product(a, b linalg.Matrix) []float64 {
	rows, _ := a.Dims()
	_, cols := b.Dims()
	out := make([]float64, rows*cols)
	if err := linalg.Product(out, cols, a, b); err != nil {
		panic(err) // impossible: callers multiply matrices that fit
	}
	return out
}
