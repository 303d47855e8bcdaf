package tables

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// TableQuantile is a quantile of every group.
type TableQuantile struct {
	Column string    `json:"column"`
	Q      float64   `json:"q"`
	Values []float64 `json:"values"` // in the order of the groups
	// Rate is η: candidates were drawn with weight e^{−η·error}, error being how many rows of the group the rank of q is off. It is
	// public; 0 where there is no noise.
	Rate       float64 `json:"rate,omitempty"`
	Candidates int     `json:"candidates"`
	// Candidates divide [Lo, Hi], the public bounds of the column, evenly. Both are 0 in values that were stored without.
	Lo float64 `json:"lo,omitempty"`
	Hi float64 `json:"hi,omitempty"`
	// Rounded is by how many rows of a group q·n is off at most, as ranks are counted for q rounded to a multiple of 2⁻²⁰. Margins
	// count it.
	Rounded float64 `json:"rounded,omitempty"`
}

// RankMargin returns m, so that with the given probability, 0 < level < 1, and of a group's n rows with a value, at most q·n + m lie
// more than Apart below its value, and at least q·n − m at most Apart above it or lower. It is (ln K − ln(1 − level))/η + Rounded for K
// candidates. It holds on all data, with ties and gaps, for each group by itself.
func (q TableQuantile) RankMargin(level float64) (float64, error) {
	return sums.QuantileEstimate{Rate: q.Rate, Candidates: q.Candidates, Rounded: q.Rounded}.RankMargin(level)
}

// Apart is how far from a value some number may lie whose rank is within the margin: half the distance between two candidates. It is
// NaN in values that were stored without their bounds.
func (q TableQuantile) Apart() float64 {
	if !(q.Lo < q.Hi) {
		return math.NaN()
	}
	return (q.Hi-q.Lo)/2/float64(max(1, q.Candidates-1)) + 0x1p-49*max(math.Abs(q.Lo), math.Abs(q.Hi))
}

// InWords says in a sentence or two what the rank margin bounds, with probability 0.95 in each group.
func (q TableQuantile) InWords() string {
	m, err := q.RankMargin(0.95)
	if err != nil {
		return err.Error()
	}
	chance, of := "With probability 95 % each", "a group's"
	if len(q.Values) == 1 {
		chance, of = "With probability 95 %", "the"
	}
	if math.IsNaN(q.Apart()) {
		return fmt.Sprintf("%s: the rank is at most %s rows further off than that of the best candidate.", chance, sums.UpTo(m))
	}
	shown := 0.5 * math.Pow(10, math.Floor(math.Log10(max(math.Abs(q.Lo), math.Abs(q.Hi))))-5) // a value is printed with six digits
	return fmt.Sprintf("%[1]s: at most %[3]g·n + %[4]s of %[2]s n values are below the printed number by more than %[5]s. At least %[3]g·n − %[4]s are not above it by more than that.",
		chance, of, q.Q, sums.UpTo(m), sums.UpTo(q.Apart()+shown))
}

// rankColumn is a column of which quantiles are asked: how many rows of each group are at which of its candidates.
type rankColumn struct {
	name       string
	candidates []float64
	at         int // place of its first sum, behind the noisy cells
}

// quantile is a statistic of one of those columns.
type quantile struct {
	sums.RankErrors
	asked  TableStatistic
	column int
	part   float64 // of μ²
	rate   uint64  // η/RankUnit of RateUnit
	eta    float64 // η
	pairs  bool    // its events are of two groups apart; see events
}

// Candidates divide the bounds of a column into that many cells, as far as all groups have room for them.
const mostCandidates, leastCandidates = 1 << 16, 1 << 8

// ask adds a quantile of a column of the schema.
func (c *calibrated) ask(s TableStatistic, in frames.Schema) error {
	units, err := sums.QuantileUnits(s.Q)
	if err != nil {
		return fmt.Errorf("%v: %w", s, err)
	}
	at := slices.IndexFunc(c.ranked, func(r rankColumn) bool { return r.name == s.Column })
	if at < 0 {
		at = len(c.ranked)
		c.ranked = append(c.ranked, rankColumn{name: s.Column})
	}
	c.quantiles = append(c.quantiles, quantile{asked: s, column: at, RankErrors: sums.RankErrors{Q: units}})
	return nil
}

