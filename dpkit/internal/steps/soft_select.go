package steps

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// A FeatureSelector is [SoftSelect].
type FeatureSelector interface {
	Selector() stage.Preprocessor
}

// SoftSelect soft-thresholds the root mean square of every column at √Lambda: x ↦ x·(1 − √λ/rms)₊.
// A column below the threshold becomes 0, the others shrink towards it. It is the proximal map of
// the group lasso, hence 1-Lipschitz on the whole matrix, where a hard selection has no finite
// price. A model trained behind it reads raw rows, as behind dpkit.Pipeline.PCA.
type SoftSelect struct {
	Lambda float64 // λ, in units of R²; 10⁻¹⁸ ≤ Lambda < 1; no default
}

func (s SoftSelect) Selector() stage.Preprocessor { return SoftSelection{s} }

// SoftSelection is SelectFeatures(SoftSelect{…}): columns shrink by their root mean squares, fitted without noise and priced.
type SoftSelection struct{ SoftSelect }

func (SoftSelection) Kind() kind.Kind {
	return kind.Kind{Name: "select/soft", Law: 1, Call: "SelectFeatures", Was: "dpkit.softSelect"}
}

func (SoftSelection) LabelBlind() {}

// Check: values move towards 0.
func (s SoftSelection) Check(in frames.Schema) (frames.Schema, error) {
	if err := checkLambda(s.Lambda); err != nil {
		return in, err
	}
	if err := domain.EncodedFeatures(in, ""); err != nil {
		return in, err
	}
	cols := in.Columns()
	for i, c := range cols {
		if _, ok := in.FeatureIndex(c.Name); ok {
			cols[i] = cols[i].Undated() // of a day nothing is left
			cols[i].Lo, cols[i].Hi = min(c.Lo, 0), max(c.Hi, 0)
		}
	}
	return frames.NewSchema(cols...)
}

// SoftSelectBounds (docs/theory/calculus.md#column-soft-threshold: Lemma 4 there on the diagonal of XᵀX/n, as soft-thresholded
// singular values): a row's squares move the mean squares by Q/n, Q = sup ‖x'² − x²‖₂, and the rows
// by Q/(2√λ) in total. cell bounds the absolute value in a column.
func SoftSelectBounds(p pair.State, lambda, q, cell float64) pair.StepBounds {
	n := float64(p.N)
	weighted, lip := 1/(2*math.Sqrt(lambda)), 1/(2*lambda) // L_f and Lip f of f(a) = (1 − √(λ/a))₊
	h := min(2*cell*p.T1/n, 2*cell*p.TF/math.Sqrt(n))
	k := max(1-math.Sqrt(lambda)/cell, 0)
	return pair.StepBounds{
		K: k, KF: 1,
		A1: weighted * q, AF: weighted * q / math.Sqrt(n), AInf: cell * lip * q / n,
		H1: n * weighted * h, HF: math.Sqrt(n) * weighted * h, HInf: cell * lip * h,
		Affected: p.N - p.F, R: k * p.R,
	}
}

func (s SoftSelection) Propagate(st stage.Stage) (stage.Propagation, error) {
	p := st.Before
	lambda := s.Lambda * p.R * p.R
	cols := subsetOf(st, nil)
	part := cols.pair(p)
	two, four, cell := powers(cols.heights(part.R))
	q := min(math.Sqrt2*part.R*part.R, four*four, cell*math.Sqrt2*min(part.R, two), 2*cell*part.D())
	b := SoftSelectBounds(part, lambda, q, cell)
	if !(b.R > 0) {
		return stage.Propagation{}, fmt.Errorf("threshold Lambda: got %g, which no column can pass: a value is at most %.3g of R; want less than %.3g: %w",
			s.Lambda, cell/p.R, cell/p.R*cell/p.R, kind.ErrParameter)
	}
	b = rows.Inflate(b, rows.FitRounding(p.N)*p.R*p.R*p.R/lambda)
	after, err := p.Propagate(b)
	return stage.Propagation{
		Pair: after, Taint: st.Taint.With(cols.names...),
		Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: stage.RoleNonPrivate,
		Constants: []stage.Constant{
			{Symbol: "λ", Value: lambda, Origin: stage.FromParameter, Meaning: "threshold on the mean square of a column"},
			{Symbol: "K", Value: b.K, Origin: stage.FromConstruction, Meaning: "largest factor of a column"},
			{Symbol: "K_F", Value: b.KF, Origin: stage.FromConstruction, Meaning: "joint Frobenius Lipschitz constant of map and fit"},
			{Symbol: "Q", Value: q, Origin: stage.FromSchema, Meaning: "how far a replaced row moves the sums of squares"},
			{Symbol: "a1", Value: b.A1, Origin: stage.FromConstruction, Meaning: "total displacement of the common rows by one replaced row: Q/(2√λ)"},
		},
		Note:      "the spread of private rows decides which columns shrink: every row moves when one row changes",
		Reference: "stability calculus §3, column soft-threshold",
	}, err
}

func (s SoftSelection) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	m, err := rows.MomentsOf(ctx, in, st.In.Width(), true)
	if err != nil {
		return nil, err
	}
	root := math.Sqrt(s.Lambda) * st.Before.R
	factors := m.Squares(st.Before.N, false)
	for j, a := range factors {
		factors[j] = 0
		if rms := math.Sqrt(a); rms > root {
			factors[j] = 1 - root/rms
		}
	}
	fitted := stage.Hide(factors)
	return scaledBy(fitted), nil
}

// Deploy is the identity: the selection shrinks training rows only.
func (SoftSelection) Deploy(stage.Stage) (stage.RowMap, error) { return stage.RowMap{}, nil }
