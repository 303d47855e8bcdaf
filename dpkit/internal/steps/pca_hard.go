package steps

import (
	"context"
	"fmt"
	"math"
	"reflect"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// Hard is the orthogonal projector onto the K leading directions of the second moment A = XᵀX/n, fitted
// without noise. It is the PCA of the textbooks, and its price grows with 1/Gap: the projector turns
// freely where the K-th and the next eigenvalue are close. The rows keep their columns: the
// coordinates along fitted directions have no bound at all, as no choice of their signs is continuous
// (docs/theory/preprocessing.md#coordinates-along-principal-directions).
// [SoftThreshold] has a price for every dataset, and [PrivateComponents] releases the directions.
type Hard struct {
	K int // directions to keep, 0 < K < columns; no default
	// Gap certifies that the K-th and the (K+1)-th eigenvalue of A differ by so much at least, in units of
	// R². No default; Declare or Test it.
	Gap query.Certificate
}

// String names the filter with its parameters.
func (h Hard) String() string { return kind.Composite(reflect.ValueOf(h), kind.ShownItems) }

func (h Hard) Pca() stage.Preprocessor { return Projector{h} }

// Projector is PCA(Hard{…}): rows are projected on leading eigenvectors, fitted without noise and priced by the eigengap,
// which a test or a declaration certifies.
type Projector struct{ Hard }

// Kind: version 1 of the law tested gaps of eigenvalues that were led astray.
func (Projector) Kind() kind.Kind {
	return kind.Kind{Name: "pca/hard", Law: 2, Call: "PCA", Was: "dpkit.projector"}
}

func (Projector) LabelBlind() {}

func (h Projector) Check(in frames.Schema) (frames.Schema, error) {
	if query.IsOpen(h.Gap) {
		return in, fmt.Errorf("eigengap: a private bound on it is not known before the release, and without one the step has no price; use Declare(…) or Test(…): %w", kind.ErrParameter)
	}
	if err := query.CheckCertificate(h.Gap, "eigengap"); err != nil {
		return in, err
	}
	if h.Gap.Value() > 1 {
		return in, fmt.Errorf("eigengap: got %g, want at most 1, in units of R²: %w", h.Gap.Value(), kind.ErrParameter)
	}
	if d := in.Width(); h.K < 1 || h.K >= d {
		return in, fmt.Errorf("directions K: got %d directions, want 1 to %d, fewer than the columns: %w", h.K, d-1, kind.ErrParameter)
	}
	return spectralSchema(in, stage.StartRadius(in))
}

// HardBounds (docs/theory/calculus.md#lemma-5-projectors-between-two-gaps,
// docs/theory/calculus.md#hard-pca): with the gap β at both ends of the pair
// ‖P − P'‖ ≤ ‖A − A'‖/β, whatever is in between, so that a row moves by R·e/β, and all rows together by
//
//	√n·min(R·e/β, e_F·√(R²/(k+1) + β')/β'),  β' = β − e,
//
// in Frobenius norm, e and e_F the change of A in operator and Frobenius norm by free and displaced rows
// together. The bound holds between the ends and needs no dataset in between; it is stated as one
// shift, because it is not linear in the number of free rows.
func HardBounds(p pair.State, k int, gap float64) pair.StepBounds {
	n, r, f := float64(p.N), p.R, float64(p.F)
	shift := math.Min(2*r*p.T1/n, 2*r*p.TF/math.Sqrt(n))
	op := f*math.Min(r*r, 2*r*p.D())/n + shift
	frob := f*math.Min(math.Sqrt2*r*r, 2*r*p.D())/n + shift
	row := r * math.Min(1, op/gap)
	all := math.Sqrt(n) * row
	if gap > op {
		rest := gap - op
		all = math.Min(all, math.Sqrt(n)*frob*math.Sqrt(r*r/float64(k+1)+rest)/rest)
	}
	return pair.StepBounds{
		K: 1, H1: math.Min(n*row, math.Sqrt(n)*all), HF: all, HInf: row, Affected: p.N - p.F, R: r,
	}
}

func (h Projector) Propagate(st stage.Stage) (stage.Propagation, error) {
	p := st.Before
	gap := h.Gap.Value() * p.R * p.R
	// The eigensolver and the sums in floating point.
	slack := rows.GridSpectralRounding(p.N, st.In.Width()) * p.R * p.R
	b := HardBounds(p, h.K, gap-slack)
	if !(gap > 2*slack) {
		return stage.Propagation{}, fmt.Errorf("eigengap: got %g in units of R², too small for the accuracy of the eigensolver: %w", h.Gap.Value(), kind.ErrParameter)
	}
	n := float64(p.N)
	row := stage.Up(p.R * slack / gap)
	b.H1, b.HF, b.HInf = stage.Up(b.H1+n*row), stage.Up(b.HF+math.Sqrt(n)*row), stage.Up(b.HInf+row)
	longer := stage.Up(1 + linalg.EigenRounding(st.In.Width()))
	b.K, b.R = longer, longer*p.R
	q, err := p.Propagate(b)
	every := stage.Taint{}
	for _, c := range st.Out.Features() {
		every[c.Name] = true
	}
	return stage.Propagation{
		Pair: q, Taint: every, Scope: query.ScopeOf(h.Gap, h.gapAtLeast()), Role: stage.RoleNonPrivate,
		Constants: []stage.Constant{
			{Symbol: "β", Value: gap, Origin: h.Gap.Ground(), Meaning: "gap between the eigenvalues K and K + 1 of XᵀX/n"},
			{Symbol: "K", Value: 1, Origin: stage.FromConstruction, Meaning: "a projector does not stretch"},
			{Symbol: "h1", Value: b.H1, Origin: stage.FromConstruction, Meaning: "total displacement of the common rows by the change of the projector"},
		},
		Note:      "the leading directions of private rows decide the projector: every row turns when one changes",
		Reference: "stability calculus, Lemma 5; Hu, Sanyal, Schölkopf 2024, Prop. 5, corrected (12 times smaller)",
	}, err
}

func (h Projector) gapAtLeast() string {
	return fmt.Sprintf("eigengap %d of XᵀX/n is at least %g R²", h.K, h.Gap.Value())
}

// Expenses: the gap changes by the spread of the eigenvalues of A − A', 2R²/n for a replaced row
// (attained) and twice the operator norm for displaced ones (docs/theory/preprocessing.md#theorem-31-projectors).
func (h Projector) Expenses(st stage.Stage) ([]query.Expense, error) {
	if h.Gap.Ground() != stage.FromTest {
		return nil, nil
	}
	p := st.Before
	n, r := float64(p.N), p.R
	shift := math.Min(2*r*p.T1/n, 2*r*p.TF/math.Sqrt(n))
	slack := rows.GridSpectralRounding(p.N, st.In.Width()) * r * r
	t := h.Gap.Tested()
	return []query.Expense{{
		What: h.gapAtLeast(), Share: t.Share, Delta: t.Delta, Test: true, Floor: h.Gap.Value() * r * r,
		Query: query.GaussianQuery{Coordinates: 1, Sensitivity: stage.Up(float64(p.F)*2*r*r/n + 2*shift + 2*slack), Max: stage.Up(r * r)},
	}}, nil
}

func (h Projector) Measure(ctx context.Context, in frames.Source, st stage.Stage) ([][]float64, error) {
	second, err := rows.GramOf(ctx, in, st.In.Width(), st.Before.R)
	if err != nil {
		return nil, err
	}
	second.Scale(st.Before.N)
	values := second.Eigen(st.Before.R * st.Before.R).Values
	return [][]float64{{values[h.K-1] - values[h.K]}}, nil
}

func (h Projector) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	second, err := rows.GramOf(ctx, in, st.In.Width(), st.Before.R)
	if err != nil {
		return nil, err
	}
	second.Scale(st.Before.N)
	fitted := stage.Hide(projectorOn(second.Eigen(st.Before.R*st.Before.R), h.K))
	return stage.ByRow(func(dst, src []float64) {
		clear(dst)
		addProduct(dst, src, nil, fitted.Get())
	}), nil
}

// Deploy is the identity: the projector denoises training rows only.
func (h Projector) Deploy(stage.Stage) (stage.RowMap, error) { return stage.RowMap{}, nil }

// projectorOn returns Σ v·vᵀ over the first k eigenvectors, row-major.
func projectorOn(s linalg.Spectrum, k int) []float64 {
	d := len(s.Values)
	lead := linalg.Dense(s.Vectors[:k*d], k, d)
	return rows.Product(lead.T(), lead)
}
