package steps

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Median imputes numeric columns by the medians of their observed values, fitted without noise and
// priced. Where the middle values lie far apart one row moves the median from one to the other, so
// that its price is that of the column's whole width in every row and does not shrink with n:
// [TrimmedMean] with a Trim near 1/2 resists outliers at a price of order 1/n a row. A column without
// an observed value gets its midpoint.
type Median struct {
	// MaxMissing is as in [Mean]: the price counts so many rows in place of all.
	MaxMissing query.Certificate
}

func (m Median) Imputer(columns []string) stage.Preprocessor {
	return MedianImpute{m, ColumnSet(columns)}
}

// MedianImpute is Impute(Median{…}): medians are fitted without noise and priced. What its certificates test or bound is
// asked for first.
type MedianImpute struct {
	Median
	Columns ColumnSet
}

func (m MedianImpute) masks() maskCertificates {
	return maskCertificates{columns: m.Columns, missing: m.MaxMissing}
}

func (MedianImpute) Kind() kind.Kind {
	return kind.Kind{Name: "impute/median", Law: 1, Call: "Impute", Was: "dpkit.medianImpute"}
}

func (MedianImpute) LabelBlind() {}

func (m MedianImpute) Check(in frames.Schema) (frames.Schema, error) {
	if err := m.masks().check(); err != nil {
		return in, err
	}
	us, out, err := m.Columns.units(in)
	if err != nil {
		return in, err
	}
	return out, numbersOnly(us)
}

func (m MedianImpute) Expenses(st stage.Stage) ([]query.Expense, error) {
	return m.masks().expenses(st), nil
}

func (m MedianImpute) WithBounds(st stage.Stage, b []float64) stage.Preprocessor {
	c := m.masks()
	c.withBounds(st, b)
	m.MaxMissing = c.missing
	return m
}

func (m MedianImpute) Measure(ctx context.Context, in frames.Source, st stage.Stage) ([][]float64, error) {
	return m.masks().measure(ctx, in, st)
}

// numbersOnly refuses blocks, which have no order.
func numbersOnly(us []domain.Unit) error {
	for _, u := range us {
		if u.Block {
			return fmt.Errorf("column %q encodes a category; impute it by Mean{} or Midpoint{}: %w", u.Name, stage.ErrColumn)
		}
	}
	return nil
}

// MedianBounds are those of medians of columns whose widths have the ℓ2 norm ω: an imputed cell may
// move anywhere in its column's bounds, in up to rows common rows. A median moves no further than the
// value that moves most: over d columns, (Σ_j max_i δ_ij²)^½ ≤ min(t_F, √d·t∞) (docs/theory/calculus.md#median-imputation).
func MedianBounds(p pair.State, columns, rows int, omega float64) pair.StepBounds {
	n := float64(rows)
	h := min(p.TF, math.Sqrt(float64(columns))*p.TInf)
	return pair.StepBounds{
		K: 1, A1: n * omega, AF: math.Sqrt(n) * omega, AInf: omega,
		H1: n * h, HF: math.Sqrt(n) * h, HInf: h, Affected: rows, ResetFree: true,
	}
}

func (m MedianImpute) Propagate(st stage.Stage) (stage.Propagation, error) {
	us, _, err := m.Columns.units(st.In)
	if err != nil {
		return stage.Propagation{}, err
	}
	omega, largest := normsOf(us)
	_, rows := m.masks().counts(st)
	b := MedianBounds(st.Before, len(us), rows, omega)
	if !slices.ContainsFunc(domain.ColumnNames(us, st.In), func(name string) bool { return st.Taint[name] }) {
		b.H1, b.HF, b.HInf = 0, 0, 0 // the observed values of common rows agree
	}
	pr, err := imputedPropagation(st, us, m.masks(), b, largest*0x1p-51)
	pr.Constants = append(pr.Constants, stage.Constant{Symbol: "ω", Value: omega, Origin: stage.FromSchema, Meaning: "ℓ2 norm of the widths of the imputed columns"})
	pr.Note = "one row can move a median across its column's whole width, in every row that it fills: TrimmedMean costs a part of order 1/n of this"
	pr.Reference = "Hu, Sanyal, Schölkopf 2024, Table 3, corrected: no bound that shrinks with n holds for every dataset"
	return pr, err
}

// normsOf returns the ℓ2 norms of the units' diameters and of their largest values.
func normsOf(us []domain.Unit) (diameters, largest float64) {
	for _, u := range us {
		diameters = math.Hypot(diameters, u.Diameter())
		largest = math.Hypot(largest, max(math.Abs(u.Lo), math.Abs(u.Hi)))
	}
	return stage.Up(diameters), stage.Up(largest)
}

// imputedPropagation is what an imputer reports whose exact bounds are b: with the rounding s of a
// row's fills on both sides together, and the clip to the ball that the rows were in, if fills can
// leave it.
func imputedPropagation(st stage.Stage, us []domain.Unit, certified maskCertificates, b pair.StepBounds, s float64) (stage.Propagation, error) {
	p := st.Before
	written := us
	if st.After.R = p.R; leavesBall(st) {
		if err := clippable(st.Out); err != nil {
			return stage.Propagation{}, err
		}
		written = domain.UnitsOf(st.In) // the clip carries a displacement into every column
		s += stage.Rounding(st.In.Width(), p.R)
	}
	b = domain.Rounded(b, b.Affected, s)
	b.K, b.H1, b.HF, b.HInf, b.R = stage.Up(b.K), stage.Up(b.H1), stage.Up(b.HF), stage.Up(b.HInf), p.R
	q, err := p.Propagate(b)
	_, fromMissing := certified.origins()
	return stage.Propagation{
		Pair: q, Taint: st.Taint.With(domain.ColumnNames(written, st.In)...),
		Scope: certified.scope(), Role: stage.RoleNonPrivate,
		Constants: []stage.Constant{
			{Symbol: "p", Value: float64(b.Affected), Origin: fromMissing, Meaning: "common rows that may hold an imputed cell"},
			{Symbol: "a∞", Value: b.AInf, Origin: stage.FromConstruction, Meaning: "displacement of one common row by one replaced row"},
			{Symbol: "K", Value: b.K, Origin: stage.FromConstruction, Meaning: "Lipschitz constant of the map of a row"},
			{Symbol: "R", Value: q.R, Origin: stage.FromConstruction, Meaning: "imputed rows are clipped to the ball they were in"},
		},
	}, err
}

func (m MedianImpute) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	us, _, err := m.Columns.units(st.In)
	if err != nil {
		return nil, err
	}
	at := make([]int, len(us))
	for k, u := range us {
		at[k] = u.At
	}
	sorted, err := sortedColumns(ctx, in, at)
	if err != nil {
		return nil, err
	}
	theta := defaults(us, st.In.Width())
	for k, v := range sorted {
		if len(v) > 0 {
			theta[at[k]] = MedianOf(v)
		}
	}
	return fillWith(stage.Hide(theta), st), nil
}

// MedianOf is the mean of the two middle values.
func MedianOf(sorted []float64) float64 {
	n := len(sorted)
	return sorted[(n-1)/2] + (sorted[n/2]-sorted[(n-1)/2])/2
}

// Deploy fills missing cells by the public midpoints: the medians never leave the pipeline.
func (m MedianImpute) Deploy(st stage.Stage) (stage.RowMap, error) {
	return MeanImpute{Columns: m.Columns}.Deploy(st)
}

func (m MedianImpute) Alternatives(st stage.Stage, mu float64) []stage.Alternative {
	return imputations(m, m.Columns, st, mu)
}
