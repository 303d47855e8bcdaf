package steps

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// MeanImpute is Impute(Mean{…}): means are fitted without noise and priced. What its certificates test or bound is asked for
// first.
type MeanImpute struct {
	Mean
	Columns ColumnSet
}

// masks are the certificates of the step.
func (m MeanImpute) masks() maskCertificates {
	return maskCertificates{m.Columns, m.MaxMissing, m.MinObserved}
}

func (MeanImpute) Kind() kind.Kind {
	return kind.Kind{Name: "impute/mean", Law: 1, Call: "Impute", Was: "dpkit.meanImpute"}
}

func (MeanImpute) LabelBlind() {}

func (m MeanImpute) Check(in frames.Schema) (frames.Schema, error) {
	if err := errors.Join(m.checkPad(), m.masks().check()); err != nil {
		return in, err
	}
	_, out, err := m.Columns.units(in)
	return out, err
}

func (m Mean) checkPad() error {
	if m.Pad < 0 {
		return fmt.Errorf("floor Pad: got %d, want a number of rows > 0, or 0 for the public n: %w", m.Pad, kind.ErrParameter)
	}
	return nil
}

func (m MeanImpute) Expenses(st stage.Stage) ([]query.Expense, error) {
	return m.masks().expenses(st), nil
}

func (m MeanImpute) WithBounds(st stage.Stage, b []float64) stage.Preprocessor {
	c := m.masks()
	c.withBounds(st, b)
	m.MaxMissing, m.MinObserved = c.missing, c.observed
	return m
}

func (m MeanImpute) Measure(ctx context.Context, in frames.Source, st stage.Stage) ([][]float64, error) {
	return m.masks().measure(ctx, in, st)
}

// floor is m0.
func (m Mean) floor(n int) int {
	if m.Pad == 0 {
		return n
	}
	return m.Pad
}

// MeanBounds are those of means with denominators of at least n0, of columns whose diameters have the ℓ2
// norm ω, filled into at most so many common rows.
//
// With N0 ≤ max(c, m0), one row's change moves the fill of unit u by at most
// w_u/N0 (value replaced: w/N; observed against missing: |x − θ|/c or one pseudo-observation
// swapped), w_u the diameter of the unit and its default. The fills of a row move by at most
// ω/N0, ω² = Σ w_u², in at most p common rows: masks travel with rows, so that a common
// row has the same mask on both sides, and K = 1. A displacement of observed cells passes to the
// fills with gain 1/N0 in L12.
//
// A mean is an L-statistic of weight 1; one whose weights are at most κ moves κ times as far
// (docs/theory/calculus.md#lemma-3-l-statistics: |∫(Q_F − Q_G)J| ≤ κ·W1), and has no joint Frobenius constant. That of the mean is √(1 + p/N0):
// p rows receive Σδ/N0, and p(Σδ)²/N0² ≤ (p/N0)Σδ².
func MeanBounds(p pair.State, omega, n0 float64, rows int, kappa float64) pair.StepBounds {
	pf, a, h := float64(rows), kappa*omega/n0, kappa*p.T1/n0
	joint := 0.0 // unknown
	if kappa == 1 {
		joint = math.Sqrt(1 + pf/n0)
	}
	return pair.StepBounds{
		K: 1, KF: joint, A1: pf * a, AF: math.Sqrt(pf) * a, AInf: a,
		H1: pf * h, HF: math.Sqrt(pf) * h, HInf: h, Affected: rows, R: p.R, ResetFree: true,
	}
}

// Propagate: without certificates p is n − f and N0 is m0, for every dataset; N0 is
// the larger of m0 and what MaxMissing or MinObserved certify. They hold at the two ends and, with the
// masks, in the hybrid of docs/theory/calculus.md#theorem-1-propagation, and f rows need no dataset between (docs/theory/calculus.md#mean-imputation): a mean moves by w times the
// mass that two empirical laws do not share, which is f/N0 at most.
func (m MeanImpute) Propagate(st stage.Stage) (stage.Propagation, error) { return m.propagate(st, 1) }

