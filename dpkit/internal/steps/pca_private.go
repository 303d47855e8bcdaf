package steps

import (
	"context"
	"fmt"
	"math"
	"reflect"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// PrivateComponents is PCA with a private fit: the second moment Σ x·xᵀ is released with symmetric
// Gaussian noise (a multiple of the Gaussian orthogonal ensemble), and rows become their K coordinates
// along its leading directions. Unlike fitted directions these may be used at prediction time, and a
// model in their coordinates can be released. "Analyze Gauss" (Dwork, Talwar, Thakurta, Zhang 2014)
// with half the noise on the entries off the diagonal, which the Frobenius norm counts twice.
type PrivateComponents struct {
	K     int     // directions to keep, 0 < K ≤ columns; no default
	Share float64 // of the release's μ² (of its zCDP ρ), in (0, 1); no default
}

// String names the method with its parameters.
func (c PrivateComponents) String() string {
	return kind.Composite(reflect.ValueOf(c), kind.ShownItems)
}

func (c PrivateComponents) Pca() stage.Preprocessor { return PrivatePCA{c} }

// PrivatePCA is PCA(PrivateComponents{…}): directions are released, by a share of the budget, and rows become their
// coordinates in them.
type PrivatePCA struct{ PrivateComponents }

func (PrivatePCA) Kind() kind.Kind {
	return kind.Kind{Name: "pca/private", Law: 1, Call: "PCA", Was: "dpkit.privatePCA"}
}

func (PrivatePCA) LabelBlind() {}

func (c PrivatePCA) Check(in frames.Schema) (frames.Schema, error) {
	if err := query.CheckShare(c.Share); err != nil {
		return in, err
	}
	d := in.Width()
	if c.K < 1 || c.K > d {
		return in, fmt.Errorf("directions K: got %d directions, want 1 to %d: %w", c.K, d, kind.ErrParameter)
	}
	r := stage.StartRadius(in)
	if _, err := spectralSchema(in, r); err != nil {
		return in, err
	}
	cols := make([]frames.Column, 0, c.K+1)
	for k := range c.K {
		cols = append(cols, frames.Numeric(ComponentName(k), -r, r))
	}
	for _, col := range in.Columns() {
		if _, feature := in.FeatureIndex(col.Name); !feature {
			cols = append(cols, col)
		}
	}
	return frames.NewSchema(cols...)
}

// ComponentName names the column of the k-th direction, from 0: "component 1" is the first.
func ComponentName(k int) string { return fmt.Sprintf("component %d", k+1) }

// Propagate: given the released directions the step is a public linear map that does not stretch.
func (c PrivatePCA) Propagate(st stage.Stage) (stage.Propagation, error) {
	pr, err := stage.Columnwise(st, stage.Bounds{K: 1, R: st.Before.R, Rounding: stage.Rounding(st.In.Width(), st.Before.R)},
		"privately released directions: paid from the budget, no row moves")
	pr.Role = stage.RolePrivate
	pr.Reference = "Dwork, Talwar, Thakurta, Zhang 2014, Algorithm 1, with noise of the Gaussian orthogonal ensemble"
	pr.Taint = nil
	if pr.Pair.Displaced() {
		for _, col := range st.Out.Features() {
			pr.Taint = pr.Taint.With(col.Name)
		}
	}
	return pr, err
}

// Expenses: the entries of Σ x·xᵀ on the diagonal and √2 times those above it, whose ℓ2 norm is the
// Frobenius norm. A replaced row changes it by ‖xxᵀ − yyᵀ‖_F ≤ √2R², one that is there on one side only
// by R², displaced rows by min(2R·t1, 2R√n·tF) (docs/theory/calculus.md#gram-matrices).
func (c PrivatePCA) Expenses(st stage.Stage) ([]query.Expense, error) {
	p := st.Before
	n, r := float64(p.N), p.R
	s := float64(p.F) * math.Sqrt2 * r * r
	if p.Neighbours == accountant.AddRemove {
		s = (float64(p.F-1)*math.Sqrt2 + 1) * r * r
	}
	s += math.Min(2*r*p.T1, 2*r*math.Sqrt(n)*p.TF)
	d := st.In.Width()
	k := d * (d + 1) / 2
	s += 2 * n * rows.GridSpectralRounding(p.N, d) * r * r // the sums in floating point
	return []query.Expense{{
		What: "second moments of all columns", Share: c.Share,
		Query: query.GaussianQuery{Coordinates: k, Sensitivity: stage.Up(s), Max: stage.Up(math.Sqrt2 * n * r * r)},
	}}, nil
}

func (c PrivatePCA) Measure(ctx context.Context, in frames.Source, st stage.Stage) ([][]float64, error) {
	d := st.In.Width()
	g, err := rows.GramOf(ctx, in, d, st.Before.R)
	if err != nil {
		return nil, err
	}
	return [][]float64{rows.PackSymmetric(make([]float64, 0, d*(d+1)/2), g.Total, d, d)}, nil
}

func (c PrivatePCA) Learn(st stage.Stage, noisy [][]float64) (stage.RowMap, error) {
	d := st.In.Width()
	g := &rows.Gram{D: d, Total: rows.UnpackSymmetric(noisy[0], d)}
	op := &stage.LinearOp{Rows: c.K, Columns: d, Matrix: g.Eigen(0).Vectors[:c.K*d]}
	// Orthonormal up to rounding: the clip keeps the norm of a row.
	return stage.RowMap{{Linear: op}, {Clip: &stage.ClipOp{R: st.Before.R}}}, nil
}

// Fit is not called: the map is made of released values.
func (c PrivatePCA) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return nil, errPrivateFit
}

var _ query.PrivateFit = PrivatePCA{}
