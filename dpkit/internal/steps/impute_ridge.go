package steps

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// Ridge imputes a numeric column by ridge regression on columns that never miss, fitted without
// noise and priced. For each imputed column, over the rows where it is observed,
//
//	β = argmin (1/N) Σ ½(⟨β, z⟩ − (y − mid))² + (λ/2)‖β‖²,   N = max(observed rows, m0),
//
// z being the regressors and a constant as large as their norm bound, mid the public midpoint. A
// missing cell gets mid + ⟨β, z⟩, clamped to the column's bounds; imputed rows are clipped to the
// ball that the rows were in. Call it after Scale: one penalty serves all regressors. At prediction
// time missing cells get the midpoint.
type Ridge struct {
	// Lambda is λ in units of R_z², the squared norm bound of z; it has no default. The price of an
	// imputed cell is at most (width of its column)·(1 + 1/(2√Lambda))/(Lambda·m0).
	Lambda float64
	// On names the regressors, numeric columns or encoded categories that never miss; empty means
	// all of them.
	On []string
	// Pad is m0, as in [Mean]; 0 means n.
	Pad int
	// MaxMissing is as in [Mean].
	MaxMissing query.Certificate
	// MinEigen certifies that in each imputed column, over the rows where it is observed, the smallest
	// eigenvalue of Σ zzᵀ is at least so much, in units of R_z²: n at most, and a large part of n/(columns + 1)
	// where the regressors are far from collinear. The price then divides by MinEigen + Lambda·m0 in place of
	// Lambda·m0, so that a Lambda near 0 has one, which is least squares. Zero: nothing is assumed.
	MinEigen query.Certificate
}

func (r Ridge) Imputer(columns []string) stage.Preprocessor {
	r.On = slices.Clone(r.On)
	return RidgeImpute{r, ColumnSet(columns)}
}

// RidgeImpute is Impute(Ridge{…}): regressions on the other columns are fitted without noise and priced. What its
// certificates test or bound is asked for first.
type RidgeImpute struct {
	Ridge
	Columns ColumnSet
}

// Kind: version 1 of the law certified eigenvalues that were led astray.
func (r RidgeImpute) Kind() kind.Kind {
	k := kind.Kind{Name: "impute/ridge", Law: 1, Call: "Impute", Was: "dpkit.ridgeImpute"}
	if r.MinEigen.Given() {
		k.Law = 2
	}
	return k
}

func (RidgeImpute) LabelBlind() {}

func (r RidgeImpute) Check(in frames.Schema) (frames.Schema, error) {
	if !(r.Lambda >= 1e-6) || !(r.Lambda <= 1e6) {
		return in, fmt.Errorf("penalty Lambda: got %g, want a number in [1e-6, 1e6], in units of the squared norm bound of the regressors: %w", r.Lambda, kind.ErrParameter)
	}
	if err := errors.Join((Mean{Pad: r.Pad}).checkPad(), r.masks().check(), r.checkEigen()); err != nil {
		return in, err
	}
	us, out, err := r.Columns.units(in)
	if err != nil {
		return in, err
	}
	if err := numbersOnly(us); err != nil {
		return in, err
	}
	zs, err := r.regressors(in)
	if err != nil {
		return in, err
	}
	// Far from where rounding could make the normal equations indefinite.
	if d := width(zs) + 1; d > 4096 {
		return in, fmt.Errorf("regressors: got %d columns, want at most 4095; name fewer in On: %w", d-1, kind.ErrParameter)
	}
	return out, nil
}

// regressors returns the columns and blocks that the regression reads.
func (r RidgeImpute) regressors(in frames.Schema) ([]domain.Unit, error) {
	for i, name := range r.On {
		c, ok := in.Column(name)
		//dp:refuses ridge/named-category a code is no number
		if ok && c.Kind == frames.KindCategory {
			return nil, fmt.Errorf("regressor %q is a category; encode it with OneHot before imputing: %w", name, stage.ErrOrder)
		}
		if slices.Contains(r.On[:i], name) {
			return nil, fmt.Errorf("regressor %q is named twice: %w", name, stage.ErrColumn)
		}
		if !slices.ContainsFunc(domain.UnitsOf(in), func(u domain.Unit) bool { return u.Name == name }) {
			return nil, domain.UnknownColumn(name, in)
		}
	}
	features := in.Features()
	var out []domain.Unit
	for _, u := range domain.UnitsOf(in) {
		named := slices.Contains(r.On, u.Name)
		switch {
		case len(r.On) > 0 && !named, len(r.On) == 0 && u.Missing:
		//dp:refuses ridge/missing a regressor would miss itself
		case u.Missing:
			return nil, fmt.Errorf("regressor %q may be missing itself; name columns that never miss, or impute it first: %w", u.Name, stage.ErrOrder)
		//dp:refuses ridge/category a code is no number
		case features[u.At].Kind == frames.KindCategory:
			return nil, fmt.Errorf("regressor %q is a category; encode it with OneHot before imputing: %w", u.Name, stage.ErrOrder)
		default:
			out = append(out, u)
		}
	}
	//dp:advises nothing is left to regress on
	if len(out) == 0 {
		return nil, fmt.Errorf("got no column that never misses to regress on; use Mean{}: %w", stage.ErrOrder)
	}
	return out, nil
}

func width(us []domain.Unit) (d int) {
	for _, u := range us {
		d += u.Len
	}
	return d
}