func (m MeanImpute) propagate(st stage.Stage, kappa float64) (stage.Propagation, error) {
	us, _, err := m.Columns.units(st.In)
	if err != nil {
		return stage.Propagation{}, err
	}
	p := st.Before
	certified := m.masks()
	if err := certified.possible(p.N); err != nil {
		return stage.Propagation{}, err
	}
	observed, rows := certified.counts(st)
	n0 := max(float64(m.floor(p.N)), observed)
	omega, largest := normsOf(us)
	exact := MeanBounds(p, omega, n0, rows, kappa)
	// In floating point each side's mean is off by at most 2^-49·b: cells are rounded to a grid, by
	// 2^-50·b, and summed exactly; then come a conversion, a product, two sums and a division. The cuts
	// of a trimmed mean are off by 2^-51 of N ranks, 1/κ of which it averages: κ·2^-48·b in all.
	fp := 0x1p-48
	if kappa != 1 {
		fp = 0x1p-47
	}
	ai := exact.AInf + kappa*fp*largest
	written := us
	if st.After.R = p.R; leavesBall(st) {
		if err := clippable(st.Out); err != nil {
			return stage.Propagation{}, err
		}
		written = domain.UnitsOf(st.In) // the clip carries a displacement into every column
		ai += stage.Rounding(st.In.Width(), p.R)
	}
	ai = stage.Up(ai)
	fromObserved, fromMissing := certified.origins()
	pf := float64(rows)
	q, err := p.Propagate(pair.StepBounds{
		K: 1, KF: stage.Up(exact.KF),
		A1: stage.Up(pf * ai), AF: stage.Up(math.Sqrt(pf) * ai), AInf: ai,
		H1: stage.Up(exact.H1), HF: stage.Up(exact.HF), HInf: stage.Up(exact.HInf),
		Affected: rows, R: p.R, ResetFree: true,
	})
	return stage.Propagation{
		Pair: q, Taint: st.Taint.With(domain.ColumnNames(written, st.In)...),
		Scope: certified.scope(), Role: stage.RoleNonPrivate,
		Constants: []stage.Constant{
			{Symbol: "ω", Value: omega, Origin: stage.FromSchema, Meaning: "ℓ2 norm of the diameters of the imputed columns"},
			{Symbol: "N0", Value: n0, Origin: fromObserved, Meaning: "lower bound on the denominator of each mean, rows"},
			{Symbol: "κ", Value: kappa, Origin: stage.FromParameter, Meaning: "bound on the weights of the mean"},
			{Symbol: "p", Value: pf, Origin: fromMissing, Meaning: "common rows that may hold an imputed cell"},
			{Symbol: "K", Value: 1, Origin: stage.FromConstruction, Meaning: "observed cells pass through"},
			{Symbol: "R", Value: q.R, Origin: stage.FromConstruction, Meaning: "imputed rows are clipped to the ball they were in"},
		},
		Note:      "means of private rows fill missing cells: every such row moves when one row changes",
		Reference: "stability calculus: capped-mean influence (Lemma 2, Lemma 3); Hu, Sanyal, Schölkopf 2024, Cor. 4, corrected",
	}, err
}

func (m MeanImpute) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	us, _, err := m.Columns.units(st.In)
	if err != nil {
		return nil, err
	}
	theta := defaults(us, st.In.Width())
	var columns []int
	var grid []rows.FixedPoint
	for _, u := range us {
		for j := u.At; j < u.At+u.Len; j++ {
			columns, grid = append(columns, j), append(grid, gridOf(u))
		}
	}
	sums, err := rows.Drive(ctx, rows.Over(in), func() *rows.FixedSums { return rows.NewFixedSums(columns, grid) })
	if err != nil {
		return nil, err
	}
	m0 := m.floor(st.Before.N)
	k := 0
	for _, u := range us {
		for j := u.At; j < u.At+u.Len; j++ {
			c := sums.Count[k]
			sum := sums.Total(k) + float64(max(m0-c, 0))*(theta[j]-u.Middle())
			theta[j] = num.Clamp(u.Middle()+sum/float64(max(c, m0)), u.Lo, u.Hi)
			k++
		}
	}
	return fillWith(stage.Hide(theta), st), nil
}

// gridOf is the grid of a column of the unit.
func gridOf(u domain.Unit) rows.FixedPoint { return rows.NewFixedPoint(u.Middle(), u.Half()) }

// fillWith fills missing cells by fitted values and keeps the row in the ball of the stage.
func fillWith(fitted stage.NonPrivate[[]float64], st stage.Stage) stage.Transform {
	fill := num.FillRows(fitted.Get())
	if leavesBall(st) {
		return stage.ByBlock(func(dst, src []float64, n int) {
			fill(dst, src, n)
			num.ClipRows(dst, dst, st.After.R, n)
		})
	}
	return stage.ByBlock(fill)
}

// leavesBall reports whether a filled row can have a larger norm than the rows that went in. In a
// box it cannot: fills are convex combinations of values of the column.
func leavesBall(st stage.Stage) bool { return stage.StartRadius(st.Out) > stage.Up(st.After.R) }

// clippable reports a column that a clip of the row would take out of its domain.
func clippable(s frames.Schema) error {
	for _, c := range s.Features() {
		//dp:refuses mean/no-zero-to-shrink-to filled rows would leave the ball
		if c.Kind == frames.KindCategory || c.Lo > 0 || c.Hi < 0 {
			return fmt.Errorf("column %q: filled rows are clipped to the ball that the rows were in, which is smaller than their domain, and this column has no 0 to shrink to; ClipNorm first: %w", c.Name, stage.ErrOrder)
		}
	}
	return nil
}

// Deploy fills missing cells by the public defaults: the fitted means never leave the pipeline.
func (m MeanImpute) Deploy(st stage.Stage) (stage.RowMap, error) {
	ops, err := MidpointImpute{Columns: m.Columns}.Deploy(st)
	if err == nil && leavesBall(st) {
		ops = append(ops, stage.RowOp{Clip: &stage.ClipOp{R: st.After.R}})
	}
	return ops, err
}
