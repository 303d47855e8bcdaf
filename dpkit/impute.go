package dpkit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/frames"
)

// Mean imputes by means, fitted without noise and priced:
//
//	θ = (Σ observed x + (m0 − c)₊·default) / max(c, m0),
//
// where c counts the observed cells of the column (or one-hot block), m0 is Pad and the default is
// public: the midpoint of the bounds, or the centroid of the levels. The floor m0 on the
// denominator makes the bound hold for every dataset. Imputed rows are clipped to the ball that
// the rows were in. At prediction time missing cells get the public default.
type Mean struct {
	// Pad is m0, the public floor on the denominator in rows; 0 means n, the public number of
	// rows. A smaller floor shrinks the mean less and costs more: the price is of order n/m0.
	Pad int
	// MaxMissing certifies that at most so many rows miss a cell that is imputed here. The price then
	// counts so many rows in place of all, and each mean has n − MaxMissing values at least: it falls by
	// the same factor twice. Zero: nothing is assumed.
	MaxMissing Certificate
	// MinObserved certifies that every column that is imputed here has at least so many observed values,
	// which divide its mean: the price falls with it, and not with the number of rows that miss a cell.
	MinObserved Certificate
}

// Midpoint imputes by the public default, the midpoint of the bounds or the centroid of the levels: it is a public row map and costs nothing.
type Midpoint struct{}

// An Imputer is [Mean], [TrimmedMean], [Median], [Ridge], [PrivateMean] or [Fixed], [Midpoint].
type Imputer interface {
	imputer(columns []string) Preprocessor
}

// Impute replaces missing cells. With columns named, only theirs; a category that was one-hot
// encoded goes by its own name.
//
// Where numbers may miss, call it after Scale. Before it, the bound on what [Mean] moves is in raw
// units, led by the widest column, and Scale multiplies it by the factor of the narrowest; after it
// all columns count alike. Cost shows the difference.
func (p Pipeline) Impute(how Imputer, columns ...string) Pipeline {
	if how == nil {
		return p.with(broken{"Impute(nil)", fmt.Errorf("got no imputer, want dpkit.Mean{} or dpkit.Midpoint{}: %w", ErrParameter)})
	}
	return p.with(how.imputer(slices.Clone(columns)))
}

func (m Mean) imputer(columns []string) Preprocessor {
	return meanImpute{m, columnSet(columns)}
}
func (Midpoint) imputer(columns []string) Preprocessor { return midpointImpute{Columns: columns} }

// columnSet names units (numeric columns or blocks); empty means all that may be missing.
type columnSet []string

// String names the columns in words.
func (cs columnSet) String() string {
	if len(cs) == 0 {
		return "any column"
	}
	return strings.Join(quoteAll(cs), ", ")
}

// units returns the units to impute and the schema without their missing cells.
func (cs columnSet) units(in frames.Schema) ([]unit, frames.Schema, error) {
	all := unitsOf(in)
	for _, name := range cs {
		if c, ok := in.Column(name); ok && c.Kind == frames.KindCategory {
			return nil, in, fmt.Errorf("column %q is a category; encode it with OneHot before imputing: %w", name, ErrOrder)
		}
		if !slices.ContainsFunc(all, func(u unit) bool { return u.name == name }) {
			return nil, in, unknownColumn(name, in)
		}
	}
	for _, c := range in.Features() {
		if len(cs) == 0 && c.Kind == frames.KindCategory && c.Missing {
			return nil, in, fmt.Errorf("column %q is a category with missing cells; encode it with OneHot before imputing: %w", c.Name, ErrOrder)
		}
	}
	var us []unit
	gone := map[int]bool{}
	for _, u := range all {
		if !u.missing || (len(cs) > 0 && !slices.Contains(cs, u.name)) {
			continue
		}
		us = append(us, u)
		for j := u.at; j < u.at+u.len; j++ {
			gone[j] = true
		}
	}
	if len(us) == 0 {
		return nil, in, fmt.Errorf("no such column may be missing; leave the step out")
	}
	cols := in.Columns()
	for i, c := range cols {
		if j, ok := in.FeatureIndex(c.Name); ok && gone[j] {
			cols[i].Missing = false
		}
	}
	out, err := frames.NewSchema(cols...)
	return us, out, err
}

// defaults returns the public stand-ins of the units in a row of missing cells.
func defaults(us []unit, width int) []float64 {
	v := missingRow(width)
	for _, u := range us {
		u.fill(v)
	}
	return v
}

type midpointImpute struct {
	Midpoint
	Columns columnSet
}

func (midpointImpute) kind() kind {
	return kind{"impute/midpoint", 1, "Impute", "dpkit.midpointImpute"}
}

func (midpointImpute) origin(unit string) []string { return []string{unit} }

func (c midpointImpute) Check(in frames.Schema) (frames.Schema, error) {
	_, out, err := c.Columns.units(in)
	return out, err
}

func (c midpointImpute) Propagate(st Stage) (Propagation, error) {
	us, _, err := c.Columns.units(st.In)
	if err != nil {
		return Propagation{}, err
	}
	// Masks travel with rows: a common row has the same mask on both sides, so that K = 1.
	return columnwise(st, bounds{K: 1, R: imputedRadius(us, st.Out, st.Before.R)}, "public value in every missing cell: free")
}

func (c midpointImpute) Fit(_ context.Context, _ frames.Source, st Stage) (Transform, error) {
	return fitPublic(c, st)
}

func (c midpointImpute) Deploy(st Stage) (RowMap, error) {
	us, _, err := c.Columns.units(st.In)
	if err != nil {
		return nil, err
	}
	op := &FillOp{}
	for j, v := range defaults(us, len(st.In.Features())) {
		if !math.IsNaN(v) {
			op.Columns, op.Values = append(op.Columns, j), append(op.Values, v)
		}
	}
	return RowMap{{Fill: op}}, nil
}

// imputedRadius bounds the norm of a row of norm r after its missing cells of units us were filled.
func imputedRadius(us []unit, out frames.Schema, r float64) float64 {
	s := r * r
	for _, u := range us {
		s += u.size() * u.size()
	}
	return min(startRadius(out), up(math.Sqrt(s)))
}
