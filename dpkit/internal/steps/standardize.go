package steps

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// A Standardizer is [Standard], [RMS], [PrivateStandard] or [PrivateRMS].
type Standardizer interface {
	fmt.Stringer
	scale() columnScale
}

// Standard maps a value to Gain·(x − mean)/max(sd, Floor), with the population standard deviation
// of the column (divisor n).
type Standard struct {
	// Floor is the smallest standard deviation that divides, in units of the bound R on a row's norm;
	// 10⁻⁹ ≤ Floor < 1. It fixes the price, of order Gain/Floor², and has no default.
	Floor float64
	// Gain is the standard deviation that comes out, in units of R; 0 means Floor (or MinSpread): columns
	// are only shrunk.
	Gain float64
	// MinSpread takes the place of Floor: it certifies that the standard deviation of every column is at
	// least so much, in units of R, and columns are divided by what it is. The price is that of the same
	// Floor, which holds without a certificate: it is here for pipelines that must not be floored. Where the
	// certificate is false columns are divided by half of it at least, and values are clamped to the bounds that it promises.
	MinSpread query.Certificate
}

func (s Standard) String() string { return kind.Composite(reflect.ValueOf(s), kind.ShownItems) }

func (s Standard) scale() columnScale {
	if !s.MinSpread.Given() {
		return newColumnScale(s.Floor, s.Gain, true)
	}
	c := newColumnScale(s.MinSpread.Value(), s.Gain, true)
	c.least = s.MinSpread
	if s.Floor != 0 {
		c.floor = math.NaN() // refused: one or the other
	}
	return c
}

// RMS maps a value to Gain·x/max(rms, Floor), with the root of the mean square of the column. Its
// centre is the public 0, as Scale leaves it: it costs less than [Standard].
type RMS struct {
	// Floor is the smallest root mean square that divides, in units of the bound R on a row's norm;
	// 10⁻⁹ ≤ Floor < 1. It fixes the price, of order Gain/Floor², and has no default.
	Floor float64
	// Gain is the root mean square that comes out, in units of R; 0 means Floor: columns are only shrunk.
	Gain float64
}

func (s RMS) String() string { return kind.Composite(reflect.ValueOf(s), kind.ShownItems) }

func (s RMS) scale() columnScale { return newColumnScale(s.Floor, s.Gain, false) }

// minFloor is the root of minShare.
const minFloor = 1e-9

// columnScale is y = gain·(x − centre)/max(spread, floor), in units of R.
type columnScale struct {
	floor, gain float64
	centred     bool
	least       query.Certificate // the floor is certified, and not applied
}

func newColumnScale(floor, gain float64, centred bool) columnScale {
	return columnScale{floor: floor, gain: cmp.Or(gain, floor), centred: centred}
}

// factor is c, the largest factor of a column.
func (s columnScale) factor() float64 { return s.gain / s.floor }

func (s columnScale) check() error {
	if s.least.Given() {
		if query.IsOpen(s.least) {
			return fmt.Errorf("smallest standard deviation: a private bound on it is not known before the release, and without one the step has no price; use Declare(…), Test(…) or a Floor: %w", kind.ErrParameter)
		}
		if math.IsNaN(s.floor) {
			return fmt.Errorf("got Floor and MinSpread, want one of them: %w", kind.ErrParameter)
		}
		if err := query.CheckCertificate(s.least, "smallest standard deviation"); err != nil {
			return err
		}
	}
	if !(s.floor >= minFloor) || !(s.floor < 1) {
		return fmt.Errorf("floor Floor: got %g, want a number in [%g, 1), in units of R: %w", s.floor, minFloor, kind.ErrParameter)
	}
	if !(s.gain >= minFloor) || !(s.gain <= 1/minFloor) {
		return fmt.Errorf("gain Gain: got %g, want a number in [%g, %g], in units of R, or 0 for Floor: %w", s.gain, minFloor, 1/minFloor, kind.ErrParameter)
	}
	return nil
}

