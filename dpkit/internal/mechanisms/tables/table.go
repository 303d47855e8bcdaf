package tables

import (
	"cmp"
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
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Table is a released table of statistics by groups: all crossings of the levels of By, in the order of the levels, those without rows too,
// or the groups that were found.
// Its noisy cells are Counts and Sums; statistics with intervals are made of them by Column and At. A table of quantiles alone has none.
type Table struct {
	By     []string         `json:"by"`
	Of     []TableStatistic `json:"of"`
	Groups [][]string       `json:"groups"` // the levels of each, one for each of By
	Rows   int              `json:"rows"`   // n, public
	// Persons is how many people there are, public, where each may have several of the Rows; 0 where rows are people.
	Persons int `json:"persons,omitempty"`
	// DroppedPeople is how many people have more rows than the bound before the table keeps, and DroppedRows how many rows of theirs it
	// dropped, of each person at most DroppedMost: with noise of deviation DroppedSigma, and DroppedMost times that. DroppedMost is 0 where
	// nobody asked.
	DroppedMost   int     `json:"dropped_most,omitempty"`
	DroppedPeople float64 `json:"dropped_people,omitempty"`
	DroppedRows   float64 `json:"dropped_rows,omitempty"`
	DroppedSigma  float64 `json:"dropped_sigma,omitempty"`

	Counts     []float64 `json:"counts,omitempty"` // how many rows each group has, with noise: not clamped
	CountSigma float64   `json:"count_sigma"`
	// People is how many people have rows in each group, with the noise of Counts; nil where counts are that, or nobody asked.
	People []float64 `json:"people,omitempty"`
	// Sums are those of each measure by group, of u = (x − mid)/half in [−1, 1], with noise.
	Measures []TableMeasure `json:"measures,omitempty"`
	Sums     [][]float64    `json:"sums,omitempty"`
	SumSigma []float64      `json:"sum_sigma,omitempty"`
	// Whole says that all rows are in groups, by what is public: that none was removed on the way.
	Whole bool `json:"whole,omitempty"`
	// Threshold is T, of groups that were found: those of which no more people came out, with noise, are not in the table, and how many those are nobody
	// is told. Numbers of groups just above it come out too large rather than too small. 0: the groups are public, and all of them are there.
	Threshold float64 `json:"threshold,omitempty"`
	// Ordered are those of By whose levels stand in an order that means something, as bins and months do: views draw them in a line.
	Ordered []string `json:"ordered,omitempty"`
	// Quantiles were drawn one by one, of the ranks of each group's rows.
	Quantiles []TableQuantile `json:"quantiles,omitempty"`
	origin.Provenance
}

// TableCell is a statistic of a group with its interval.
type TableCell struct {
	Value, Low, High float64
}

// Column returns a statistic of every group, in order, with intervals that hold the exact one with the given probability each, 0 < level <
// 1. Counts, of rows or of people, and sums are within what their public numbers and the bounds leave open. A mean is mid + half·A/B of a noisy sum and a noisy count, clamped to its
// bounds, and its interval is Fieller's (1954), which is all of the bounds where the count may be 0. A variance is that of the group's rows,
// of which the noisy moments tell, between 0 and (Hi − Lo)²/4, and a standard deviation its root; their intervals are of the same kind. The interval of a quantile is made of other quantiles of its column in the table: each of a rank that is
// further off than its own margin, by a count of the same table, bounds it on one side; where there is none the column's bound does, and
// [TableQuantile.RankMargin] says what is known of its rank. Intervals cover the privacy noise
// alone: not sampling, and not what was clamped before. Statistics go by their names, such as "count" and "mean of stay"; errors wrap
// [stage.ErrColumn] for one that the table does not have.
func (t Table) Column(name string, level float64) ([]TableCell, error) {
	if !(level > 0) || !(level < 1) {
		return nil, fmt.Errorf("dpkit: table: level: got %g, want a number strictly between 0 and 1: %w", level, kind.ErrParameter)
	}
	at := slices.IndexFunc(t.Of, func(s TableStatistic) bool { return s.String() == name })
	if at < 0 {
		return nil, fmt.Errorf("dpkit: table: got %q, want one of its statistics, %s: %w", name, t.statistics(), stage.ErrColumn)
	}
	s := t.Of[at]
	z := -distuv.UnitNormal.Quantile((1 - level) / 2)
	out := make([]TableCell, len(t.Groups))
	n := float64(t.Rows)
	switch s.Of {
	case Quantile:
		return t.intervals(s, level), nil
	case Count, People:
		counts := t.Counts
		if s.Of == People {
			n = float64(cmp.Or(t.Persons, t.Rows))
		}
		if s.Of == People && t.People != nil {
			counts = t.People
		}
		decides := t.People == nil || s.Of == People
		for g, v := range counts {
			if out[g] = around(v, z*t.CountSigma, 0, n); decides && t.chosen(v) {
				out[g] = t.foundCount(v, level, n)
			}
		}
		return out, nil
	}
	k := t.measure(s, false)
	m, sd := t.Measures[k], t.SumSigma[k]
	if s.Of == Variance || s.Of == Deviation {
		q := t.measure(s, true)
		for g, b := range t.Counts {
			out[g] = moments{
				Count: b, Sum: t.Sums[k][g], Squares: t.Sums[q][g], CountSD: t.CountSigma, SumSD: sd, SquaresSD: t.SumSigma[q], Centre: t.Measures[q].Square,
			}.variance(level).times(m.half() * m.half())
			if t.People == nil && t.chosen(b) {
				out[g].Low, out[g].High = 0, m.half()*m.half()
			}
			if s.Of == Deviation {
				out[g] = TableCell{math.Sqrt(out[g].Value), math.Sqrt(out[g].Low), math.Sqrt(out[g].High)}
			}
		}
		return out, nil
	}
	if s.perPerson() {
		n = float64(cmp.Or(t.Persons, t.Rows))
	}
	for g, b := range t.Counts {
		a := t.Sums[k][g]
		if s.Of == Sum || s.Of == Total {
			least, most := n*min(m.Lo, 0), n*max(m.Hi, 0)
			if out[g] = around(m.mid()*b+m.half()*a, z*math.Hypot(m.mid()*t.CountSigma, m.half()*sd), least, most); t.People == nil && t.chosen(b) {
				out[g] = t.foundSum(m, a, sd, b, level, n).within(least, most)
			}
			continue
		}
		if out[g] = ratio(a, sd, b, t.CountSigma, z).in(m); t.People == nil && t.chosen(b) {
			out[g] = t.foundMean(a, sd, b, level, n).in(m)
		}
	}
	return out, nil
}

// measure is the place of what a statistic is made of, or of its square; −1 where the table lacks it.
func (t Table) measure(s TableStatistic, square bool) int {
	return slices.IndexFunc(t.Measures, func(m TableMeasure) bool { return m.isOf(s, square) })
}

// quantile is the place of a statistic among the quantiles; −1 where the table lacks it.
func (t Table) quantile(s TableStatistic) int {
	return slices.IndexFunc(t.Quantiles, func(q TableQuantile) bool { return q.Column == s.Column && q.Q == s.Q })
}

// around is an estimate with its half-width, clamped.
func around(v, half, lo, hi float64) TableCell {
	clamp := func(x float64) float64 { return min(max(x, lo), hi) }
	return TableCell{clamp(v), clamp(v - half), clamp(v + half)}
}

// within is a cell clamped to what is possible.
func (c TableCell) within(lo, hi float64) TableCell {
	clamp := func(x float64) float64 { return min(max(x, lo), hi) }
	return TableCell{clamp(c.Value), clamp(c.Low), clamp(c.High)}
}

// ratio is a/b in [−1, 1] of two numbers with independent Gaussian noise (docs/theory/tables.md#means-of-groups), with Fieller's set {ρ: (a − ρb)² ≤ z²(σa² + ρ²σb²)}; where that
// is no interval, [−1, 1].
func ratio(a, sdA, b, sdB, z float64) TableCell {
	clamp := func(x float64) float64 { return min(max(x, -1), 1) }
	out := TableCell{0, -1, 1}
	if b > 0 {
		out.Value = clamp(a / b)
	}
	if low, high, ok := fieller(a, sdA, b, sdB, z); ok {
		out.Low, out.High = clamp(low), clamp(high)
	}
	return out
}

// fieller is the set {ρ: (a − ρb)² ≤ z²(σa² + ρ²σb²)}, where it is an interval and b is positive.
func fieller(a, sdA, b, sdB, z float64) (low, high float64, ok bool) {
	if sdA == 0 && sdB == 0 && b > 0 { // public data
		return a / b, a / b, true
	}
	lead, lin, last := b*b-z*z*sdB*sdB, a*b, a*a-z*z*sdA*sdA
	if !(b > 0) || !(lead > 0) {
		return 0, 0, false
	}
	root := math.Sqrt(max(lin*lin-lead*last, 0)) // positive: at ρ = a/b the set is not empty
	return (lin - root) / lead, (lin + root) / lead, true
}

// in is a cell of u in the units of a measure.
func (c TableCell) in(m TableMeasure) TableCell {
	f := func(u float64) float64 { return min(max(m.mid()+m.half()*u, m.Lo), m.Hi) }
	return TableCell{f(c.Value), f(c.Low), f(c.High)}
}

// At is a statistic of the group with these levels, one for each of By, with an interval of 0.95.
func (t Table) At(name string, group ...string) (TableCell, error) {
	all, err := t.Column(name, 0.95)
	if err != nil {
		return TableCell{}, err
	}
	for g, levels := range t.Groups {
		if slices.Equal(levels, group) {
			return all[g], nil
		}
	}
	return TableCell{}, fmt.Errorf("dpkit: table: got group %q, want a level for each of %q: %w", group, t.By, stage.ErrColumn)
}

// ranks says within how many rows the rank of a quantile is.
func (t Table) ranks(s TableStatistic) string {
	m, err := t.Quantiles[t.quantile(s)].RankMargin(0.95)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("within %s rows", sums.UpTo(m))
}

// margins says of each quantile that was printed with a margin of ranks what that bounds.
func (t Table) margins(printed []bool) string {
	text := ""
	for i, s := range t.Of {
		if !printed[i] {
			continue
		}
		text += fmt.Sprintf("%v: %s\n", s, t.Quantiles[t.quantile(s)].InWords())
	}
	return text
}

func (t Table) statistics() string {
	var names []string
	for _, s := range t.Of {
		names = append(names, strconv.Quote(s.String()))
	}
	return strings.Join(names, ", ")
}

// shownGroups is how many groups a printed table has.
const shownGroups = 40

// String is the table as text with intervals of 0.95: of a long one the first groups.
func (t Table) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, strings.Join(t.By, "\t"))
	columns, ranked := make([][]TableCell, len(t.Of)), make([]bool, len(t.Of))
	for i, s := range t.Of {
		if i > 0 || len(t.By) > 0 {
			fmt.Fprint(w, "\t")
		}
		fmt.Fprintf(w, "%v\t95%%", s)
		var err error
		if columns[i], err = t.Column(s.String(), 0.95); err != nil {
			return err.Error()
		}
	}
	fmt.Fprintln(w)
	for g := range t.Groups[:min(len(t.Groups), shownGroups)] {
		fmt.Fprint(w, strings.Join(t.Groups[g], "\t"))
		for i := range t.Of {
			if i > 0 || len(t.By) > 0 {
				fmt.Fprint(w, "\t")
			}
			c := columns[i][g]
			if t.Of[i].Of == Quantile && t.Quantiles[t.quantile(t.Of[i])].open(c) {
				fmt.Fprintf(w, "%.6g\t%s", c.Value, t.ranks(t.Of[i]))
				ranked[i] = true
				continue
			}
			fmt.Fprintf(w, "%.6g\t[%.4g, %.4g]", c.Value, c.Low, c.High)
		}
		fmt.Fprintln(w)
	}
	w.Flush() // a strings.Builder does not fail
	text := b.String()
	if more := len(t.Groups) - shownGroups; more > 0 {
		text += fmt.Sprintf("and %d groups more\n", more)
	}
	text += t.margins(ranked)
	if words := t.DroppedWords(); words != "" {
		text += words + "\n"
	}
	if t.Threshold > 0 {
		text += fmt.Sprintf("groups of fewer than %.4g people, with noise, are left out\n", t.Threshold)
	}
	return origin.Under(t.Provenance, text)
}

