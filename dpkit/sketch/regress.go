package sketch

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// Regression is least squares on the rows behind a sketch: Intercept + ⟨Coef, x⟩ predicts the label.
type Regression struct {
	Label   string    `json:"label"`
	Columns []string  `json:"columns"`
	Coef    []float64 `json:"coef"` // in units of the label per unit of the sketch's columns
	// Intercept is the rows' own where the sketch has a constant column. Elsewhere it is public: what the middle of the label's bounds
	// makes of a regression through 0.
	Intercept float64 `json:"intercept"`
	// InterceptError is as Errors are, 0 where Intercept is public.
	InterceptError float64 `json:"intercept_error,omitempty"`
	// Errors are the standard deviations of the coefficients by the sketch's noise, to first order in 1/√k; none of public rows. They
	// are good where Signal is well above √(columns/k).
	Errors []float64 `json:"errors,omitempty"`
	// Signal is the least that the corrected matrix of the features has in any direction, beside σ², the noise there; 0 of public rows.
	Signal float64 `json:"signal,omitempty"`
	Rows   int     `json:"rows"` // of the sketch
	origin.Provenance

	law *law // what Intervals rests on; none of a regression that was read from a file

	public   float64   // what of Intercept is public
	constant []float64 // what it is of the law's coefficients beside; nil where all of it is public
}

// interceptName is that of an intercept among intervals.
const interceptName = "(intercept)"

// Regress regresses a column of the sketch on others, or on all features if none is given. It is post-processing, as often as one likes.
// Any column may stand on either side; the constant column of a sketch that has one is always among the features.
//
// Least squares on the sketch itself, which is what LinearMixing gives, is ridge regression of the rows with the ridge σ². Here kσ² is
// taken off the diagonal of the features first: what is estimated is least squares of the rows, with a constant where the sketch has one
// (docs/theory/mechanisms.md#regression-on-a-sketch). The matrix that is left is noisy. Where it is not positive definite the rows
// say less in some direction than the noise does, and no coefficients follow: the error wraps dpkit.ErrRefused and says what to do.
// Others wrap dpkit.ErrColumn for a column that the sketch does not have, or dpkit.ErrParameter.
func (s Sketch) Regress(label string, features ...string) (Regression, error) {
	r, err := s.regress(label, features)
	if err != nil {
		return Regression{}, fmt.Errorf("dpkit: regress: %w", err)
	}
	return r, nil
}

func (s *Sketch) regress(label string, features []string) (Regression, error) {
	if err := s.usable(); err != nil {
		return Regression{}, err
	}
	last := len(s.Columns) - 1
	if len(features) == 0 {
		features = slices.DeleteFunc(slices.Clone(s.features()), func(c string) bool { return c == label })
		if len(features) == 0 {
			return Regression{}, fmt.Errorf("label %q: got no features, and there are none but it: %w", label, kind.ErrParameter)
		}
	}
	asked := len(features)
	if s.Constant > 0 {
		if label == ConstantColumn || slices.Contains(features, ConstantColumn) {
			return Regression{}, fmt.Errorf("column %q: it is in every regression on this sketch, and nothing depends on it: leave it out: %w", ConstantColumn, kind.ErrParameter)
		}
		features = append(slices.Clone(features), ConstantColumn)
	}
	at, err := s.columns(append(slices.Clone(features), label))
	if err != nil {
		return Regression{}, err
	}
	p := len(features)
	target := at[p]
	if p > s.Rows-1 {
		return Regression{}, fmt.Errorf("got %d features for a sketch of %d rows, want fewer: %w", p, s.Rows, kind.ErrParameter)
	}
	a, b := s.block(at[:p]), make([]float64, p)
	for j, i := range at[:p] {
		b[j] = s.Inner[i*len(s.Columns)+target]
	}
	r := Regression{Label: label, Columns: slices.Clone(features), Rows: s.Rows, Provenance: s.Provenance}
	unit := func(i int) float64 { // of a column; of the constant one in the intercept
		switch {
		case i == last:
			return s.LabelUnit
		case s.Constant > 0 && i == last-1:
			return 1 / s.Constant
		}
		return 1
	}
	units := make([]float64, p) // of the coefficients
	for j, i := range at[:p] {
		units[j] = unit(target) / unit(i)
	}
	if s.Sigma == 0 {
		r.Coef, err = exact(a, b, r.Columns)
	} else {
		r.law = newLaw(a, b, s.Inner[target*len(s.Columns)+target], s)
		r.law.units = units
		if r.Coef, r.Errors, r.Signal, err = r.law.estimate(r.Columns); err != nil {
			return Regression{}, err
		}
	}
	if err != nil {
		return Regression{}, err
	}
	if target == last {
		r.Intercept = s.LabelMid
	}
	r.public = r.Intercept
	if s.Constant > 0 {
		r.constant = make([]float64, p)
	}
	for j, i := range at[:p] {
		r.Coef[j] *= units[j]
		if r.Errors != nil {
			r.Errors[j] *= units[j]
		}
		if i == last {
			r.Intercept -= r.Coef[j] * s.LabelMid
			if r.constant != nil {
				r.constant[j] = -units[j] * s.LabelMid
			}
		}
		if j == asked {
			r.Intercept += r.Coef[j]
			r.constant[j] = units[j]
		}
		if r.Coef[j]-r.Coef[j] != 0 || r.Intercept-r.Intercept != 0 {
			return Regression{}, fmt.Errorf("column %q: its coefficient is too large for a number: scale the columns: %w", r.Columns[j], kind.ErrParameter)
		}
	}
	r.Columns, r.Coef = r.Columns[:asked], r.Coef[:asked]
	if r.constant != nil && r.Errors != nil {
		r.Errors, r.InterceptError = r.Errors[:asked], r.law.deviation(r.constant)
	}
	return r, nil
}