// Standardize is dpkit.Pipeline.Standardize by moments that are fitted without noise and priced; by released ones it is
// [PrivateScale]. No Columns: all numeric ones.
type Standardize struct {
	How     Standardizer
	Columns ColumnSet
}

func (s Standardize) Kind() kind.Kind {
	k := kind.Kind{Name: "", Law: 1, Call: "Standardize", Was: "dpkit.standardize"}
	switch how := s.How.(type) {
	case Standard:
		k.Name = "standardize/standard"
		if how.MinSpread.Given() { // version 1 of the law divided by next to nothing where the certificate was false
			k.Law = 2
		}
	case RMS:
		k.Name = "standardize/rms"
	case PrivateRMS:
		k.Name, k.Was = "standardize/private-rms", "dpkit.privateScale"
	case PrivateStandard:
		k.Name, k.Was = "standardize/private-standard", "dpkit.privateScale"
	}
	return k
}

func (Standardize) LabelBlind() {}

func (s Standardize) Check(in frames.Schema) (frames.Schema, error) {
	sc := s.How.scale()
	if err := sc.check(); err != nil {
		return in, err
	}
	if err := domain.EncodedFeatures(in, ""); err != nil {
		return in, err
	}
	if err := s.Columns.known(in); err != nil {
		return in, err
	}
	// No value exceeds the norm of its row, which a clip may shrink towards 0.
	c, ball := sc.factor(), stage.StartRadius(in)
	cols := in.Columns()
	for i, col := range cols {
		if _, ok := in.FeatureIndex(col.Name); !ok {
			continue
		}
		cols[i] = cols[i].Undated() // of a day nothing is left
		lo, hi := min(col.Lo, 0), max(col.Hi, 0)
		switch written := len(s.Columns) == 0 || slices.Contains(s.Columns, domain.UnitName(col)); {
		case written && sc.centred:
			lo, hi = centredBounds(col)
			cols[i] = frames.Numeric(col.Name, max(c*lo, -ball), min(c*hi, ball))
		case written && c > 1: // a block may grow beyond its height
			cols[i] = frames.Numeric(col.Name, max(c*lo, -ball), min(c*hi, ball))
		case written:
			cols[i].Lo, cols[i].Hi = c*lo, c*hi
		default:
			cols[i].Lo, cols[i].Hi = lo, hi
		}
	}
	return frames.NewSchema(cols...)
}

// plan is what Propagate and Fit share: the columns, their scale in absolute units, and the ball
// that rows are clipped to, +Inf where they stay in it by themselves.
func (s Standardize) plan(st stage.Stage) (cols subset, sc columnScale, clip float64) {
	cols, sc = subsetOf(st, s.Columns), s.How.scale()
	r := st.Before.R
	c := sc.factor()
	sc.floor, sc.gain = sc.floor*r, sc.gain*r
	clip = min(r, stage.StartRadius(st.In))
	if !sc.centred && c <= 1 { // every value moves towards 0
		clip = math.Inf(1)
	}
	return cols, sc, clip
}

