package steps

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// What is made of a person's rows. Missing cells count as if they were not there.

// CountRows is how many rows a person has, at most Max.
type CountRows struct {
	Max int    // the most that is counted, in [1, 2³⁰]; no default
	As  string // name of the column; "": rows
}

func (c CountRows) made() (name string, of []string) { return cmp.Or(c.As, "rows"), nil }

func (c CountRows) declared(frames.Schema) (frames.Column, error) {
	if c.Max < 1 || c.Max > 1<<30 {
		return frames.Column{}, fmt.Errorf("CountRows: Max: got %d, want how many rows of a person count at most, 1 to 2^30: %w", c.Max, kind.ErrParameter)
	}
	return frames.Numeric(cmp.Or(c.As, "rows"), 0, float64(c.Max)), nil
}

func (c CountRows) reader(frames.Schema) func(rows.Bag) float64 {
	return func(b rows.Bag) float64 { return float64(min(b.Rows, c.Max)) }
}

// SumOf is the sum of a person's numbers in a column, clamped to [Lo, Hi].
type SumOf struct {
	Column string
	Lo, Hi float64 // public bounds on the sum of one person; no default
	As     string  // name of the column; "": sum of Column
}

func (s SumOf) made() (name string, of []string) {
	return cmp.Or(s.As, "sum of "+s.Column), []string{s.Column}
}

func (s SumOf) declared(in frames.Schema) (frames.Column, error) {
	if _, err := numberOf("SumOf", s.Column, in); err != nil {
		return frames.Column{}, err
	}
	if !(s.Lo < s.Hi) || math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) {
		return frames.Column{}, fmt.Errorf("SumOf: column %q: Lo, Hi: got [%g, %g], want finite bounds on the sum of one person, Lo < Hi: %w", s.Column, s.Lo, s.Hi, kind.ErrParameter)
	}
	return frames.Numeric(cmp.Or(s.As, "sum of "+s.Column), s.Lo, s.Hi), nil
}

func (s SumOf) reader(in frames.Schema) func(rows.Bag) float64 {
	col := placeOf(s.Column, in)
	return func(b rows.Bag) float64 { return num.Clamp(sumOf(b, col).sum, s.Lo, s.Hi) }
}

// MeanOf is the mean of a person's numbers in a column; missing where all of them are.
type MeanOf struct {
	Column string
	As     string // name of the column; "": mean of Column
}

func (m MeanOf) made() (name string, of []string) {
	return cmp.Or(m.As, "mean of "+m.Column), []string{m.Column}
}

func (m MeanOf) declared(in frames.Schema) (frames.Column, error) {
	return sameNumbers("MeanOf", m.Column, cmp.Or(m.As, "mean of "+m.Column), in)
}

func (m MeanOf) reader(in frames.Schema) func(rows.Bag) float64 {
	col := placeOf(m.Column, in)
	c, _ := in.Column(m.Column)
	return func(b rows.Bag) float64 {
		s := sumOf(b, col)
		if s.n == 0 {
			return math.NaN()
		}
		return num.Clamp(s.sum/float64(s.n), c.Lo, c.Hi) // rounding stays within the bounds
	}
}

// MinOf is the least of a person's numbers in a column; missing where all of them are.
type MinOf struct {
	Column string
	As     string // name of the column; "": least Column
}

func (m MinOf) made() (name string, of []string) {
	return cmp.Or(m.As, "least "+m.Column), []string{m.Column}
}

func (m MinOf) declared(in frames.Schema) (frames.Column, error) {
	return sameNumbers("MinOf", m.Column, cmp.Or(m.As, "least "+m.Column), in)
}

func (m MinOf) reader(in frames.Schema) func(rows.Bag) float64 {
	return extreme(placeOf(m.Column, in), func(v, best float64) bool { return v < best })
}

// MaxOf is the largest of a person's numbers in a column; missing where all of them are.
type MaxOf struct {
	Column string
	As     string // name of the column; "": largest Column
}

func (m MaxOf) made() (name string, of []string) {
	return cmp.Or(m.As, "largest "+m.Column), []string{m.Column}
}

func (m MaxOf) declared(in frames.Schema) (frames.Column, error) {
	return sameNumbers("MaxOf", m.Column, cmp.Or(m.As, "largest "+m.Column), in)
}

func (m MaxOf) reader(in frames.Schema) func(rows.Bag) float64 {
	return extreme(placeOf(m.Column, in), func(v, best float64) bool { return v > best })
}

// ShareOf is the share of a person's rows at a level of a category or of a class label, of those whose cell is there; missing where none is.
type ShareOf struct {
	Column, Level string
	As            string // name of the column; "": share of Column=Level
}

func (s ShareOf) made() (name string, of []string) {
	return cmp.Or(s.As, fmt.Sprintf("share of %s=%s", s.Column, s.Level)), []string{s.Column}
}

