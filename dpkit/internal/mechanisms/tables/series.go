package tables

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
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Series is a released series of statistics of all rows up to each period of a public calendar, those without rows too.
type Series struct {
	By      string           `json:"by"`
	Of      []TableStatistic `json:"of"`
	Periods []string         `json:"periods"`
	Rows    int              `json:"rows"` // n, public
	// Counts are how many rows there are up to each period, with noise whose deviations are CountSigma: not clamped, and not monotone. Noise of one
	// period is in the later ones too.
	Counts     []float64 `json:"counts"`
	CountSigma []float64 `json:"count_sigma"`
	// Sums are those of each measure up to each period, of u = (x − mid)/half in [−1, 1], with noise of SumSigma.
	Measures []TableMeasure `json:"measures,omitempty"`
	Sums     [][]float64    `json:"sums,omitempty"`
	SumSigma [][]float64    `json:"sum_sigma,omitempty"`
	// Next is by how much larger all noise is in a calendar that was declared one period longer, at the same price. Alone is the μ, in units of this
	// release's, of a table of one later period by itself, with the noise that this series drew. Both are public; 0 without noise.
	Next  float64 `json:"next,omitempty"`
	Alone float64 `json:"alone,omitempty"`
	origin.Provenance
}

// Check reports a series whose parts do not fit together, or whose provenance promises what cannot be, as a damaged file has them.
func (s *Series) Check() error {
	if err := s.fits(); err != nil {
		return err
	}
	return s.Sound()
}

// plainSeries is a series without methods, and seriesFile how it is stored.
type plainSeries Series

type seriesFile struct {
	models.Header
	plainSeries
}

// MarshalJSON writes the series with its kind, version and provenance, for UnmarshalJSON in another process.
func (s Series) MarshalJSON() ([]byte, error) {
	return json.Marshal(seriesFile{models.HeaderOf(models.SeriesKind), plainSeries(s)})
}

// UnmarshalJSON reads what MarshalJSON writes, and checks it. Errors wrap [models.ErrModelFile].
func (s *Series) UnmarshalJSON(data []byte) error {
	return models.Read(data, models.SeriesKind, s, func(f seriesFile) Series { return Series(f.plainSeries) })
}

// fits reports parts that do not fit together.
func (s Series) fits() error {
	n, ok := len(s.Periods), len(s.Sums) == len(s.Measures) && len(s.SumSigma) == len(s.Measures)
	for i := range s.Sums {
		ok = ok && i < len(s.SumSigma) && len(s.Sums[i]) == n && len(s.SumSigma[i]) == n
	}
	if !ok || len(s.Counts) != n || len(s.CountSigma) != n {
		return fmt.Errorf("dpkit: series: got %d counts with %d deviations and %d sums for %d periods and %d measures: %w", len(s.Counts), len(s.CountSigma), len(s.Sums), n, len(s.Measures), kind.ErrParameter)
	}
	return nil
}

// Column returns a statistic of all rows up to each period, with intervals that hold the exact one with the given probability each, 0 < level < 1, as
// those of a table do: of the noise alone. Statistics go by their names, such as "count" and "mean of stay"; errors wrap [stage.ErrColumn] for one that
// the series does not have.
func (s Series) Column(name string, level float64) ([]TableCell, error) {
	if err := s.fits(); err != nil {
		return nil, err
	}
	if !(level > 0) || !(level < 1) {
		return nil, fmt.Errorf("dpkit: series: level: got %g, want a number strictly between 0 and 1: %w", level, kind.ErrParameter)
	}
	at := slices.IndexFunc(s.Of, func(of TableStatistic) bool { return of.String() == name })
	if at < 0 {
		return nil, fmt.Errorf("dpkit: series: got %q, want one of its statistics, %s: %w", name, Table{Of: s.Of}.statistics(), stage.ErrColumn)
	}
	z, n, out := -distuv.UnitNormal.Quantile((1-level)/2), float64(s.Rows), make([]TableCell, len(s.Periods))
	of := s.Of[at]
	k := slices.IndexFunc(s.Measures, func(m TableMeasure) bool { return m.Column == of.Column && m.Level == of.Level })
	if of.Of != Count && k < 0 {
		return nil, fmt.Errorf("dpkit: series: no measure of %v: %w", of, kind.ErrParameter)
	}
	for t, b := range s.Counts {
		sd := s.CountSigma[t]
		if of.Of == Count {
			out[t] = around(b, z*sd, 0, n)
			continue
		}
		m, a, sdA := s.Measures[k], s.Sums[k][t], s.SumSigma[k][t]
		if of.Of == Sum {
			out[t] = around(m.mid()*b+m.half()*a, z*math.Hypot(m.mid()*sd, m.half()*sdA), n*min(m.Lo, 0), n*max(m.Hi, 0))
			continue
		}
		out[t] = ratio(a, sdA, b, sd, z).in(m)
	}
	return out, nil
}