// Gota is the table as a gota frame, a row for each group: a column for each of By, "value", "low" and "high" (of 0.95) of each statistic
// behind its name, and what the release promises, as Estimates.Gota has it.
func (t Table) Gota() dataframe.DataFrame {
	columns := groupColumns(t.By, t.Groups)
	for _, s := range t.Of {
		cells, err := t.Column(s.String(), 0.95)
		if err != nil {
			continue // of a damaged table
		}
		value, low, high := make([]float64, len(cells)), make([]float64, len(cells)), make([]float64, len(cells))
		for g, c := range cells {
			value[g], low[g], high[g] = c.Value, c.Low, c.High
		}
		columns = append(columns, origin.Numbers(s.String(), value), origin.Numbers(s.String()+" low", low), origin.Numbers(s.String()+" high", high))
	}
	return origin.Gota(t.Provenance, columns...)
}

// WriteCSV writes what Gota has, its promise in every row, so that no part of the file loses it.
func (t Table) WriteCSV(to io.Writer) error {
	w := csv.NewWriter(to)
	head := slices.Clone(t.By)
	columns := make([][]TableCell, len(t.Of))
	for i, s := range t.Of {
		head = append(head, s.String(), s.String()+" low", s.String()+" high")
		var err error
		if columns[i], err = t.Column(s.String(), 0.95); err != nil {
			return err
		}
	}
	ends, last := origin.Ends(t.Provenance)
	if err := w.Write(append(head, ends...)); err != nil {
		return fmt.Errorf("dpkit: table: %w", err)
	}
	for g, levels := range t.Groups {
		record := slices.Clone(levels)
		for i := range t.Of {
			for _, v := range []float64{columns[i][g].Value, columns[i][g].Low, columns[i][g].High} {
				text := ""
				if !math.IsNaN(v) {
					text = strconv.FormatFloat(v, 'g', -1, 64)
				}
				record = append(record, text)
			}
		}
		if err := w.Write(append(record, last...)); err != nil {
			return fmt.Errorf("dpkit: table: %w", err)
		}
	}
	w.Flush()
	return w.Error()
}

