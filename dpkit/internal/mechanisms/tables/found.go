package tables

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// Found is a table by groups that nobody lists: of the groups that people have, those whose noisy number of people is above a threshold, with
// statistics of their rows in the same draw. Its target is not embedded: private queries of steps have no place beside a threshold.
type Found struct {
	By     []string
	Of     []TableStatistic
	Target query.Target `dp:"inline"`
}

func (Found) Kind() kind.Kind { return kind.Kind{Name: "found", Law: 1, Call: "Found"} }

// ColumnsRead are those of the groups and of the statistics.
func (f Found) ColumnsRead(in frames.Schema) []string {
	return Release{By: f.By, Of: f.Of}.ColumnsRead(in)
}

// ReadsUnbounded says that no bound of a column enters that its statistic does not ask for.
func (Found) ReadsUnbounded() {}

// LeavesTexts says that cells of texts are left alone, or name groups.
func (Found) LeavesTexts() {}

// finding is a table of found groups with its noise.
type finding struct {
	calibrated // its measures and their weights; it has no groups
	keys       keys
	each       int // places of a person, where people are counted apart from rows; else 0
	threshold  int64
	leaf       accountant.GaussianThreshold
}

// Settle calibrates noise and threshold together.
func (f Found) Settle(st stage.Stage) (mechanism.Settled[Table], error) {
	c, err := f.calibrate(st)
	if err != nil {
		return mechanism.Settled[Table]{}, err
	}
	b, err := c.found(f, st)
	read := c.reading(st)
	return mechanism.Settled[Table]{
		Bill: b, Once: true, Predicted: mechanism.Deviations(mechanism.Gaussian, []string{"each count of a group that is found"}, c.Sigma),
		Read: func(ctx context.Context, in rows.Driver) (mechanism.Draws[Table], error) {
			of, err := read(ctx, in)
			return func(ctx context.Context, rng *noise.Source) (Table, error) { return c.shown(ctx, f, st, of, rng) }, err
		},
	}, err
}

// describe are the keys and the measures, without noise.
func (f Found) describe(st stage.Stage) (*finding, error) {
	k, err := keysOf(f.By, st)
	if err != nil {
		return nil, err
	}
	c := &finding{keys: k}
	if len(f.Of) == 0 {
		return nil, fmt.Errorf("got no statistic, want for instance People(): %w", kind.ErrParameter)
	}
	for i, s := range f.Of {
		switch {
		case slices.ContainsFunc(f.Of[:i], func(o TableStatistic) bool { return o.String() == s.String() }):
			return nil, fmt.Errorf("%v twice: %w", s, kind.ErrParameter)
		case s.Of == Quantile:
			return nil, fmt.Errorf("%v: a quantile of a group that has few rows tells of them: find the groups first, declare them by Codebook, and ask a table of them: %w", s, kind.ErrParameter)
		case s.Margin != 0 || s.Confidence != 0:
			return nil, fmt.Errorf("within: got a margin of %v: ask Target.Within of the counts: %w", s, kind.ErrParameter)
		//dp:refuses found/sum-displaced each common row that differs moves a sum
		case st.Taint[s.Column]:
			return nil, fmt.Errorf("%v: column %q differs in common rows: put the table before the step that displaces it: %w", s, s.Column, stage.ErrOrder)
		}
		if s.Of == Total || s.Of == MeanTotal {
			return nil, fmt.Errorf("%v: groups are found with statistics of rows: release their Levels first, put them into a Codebook, and end with Table: %w", s, kind.ErrParameter)
		}
		of, err := s.measuresOf(st.In)
		if err != nil {
			return nil, err
		}
		for _, m := range of {
			if !slices.Contains(c.measures, m) {
				c.measures = append(c.measures, m)
			}
		}
	}
	c.counted = true
	c.weigh()
	return c, c.contributes(f, st)
}

