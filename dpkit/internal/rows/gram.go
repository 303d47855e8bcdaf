package rows

import (
	"context"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// Gram is a sum of outer products of rows, row-major; below the diagonal unused.
type Gram struct {
	D     int
	Total []float64
}

// GramRounding bounds the Frobenius norm of what rounding does to the two sides' XᵀX/n of d columns, in units of R²: see
// [linalg.GridGramRounding]. sumRounding is for the division and what callers subtract, and more than that.
func GramRounding(n, d int) float64 { return gridRounding(d) + sumRounding(n) }

// gridRounding is that of both sides, whose grids have room for rows that are longer than R by rounding.
func gridRounding(d int) float64 { return 2 * linalg.GridGramRounding(d) * (1 + 0x1p-28) }

// sumRounding bounded sums of products in floating point, before they were exact on a grid, and has 2^-47 for a division and what callers subtract.
// It stands in prices, and stays there: they are what they were.
func sumRounding(n int) float64 { return 2*linalg.GramRounding(2*n+PanelRows) + 0x1p-47 }

// GramOf sums the outer products of the rows, of d features each and norm at most r but for rounding, in one pass. No cell may be missing.
// The error is that of ctx, of the source, or of more columns than [linalg.NewGridGram] takes.
func GramOf(ctx context.Context, in frames.Source, d int, r float64) (*Gram, error) {
	sum, err := Drive(ctx, Over(in), func() *GridSum { return NewGridSum(d, r) })
	if err != nil {
		return nil, err
	}
	total, err := sum.Total(d)
	return &Gram{d, total}, err
}

// Scale divides by n.
func (g *Gram) Scale(n int) {
	for i := range g.Total {
		g.Total[i] /= float64(n)
	}
}

// SubtractOuter takes vvᵀ off.
func (g *Gram) SubtractOuter(v []float64) {
	for j, x := range v {
		for k := j; k < g.D; k++ {
			g.Total[j*g.D+k] -= x * v[k]
		}
	}
}

// SpectralRounding bounds what floating point does to XᵀX/n of d columns, its eigenvalues and projectors on eigenvectors, on both sides
// of a pair, in units of R² ≥ ‖XᵀX/n‖_F, where sums are those of integers ([GramSum]). The solver's matrix is off by e = EigenRounding on each side, and its
// vectors, that are not quite orthogonal, by less than e, of which projectors have twice as much: 4e, with room for an eigengap that is
// known to an eighth. Up to 2600 columns that is less than 2^-36.
func SpectralRounding(n, d int) float64 { return spectralRounding(n, d, 0) }

// GridSpectralRounding is that of sums on a grid ([GramOf], [GridSum]). Up to 114 columns it is the same number: 2^-36 has room for the grid.
func GridSpectralRounding(n, d int) float64 { return spectralRounding(n, d, gridRounding(d)) }

func spectralRounding(n, d int, grid float64) float64 {
	return max(0x1p-36, 4*linalg.EigenRounding(d)+grid) + sumRounding(n)
}

// Eigen decomposes the matrix. bound is a public bound on its entries; 0 is for a matrix that is public.
func (g *Gram) Eigen(bound float64) linalg.Spectrum {
	s, err := linalg.Symmetric(g.Total, g.D, bound)
	if err != nil {
		panic(err) // impossible: the matrix is square
	}
	return s
}

// Apply returns f of a matrix whose eigenvalues are in [0, bound], row-major: f acts on them; one that rounding led out counts as
// the nearer end.
func (g *Gram) Apply(f func(a float64) float64, bound float64) []float64 {
	s := g.Eigen(bound)
	scaled := slices.Clone(s.Vectors)
	for k, a := range s.Values {
		v := f(num.Clamp(a, 0, bound))
		for j := range g.D {
			scaled[k*g.D+j] *= v
		}
	}
	return Product(linalg.Dense(s.Vectors, g.D, g.D).T(), linalg.Dense(scaled, g.D, g.D))
}

// Product returns A·B, row-major.
func Product(a, b linalg.Matrix) []float64 {
	rows, _ := a.Dims()
	_, cols := b.Dims()
	out := make([]float64, rows*cols)
	if err := linalg.Product(out, cols, a, b); err != nil {
		panic(err) // impossible: callers multiply matrices that fit
	}
	return out
}
