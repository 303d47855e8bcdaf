package dpkit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/frames"
)

// Median imputes numeric columns by the medians of their observed values, fitted without noise and
// priced. Where the middle values lie far apart one row moves the median from one to the other, so
// that its price is that of the column's whole width in every row and does not shrink with n:
// [TrimmedMean] with a Trim near 1/2 resists outliers at a price of order 1/n a row. A column without
// an observed value gets its midpoint.
type Median struct {
	// MaxMissing is as in [Mean]: the price counts so many rows in place of all.
	MaxMissing Certificate
}

func (m Median) imputer(columns []string) Preprocessor { return medianImpute{m, columnSet(columns)} }

type medianImpute struct {
	Median
	Columns columnSet
}

func (m medianImpute) masks() maskCertificates {
	return maskCertificates{columns: m.Columns, missing: m.MaxMissing}
}

func (medianImpute) kind() kind { return kind{"impute/median", 1, "Impute", "dpkit.medianImpute"} }

func (medianImpute) labelBlind() {}

func (m medianImpute) Check(in frames.Schema) (frames.Schema, error) {
	if err := m.masks().check(); err != nil {
		return in, err
	}
	us, out, err := m.Columns.units(in)
	if err != nil {
		return in, err
	}
	return out, numbersOnly(us)
}

func (m medianImpute) expenses(st Stage) ([]expense, error) { return m.masks().expenses(st), nil }

func (m medianImpute) withBounds(st Stage, b []float64) Preprocessor {
	c := m.masks()
	c.withBounds(st, b)
	m.MaxMissing = c.missing
	return m
}

func (m medianImpute) measure(ctx context.Context, in frames.Source, st Stage) ([][]float64, error) {
	return m.masks().measure(ctx, in, st)
}

// numbersOnly refuses blocks, which have no order.
func numbersOnly(us []unit) error {
	for _, u := range us {
		if u.block {
			return fmt.Errorf("column %q encodes a category; impute it by Mean{} or Midpoint{}: %w", u.name, ErrColumn)
		}
	}
	return nil
}

// medianBounds are those of medians of columns whose widths have the ℓ2 norm ω: an imputed cell may
// move anywhere in its column's bounds, in up to rows common rows. A median moves no further than the
// value that moves most: over d columns, (Σ_j max_i δ_ij²)^½ ≤ min(t_F, √d·t∞) (docs/theory/calculus.md#median-imputation).
func medianBounds(p pair.State, columns, rows int, omega float64) pair.StepBounds {
	n := float64(rows)
	h := min(p.TF, math.Sqrt(float64(columns))*p.TInf)
	return pair.StepBounds{
		K: 1, A1: n * omega, AF: math.Sqrt(n) * omega, AInf: omega,
		H1: n * h, HF: math.Sqrt(n) * h, HInf: h, Affected: rows, ResetFree: true,
	}
}

func (m medianImpute) Propagate(st Stage) (Propagation, error) {
	us, _, err := m.Columns.units(st.In)
	if err != nil {
		return Propagation{}, err
	}
	omega, largest := normsOf(us)
	_, rows := m.masks().counts(st)
	b := medianBounds(st.Before, len(us), rows, omega)
	if !slices.ContainsFunc(columnNames(us, st.In), func(name string) bool { return st.Taint[name] }) {
		b.H1, b.HF, b.HInf = 0, 0, 0 // the observed values of common rows agree
	}
	pr, err := imputedPropagation(st, us, m.masks(), b, largest*0x1p-51)
	pr.Constants = append(pr.Constants, Constant{"ω", omega, FromSchema, "ℓ2 norm of the widths of the imputed columns"})
	pr.Note = "one row can move a median across its column's whole width, in every row that it fills: TrimmedMean costs a part of order 1/n of this"
	pr.Reference = "Hu, Sanyal, Schölkopf 2024, Table 3, corrected: no bound that shrinks with n holds for every dataset"
	return pr, err
}

// normsOf returns the ℓ2 norms of the units' diameters and of their largest values.
func normsOf(us []unit) (diameters, largest float64) {
	for _, u := range us {
		diameters = math.Hypot(diameters, u.diameter())
		largest = math.Hypot(largest, max(math.Abs(u.lo), math.Abs(u.hi)))
	}
	return up(diameters), up(largest)
}

// imputedPropagation is what an imputer reports whose exact bounds are b: with the rounding s of a
// row's fills on both sides together, and the clip to the ball that the rows were in, if fills can
// leave it.
func imputedPropagation(st Stage, us []unit, certified maskCertificates, b pair.StepBounds, s float64) (Propagation, error) {
	p := st.Before
	written := us
	if st.After.R = p.R; leavesBall(st) {
		if err := clippable(st.Out); err != nil {
			return Propagation{}, err
		}
		written = unitsOf(st.In) // the clip carries a displacement into every column
		s += rounding(len(st.In.Features()), p.R)
	}
	b = rounded(b, b.Affected, s)
	b.K, b.H1, b.HF, b.HInf, b.R = up(b.K), up(b.H1), up(b.HF), up(b.HInf), p.R
	q, err := p.Propagate(b)
	_, fromMissing := certified.origins()
	return Propagation{
		Pair: q, Taint: st.Taint.with(columnNames(written, st.In)...),
		Scope: certified.scope(), Role: RoleTrainOnly,
		Constants: []Constant{
			{"p", float64(b.Affected), fromMissing, "common rows that may hold an imputed cell"},
			{"a∞", b.AInf, FromConstruction, "displacement of one common row by one replaced row"},
			{"K", b.K, FromConstruction, "Lipschitz constant of the map of a row"},
			{"R", q.R, FromConstruction, "imputed rows are clipped to the ball they were in"},
		},
	}, err
}

func (m medianImpute) Fit(ctx context.Context, in frames.Source, st Stage) (Transform, error) {
	us, _, err := m.Columns.units(st.In)
	if err != nil {
		return nil, err
	}
	at := make([]int, len(us))
	for k, u := range us {
		at[k] = u.at
	}
	sorted, err := sortedColumns(ctx, in, at)
	if err != nil {
		return nil, err
	}
	theta := defaults(us, len(st.In.Features()))
	for k, v := range sorted {
		if len(v) > 0 {
			theta[at[k]] = median(v)
		}
	}
	return fillWith(hide(theta), st), nil
}

// median is the mean of the two middle values.
func median(sorted []float64) float64 {
	n := len(sorted)
	return sorted[(n-1)/2] + (sorted[n/2]-sorted[(n-1)/2])/2
}

// Deploy fills missing cells by the public midpoints: the medians never leave the pipeline.
func (m medianImpute) Deploy(st Stage) (RowMap, error) {
	return meanImpute{Columns: m.Columns}.Deploy(st)
}

func (m medianImpute) alternatives(st Stage, mu float64) []Alternative {
	return imputations(m, m.Columns, st, mu)
}