// contributes settles how many groups and rows a person has.
func (c *finding) contributes(f Found, st stage.Stage) error {
	person, several := contributionsOf(st, f.By, math.MaxInt, 0, 0)
	//dp:refuses found/freed-rows the threshold is for the groups of one person
	if !several && st.Before.F > 1 {
		return fmt.Errorf("found: a person moves %d rows: put it before the step that frees them; of rows that people have several of, put Bound directly before: %w", st.Before.F, stage.ErrOrder)
	}
	c.leaf = accountant.GaussianThreshold{Groups: person.groups, Neighbours: st.Before.Neighbours, GridSigma: math.Inf(1)}
	if !several || person.perGroup == 1 { // rows are people
		return nil
	}
	//dp:refuses found/people-out-of-order places say no more whose rows they are
	if st.Unordered {
		return fmt.Errorf("people: an earlier step takes rows out of the order of people: put it before Bound, or leave it out: %w", stage.ErrOrder)
	}
	c.each = st.Contributions.Rows
	if len(f.Of) == 1 && f.Of[0].Of == People {
		c.people = inCounts
		return nil
	}
	c.people, c.leaf.Rows, c.leaf.RowsPerGroup = beside, person.rows, person.perGroup
	return nil
}

// fineGrid is by how much rounding to the grid may raise what values add, relatively.
const fineGrid = 0x1p-19

// calibrate settles noise and threshold from public facts alone.
func (f Found) calibrate(st stage.Stage) (*finding, error) {
	c, err := f.describe(st)
	if err != nil {
		return nil, err
	}
	if err := f.Target.Check(); err != nil {
		return nil, err
	}
	if f.Target.Noise == query.NoiseLaplace {
		return nil, fmt.Errorf("noise: got %q, want NoiseGaussian: groups are found by it: %w", string(f.Target.Noise), kind.ErrParameter)
	}
	b := f.Target.Budget()
	c.leaf.Cells, c.leaf.Values = c.width(), stage.Up(c.norms().l2*(1+fineGrid))
	if c.leaf, err = accountant.CalibrateThreshold(b, c.leaf); err != nil {
		return nil, err
	}
	if c.Grid, c.GridSD, err = noise.NewGrid(c.leaf.Sigma, 2*float64(max(st.Before.N, sums.LeastRows))); err != nil {
		return nil, fmt.Errorf("noise grid: %w", err)
	}
	step := c.Grid.Step()
	for _, w := range append(c.weights, 1) {
		if !(step <= w*fineGrid/4) {
			return nil, fmt.Errorf("noise grid: no grid fits n = %d rows at this target; raise ε, or ask fewer statistics", st.Before.N)
		}
	}
	c.leaf.Sigma, c.leaf.GridSigma = float64(c.GridSD)*step, float64(c.GridSD)
	found, ok := c.leaf.LeastThreshold(b)
	if !ok {
		return nil, fmt.Errorf("calibration: no threshold gives the target on the grid; choose a larger δ: %w", kind.ErrParameter)
	}
	c.Sigma, c.threshold = c.leaf.Sigma, int64(math.Ceil(found.Threshold/step))
	c.leaf.Threshold = float64(c.threshold) * step
	return c, nil
}

// LeafOf is the event of a release, as it is drawn.
func LeafOf(f Found, st stage.Stage) (accountant.GaussianThreshold, error) {
	c, err := f.calibrate(st)
	if err != nil {
		return accountant.GaussianThreshold{}, err
	}
	return c.leaf, nil
}

// found is what the table costs.
func (c *finding) found(f Found, st stage.Stage) (query.Bill, error) {
	rel, leaf := st.Before.Neighbours, c.leaf
	counted, err := accountant.EpsilonOf(leaf, rel, f.Target.Delta)
	if err != nil {
		return query.Bill{}, err
	}
	if !(counted.Epsilon <= f.Target.Epsilon) {
		return query.Bill{}, fmt.Errorf("calibration: got ε = %g for the target %g; choose a larger δ", counted.Epsilon, f.Target.Epsilon)
	}
	curve, _, err := leaf.ApproxRDP(rel)
	if err != nil {
		return query.Bill{}, err
	}
	moves := leaf.Sigma * math.Sqrt(curve(2)) // of α μ²/2
	release := cost.Release{
		Name: kind.Describe(f), Event: leaf.String(), Sigma: leaf.Sigma, Sensitivity: moves, FreeSensitivity: moves, Uncounted: counted.Epsilon, Nominal: counted.Epsilon,
		Reference: "tables of people §5, keys that are found; exact Gaussian thresholding (Wilkins, Kifer, Zhang, Karrer 2023)",
		Constants: []stage.Constant{
			{Symbol: "G", Value: float64(leaf.Groups), Origin: stage.FromConstruction, Meaning: "groups of a person at most"},
			{Symbol: "S", Value: leaf.Values, Origin: stage.FromConstruction, Meaning: "what the weighted values of a row are in squares beside its count, at most"},
			{Symbol: "σ", Value: leaf.Sigma, Origin: stage.FromParameter, Meaning: "noise on each number of people, and on the weighted sum of values in [−1, 1]"},
			{Symbol: "T", Value: leaf.Threshold, Origin: stage.FromParameter, Meaning: "people from which a group is found with probability ½"},
			{Symbol: "T₀.₉₅", Value: leaf.FoundFrom(), Origin: stage.FromParameter, Meaning: "people from which a group is found with probability 0.95"},
			{Symbol: "1 − F^G", Value: leaf.Shows(), Origin: stage.FromConstruction, Meaning: "probability that a group of one person shows, which a ledger pays from its reserve"},
		},
	}
	failure := leaf.Shows() * (1 + 0x1p-10)
	return query.Bill{
		Event: query.CoveredEvents(leaf, rel, failure, accountant.CoverByPrice), Guarantee: counted, Cost: release, OwnRoute: true,
	}, nil
}

