package dpkit

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// Standardize scales numeric columns or one-hot blocks by how far their values spread in the data,
// fitted without noise and priced; with none named, every feature. A public floor on the spread
// makes the price finite on every dataset. Rows that could leave the ball they were in are clipped
// to it.
//
// A model that reads raw rows would need the fitted scales, which are not private: behind
// Standardize only statistics of the scaled rows can be released, and coefficients by
// [Plan.WithoutPrediction]. [PrivateStandard] and [PrivateRMS] release the scales, and [Pipeline.Scale] is
// public and costs nothing.
func (p Pipeline) Standardize(how Standardizer, columns ...string) Pipeline {
	if how == nil {
		return p.with(broken{"Standardize(nil)", fmt.Errorf("got no scale, want dpkit.RMS{Floor: …} or dpkit.Standard{Floor: …}: %w", ErrParameter)})
	}
	how = pointedTo(how)
	s := standardize{how, columnSet(slices.Clone(columns))}
	if _, ok := how.(interface{ partOf() float64 }); ok {
		return p.with(privateScale{s})
	}
	return p.with(s)
}

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
	MinSpread Certificate
}

func (s Standard) String() string { return composite(reflect.ValueOf(s), shownItems) }

func (s Standard) scale() columnScale {
	if !s.MinSpread.given() {
		return newColumnScale(s.Floor, s.Gain, true)
	}
	c := newColumnScale(s.MinSpread.value, s.Gain, true)
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

func (s RMS) String() string     { return composite(reflect.ValueOf(s), shownItems) }
func (s RMS) scale() columnScale { return newColumnScale(s.Floor, s.Gain, false) }

// minFloor is the root of minShare.
const minFloor = 1e-9

// columnScale is y = gain·(x − centre)/max(spread, floor), in units of R.
type columnScale struct {
	floor, gain float64
	centred     bool
	least       Certificate // the floor is certified, and not applied
}

func newColumnScale(floor, gain float64, centred bool) columnScale {
	return columnScale{floor: floor, gain: orDefault(gain, floor), centred: centred}
}

// factor is c, the largest factor of a column.
func (s columnScale) factor() float64 { return s.gain / s.floor }

func (s columnScale) check() error {
	if s.least.given() {
		if s.least.open {
			return fmt.Errorf("smallest standard deviation: a private bound on it is not known before the release, and without one the step has no price; use Declare(…), Test(…) or a Floor: %w", ErrParameter)
		}
		if math.IsNaN(s.floor) {
			return fmt.Errorf("got Floor and MinSpread, want one of them: %w", ErrParameter)
		}
		if err := s.least.check("smallest standard deviation"); err != nil {
			return err
		}
	}
	if !(s.floor >= minFloor) || !(s.floor < 1) {
		return fmt.Errorf("floor Floor: got %g, want a number in [%g, 1), in units of R: %w", s.floor, minFloor, ErrParameter)
	}
	if !(s.gain >= minFloor) || !(s.gain <= 1/minFloor) {
		return fmt.Errorf("gain Gain: got %g, want a number in [%g, %g], in units of R, or 0 for Floor: %w", s.gain, minFloor, 1/minFloor, ErrParameter)
	}
	return nil
}

type standardize struct {
	How     Standardizer
	Columns columnSet
}

func (s standardize) kind() kind {
	k := kind{"", 1, "Standardize", "dpkit.standardize"}
	switch how := s.How.(type) {
	case Standard:
		k.name = "standardize/standard"
		if how.MinSpread.given() { // version 1 of the law divided by next to nothing where the certificate was false
			k.law = 2
		}
	case RMS:
		k.name = "standardize/rms"
	case PrivateRMS:
		k.name, k.was = "standardize/private-rms", "dpkit.privateScale"
	case PrivateStandard:
		k.name, k.was = "standardize/private-standard", "dpkit.privateScale"
	}
	return k
}

func (standardize) labelBlind() {}

func (s standardize) Check(in frames.Schema) (frames.Schema, error) {
	sc := s.How.scale()
	if err := sc.check(); err != nil {
		return in, err
	}
	if err := encodedFeatures(in, ""); err != nil {
		return in, err
	}
	if err := s.Columns.known(in); err != nil {
		return in, err
	}
	// No value exceeds the norm of its row, which a clip may shrink towards 0.
	c, ball := sc.factor(), startRadius(in)
	cols := in.Columns()
	for i, col := range cols {
		if _, ok := in.FeatureIndex(col.Name); !ok {
			continue
		}
		lo, hi := min(col.Lo, 0), max(col.Hi, 0)
		switch written := len(s.Columns) == 0 || slices.Contains(s.Columns, unitName(col)); {
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
func (s standardize) plan(st Stage) (cols subset, sc columnScale, clip float64) {
	cols, sc = subsetOf(st, s.Columns), s.How.scale()
	r := st.Before.R
	c := sc.factor()
	sc.floor, sc.gain = sc.floor*r, sc.gain*r
	clip = min(r, startRadius(st.In))
	if !sc.centred && c <= 1 { // every value moves towards 0
		clip = math.Inf(1)
	}
	return cols, sc, clip
}

// Propagate (docs/theory/calculus.md#standardisation; docs/theory/preprocessing.md#theorem-41-scaling). A floored scale is the projection of
// the whole column onto a ball, times c: KF = c. A replaced row moves the common rows by
// cD + gQ/(2fl²) in total, on every dataset.
func (s standardize) Propagate(st Stage) (Propagation, error) {
	p := st.Before
	cols, sc, clip := s.plan(st)
	part := cols.pair(p)
	if cols.clean(st.Taint) { // the fit reads columns that agree
		part.M, part.T1, part.TF, part.TInf = 0, 0, 0, 0
	}
	if sc.least.given() && part.Displaced() {
		return Propagation{}, fmt.Errorf("its columns were displaced by earlier steps: a certified spread holds at both ends of the pair and may fail between them; put it before those steps, or use a Floor: %w", ErrOrder)
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
	fp := fitRounding(p.N)*(grown+sc.gain*over*over*over) + rounding(len(st.In.Features()), grown)
	b = inflate(b, 2*fp)
	written := cols.names
	if !math.IsInf(clip, 1) { // the clip carries a displacement into every column
		written = columnNames(unitsOf(st.In), st.In)
	}
	q, err := p.Propagate(b)
	if sc.centred {
		q = st.emptyImage(q)
	}
	origin := FromParameter
	if sc.least.given() {
		origin = sc.least.ground
	}
	return Propagation{
		Pair: q, Taint: st.Taint.with(written...),
		Scope: sc.least.scope(s.spreadAtLeast()), Role: RoleDeploy,
		Constants: []Constant{
			{"floor", sc.floor, origin, "smallest spread of a column that divides"},
			{"gain", sc.gain, FromParameter, "spread that comes out"},
			{"K_F", b.KF, FromConstruction, "joint Frobenius Lipschitz constant of map and fit: gain/floor"},
			{"Q", w.q, FromSchema, "how far a replaced row moves the sums of squares"},
			{"a1", b.A1, FromConstruction, "total displacement of the common rows by one replaced row"},
			{"R", b.R, FromConstruction, "bound on a scaled row's norm; rows beyond are clipped"},
		},
		Note:      "the spread of private rows scales the columns: every row moves when one row changes",
		Reference: "stability calculus §3; Hu, Sanyal, Schölkopf 2024, Prop. 6, corrected and with a floor",
	}, err
}

func (s standardize) Fit(ctx context.Context, in frames.Source, st Stage) (Transform, error) {
	cols, sc, clip := s.plan(st)
	m, err := momentsOf(ctx, in, len(st.In.Features()), true)
	if err != nil {
		return nil, err
	}
	d := len(st.In.Features())
	op := AffineOp{Shift: make([]float64, d), Scale: make([]float64, d)}
	for j := range op.Scale {
		op.Scale[j] = 1
	}
	mean, squares := m.mean(st.Before.N), m.squares(st.Before.N, sc.centred)
	for _, j := range cols.at {
		if sc.centred {
			op.Shift[j] = mean[j]
		}
		least := sc.floor
		if sc.least.given() {
			least /= 2 // a spread that is certified is above it, as it is computed too
		}
		op.Scale[j] = sc.gain / max(math.Sqrt(max(squares[j], 0)), least)
	}
	fitted := hide(op)
	within := func([]float64) {}
	if sc.least.given() {
		within = cols.clamper(st.Out)
	}
	return func(dst, src []float64) {
		op := fitted.get()
		for j, x := range src {
			dst[j] = (x - op.Shift[j]) * op.Scale[j]
		}
		within(dst)
		if !math.IsInf(clip, 1) {
			clipRow(dst, dst, clip)
		}
	}, nil
}