// exact solves least squares of public rows, with columns scaled to length 1.
func exact(a, b []float64, names []string) ([]float64, error) {
	p := len(b)
	lengths, scaled, right := make([]float64, p), make([]float64, p*p), make([]float64, p)
	for i := range p {
		lengths[i] = math.Sqrt(a[i*p+i])
		if !(lengths[i] > 0) {
			return nil, fmt.Errorf("column %q is 0 in all rows: leave it out: %w", names[i], models.ErrRefused)
		}
		right[i] = b[i] / lengths[i]
	}
	for i := range p {
		for j := range p {
			scaled[i*p+j] = a[i*p+j] / lengths[i] / lengths[j]
		}
	}
	dependent := fmt.Errorf("columns %s are linearly dependent: leave some out: %w", few(names), models.ErrRefused)
	if d := spectrum(scaled, p); !(d.Values[p-1] > linalg.EigenRounding(p)*float64(p)) {
		return nil, dependent
	}
	w, err := linalg.SolvePositive(scaled, right, p)
	if errors.Is(err, linalg.ErrNotPositive) {
		return nil, dependent
	}
	for i := range w {
		w[i] /= lengths[i]
	}
	return w, err
}

// String is a plain table.
func (r Regression) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "least squares of %s on %d columns, from a sketch of %d rows", r.Label, len(r.Columns), r.Rows)
	if r.Signal > 0 {
		fmt.Fprintf(&b, "; the least direction has %.2g times its noise", r.Signal)
	}
	b.WriteString("\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "column\tcoefficient")
	if r.Errors != nil {
		fmt.Fprint(w, "\tsd by noise")
	}
	fmt.Fprintln(w)
	for j, c := range r.Coef {
		fmt.Fprintf(w, "%s\t%.6g", r.Columns[j], c)
		if r.Errors != nil {
			fmt.Fprintf(w, "\t%.2g", r.Errors[j])
		}
		fmt.Fprintln(w)
	}
	switch {
	case r.InterceptError > 0:
		fmt.Fprintf(w, "%s\t%.6g\t%.2g\n", interceptName, r.Intercept, r.InterceptError)
	case r.constant != nil:
		fmt.Fprintf(w, "%s\t%.6g\n", interceptName, r.Intercept)
	default:
		fmt.Fprintf(w, "(public constant)\t%.6g\n", r.Intercept)
	}
	w.Flush() // a strings.Builder does not fail
	return origin.Under(r.Provenance, b.String())
}
