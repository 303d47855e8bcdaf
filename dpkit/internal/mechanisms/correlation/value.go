package correlation

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// CorrelationMatrix is a released matrix of correlations, with the means, the variances and the covariances that the same draw tells. What it holds are noisy
// moments of u = (x − mid)/half in [−1, 1], mid and half of each column's public bounds.
type CorrelationMatrix struct {
	Columns []string  `json:"columns"`
	Lo      []float64 `json:"lo"` // public bounds of each column
	Hi      []float64 `json:"hi"`
	Rows    int       `json:"rows"` // places of rows, public
	// Present is the noisy number of rows that are there, with noise of SquareSigma, where a step may have removed some; nil: all of Rows are.
	Present *float64 `json:"present,omitempty"`
	// Sums are Σu of each column, and Products Σu_j·u_k, row-major and symmetric. SumSigma is the noise on a sum and on a product of two
	// columns, SquareSigma that on a square.
	Sums        []float64 `json:"sums"`
	Products    []float64 `json:"products"`
	SumSigma    float64   `json:"sum_sigma"`
	SquareSigma float64   `json:"square_sigma"`
	origin.Provenance
}

// Check reports a matrix whose parts do not fit together, or whose provenance promises what cannot be, as a damaged file has them.
func (m *CorrelationMatrix) Check() error {
	if err := m.fits(); err != nil {
		return err
	}
	return m.Sound()
}

// plain is a matrix without methods, and file how it is stored.
type plain CorrelationMatrix

type file struct {
	models.Header
	plain
}

// MarshalJSON writes the matrix with its kind, version and provenance, for UnmarshalJSON in another process.
func (m CorrelationMatrix) MarshalJSON() ([]byte, error) {
	return json.Marshal(file{models.HeaderOf(models.CorrelationKind), plain(m)})
}

// UnmarshalJSON reads what MarshalJSON writes, and checks it. Errors wrap [models.ErrModelFile].
func (m *CorrelationMatrix) UnmarshalJSON(data []byte) error {
	return models.Read(data, models.CorrelationKind, m, func(f file) CorrelationMatrix { return CorrelationMatrix(f.plain) })
}

// fits reports parts that do not fit together.
func (m CorrelationMatrix) fits() error {
	d := len(m.Columns)
	if d < 2 || len(m.Lo) != d || len(m.Hi) != d || len(m.Sums) != d || len(m.Products) != d*d {
		return fmt.Errorf("dpkit: correlation: got %d columns with %d and %d bounds, %d sums and %d products: %w", d, len(m.Lo), len(m.Hi), len(m.Sums), len(m.Products), kind.ErrParameter)
	}
	return nil
}

// Correlation is that of two columns over the rows, with an interval that holds it with the given probability, 0 < level < 1, of the noise alone:
// not of sampling, and not of what was clamped before. Where a column may be the same in all rows the interval is [−1, 1]. For all pairs of d
// columns at once ask each for the level 1 − (1 − level)/(d(d − 1)/2). Errors wrap [stage.ErrColumn] for a column that the matrix does not have.
func (m CorrelationMatrix) Correlation(a, b string, level float64) (Cell, error) {
	j, k, err := m.pair(a, b, level)
	if err != nil {
		return Cell{}, err
	}
	if j == k {
		return cell(1, 1, 1), nil
	}
	return m.moments(j, k).correlation(level), nil
}

// Covariance is that of two columns over the rows, in the product of their units, with an interval as that of Correlation: the mean product of
// their distances from their means. That of a column with itself is its variance.
func (m CorrelationMatrix) Covariance(a, b string, level float64) (Cell, error) {
	j, k, err := m.pair(a, b, level)
	if err != nil {
		return Cell{}, err
	}
	unit := m.half(j) * m.half(k)
	c := m.moments(j, k).covariance(level)
	return cell(c.Value*unit, c.Low*unit, c.High*unit), nil
}

// Mean is that of a column over the rows, in its units, with an interval as that of Correlation.
func (m CorrelationMatrix) Mean(column string, level float64) (Cell, error) {
	j, _, err := m.pair(column, column, level)
	if err != nil {
		return Cell{}, err
	}
	of := m.moments(j, j)
	mid := m.Lo[j] + m.half(j)
	if !(of.n > 0) {
		return cell(mid, m.Lo[j], m.Hi[j]), nil
	}
	in := func(u float64) float64 { return min(max(mid+m.half(j)*u, m.Lo[j]), m.Hi[j]) }
	s := of.mean(0, 1-level)
	return around(cell(in(s.mid), in(s.lo), in(s.hi))), nil
}

