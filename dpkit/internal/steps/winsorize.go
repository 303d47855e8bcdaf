package steps

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// A Winsorizer is [PublicQuantiles], [SmoothedQuantile] or [PrivateBounds].
type Winsorizer interface {
	Winsorizer(columns []string) stage.Preprocessor
}

// SmoothedQuantile clamps each column between its quantiles at Q and 1 − Q, each averaged over a
// window of levels of the width Window; fitted without noise and priced. An exact quantile of the
// data can jump across the whole column when one row changes; the average cannot. Rows that an
// earlier step removed count as zeros. At prediction time values stay as they are.
type SmoothedQuantile struct {
	// Q is the share clamped at either end, and Window the width of levels around it that are
	// averaged: 10⁻⁶ ≤ Window ≤ 2·Q and Q + Window/2 < 1/2. A narrow window costs more, of order
	// Q/Window + 1/2 widths of the columns. There are no defaults.
	Q, Window float64
}

func (s SmoothedQuantile) Winsorizer(columns []string) stage.Preprocessor {
	return SmoothWinsor{s, columns}
}

// SmoothWinsor is Winsorize(SmoothedQuantile{…}): thresholds are fitted without noise and priced.
type SmoothWinsor struct {
	SmoothedQuantile
	Columns ColumnSet
}

func (SmoothWinsor) Kind() kind.Kind {
	return kind.Kind{Name: "winsorize/smoothed", Law: 1, Call: "Winsorize", Was: "dpkit.smoothWinsor"}
}

func (SmoothWinsor) LabelBlind() {}

func (s SmoothWinsor) Check(in frames.Schema) (frames.Schema, error) {
	if !(s.Window >= 1e-6) || !(s.Window <= 2*s.Q) || !(s.Q+s.Window/2 < 0.5) {
		return in, fmt.Errorf("levels Q and Window: got %g and %g, want 1e-6 ≤ Window ≤ 2·Q and Q + Window/2 < 1/2: %w", s.Q, s.Window, kind.ErrParameter)
	}
	if err := domain.NumericColumns(in, s.Columns); err != nil {
		return in, err
	}
	for _, name := range s.Columns {
		//dp:refuses winsorize/missing a quantile of cells that miss is not bounded
		if c, _ := in.Column(name); c.Missing {
			return in, fmt.Errorf("column %q may hold missing cells; Impute first: %w", name, stage.ErrOrder)
		}
	}
	return in, nil
}

// Winsor has the public constants of smoothed winsorisation.
type Winsor struct {
	Two, One  float64 // ℓ2 and ℓ1 norms of the columns' widths
	Columns   float64
	Q, Window float64
	Radius    float64 // norm bound of the box: a positive lower threshold raises norms
}

// WinsorBounds (docs/theory/calculus.md#winsorising-at-a-smoothed-quantile). A threshold is ∫Q(u)J(u)du with J = 1/window: a
// replaced value of a column of width w moves it by at most w/(window·n), displaced values by their
// sum over window·n. A threshold that moves takes with it only values beyond the inner one of its
// two positions, at most N = n(q + window/2) + 1 on either end, on the side whose position that is.
func WinsorBounds(p pair.State, w Winsor) pair.StepBounds {
	n, d, root := float64(p.N), p.D(), math.Sqrt(w.Columns)
	rows := 2 * (n*(w.Q+w.Window/2) + 1)
	one, two := min(w.One, root*d)/(w.Window*n), min(w.Two, d)/(w.Window*n)
	h := p.T1 / (w.Window * n)
	return pair.StepBounds{
		K: 1, A1: rows * one, AF: math.Sqrt(rows) * two, AInf: two,
		H1: rows * root * h, HF: math.Sqrt(rows) * h, HInf: h,
		Affected: p.N - p.F, R: w.Radius,
	}
}

// OneTransport halves what the two ends of a column are charged together: their windows are
// disjoint, so that ∫|Q_F − Q_G| over both is at most one W1 distance, and the thresholds share it.
func OneTransport(b pair.StepBounds) pair.StepBounds {
	b.A1, b.H1 = b.A1/2, b.H1/2
	b.AF, b.HF = b.AF/math.Sqrt2, b.HF/math.Sqrt2
	return b
}