func (r RidgeImpute) Propagate(st stage.Stage) (stage.Propagation, error) {
	us, _, err := r.Columns.units(st.In)
	if err != nil {
		return stage.Propagation{}, err
	}
	zs, err := r.regressors(st.In)
	if err != nil {
		return stage.Propagation{}, err
	}
	q := r.constants(st, us, zs)
	if r.MinEigen.Known() && r.MinEigen.Value() > float64(st.Before.N) {
		return stage.Propagation{}, fmt.Errorf("smallest eigenvalue of the regressors: got %g for %d rows, want at most their number, in units of R_z²: %w", r.MinEigen.Value(), st.Before.N, kind.ErrParameter)
	}
	// Sums of n products, and the backward error of a Cholesky factorisation of order d, on each side.
	d, n := float64(width(zs)+1), float64(st.Before.N)
	var s float64
	for _, t := range q.Targets {
		residual := (q.Rz*q.Rz+q.Lambda)*t.Beta + q.Rz*t.B
		s = math.Hypot(s, (d*d*0x1p-46+n*0x1p-50)*q.Rz*residual/q.Average)
	}
	_, largest := normsOf(us)
	_, rows := r.masks().counts(st)
	pr, err := imputedPropagation(st, us, r.masks(), RidgeBounds(st.Before, q, rows), s+largest*0x1p-50)
	pr.Scope = pr.Scope.Join(query.ScopeOf(r.MinEigen, r.eigenAtLeast()))
	pr.Constants = append(pr.Constants,
		stage.Constant{Symbol: "λ", Value: q.Lambda, Origin: stage.FromParameter, Meaning: "penalty"},
		stage.Constant{Symbol: "m0", Value: q.M0, Origin: stage.FromParameter, Meaning: "floor on the number of observed rows in each regression"},
		stage.Constant{Symbol: "h", Value: q.Strong, Origin: r.eigenOrigin(), Meaning: "lower bound on the eigenvalues of the normal equations"},
		stage.Constant{Symbol: "R_z", Value: q.Rz, Origin: stage.FromSchema, Meaning: "norm bound of the regressors and the constant"})
	pr.Note = "regressions on private rows fill missing cells: every such row moves when one row changes"
	pr.Reference = "stability calculus §3, ridge imputation; Hu, Sanyal, Schölkopf 2024, Cor. 4, corrected"
	return pr, err
}

func (r RidgeImpute) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	us, _, err := r.Columns.units(st.In)
	if err != nil {
		return nil, err
	}
	zs, err := r.regressors(st.In)
	if err != nil {
		return nil, err
	}
	q := r.constants(st, us, zs)
	design, d := designRow(zs, q.constant), width(zs)+1
	z := make([]float64, d)
	grams, moments, counts := make([][]float64, len(us)), make([][]float64, len(us)), make([]float64, len(us))
	for k := range us {
		grams[k], moments[k] = make([]float64, d*d), make([]float64, d)
	}
	err = stage.ScanRows(ctx, in, func(row []float64, _ float64) {
		design(z, row)
		for k, u := range us {
			y := row[u.At]
			if math.IsNaN(y) {
				continue
			}
			counts[k]++
			y -= midpoint(u)
			for i, a := range z {
				moments[k][i] += a * y
				for j := i; j < d; j++ {
					grams[k][i*d+j] += a * z[j]
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	betas := make([][]float64, len(us))
	for k := range us {
		if betas[k], err = solveRidge(grams[k], moments[k], max(counts[k], q.M0), q.Lambda); err != nil {
			return nil, err
		}
	}
	return fillByRegression(us, design, stage.Hide(betas), d, st), nil
}

func midpoint(u domain.Unit) float64 { return u.Lo + (u.Hi-u.Lo)/2 }

// designRow writes the regressors of a row and the constant.
func designRow(zs []domain.Unit, constant float64) func(z, row []float64) {
	return func(z, row []float64) {
		at := 0
		for _, u := range zs {
			at += copy(z[at:], row[u.At:u.At+u.Len])
		}
		z[at] = constant
	}
}

// solveRidge returns (A/N + λI)⁻¹ v/N; only the upper triangle of A is read.
func solveRidge(a, v []float64, n, lambda float64) ([]float64, error) {
	d := len(v)
	for i := range a {
		a[i] /= n
	}
	for i := range v {
		v[i] /= n
		a[i*d+i] += lambda
	}
	beta, err := linalg.SolvePositive(a, v, d)
	if err != nil { // impossible: λ is far above the rounding of A
		return nil, errors.New("the normal equations could not be solved")
	}
	return beta, nil
}

func fillByRegression(us []domain.Unit, design func(z, row []float64), betas stage.NonPrivate[[][]float64], d int, st stage.Stage) stage.Transform {
	clips := leavesBall(st)
	return stage.ByRow(func(dst, src []float64) {
		copy(dst, src)
		var z []float64
		for k, u := range us {
			if !math.IsNaN(src[u.At]) {
				continue
			}
			if z == nil {
				z = make([]float64, d)
				design(z, src)
			}
			fill := midpoint(u)
			for i, b := range betas.Get()[k] {
				fill += b * z[i]
			}
			dst[u.At] = num.Clamp(fill, u.Lo, u.Hi)
		}
		if clips {
			num.ClipRow(dst, dst, st.After.R)
		}
	})
}

// Deploy fills missing cells by the public midpoints: the regressions never leave the pipeline.
func (r RidgeImpute) Deploy(st stage.Stage) (stage.RowMap, error) {
	return MeanImpute{Columns: r.Columns}.Deploy(st)
}

func (r RidgeImpute) Alternatives(st stage.Stage, mu float64) []stage.Alternative {
	return imputations(r, r.Columns, st, mu)
}