// pair are the places of two columns.
func (m CorrelationMatrix) pair(a, b string, level float64) (j, k int, err error) {
	if err := m.fits(); err != nil {
		return 0, 0, err
	}
	if !(level > 0) || !(level < 1) {
		return 0, 0, fmt.Errorf("dpkit: correlation: level: got %g, want a number strictly between 0 and 1: %w", level, kind.ErrParameter)
	}
	j, k = slices.Index(m.Columns, a), slices.Index(m.Columns, b)
	for _, name := range []string{a, b} {
		if !slices.Contains(m.Columns, name) {
			return 0, 0, fmt.Errorf("dpkit: correlation: got column %q, want one of %s: %w", name, strings.Join(kind.QuoteAll(m.Columns), ", "), stage.ErrColumn)
		}
	}
	return j, k, nil
}

func (m CorrelationMatrix) half(j int) float64 { return (m.Hi[j] - m.Lo[j]) / 2 }

// moments are those of two columns.
func (m CorrelationMatrix) moments(j, k int) moments {
	d := len(m.Columns)
	out := moments{
		n: float64(m.Rows), a: [2]float64{m.Sums[j], m.Sums[k]}, d: [2]float64{m.Products[j*d+j], m.Products[k*d+k]}, q: m.Products[j*d+k],
		sumSD: m.SumSigma, squareSD: m.SquareSigma, same: j == k,
	}
	if m.Present != nil {
		out.n, out.countSD = *m.Present, m.SquareSigma
	}
	return out
}

// shownColumns is how many columns a printed matrix has.
const shownColumns = 12

// String is the matrix as text: correlations, with a mark at those whose sign the noise leaves open, and of few columns each with its interval of
// 0.95.
func (m CorrelationMatrix) String() string {
	if err := m.fits(); err != nil {
		return origin.Under(m.Provenance, err.Error())
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	shown := m.Columns[:min(len(m.Columns), shownColumns)]
	fmt.Fprintf(w, "correlation\t%s\n", strings.Join(shown, "\t"))
	open := false
	for j, name := range shown {
		fmt.Fprint(w, name)
		for k := range shown {
			c := cell(1, 1, 1)
			if k != j {
				c = m.moments(j, k).correlation(0.95)
			}
			mark := ""
			if signOpen(c) {
				mark, open = "?", true
			}
			fmt.Fprintf(w, "\t%.2f%s", c.Value, mark)
			if k != j && len(shown) <= 4 {
				fmt.Fprintf(w, " [%.2f, %.2f]", c.Low, c.High)
			}
		}
		fmt.Fprintln(w)
	}
	w.Flush() // a strings.Builder does not fail
	if more := len(m.Columns) - shownColumns; more > 0 {
		fmt.Fprintf(&b, "and %d columns more\n", more)
	}
	if open {
		fmt.Fprintln(&b, "?: the interval of 95 % holds 0")
	}
	return origin.Under(m.Provenance, b.String())
}

// signOpen reports whether the interval holds 0: the noise leaves the sign open.
func signOpen(c Cell) bool { return c.Low <= 0 && c.High >= 0 }

// table has a row for each pair of columns, each column with itself too.
func (m CorrelationMatrix) table() (a, b []string, cells [6][]float64) {
	if m.fits() != nil {
		return nil, nil, cells // of a damaged matrix
	}
	for _, first := range m.Columns {
		for _, second := range m.Columns {
			a, b = append(a, first), append(b, second)
			r, _ := m.Correlation(first, second, 0.95) // the level and the names are right
			v, _ := m.Covariance(first, second, 0.95)
			for i, x := range []float64{r.Value, r.Low, r.High, v.Value, v.Low, v.High} {
				cells[i] = append(cells[i], x)
			}
		}
	}
	return a, b, cells
}

var heads = [6]string{"correlation", "correlation low", "correlation high", "covariance", "covariance low", "covariance high"}

// Gota is the matrix as a gota frame in long form, a row for each pair of columns, "row" and "column": "correlation" and "covariance", in the
// product of both units, each with "low" and "high" of 0.95 behind its name, and what the release promises, as Estimates.Gota has it.
func (m CorrelationMatrix) Gota() dataframe.DataFrame {
	a, b, cells := m.table()
	columns := []series.Series{origin.Words("row", a), origin.Words("column", b)}
	for i, head := range heads {
		columns = append(columns, origin.Numbers(head, cells[i]))
	}
	return origin.Gota(m.Provenance, columns...)
}

// WriteCSV writes what Gota has, its promise in every row, so that no part of the file loses it.
func (m CorrelationMatrix) WriteCSV(to io.Writer) error {
	if err := m.fits(); err != nil {
		return err
	}
	w := csv.NewWriter(to)
	a, b, cells := m.table()
	ends, last := origin.Ends(m.Provenance)
	records := [][]string{slices.Concat([]string{"row", "column"}, heads[:], ends)}
	for i := range a {
		record := []string{a[i], b[i]}
		for _, of := range cells {
			text := ""
			if !math.IsNaN(of[i]) {
				text = strconv.FormatFloat(of[i], 'g', -1, 64)
			}
			record = append(record, text)
		}
		records = append(records, append(record, last...))
	}
	if err := w.WriteAll(records); err != nil {
		return fmt.Errorf("dpkit: correlation: %w", err)
	}
	return nil
}