// plain is a table without methods, and file how it is stored.
type plain Table

type file struct {
	models.Header
	plain
}

// MarshalJSON writes the table with its kind, version and provenance, for UnmarshalJSON in another process.
func (t Table) MarshalJSON() ([]byte, error) {
	return json.Marshal(file{models.HeaderOf(models.TableKind), plain(t)})
}

// UnmarshalJSON reads what MarshalJSON writes, and checks it. Errors wrap [models.ErrModelFile].
func (t *Table) UnmarshalJSON(data []byte) error {
	return models.Read(data, models.TableKind, t, func(f file) Table { return Table(f.plain) })
}

// Check reports a table whose parts do not fit together, as a damaged file has them.
func (t *Table) Check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("dpkit: table: "+format+": %w", append(args, kind.ErrParameter)...)
	}
	counted := slices.ContainsFunc(t.Of, func(s TableStatistic) bool { return s.Of != Quantile })
	if (counted || len(t.Counts) > 0) && len(t.Counts) != len(t.Groups) || len(t.Sums) != len(t.Measures) || len(t.SumSigma) != len(t.Measures) {
		return bad("got %d counts, %d sums and %d deviations for %d groups and %d measures", len(t.Counts), len(t.Sums), len(t.SumSigma), len(t.Groups), len(t.Measures))
	}
	if t.Persons < 0 || t.Persons > t.Rows {
		return bad("got %d people of %d rows", t.Persons, t.Rows)
	}
	if t.droppedDamaged() {
		return bad("got %g people and %g rows that were dropped, at most %d of each, with noise %g", t.DroppedPeople, t.DroppedRows, t.DroppedMost, t.DroppedSigma)
	}
	for _, g := range t.Groups {
		if len(g) != len(t.By) {
			return bad("got a group of %d levels, want %d", len(g), len(t.By))
		}
	}
	for i, of := range t.Sums {
		if len(of) != len(t.Groups) {
			return bad("measure %d: got %d sums, want %d", i+1, len(of), len(t.Groups))
		}
	}
	for i, q := range t.Quantiles {
		if len(q.Values) != len(t.Groups) || q.Candidates < 1 || !(q.Rate >= 0) || !(q.Lo <= q.Hi) {
			return bad("quantile %d: got %d values of %d candidates in [%g, %g] at the rate %g, want %d", i+1, len(q.Values), q.Candidates, q.Lo, q.Hi, q.Rate, len(t.Groups))
		}
	}
	if t.People != nil && len(t.People) != len(t.Groups) {
		return bad("got people of %d groups, want %d", len(t.People), len(t.Groups))
	}
	for _, s := range t.Of {
		if s.Of == Quantile {
			if t.quantile(s) < 0 {
				return bad("no values of %v", s)
			}
			continue
		}
		if s.Of != Count && s.Of != People && t.measure(s, false) < 0 || (s.Of == Variance || s.Of == Deviation) && t.measure(s, true) < 0 {
			return bad("no measure of %v", s)
		}
	}
	return t.Sound()
}