// place settles the candidates: all sums of all groups are at most mostCells.
func (c *calibrated) place(in frames.Schema) error {
	if len(c.quantiles) == 0 {
		return nil
	}
	room := (mostCells-c.n*c.width())/(c.n*len(c.ranked)) - 1
	if room < leastCandidates {
		return fmt.Errorf("quantiles of %d columns in %d groups: no room for %d candidates in each: leave out a column of By, or a quantile: %w", len(c.ranked), c.n, leastCandidates, kind.ErrParameter)
	}
	next := 0
	for i := range c.ranked {
		r := &c.ranked[i]
		column, _ := in.Column(r.name)
		r.candidates, r.at = sums.Cells(column, min(mostCandidates, room)), next
		next += c.n * sums.RankErrors{Candidates: r.candidates}.Size()
	}
	for i := range c.quantiles {
		c.quantiles[i].Candidates = c.ranked[c.quantiles[i].column].candidates
	}
	return nil
}

// size is how many sums are read.
func (c *calibrated) size() int {
	n := c.n * c.width()
	for _, r := range c.ranked {
		n += c.n * sums.RankErrors{Candidates: r.candidates}.Size()
	}
	return n
}

// sumsOf are those of a column in a group.
func (c *calibrated) sumsOf(all []int64, column, group int) []int64 {
	r := c.ranked[column]
	size := sums.RankErrors{Candidates: r.candidates}.Size()
	return all[c.n*c.width()+r.at+group*size:][:size]
}

// rankReader adds a row of a group to the sums.
func (c *calibrated) rankReader(in frames.Schema) func(all []int64, group int, row []float64, y float64) {
	at := make([]int, len(c.ranked)) // of the features; -1: the label
	for i, r := range c.ranked {
		j, feature := in.FeatureIndex(r.name)
		if at[i] = j; !feature {
			at[i] = -1
		}
	}
	return func(all []int64, group int, row []float64, y float64) {
		for i, r := range c.ranked {
			v := y
			if at[i] >= 0 {
				v = row[at[i]]
			}
			sums.RankErrors{Candidates: r.candidates}.Count(c.sumsOf(all, i, group), v)
		}
	}
}

// exactQuantiles are those without noise: of each group the candidate whose rank is best.
func (c *calibrated) exactQuantiles(ctx context.Context, in rows.Driver, schema frames.Schema, t *Table) error {
	if len(c.quantiles) == 0 {
		return nil
	}
	group, ranks := c.groups.reader(schema), c.rankReader(schema)
	all, err := rows.IntegerSums(ctx, in, c.size(), func() func([]int64, []float64, float64) {
		return func(all []int64, row []float64, y float64) { ranks(all, group(row, y), row, y) }
	})
	if err != nil {
		return err
	}
	for i, q := range c.quantiles {
		for g := range c.n {
			errors := q.Errors(c.sumsOf(all, q.column, g))
			t.Quantiles[i].Values[g] = q.Candidates[slices.Index(errors, slices.Min(errors))]
		}
	}
	return nil
}

// exactCells are the cells of a table and the errors of its quantiles, before noise.
type exactCells struct {
	cells  []int64
	errors [][]uint64
}

// errors are those of the candidates of every quantile, group by group.
func (c *calibrated) errors(all []int64) (list [][]uint64) {
	for _, q := range c.quantiles {
		for g := range c.n {
			list = append(list, q.Errors(c.sumsOf(all, q.column, g)))
		}
	}
	return list
}

// draw fills in the quantiles of a table.
func (c *calibrated) draw(t *Table, errors [][]uint64, rng *noise.Source) {
	for i, q := range c.quantiles {
		t.Quantiles[i].Rate = q.eta
		for g := range c.n {
			t.Quantiles[i].Values[g] = q.Candidates[rng.Exponential(errors[i*c.n+g], q.rate, sums.RateUnit)]
		}
	}
}