// shown is the table of the groups whose noisy number of people is above the threshold.
func (c *finding) shown(ctx context.Context, f Found, st stage.Stage, of *foundCells, rng *noise.Source) (Table, error) {
	t, width := c.bare(f, st), c.width()
	t.Threshold, t.CountSigma = c.leaf.Threshold, c.Sigma
	for i := range t.SumSigma {
		t.SumSigma[i] = c.Sigma / c.weights[i]
	}
	var keys []string
	var cells []int64
	err := of.each(ctx, func(all []string, noisy []int64) {
		noise.AddGaussian(rng, noisy, c.GridSD)
		for g, key := range all {
			if noisy[g*width] > c.threshold {
				keys, cells = append(keys, key), append(cells, noisy[g*width:(g+1)*width]...)
			}
		}
	})
	c.fill(&t, keys, cells)
	return t, err
}

// bare is a table without groups.
func (c *finding) bare(f Found, st stage.Stage) Table {
	t := Table{By: slices.Clone(f.By), Of: slices.Clone(f.Of), Groups: [][]string{}, Rows: st.Before.N, Measures: c.measures, SumSigma: make([]float64, len(c.measures)), Ordered: c.keys.ordered}
	if k := st.Contributions.Rows; k > 1 {
		t.Persons = st.Before.N / k
	}
	t.Counts, t.Sums = []float64{}, make([][]float64, len(c.measures))
	if c.people == beside {
		t.People = []float64{}
	}
	for i := range t.Sums {
		t.Sums[i] = []float64{}
	}
	return t
}

// fill puts groups and their cells into the table, in the order of their levels and texts. The first cell of a group is its people.
func (c *finding) fill(t *Table, keys []string, cells []int64) {
	which, width := make([]int, len(keys)), c.width()
	for g := range which {
		which[g] = g
	}
	names := c.keys.inOrder(keys, which)
	value := func(group, cell int) float64 { return c.Grid.Value(cells[group*width+cell]) }
	first := 0 // cell of the count
	if c.people == beside {
		first = 1
	}
	for i, g := range which {
		t.Groups, t.Counts = append(t.Groups, names[i]), append(t.Counts, value(g, first))
		if c.people == beside {
			t.People = append(t.People, value(g, 0))
		}
		for k := range t.Sums {
			t.Sums[k] = append(t.Sums[k], value(g, first+1+k)/c.weights[k])
		}
	}
}

// Exact has every group that some row has, without noise.
func (f Found) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (Table, error) {
	c, err := f.describe(st)
	if err != nil {
		return Table{}, err
	}
	c.Grid = noise.Grid{Exp: -40} // sums of values in [−1, 1] are off by 2⁻⁴⁰ a row
	of, err := c.reading(st)(ctx, in)
	if err != nil {
		return Table{}, err
	}
	t := c.bare(f, st)
	var keys []string
	var cells []int64
	err = of.each(ctx, func(all []string, exact []int64) {
		keys, cells = append(keys, all...), append(cells, exact...)
	})
	c.fill(&t, keys, cells)
	return t, err
}