// Propagate (docs/theory/calculus.md#standardisation; docs/theory/preprocessing.md#theorem-41-scaling). A floored scale is the projection of
// the whole column onto a ball, times c: KF = c. A replaced row moves the common rows by
// cD + gQ/(2fl²) in total, on every dataset.
func (s Standardize) Propagate(st stage.Stage) (stage.Propagation, error) {
	p := st.Before
	cols, sc, clip := s.plan(st)
	part := cols.pair(p)
	if cols.clean(st.Taint) { // the fit reads columns that agree
		part.M, part.T1, part.TF, part.TInf = 0, 0, 0, 0
	}
	//dp:refuses standardize/certified-displaced a spread that holds at both ends may fail between
	if sc.least.Given() && part.Displaced() {
		return stage.Propagation{}, fmt.Errorf("its columns were displaced by earlier steps: a certified spread holds at both ends of the pair and may fail between them; put it before those steps, or use a Floor: %w", stage.ErrOrder)
	}
	w := sc.spreadOf(cols, part)
	b := w.bounds(part)
	grown := b.R
	if cols.rest { // other columns pass
		b.K, b.KF = max(b.K, 1), max(b.KF, 1)
		grown = math.Hypot(grown, p.R)
	}
	b.R = p.R
	if math.IsInf(clip, 1) {
		b.R *= b.K
	}
	over := p.R / sc.floor
	fp := rows.FitRounding(p.N)*(grown+sc.gain*over*over*over) + stage.Rounding(st.In.Width(), grown)
	b = rows.Inflate(b, 2*fp)
	written := cols.names
	if !math.IsInf(clip, 1) { // the clip carries a displacement into every column
		written = domain.ColumnNames(domain.UnitsOf(st.In), st.In)
	}
	q, err := p.Propagate(b)
	if sc.centred {
		q = st.EmptyImage(q)
	}
	origin := stage.FromParameter
	if sc.least.Given() {
		origin = sc.least.Ground()
	}
	return stage.Propagation{
		Pair: q, Taint: st.Taint.With(written...),
		Scope: query.ScopeOf(sc.least, s.spreadAtLeast()), Role: stage.RoleDeployed,
		Constants: []stage.Constant{
			{Symbol: "floor", Value: sc.floor, Origin: origin, Meaning: "smallest spread of a column that divides"},
			{Symbol: "gain", Value: sc.gain, Origin: stage.FromParameter, Meaning: "spread that comes out"},
			{Symbol: "K_F", Value: b.KF, Origin: stage.FromConstruction, Meaning: "joint Frobenius Lipschitz constant of map and fit: gain/floor"},
			{Symbol: "Q", Value: w.Q, Origin: stage.FromSchema, Meaning: "how far a replaced row moves the sums of squares"},
			{Symbol: "a1", Value: b.A1, Origin: stage.FromConstruction, Meaning: "total displacement of the common rows by one replaced row"},
			{Symbol: "R", Value: b.R, Origin: stage.FromConstruction, Meaning: "bound on a scaled row's norm; rows beyond are clipped"},
		},
		Note:      "the spread of private rows scales the columns: every row moves when one row changes",
		Reference: "stability calculus §3; Hu, Sanyal, Schölkopf 2024, Prop. 6, corrected and with a floor",
	}, err
}

func (s Standardize) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	cols, sc, clip := s.plan(st)
	m, err := rows.MomentsOf(ctx, in, st.In.Width(), true)
	if err != nil {
		return nil, err
	}
	d := st.In.Width()
	op := stage.AffineOp{Shift: make([]float64, d), Scale: make([]float64, d)}
	for j := range op.Scale {
		op.Scale[j] = 1
	}
	mean, squares := m.Mean(st.Before.N), m.Squares(st.Before.N, sc.centred)
	for _, j := range cols.at {
		if sc.centred {
			op.Shift[j] = mean[j]
		}
		least := sc.floor
		if sc.least.Given() {
			least /= 2 // a spread that is certified is above it, as it is computed too
		}
		op.Scale[j] = sc.gain / max(math.Sqrt(max(squares[j], 0)), least)
	}
	fitted := stage.Hide(op)
	move := num.Affine(fitted.Get().Shift, fitted.Get().Scale)
	within := func([]float64) {}
	if sc.least.Given() {
		within = cols.clamper(st.Out)
	}
	return stage.ByBlock(func(dst, src []float64, n int) {
		move(dst, src, n)
		for i := range n {
			within(dst[i*d : (i+1)*d])
		}
		if !math.IsInf(clip, 1) {
			num.ClipRows(dst, dst, clip, n)
		}
	}), nil
}