func (s ShareOf) declared(in frames.Schema) (frames.Column, error) {
	c, err := levelsOf("ShareOf", s.Column, in)
	if err != nil {
		return c, err
	}
	if !slices.Contains(c.Levels, s.Level) {
		return c, fmt.Errorf("ShareOf: column %q: Level: got %q, want one of its %d levels: %w", s.Column, s.Level, len(c.Levels), kind.ErrParameter)
	}
	out := frames.Numeric(cmp.Or(s.As, fmt.Sprintf("share of %s=%s", s.Column, s.Level)), 0, 1)
	out.Missing = c.Missing
	return out, nil
}

func (s ShareOf) reader(in frames.Schema) func(rows.Bag) float64 {
	c, _ := in.Column(s.Column)
	col, code := placeOf(s.Column, in), float64(slices.Index(c.Levels, s.Level))
	return func(b rows.Bag) float64 {
		at, there := 0, 0
		for i := range b.Rows {
			if v := b.At(i, col); !math.IsNaN(v) {
				there++
				if v == code {
					at++
				}
			}
		}
		if there == 0 {
			return math.NaN()
		}
		return float64(at) / float64(there)
	}
}

// MostFrequent is the level that most of a person's rows have, of those the first in the schema's order; missing where all cells are.
type MostFrequent struct {
	Column string
	As     string // name of the column; "": Column
}

func (m MostFrequent) made() (name string, of []string) {
	return cmp.Or(m.As, m.Column), []string{m.Column}
}

func (m MostFrequent) declared(in frames.Schema) (frames.Column, error) {
	c, err := levelsOf("MostFrequent", m.Column, in)
	c.Name = cmp.Or(m.As, m.Column)
	return c, err
}

func (m MostFrequent) reader(in frames.Schema) func(rows.Bag) float64 {
	col := placeOf(m.Column, in)
	return func(b rows.Bag) float64 {
		var few [64]float64
		codes := few[:0] // as many as the rows, since there may be far more levels
		for i := range b.Rows {
			if v := b.At(i, col); !math.IsNaN(v) {
				codes = append(codes, v)
			}
		}
		slices.Sort(codes)
		best, most := math.NaN(), 0
		for from := 0; from < len(codes); {
			to := from + 1
			for to < len(codes) && codes[to] == codes[from] {
				to++
			}
			if to-from > most {
				best, most = codes[from], to-from
			}
			from = to
		}
		return best
	}
}

// Latest is the cell of a person's row that is largest in By: of several the one whose cells come last in the order of their values, of
// rows without By those come first. It is missing where that cell is.
type Latest struct {
	Column string
	By     string // a numeric column, such as a date in days
	As     string // name of the column; "": Column
}

func (l Latest) made() (name string, of []string) {
	return cmp.Or(l.As, l.Column), []string{l.Column, l.By}
}

func (l Latest) declared(in frames.Schema) (frames.Column, error) {
	if _, err := numberOf("Latest: By", l.By, in); err != nil {
		return frames.Column{}, err
	}
	c, ok := in.Column(l.Column)
	if !ok || c.Kind == frames.KindPerson || c.Kind == frames.KindIgnored {
		return c, domain.UnknownColumn(l.Column, in)
	}
	if c.Block != "" {
		return c, blockPart("Latest", c)
	}
	c.Name = cmp.Or(l.As, l.Column)
	return c, nil
}

func (l Latest) reader(in frames.Schema) func(rows.Bag) float64 {
	col, by := placeOf(l.Column, in), placeOf(l.By, in)
	return func(b rows.Bag) float64 {
		last, when := 0, math.Inf(-1)
		for i := range b.Rows { // rows come in the order of their values
			if v := b.At(i, by); v >= when || math.IsNaN(v) && math.IsInf(when, -1) {
				last = i
				if !math.IsNaN(v) {
					when = v
				}
			}
		}
		return b.At(last, col)
	}
}

// PersonLabel makes a statistic the label of a person's row: what a model predicts.
type PersonLabel struct{ Of PersonStatistic }

// made is what the statistic is made of, where there is one.
func (p PersonLabel) made() (name string, of []string) {
	if p.Of == nil {
		return "", nil
	}
	return p.Of.made()
}

func (p PersonLabel) declared(in frames.Schema) (frames.Column, error) {
	if p.Of == nil {
		return frames.Column{}, fmt.Errorf("PersonLabel: Of: got no statistic, want for instance CountRows{Max: 40}: %w", kind.ErrParameter)
	}
	if err := kind.Closed("PersonLabel: Of", p.Of); err != nil {
		return frames.Column{}, err
	}
	c, err := p.Of.declared(in)
	if err == nil && c.Missing {
		err = fmt.Errorf("PersonLabel: column %q may miss, which a label cannot: impute it before, or take another statistic: %w", c.Name, stage.ErrColumn)
	}
	c.Kind = frames.KindLabel
	return c, err
}

func (p PersonLabel) reader(in frames.Schema) func(rows.Bag) float64 { return p.Of.reader(in) }
