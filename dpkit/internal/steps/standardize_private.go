package steps

import (
	"context"
	"math"
	"reflect"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// PrivateRMS is [RMS] with scales that are released privately, with a share of the budget of the
// release: no row moves when another changes, and prediction scales by the same numbers.
type PrivateRMS struct {
	Share float64 // of the release's μ² (of its zCDP ρ), in (0, 1); no default
	Floor float64 // smallest root mean square that divides, in units of R, as in [RMS]; no default
	Gain  float64 // root mean square that comes out; 0 means Floor
}

// PrivateStandard is [Standard] with means and scales that are released privately; see [PrivateRMS].
type PrivateStandard struct {
	Share float64 // of the release's μ² (of its zCDP ρ), in (0, 1); no default
	Floor float64 // smallest standard deviation that divides, in units of R, as in [Standard]; no default
	Gain  float64 // standard deviation that comes out; 0 means Floor
}

// A paid way to standardize is one by moments that are released: a share of the budget pays for them.
type paid interface {
	// PartOf is that share, of the release's μ².
	PartOf() float64
}

func (s PrivateRMS) String() string { return kind.Composite(reflect.ValueOf(s), kind.ShownItems) }

func (s PrivateRMS) scale() columnScale { return newColumnScale(s.Floor, s.Gain, false) }

func (s PrivateRMS) PartOf() float64 { return s.Share }

func (s PrivateStandard) String() string { return kind.Composite(reflect.ValueOf(s), kind.ShownItems) }

func (s PrivateStandard) scale() columnScale { return newColumnScale(s.Floor, s.Gain, true) }

func (s PrivateStandard) PartOf() float64 { return s.Share }

// PrivateScale is Standardize by released moments.
type PrivateScale struct {
	Standardize `dp:"base"`
}

func (s PrivateScale) PartOf() float64 { return s.How.(paid).PartOf() }

func (s PrivateScale) Check(in frames.Schema) (frames.Schema, error) {
	if err := query.CheckShare(s.PartOf()); err != nil {
		return in, err
	}
	return s.Standardize.Check(in)
}

// Propagate: given the released moments the step is a public affine map and a clip; no factor exceeds
// Gain/Floor.
func (s PrivateScale) Propagate(st stage.Stage) (stage.Propagation, error) {
	p := st.Before
	cols, sc, clip := s.plan(st)
	k := sc.factor()
	if cols.rest {
		k = max(k, 1)
	}
	r := p.R
	if math.IsInf(clip, 1) {
		r = stage.Up(k * r)
	}
	pr, err := stage.Columnwise(st, stage.Bounds{K: stage.Up(k), R: r, Rounding: stage.Rounding(st.In.Width(), k*p.R)},
		"privately released moments scale the columns: paid from the budget, no row moves")
	pr.Role = stage.RolePrivate
	pr.Reference = "Gaussian mechanism on sums and sums of squares; stability calculus §8, private fit"
	if pr.Pair.Displaced() && !math.IsInf(clip, 1) { // the clip carries a displacement into every column
		pr.Taint = pr.Taint.With(domain.ColumnNames(domain.UnitsOf(st.In), st.In)...)
	}
	return pr, err
}

// privateMoments describes the query: of each column the sum of a·(x − c) and of (x − c)², with c the
// middle of its bounds (0 for [PrivateRMS], which asks for the squares alone).
type privateMoments struct {
	cols    subset
	centre  []float64
	a       float64 // public weight of the first moments; 0 where they are not asked for
	heights float64 // largest |x − c|
	s       float64 // ℓ2 sensitivity on the pair state
}

// moments: a replaced row changes the squares by at most Q = (Σ h_j⁴)^½, h_j the height of a column
// about c (or √2R² about 0: ‖xxᵀ − yyᵀ‖_F ≤ √2R²), and the first moments by d = min(2‖h‖, max(D, ‖h‖)), an
// empty row having none. With a = Q/d both count alike. A displaced row changes them by
// (a² + 4·max h²)^½ times its displacement.
func (s PrivateScale) moments(st stage.Stage) privateMoments {
	m := privateMoments{cols: subsetOf(st, s.Columns)}
	p := st.Before
	part := m.cols.pair(p)
	centred := s.How.scale().centred
	heights := m.cols.heights(p.R)
	m.centre = make([]float64, len(heights))
	if centred {
		for i := range heights {
			m.centre[i] = m.cols.lo[i] + (m.cols.hi[i]-m.cols.lo[i])/2
			heights[i] = stage.Up((m.cols.hi[i] - m.cols.lo[i]) / 2)
		}
	}
	two, four, most := powers(heights)
	m.heights = stage.Up(most)
	q := stage.Up(four * four)
	one := q // of a row that is there on one side only
	if !centred {
		q, one = min(q, stage.Up(math.Sqrt2*part.R*part.R)), min(one, stage.Up(part.R*part.R))
	}
	var d, first float64
	if centred {
		d, first = min(2*two, max(part.D(), two)), two
		m.a = q / d
	}
	both := math.Hypot(m.a*d, q)
	m.s = float64(p.F) * both
	if p.Neighbours == accountant.AddRemove {
		m.s = float64(p.F-1)*both + math.Hypot(m.a*first, one)
	}
	if p.Displaced() && !m.cols.clean(st.Taint) {
		moved := both // of a displaced row, which may be displaced further than the free one
		if centred {
			moved = math.Hypot(m.a*max(d, min(2*two, p.TInf)), q)
		}
		m.s += min(math.Hypot(m.a, 2*most)*p.T1, float64(p.M)*moved)
	}
	// The sums in floating point, on both sides.
	n := float64(p.N)
	m.s = stage.Up(m.s + 2*n*rows.FitRounding(p.N)*math.Sqrt(2*float64(len(heights)))*(m.a*most+most*most))
	return m
}

func (s PrivateScale) Expenses(st stage.Stage) ([]query.Expense, error) {
	m := s.moments(st)
	n, k, what := float64(st.Before.N), len(m.cols.at), "sums of squares of the columns"
	most := m.heights * m.heights
	if m.a > 0 {
		k, what, most = 2*k, "sums and sums of squares of the columns", max(most, m.a*m.heights)
	}
	return []query.Expense{{
		What: what, Share: s.PartOf(), Query: query.GaussianQuery{Coordinates: k, Sensitivity: m.s, Max: stage.Up(n * most)},
	}}, nil
}

func (s PrivateScale) Measure(ctx context.Context, in frames.Source, st stage.Stage) ([][]float64, error) {
	m := s.moments(st)
	k := len(m.cols.at)
	of := rows.Bind(rows.Over(in), "moments of columns", m.cols.at, m.centre, m.heights, m.a)
	sums, err := rows.NumberSums(ctx, of, 2*k, func() func([]rows.ExactSum, []float64, float64) {
		return func(sums []rows.ExactSum, row []float64, _ float64) {
			for i, j := range m.cols.at {
				z := num.Clamp(row[j]-m.centre[i], -m.heights, m.heights)
				sums[i].Add(m.a * z)
				sums[k+i].Add(z * z)
			}
		}
	})
	first, second := sums[:k], sums[k:]
	var out []float64
	if m.a > 0 {
		for i := range first {
			out = append(out, first[i].Sum())
		}
	}
	for i := range second {
		out = append(out, second[i].Sum())
	}
	return [][]float64{out}, err
}

func (s PrivateScale) Learn(st stage.Stage, noisy [][]float64) (stage.RowMap, error) {
	m := s.moments(st)
	_, sc, clip := s.plan(st)
	n, d := float64(st.Before.N), st.In.Width()
	op := &stage.AffineOp{Shift: make([]float64, d), Scale: make([]float64, d)}
	for j := range op.Scale {
		op.Scale[j] = 1
	}
	second := noisy[0]
	var first []float64
	if m.a > 0 {
		first, second = second[:len(m.cols.at)], second[len(m.cols.at):]
	}
	for i, j := range m.cols.at {
		square, shift := second[i]/n, 0.0
		if m.a > 0 {
			shift = num.Clamp(first[i]/(m.a*n), -m.heights, m.heights)
			square -= shift * shift
			// In the bounds of the column, as every mean: the schema counts on it.
			op.Shift[j] = num.Clamp(m.centre[i]+shift, m.cols.lo[i], m.cols.hi[i])
		}
		op.Scale[j] = sc.gain / max(math.Sqrt(max(square, 0)), sc.floor)
	}
	ops := stage.RowMap{{Affine: op}}
	if !math.IsInf(clip, 1) {
		ops = append(ops, stage.RowOp{Clip: &stage.ClipOp{R: clip}})
	}
	return ops, nil
}

// Fit is not called: the map is made of released values.
func (s PrivateScale) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return nil, errPrivateFit
}

var _ query.PrivateFit = PrivateScale{}
