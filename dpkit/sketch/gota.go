package sketch

import (
	"math"

	"github.com/go-gota/gota/dataframe"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

// Gota is the sketch's inner products as a gota frame in long form, a row for each entry: "of", "row", "column", "value", and what the
// release promises: "epsilon", "delta", "unit", "entry", "promise".
func (s Sketch) Gota() dataframe.DataFrame {
	return origin.GotaMatrix(s.Provenance, "inner product", s.Columns, s.Inner)
}

// Gota is the coefficients as a gota frame, a row for each column: "name", "value", "error" (gota's NaN where none is known), and what the
// sketch's release promises, as [Sketch.Gota] has it.
func (r Regression) Gota() dataframe.DataFrame {
	return origin.Gota(r.Provenance, origin.Words("name", r.Columns), origin.Numbers("value", r.Coef), origin.Numbers("error", known(r.Errors, len(r.Coef))))
}

// Gota is the components as a gota frame in long form, a row for each entry of a vector: "component", from 1, "column", "weight", "value" and "share" of the
// component, "error" of its value (gota's NaN where none is known), and what the sketch's release promises, as [Sketch.Gota] has it.
func (c Components) Gota() dataframe.DataFrame {
	var names []string
	var component, weight, value, share, off []float64
	errors := known(c.Errors, len(c.Vectors))
	for k, v := range c.Vectors {
		for j, w := range v {
			names = append(names, c.Columns[j])
			component, weight = append(component, float64(k+1)), append(weight, w)
			value, share, off = append(value, c.Values[k]), append(share, c.Share[k]), append(off, errors[k])
		}
	}
	return origin.Gota(c.Provenance, origin.Numbers("component", component), origin.Words("column", names), origin.Numbers("weight", weight),
		origin.Numbers("value", value), origin.Numbers("share", share), origin.Numbers("error", off))
}

// known are n errors, NaN where there are none.
func known(errors []float64, n int) []float64 {
	if len(errors) == n {
		return errors
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = math.NaN()
	}
	return out
}