// At is a statistic of all rows up to a period, that one included, with an interval of 0.95.
func (s Series) At(name, period string) (TableCell, error) {
	all, err := s.Column(name, 0.95)
	if err != nil {
		return TableCell{}, err
	}
	t := slices.Index(s.Periods, period)
	if t < 0 {
		return TableCell{}, fmt.Errorf("dpkit: series: got %q, want a period of %q: %w", period, s.By, stage.ErrColumn)
	}
	return all[t], nil
}

// Later says what a later period costs.
func (s Series) Later() string {
	if s.Next == 0 {
		return ""
	}
	return fmt.Sprintf("a calendar of one period more: %.2g %% more noise on all, at the same price; "+
		"rows that come later are other data: a period by itself at this noise is charged %.2g times the μ of this release (%.2g of its share of a ledger), a new series all of it",
		100*(s.Next-1), s.Alone, s.Alone*s.Alone)
}

// String is the series as text with intervals of 0.95: of a long one the first periods.
func (s Series) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "up to %s", s.By)
	columns := make([][]TableCell, len(s.Of))
	for i, of := range s.Of {
		fmt.Fprintf(w, "\t%v\t95%%", of)
		var err error
		if columns[i], err = s.Column(of.String(), 0.95); err != nil {
			return origin.Under(s.Provenance, err.Error())
		}
	}
	fmt.Fprintln(w)
	for t, period := range s.Periods[:min(len(s.Periods), shownGroups)] {
		fmt.Fprint(w, period)
		for i := range s.Of {
			c := columns[i][t]
			fmt.Fprintf(w, "\t%.6g\t[%.4g, %.4g]", c.Value, c.Low, c.High)
		}
		fmt.Fprintln(w)
	}
	w.Flush() // a strings.Builder does not fail
	text := b.String()
	if more := len(s.Periods) - shownGroups; more > 0 {
		text += fmt.Sprintf("and %d periods more\n", more)
	}
	if later := s.Later(); later != "" {
		text += later + "\n"
	}
	return origin.Under(s.Provenance, text)
}

// table has a row for each period: its name, and each statistic with its interval.
func (s Series) table() (heads []string, columns [][]float64) {
	for _, of := range s.Of {
		cells, err := s.Column(of.String(), 0.95)
		if err != nil {
			continue // of a damaged series
		}
		three := make([][]float64, 3)
		for _, c := range cells {
			three[0], three[1], three[2] = append(three[0], c.Value), append(three[1], c.Low), append(three[2], c.High)
		}
		heads, columns = append(heads, of.String(), of.String()+" low", of.String()+" high"), append(columns, three...)
	}
	return heads, columns
}

// Gota is the series as a gota frame, a row for each period: its name, "value", "low" and "high" (of 0.95) of each statistic behind its name, and
// what the release promises, as Estimates.Gota has it.
func (s Series) Gota() dataframe.DataFrame {
	heads, columns := s.table()
	all := []series.Series{origin.Words(s.By, s.Periods)}
	for i, head := range heads {
		all = append(all, origin.Numbers(head, columns[i]))
	}
	return origin.Gota(s.Provenance, all...)
}

// WriteCSV writes what Gota has, its promise in every row, so that no part of the file loses it.
func (s Series) WriteCSV(to io.Writer) error {
	if err := s.fits(); err != nil {
		return err
	}
	heads, columns := s.table()
	ends, last := origin.Ends(s.Provenance)
	records := [][]string{slices.Concat([]string{s.By}, heads, ends)}
	for t, period := range s.Periods {
		record := []string{period}
		for _, of := range columns {
			record = append(record, strconv.FormatFloat(of[t], 'g', -1, 64))
		}
		records = append(records, append(record, last...))
	}
	if err := csv.NewWriter(to).WriteAll(records); err != nil {
		return fmt.Errorf("dpkit: series: %w", err)
	}
	return nil
}
