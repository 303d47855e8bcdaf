package dpkit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/frames"
)

// Winsorize clamps the named numeric columns to a central interval each, between public bounds or
// between quantiles of the data.
func (p Pipeline) Winsorize(how Winsorizer, columns ...string) Pipeline {
	if how == nil {
		return p.with(broken{"Winsorize(nil)", fmt.Errorf("got no interval, want dpkit.PublicQuantiles{…} or dpkit.SmoothedQuantile{…}: %w", ErrParameter)})
	}
	return p.with(how.winsorizer(slices.Clone(columns)))
}

// A Winsorizer is [PublicQuantiles] or [SmoothedQuantile].
type Winsorizer interface {
	winsorizer(columns []string) Preprocessor
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

func (s SmoothedQuantile) winsorizer(columns []string) Preprocessor {
	return smoothWinsor{s, columns}
}

type smoothWinsor struct {
	SmoothedQuantile
	Columns columnSet
}

func (smoothWinsor) kind() kind {
	return kind{"winsorize/smoothed", 1, "Winsorize", "dpkit.smoothWinsor"}
}

func (smoothWinsor) labelBlind() {}

func (s smoothWinsor) Check(in frames.Schema) (frames.Schema, error) {
	if !(s.Window >= 1e-6) || !(s.Window <= 2*s.Q) || !(s.Q+s.Window/2 < 0.5) {
		return in, fmt.Errorf("levels Q and Window: got %g and %g, want 1e-6 ≤ Window ≤ 2·Q and Q + Window/2 < 1/2: %w", s.Q, s.Window, ErrParameter)
	}
	if err := numericColumns(in, s.Columns); err != nil {
		return in, err
	}
	for _, name := range s.Columns {
		if c, _ := in.Column(name); c.Missing {
			return in, fmt.Errorf("column %q may hold missing cells; Impute first: %w", name, ErrOrder)
		}
	}
	return in, nil
}

// winsor has the public constants of smoothed winsorisation.
type winsor struct {
	two, one  float64 // ℓ2 and ℓ1 norms of the columns' widths
	columns   float64
	q, window float64
	radius    float64 // norm bound of the box: a positive lower threshold raises norms
}

// winsorBounds (docs/theory/calculus.md#winsorising-at-a-smoothed-quantile). A threshold is ∫Q(u)J(u)du with J = 1/window: a
// replaced value of a column of width w moves it by at most w/(window·n), displaced values by their
// sum over window·n. A threshold that moves takes with it only values beyond the inner one of its
// two positions, at most N = n(q + window/2) + 1 on either end, on the side whose position that is.
func winsorBounds(p pair.State, w winsor) pair.StepBounds {
	n, d, root := float64(p.N), p.D(), math.Sqrt(w.columns)
	rows := 2 * (n*(w.q+w.window/2) + 1)
	one, two := min(w.one, root*d)/(w.window*n), min(w.two, d)/(w.window*n)
	h := p.T1 / (w.window * n)
	return pair.StepBounds{
		K: 1, A1: rows * one, AF: math.Sqrt(rows) * two, AInf: two,
		H1: rows * root * h, HF: math.Sqrt(rows) * h, HInf: h,
		Affected: p.N - p.F, R: w.radius,
	}
}

// oneTransport halves what the two ends of a column are charged together: their windows are
// disjoint, so that ∫|Q_F − Q_G| over both is at most one W1 distance, and the thresholds share it.
func oneTransport(b pair.StepBounds) pair.StepBounds {
	b.A1, b.H1 = b.A1/2, b.H1/2
	b.AF, b.HF = b.AF/math.Sqrt2, b.HF/math.Sqrt2
	return b
}

func (s smoothWinsor) Propagate(st Stage) (Propagation, error) {
	p := st.Before
	cols := subsetOf(st, s.Columns)
	part := cols.pair(p)
	if cols.clean(st.Taint) {
		part.M, part.T1, part.TF, part.TInf = 0, 0, 0, 0
	}
	w := winsor{columns: float64(len(cols.at)), q: s.Q, window: s.Window}
	widths := cols.widths(p.R)
	w.two, _, _ = powers(widths)
	for _, x := range widths {
		w.one += x
	}
	w.radius = s.radius(st)
	b := oneTransport(winsorBounds(part, w))
	// Weights of the values in a window round, each by 2^-52.
	fp := (float64(p.N) + 16) * 0x1p-50 / s.Window * norm2(cols.heights(p.R))
	b = inflate(b, fp+fitRounding(p.N)*part.R)
	q, err := p.Propagate(b)
	return Propagation{
		Pair: st.emptyImage(q), Taint: st.Taint.with(cols.names...),
		Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: RoleTrainOnly,
		Constants: []Constant{
			{"K", 1, FromConstruction, "values inside pass, others go to a threshold"},
			{"w1", w.one, FromSchema, "sum of the columns' widths"},
			{"κ", 1 / s.Window, FromParameter, "bound on the weights of a threshold: 1/Window"},
			{"N", math.Ceil(float64(p.N)*(s.Q+s.Window/2)) + 1, FromParameter, "rows beyond a threshold, of either end"},
			{"a1", b.A1, FromConstruction, "total displacement of the common rows by one replaced row"},
			{"R", b.R, FromSchema, "bound on a row's norm after the step"},
		},
		Note:      "quantiles of private rows clamp the columns: the rows beyond them move when one row changes",
		Reference: "stability calculus: L-statistics (Lemma 3), winsorising at a smoothed quantile",
	}, err
}

// radius bounds the norm of a clamped row.
func (s smoothWinsor) radius(st Stage) float64 {
	var us []unit
	for _, u := range unitsOf(st.In) {
		if slices.Contains(s.Columns, u.name) {
			us = append(us, u)
		}
	}
	return imputedRadius(us, st.Out, st.Before.R)
}

func (s smoothWinsor) Fit(ctx context.Context, in frames.Source, st Stage) (Transform, error) {
	cols := subsetOf(st, s.Columns)
	features := st.In.Features()
	var windows []window
	for _, j := range cols.at {
		lo, hi := st.Bounds(features[j]) // zeros for empty rows may lie outside the column's own
		half := (hi - lo) / 2
		w := window{column: j, grid: newFixedPoint(lo+half, half), lo: lo, hi: hi, floor: st.Before.N}
		if lo > 0 || hi < 0 { // no row is empty: there are no copies
			w.pad = lo
		}
		w.from, w.to = s.Q-s.Window/2, s.Q+s.Window/2
		windows = append(windows, w)
		w.from, w.to = 1-s.Q-s.Window/2, 1-s.Q+s.Window/2
		windows = append(windows, w)
	}
	means, err := windowMeans(ctx, in, windows)
	if err != nil {
		return nil, err
	}
	type interval struct{ lo, hi float64 }
	ends := make([]interval, len(cols.at))
	for k, j := range cols.at {
		c := features[j]
		ends[k] = interval{clamp(means[2*k], c.Lo, c.Hi), clamp(means[2*k+1], c.Lo, c.Hi)}
	}
	fitted := hide(ends)
	return func(dst, src []float64) {
		copy(dst, src)
		for k, e := range fitted.get() {
			j := cols.at[k]
			dst[j] = clamp(src[j], e.lo, e.hi)
		}
	}, nil
}

// Deploy is the identity: thresholds tame training rows only.
func (smoothWinsor) Deploy(Stage) (RowMap, error) { return RowMap{}, nil }
