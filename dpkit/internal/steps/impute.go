package steps

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
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
	MaxMissing query.Certificate
	// MinObserved certifies that every column that is imputed here has at least so many observed values,
	// which divide its mean: the price falls with it, and not with the number of rows that miss a cell.
	MinObserved query.Certificate
}

// Midpoint imputes by the public default, the midpoint of the bounds or the centroid of the levels: it is a public row map and costs nothing.
type Midpoint struct{}

// An Imputer is [Mean], [TrimmedMean], [Median], [Ridge], [PrivateMean] or [Fixed], [Midpoint].
type Imputer interface {
	Imputer(columns []string) stage.Preprocessor
}

func (m Mean) Imputer(columns []string) stage.Preprocessor {
	return MeanImpute{m, ColumnSet(columns)}
}

func (Midpoint) Imputer(columns []string) stage.Preprocessor { return MidpointImpute{Columns: columns} }

// ColumnSet names units (numeric columns or blocks); empty means all that may be missing.
type ColumnSet []string

// String names the columns in words.
func (cs ColumnSet) String() string {
	if len(cs) == 0 {
		return "any column"
	}
	return strings.Join(kind.QuoteAll(cs), ", ")
}

// units returns the units to impute and the schema without their missing cells.
func (cs ColumnSet) units(in frames.Schema) ([]domain.Unit, frames.Schema, error) {
	all := domain.UnitsOf(in)
	for _, name := range cs {
		if c, ok := in.Column(name); ok && c.Kind == frames.KindText {
			return nil, in, fmt.Errorf("column %q: got texts, which no number fills: put Codebook before: %w", name, stage.ErrColumn)
		}
		//dp:refuses impute/named-category a code is no number
		if c, ok := in.Column(name); ok && c.Kind == frames.KindCategory {
			return nil, in, fmt.Errorf("column %q is a category; encode it with OneHot before imputing: %w", name, stage.ErrOrder)
		}
		if !slices.ContainsFunc(all, func(u domain.Unit) bool { return u.Name == name }) {
			return nil, in, domain.UnknownColumn(name, in)
		}
	}
	for _, c := range in.Features() {
		if len(cs) == 0 && c.Kind == frames.KindText && c.Missing {
			return nil, in, fmt.Errorf("column %q: got texts with missing cells, which no number fills: name the columns to impute, or put Codebook before: %w", c.Name, stage.ErrColumn)
		}
		//dp:refuses impute/category a code is no number
		if len(cs) == 0 && c.Kind == frames.KindCategory && c.Missing {
			return nil, in, fmt.Errorf("column %q is a category with missing cells; encode it with OneHot before imputing: %w", c.Name, stage.ErrOrder)
		}
	}
	var us []domain.Unit
	gone := map[int]bool{}
	for _, u := range all {
		if !u.Missing || (len(cs) > 0 && !slices.Contains(cs, u.Name)) {
			continue
		}
		us = append(us, u)
		for j := u.At; j < u.At+u.Len; j++ {
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
func defaults(us []domain.Unit, width int) []float64 {
	v := num.MissingRow(width)
	for _, u := range us {
		u.Fill(v)
	}
	return v
}

// MidpointImpute is Impute(Midpoint{}), a public map.
type MidpointImpute struct {
	Midpoint
	Columns ColumnSet
}

func (MidpointImpute) Kind() kind.Kind {
	return kind.Kind{Name: "impute/midpoint", Law: 1, Call: "Impute", Was: "dpkit.midpointImpute"}
}

func (MidpointImpute) Origin(unit string) []string { return []string{unit} }

func (c MidpointImpute) Check(in frames.Schema) (frames.Schema, error) {
	_, out, err := c.Columns.units(in)
	return out, err
}

func (c MidpointImpute) Propagate(st stage.Stage) (stage.Propagation, error) {
	us, _, err := c.Columns.units(st.In)
	if err != nil {
		return stage.Propagation{}, err
	}
	// Masks travel with rows: a common row has the same mask on both sides, so that K = 1.
	return stage.Columnwise(st, stage.Bounds{K: 1, R: imputedRadius(us, st.Out, st.Before.R)}, "public value in every missing cell: free")
}

func (c MidpointImpute) Fit(_ context.Context, _ frames.Source, st stage.Stage) (stage.Transform, error) {
	return stage.FitPublic(c, st)
}

func (c MidpointImpute) Deploy(st stage.Stage) (stage.RowMap, error) {
	us, _, err := c.Columns.units(st.In)
	if err != nil {
		return nil, err
	}
	op := &stage.FillOp{}
	for j, v := range defaults(us, st.In.Width()) {
		if !math.IsNaN(v) {
			op.Columns, op.Values = append(op.Columns, j), append(op.Values, v)
		}
	}
	return stage.RowMap{{Fill: op}}, nil
}

// LeavesTexts says that cells of texts are left alone.
func (MidpointImpute) LeavesTexts() {}

// imputedRadius bounds the norm of a row of norm r after its missing cells of units us were filled.
func imputedRadius(us []domain.Unit, out frames.Schema, r float64) float64 {
	s := r * r
	for _, u := range us {
		s += u.Size() * u.Size()
	}
	return min(stage.StartRadius(out), stage.Up(math.Sqrt(s)))
}
