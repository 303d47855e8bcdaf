package origin

import (
	"math"
	"slices"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// Gota is released numbers as a gota frame: the columns, and behind them what the release promises, in every row, so that no
// filter, sort or join of rows parts a number from its guarantee: "epsilon" and "delta" (gota's NaN without a guarantee),
// "unit", "entry" of the ledger, and "promise", the guarantee in words with its relation and scope, or why there is none. Where steps
// dropped rows or changed values there is "counted" before them, which says what the numbers are of.
func Gota(o Provenance, columns ...series.Series) dataframe.DataFrame {
	rows := 0
	if len(columns) > 0 {
		rows = columns[0].Len()
	}
	return GotaEach(repeated(o, rows), columns...)
}

// GotaEach is [Gota] of rows from several releases, one provenance a row.
func GotaEach(rows []Provenance, columns ...series.Series) dataframe.DataFrame {
	epsilon, delta := repeated(math.NaN(), len(rows)), repeated(math.NaN(), len(rows))
	unit, entry, promise := make([]string, len(rows)), make([]string, len(rows)), make([]string, len(rows))
	for i, o := range rows {
		if o.Guarantee != nil && o.NotPrivate == "" {
			epsilon[i], delta[i] = o.Guarantee.Epsilon, o.Guarantee.Delta
		}
		unit[i], entry[i], promise[i] = o.Unit, o.Entry, o.Promise()
	}
	counted := make([]string, len(rows))
	for i, o := range rows {
		counted[i] = o.Counted
	}
	if slices.ContainsFunc(counted, func(words string) bool { return words != "" }) {
		columns = append(columns, Words("counted", counted))
	}
	return dataframe.New(append(columns,
		Numbers("epsilon", epsilon), Numbers("delta", delta), Words("unit", unit), Words("entry", entry), Words("promise", promise))...)
}

// Numbers is a column of numbers, NaN where there is none.
func Numbers(name string, v []float64) series.Series { return series.New(v, series.Float, name) }

// Words is a column of text.
func Words(name string, v []string) series.Series { return series.New(v, series.String, name) }

// Around is the columns "low" and "high", value ± margin; NaN where no margin is known.
func Around(value, margin []float64) (low, high series.Series) {
	lo, hi := repeated(math.NaN(), len(value)), repeated(math.NaN(), len(value))
	for i, m := range margin {
		lo[i], hi[i] = value[i]-m, value[i]+m
	}
	return Numbers("low", lo), Numbers("high", hi)
}

func repeated[T any](v T, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// Repeated is n times the same text.
func Repeated(v string, n int) []string { return repeated(v, n) }

// GotaMatrix is [Gota] of a square matrix, row-major, in long form: "of", "row", "column" and "value", one row of the frame for
// each entry, names by the columns.
func GotaMatrix(o Provenance, of string, names []string, matrix []float64) dataframe.DataFrame {
	d := len(names)
	matrix = matrix[:min(len(matrix), d*d)]
	var rows, columns []string
	for i := range matrix {
		rows, columns = append(rows, names[i/d]), append(columns, names[i%d])
	}
	return Gota(o, Words("of", Repeated(of, len(matrix))), Words("row", rows), Words("column", columns), Numbers("value", matrix))
}
