package sketch

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// Components are the first principal components of the rows behind a sketch, about 0: their columns are not centred.
type Components struct {
	Columns []string    `json:"columns"`
	Vectors [][]float64 `json:"vectors"` // of length 1, one for each component; the entry of largest size is positive
	// Values are Σ⟨v, x⟩² over the rows, in squared units of the sketch's columns, the largest first.
	Values []float64 `json:"values"`
	// Errors are the standard deviations of Values by the sketch's noise, to first order in 1/√k; none of public rows.
	Errors []float64 `json:"errors,omitempty"`
	// Share is what each explains of the sum of all that are above 0.
	Share []float64 `json:"share"`
	origin.Provenance
}

// Components returns the first k principal components of the columns, of all features if none is given: eigenvectors of the second
// moments Σ xxᵀ of the rows, not centred, from which the noise σ² is taken off. As kσ² times the identity moves no eigenvector, these
// are those of the sketch; eigenvalues fall by σ² each. It is post-processing of the sketch.
//
// Components that the noise leaves nothing of are none: where fewer than k are above 0 the error wraps dpkit.ErrRefused. Others wrap
// dpkit.ErrColumn or dpkit.ErrParameter.
func (s Sketch) Components(k int, columns ...string) (Components, error) {
	c, err := s.components(k, columns)
	if err != nil {
		return Components{}, fmt.Errorf("dpkit: components: %w", err)
	}
	return c, nil
}

func (s *Sketch) components(k int, columns []string) (Components, error) {
	if err := s.usable(); err != nil {
		return Components{}, err
	}
	if len(columns) == 0 {
		columns = s.features()
	}
	at, err := s.columns(columns)
	if err != nil {
		return Components{}, err
	}
	p := len(at)
	if k < 1 || k > p {
		return Components{}, fmt.Errorf("components: got %d of %d columns, want between 1 and %d: %w", k, p, p, kind.ErrParameter)
	}
	rows := float64(s.Rows)
	if s.Sigma == 0 {
		rows = 1
	}
	d := spectrum(s.block(at), p)
	c := Components{Columns: append([]string(nil), columns...), Provenance: s.Provenance}
	least, sum, above := linalg.EigenRounding(p)*d.Values[0]/rows, 0.0, 0
	for i, v := range d.Values {
		value := v/rows - s.Sigma*s.Sigma
		if !(value > least) {
			break // they descend
		}
		sum += value
		above++
		if i < k {
			c.Values = append(c.Values, value)
			c.Vectors = append(c.Vectors, signed(d.Vectors[i*p:(i+1)*p]))
			if s.Sigma > 0 {
				c.Errors = append(c.Errors, v/rows*math.Sqrt(2/rows))
			}
		}
	}
	if above < k {
		return Components{}, fmt.Errorf("got k = %d, and %d of the %d columns' components have more than their noise σ² = %.3g: ask for at most %d, or release with a larger ε or more Rows: %w", k, above, p, s.Sigma*s.Sigma, above, models.ErrRefused)
	}
	for _, v := range c.Values {
		c.Share = append(c.Share, v/sum)
	}
	return c, nil
}

// signed is v or −v: that of which the entry of largest size is positive.
func signed(v []float64) []float64 {
	largest := 0.0
	for _, x := range v {
		if math.Abs(x) > math.Abs(largest) {
			largest = x
		}
	}
	out := make([]float64, len(v))
	for j, x := range v {
		out[j] = math.Copysign(1, largest) * x
	}
	return out
}

// String is a plain table: a component a column.
func (c Components) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d principal components of %d columns, about 0\n", len(c.Values), len(c.Columns))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(name string, of func(i int) string) {
		fmt.Fprint(w, name)
		for i := range c.Values {
			fmt.Fprint(w, "\t", of(i))
		}
		fmt.Fprintln(w)
	}
	line("component", func(i int) string { return fmt.Sprint(i + 1) })
	line("share", func(i int) string { return fmt.Sprintf("%.3f", c.Share[i]) })
	line("value", func(i int) string { return fmt.Sprintf("%.6g", c.Values[i]) })
	if c.Errors != nil {
		line("sd by noise", func(i int) string { return fmt.Sprintf("%.2g", c.Errors[i]) })
	}
	for j, name := range c.Columns {
		line(name, func(i int) string { return fmt.Sprintf("%.3f", c.Vectors[i][j]) })
	}
	w.Flush() // a strings.Builder does not fail
	return origin.Under(c.Provenance, b.String())
}
