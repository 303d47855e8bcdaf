package unbounded

import (
	"context"
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Moments are released second moments of rows without bounds: positive semidefinite, in the units of the columns.
type Moments struct {
	Of    string   `json:"of"` // "second moment" or "covariance"
	Names []string `json:"names"`
	// Matrix is row-major. Its error is relative: with Σ the moments of the rows, about Error in the spectral norm of
	// Σ^−½ (Matrix − Σ) Σ^−½.
	Matrix []float64 `json:"matrix"`
	// Mean is that of the columns, beside a covariance: its error by noise is about Error/2 standard deviations in any direction.
	Mean []float64 `json:"mean,omitempty"`
	// Error is predicted from public numbers, for rows of a Gaussian law whose declared scales hold; 0 on public data.
	Error float64 `json:"error,omitempty"`
	// Definite says that the moments stand above the noise in every direction. Where it is false some combination of the
	// columns is constant, collinear, or smaller than was declared: what is said of it is noise, raised to be positive.
	Definite bool `json:"definite"`
	origin.Provenance
}

// At returns the entry of two columns.
func (m Moments) At(a, b string) (float64, error) {
	at := func(name string) int {
		for j, n := range m.Names {
			if n == name {
				return j
			}
		}
		return -1
	}
	i, j := at(a), at(b)
	if i < 0 || j < 0 {
		return 0, fmt.Errorf("dpkit: %s: got columns %q and %q, want two of %s: %w", m.Of, a, b, strings.Join(m.Names, ", "), stage.ErrColumn)
	}
	return m.Matrix[i*len(m.Names)+j], nil
}

// SDs are the standard deviations (root mean squares of a second moment) of the columns.
func (m Moments) SDs() []float64 {
	d := len(m.Names)
	out := make([]float64, d)
	for j := range out {
		out[j] = math.Sqrt(m.Matrix[j*d+j])
	}
	return out
}

// String is a plain table.
func (m Moments) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %d columns, predicted relative error by noise %.2g\n", m.Of, len(m.Names), m.Error)
	if !m.Definite {
		b.WriteString("not above the noise in every direction: a column is constant or collinear, or smaller than declared\n")
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	size := "root mean square"
	if m.Mean != nil {
		size = "mean\tsd"
	}
	fmt.Fprintf(w, "column\t%s\n", size)
	for j, sd := range m.SDs() {
		if m.Mean != nil {
			fmt.Fprintf(w, "%s\t%.6g\t%.6g\n", m.Names[j], m.Mean[j], sd)
		} else {
			fmt.Fprintf(w, "%s\t%.6g\n", m.Names[j], sd)
		}
	}
	w.Flush() // a strings.Builder does not fail
	return origin.Under(m.Provenance, b.String())
}

// SecondMoment releases the second moments of the features, or with Central their covariance and means, which take a constant
// feature beside them.
type SecondMoment struct {
	Unbounded `dp:"inline"`
	Central   bool `dp:"-"`
}

func (s SecondMoment) Kind() kind.Kind {
	if s.Central {
		return kind.Kind{Name: "moments/covariance", Law: 1, Call: "Covariance", Was: "dpkit.secondMoment"}
	}
	return kind.Kind{Name: "moments/second", Law: 1, Call: "SecondMoment", Was: "dpkit.secondMoment"}
}

func (s SecondMoment) Settle(st stage.Stage) (mechanism.Settled[Moments], error) {
	p, err := s.Calibrate(st, s.Central, false)
	if err != nil {
		return mechanism.Settled[Moments]{}, err
	}
	b, err := p.bill(kind.Describe(s))
	return mechanism.Settled[Moments]{
		Bill:      b,
		Again:     p.again,
		Read:      mechanism.DrawnAs(p.read, func(j *jointMoments) Moments { return s.moments(p, st, j) }),
		Predicted: mechanism.Prediction{Of: "relative spectral error by noise, of Gaussian rows whose declared scales hold", Size: []float64{p.predicted}},
	}, err
}

// Exact measures without noise. The rows are clipped as they would be.
func (s SecondMoment) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (Moments, error) {
	p, err := s.Calibrate(st, s.Central, false)
	if err != nil {
		return Moments{}, err
	}
	j, err := p.exact(ctx, in)
	if err != nil {
		return Moments{}, err
	}
	m := s.moments(p, st, j)
	m.Error = 0
	return m, nil
}

func (s SecondMoment) moments(p *CalibratedMoments, st stage.Stage, j *jointMoments) Moments {
	out := Moments{Of: "second moment", Error: p.predicted, Definite: j.definite}
	for _, f := range st.In.Features() {
		out.Names = append(out.Names, f.Name)
	}
	if !s.Central {
		out.Matrix = j.matrix(0)
		return out
	}
	out.Of, out.Matrix = "covariance", j.matrix(1)
	present := 1.0 // share of the rows that no step removed
	if st.MayBeEmpty() {
		present = j.lower[0] * j.lower[0]
	}
	for k := range out.Matrix {
		out.Matrix[k] /= present
	}
	for i := 1; i < j.m; i++ {
		out.Mean = append(out.Mean, j.lower[i*j.m]/j.lower[0])
	}
	return out
}