func (s SmoothWinsor) Propagate(st stage.Stage) (stage.Propagation, error) {
	p := st.Before
	cols := subsetOf(st, s.Columns)
	part := cols.pair(p)
	if cols.clean(st.Taint) {
		part.M, part.T1, part.TF, part.TInf = 0, 0, 0, 0
	}
	w := Winsor{Columns: float64(len(cols.at)), Q: s.Q, Window: s.Window}
	widths := cols.widths(p.R)
	w.Two, _, _ = powers(widths)
	for _, x := range widths {
		w.One += x
	}
	w.Radius = s.radius(st)
	b := OneTransport(WinsorBounds(part, w))
	// Weights of the values in a window round, each by 2^-52, and values to a grid over the column's bounds, however small the rows are.
	fp := (float64(p.N) + 16) * 0x1p-50 / s.Window * num.Norm2(cols.heights(math.Inf(1)))
	b = rows.Inflate(b, fp+rows.FitRounding(p.N)*part.R)
	q, err := p.Propagate(b)
	return stage.Propagation{
		Pair: st.EmptyImage(q), Taint: st.Taint.With(cols.names...),
		Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: stage.RoleNonPrivate,
		Constants: []stage.Constant{
			{Symbol: "K", Value: 1, Origin: stage.FromConstruction, Meaning: "values inside pass, others go to a threshold"},
			{Symbol: "w1", Value: w.One, Origin: stage.FromSchema, Meaning: "sum of the columns' widths"},
			{Symbol: "κ", Value: 1 / s.Window, Origin: stage.FromParameter, Meaning: "bound on the weights of a threshold: 1/Window"},
			{Symbol: "N", Value: math.Ceil(float64(p.N)*(s.Q+s.Window/2)) + 1, Origin: stage.FromParameter, Meaning: "rows beyond a threshold, of either end"},
			{Symbol: "a1", Value: b.A1, Origin: stage.FromConstruction, Meaning: "total displacement of the common rows by one replaced row"},
			{Symbol: "R", Value: b.R, Origin: stage.FromSchema, Meaning: "bound on a row's norm after the step"},
		},
		Note:      "quantiles of private rows clamp the columns: the rows beyond them move when one row changes",
		Reference: "stability calculus: L-statistics (Lemma 3), winsorising at a smoothed quantile",
	}, err
}

// radius bounds the norm of a clamped row.
func (s SmoothWinsor) radius(st stage.Stage) float64 {
	var us []domain.Unit
	for _, u := range domain.UnitsOf(st.In) {
		if slices.Contains(s.Columns, u.Name) {
			us = append(us, u)
		}
	}
	return imputedRadius(us, st.Out, st.Before.R)
}

func (s SmoothWinsor) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	cols := subsetOf(st, s.Columns)
	features := st.In.Features()
	var windows []Window
	for _, j := range cols.at {
		lo, hi := st.Bounds(features[j]) // zeros for empty rows may lie outside the column's own
		half := (hi - lo) / 2
		w := Window{column: j, Grid: rows.NewFixedPoint(lo+half, half), Lo: lo, Hi: hi, Floor: st.Before.N}
		if lo > 0 || hi < 0 { // no row is empty: there are no copies
			w.pad = lo
		}
		w.From, w.To = s.Q-s.Window/2, s.Q+s.Window/2
		windows = append(windows, w)
		w.From, w.To = 1-s.Q-s.Window/2, 1-s.Q+s.Window/2
		windows = append(windows, w)
	}
	means, err := WindowMeans(ctx, in, windows)
	if err != nil {
		return nil, err
	}
	type interval struct{ lo, hi float64 }
	ends := make([]interval, len(cols.at))
	for k, j := range cols.at {
		c := features[j]
		ends[k] = interval{num.Clamp(means[2*k], c.Lo, c.Hi), num.Clamp(means[2*k+1], c.Lo, c.Hi)}
	}
	fitted := stage.Hide(ends)
	return stage.ByBlock(num.ClampColumns(cols.at, func(k int) (lo, hi float64) {
		e := fitted.Get()[k]
		return e.lo, e.hi
	})), nil
}

// Deploy is the identity: thresholds tame training rows only.
func (SmoothWinsor) Deploy(stage.Stage) (stage.RowMap, error) { return stage.RowMap{}, nil }
