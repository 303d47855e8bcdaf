package tables

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
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

// Release is a table by groups: how many rows each has, and the sums of measures of them, in one draw of Gaussian noise; and quantiles of
// them, by an exponential mechanism a group.
type Release struct {
	By           []string
	Of           []TableStatistic
	query.Target `dp:"inline"`
}

// Kind: in law 1 rows between two candidates of a quantile were at neither.
func (Release) Kind() kind.Kind {
	return kind.Kind{Name: "table", Law: 2, Replays: 1, Call: "Table"}
}

// ColumnsRead are those of the groups and of the statistics.
func (r Release) ColumnsRead(frames.Schema) []string {
	names := slices.Clone(r.By)
	for _, s := range r.Of {
		if s.Column != "" && !slices.Contains(names, s.Column) {
			names = append(names, s.Column)
		}
	}
	return names
}

// Asked are its columns and its statistics of groups.
func (r Release) Asked() (by []string, of []TableStatistic) {
	r, _ = r.besideDropped()
	return r.By, r.Of
}

// Asking is a table of other statistics for the same target.
func (r Release) Asking(by []string, of []TableStatistic) any {
	return Release{By: slices.Clone(by), Of: slices.Clone(of), Target: r.Target}
}

// ReadsUnbounded says that no bound of a column enters that its statistic does not ask for.
func (Release) ReadsUnbounded() {}

// LeavesTexts says that cells of texts are left alone, or name groups.
func (Release) LeavesTexts() {}

// calibrated is a table with its noise.
type calibrated struct {
	groups
	measures []TableMeasure
	weights  []float64 // s of each measure: a row adds (1, s₁u₁, …, s_m u_m) to the cells of its group
	people   peopleCells
	sums.GaussianSum
	counted bool // there are such cells: all but quantiles are made of them

	ranked    []rankColumn
	quantiles []quantile
	person    int // K: free rows of one person

	dropped       int     // M, of dropped rows of a person; 0: nobody asks
	droppedWeight float64 // what a person adds to each of their two cells at most

	event     accountant.Event     // with quantiles: of all
	guarantee accountant.Guarantee // of it
	part      float64              // of μ², of the Gaussian cells
}

// Settle calibrates the noise of all cells together.
func (r Release) Settle(st stage.Stage) (mechanism.Settled[Table], error) {
	c, err := r.Calibrate(st)
	if err != nil {
		return mechanism.Settled[Table]{}, err
	}
	b, err := c.bill(r, st)
	read := c.read(st)
	s := mechanism.ReadOnce(b, func(ctx context.Context, in rows.Driver) (exactCells, error) {
		all, err := read(ctx, in)
		if err != nil {
			return exactCells{}, err
		}
		exact := exactCells{all[:c.n*c.width()], c.errors(all)}
		if c.dropped > 0 {
			people, dropped, err := c.readDropped(ctx, in, st)
			if err != nil {
				return exactCells{}, err
			}
			two := c.droppedSteps(people, dropped)
			exact.cells = append(slices.Clip(exact.cells), two[:]...)
		}
		return exact, nil
	}, func(exact exactCells, rng *noise.Source) (Table, error) {
		noisy := slices.Clone(exact.cells)
		if c.counted {
			noise.AddGaussian(rng, noisy, c.GridSD)
		}
		t := r.table(c, st, noisy)
		c.draw(&t, exact.errors, rng)
		return t, nil
	})
	s.Predicted = c.predicted(st)
	s.Predicted.Asked = c.askedOf(r, st)
	return s, err
}

// bill is what the table costs.
func (c *calibrated) bill(r Release, st stage.Stage) (query.Bill, error) {
	release := cost.Release{
		Name:      kind.Describe(r),
		Constants: []stage.Constant{{Symbol: "groups", Value: float64(c.n), Origin: stage.FromSchema, Meaning: "crossings of public levels, all of which are in the table"}},
	}
	var reference []string
	if c.counted {
		release.Constants = append(release.Constants,
			stage.Constant{Symbol: "S", Value: c.norms().l2, Origin: stage.FromConstruction, Meaning: "what the weighted values of a row are in squares beside its count, at most"},
			stage.Constant{Symbol: "Δ", Value: c.distance(), Origin: stage.FromConstruction, Meaning: "distance of the tables of neighbouring datasets"},
			stage.Constant{Symbol: "σ", Value: c.Sigma, Origin: stage.FromParameter, Meaning: "noise on each cell: on a count, and on the weighted sum of values in [−1, 1]"})
		reference = append(reference, "one draw; Gaussian mechanism")
	}
	if len(c.quantiles) == 0 {
		release.Reference = "tables of people §3, " + reference[0]
		return c.Price(r.Budget(), st, release)
	}
	release.Reference = "tables of people §3, " + strings.Join(append(reference, "quantiles of groups; exponential mechanism of bounded range (Durfee, Rogers 2019)"), "; ")
	return c.composedBill(r, st, release)
}

// Calibrate settles groups, weights and noise from public facts alone. Errors wrap [kind.ErrParameter], [stage.ErrColumn] or
// [stage.ErrOrder], or are those of the target or of the noise's grid.
func (r Release) Calibrate(st stage.Stage) (*calibrated, error) {
	r, tell := r.besideDropped()
	c, err := r.describe(st)
	if err == nil && tell {
		err = c.tellDropped(st)
	}
	if err != nil {
		return nil, err
	}
	check := r.Check
	if !c.counted && r.Delta == 0 {
		check = func() error { return query.CheckPure(r.Target) }
	}
	if err := check(); err != nil {
		return nil, err
	}
	if r.Noise == query.NoiseLaplace {
		return nil, fmt.Errorf("noise: got %q, want NoiseGaussian: a row has cells in several columns of a table, for which Laplace noise is dear: %w", string(r.Noise), kind.ErrParameter)
	}
	c.weigh()
	c.even()
	if r.Margins() {
		if err := c.within(r, st); err != nil {
			return nil, err
		}
	}
	if !c.counted {
		return c, c.together(r, st)
	}
	if c.n == 1 && len(c.measures) == 0 && !st.Empty {
		return nil, fmt.Errorf("the number of rows is public, %d: name columns in By, or a sum or a mean: %w", st.Before.N, kind.ErrParameter)
	}
	q := pair.Query{}
	if q.C, err = c.boundPeople(r, st, c.norms().l2); err != nil {
		return nil, err
	}
	q.C = c.boundDropped(q.C, st.Before.Neighbours)
	if err := c.place(st.In); err != nil { // anew: a cell of people leaves less room
		return nil, err
	}
	for _, b := range c.blocks() {
		lipschitz := c.lipschitz(c.measures[b.u].Column)
		c.Any = max(c.Any, lipschitz)
		if st.Taint[c.measures[b.u].Column] {
			q.Lipschitz = max(q.Lipschitz, lipschitz)
		}
	}
	c.Query, c.Coordinates, c.Draws, c.Fp = q, c.cells(), 1, 0x1p-48*float64(1+len(c.measures))
	if off, ok := c.roundings(st, len(st.Taint) > 0); ok {
		c.Fp += off
	} else {
		c.Any = 0
	}
	if len(c.quantiles) > 0 {
		return c, c.together(r, st)
	}
	if err := c.State(st.Before); err != nil {
		return nil, err
	}
	return c, c.GaussianSum.Calibrate(r.Budget(), st)
}

// describe are the groups and the measures, without noise.
func (r Release) describe(st stage.Stage) (*calibrated, error) {
	g, err := groupsOf(r.By, st)
	if err != nil {
		return nil, err
	}
	if len(r.Of) == 0 {
		return nil, fmt.Errorf("got no statistic, want for instance Count(): %w", kind.ErrParameter)
	}
	c := &calibrated{groups: g, person: sums.PersonRows(st)}
	for i, s := range r.Of {
		if slices.ContainsFunc(r.Of[:i], func(o TableStatistic) bool { return o.String() == s.String() }) {
			return nil, fmt.Errorf("%v twice: %w", s, kind.ErrParameter)
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
		if s.Of != Quantile {
			c.counted = true
			continue
		}
		if err := c.ask(s, st.In); err != nil {
			return nil, err
		}
		//dp:refuses table/quantile-displaced each common row that differs could change its rank
		if st.Taint[s.Column] {
			return nil, fmt.Errorf("%v: column %q differs in common rows, and each of them could change its rank; put the table before the step that displaces it, or release a Quantile of all rows: %w", s, s.Column, stage.ErrOrder)
		}
	}
	if rowwise := slices.IndexFunc(r.Of, func(s TableStatistic) bool { return !s.perPerson() }); c.totals() && rowwise >= 0 || slices.ContainsFunc(c.measures, func(m TableMeasure) bool { return m.PerPerson != c.totals() }) {
		return nil, fmt.Errorf("%v beside totals of people, for which everybody counts once in a group: ask for it in a table of its own, Together with this one: %w", r.Of[max(rowwise, 0)], kind.ErrParameter)
	}
	if c.counted && c.n > mostCells/c.width() {
		return nil, fmt.Errorf("the table has %d groups of %d numbers each, want at most %d numbers: leave out a column of By: %w", c.n, c.width(), mostCells, kind.ErrParameter)
	}
	return c, c.place(st.In)
}

// distance is that of the tables of neighbouring datasets without what steps displace.
func (c *calibrated) distance() float64 {
	if c.Together.Rows > 0 {
		return c.Together.Moves
	}
	return c.Free
}

// oneRow bounds what one free row does to a table (docs/theory/tables.md#one-draw), in the units of [pair.Query]: a row that is there on
// one side only adds a vector of norm C; of two that differ the table moves by 2C at most.
func oneRow(s float64, groups int, rel accountant.Neighbours) float64 {
	if rel == accountant.AddRemove {
		return stage.Up(math.Sqrt(1 + s))
	}
	most := max(2*(1+s), 4*s)
	if groups == 1 {
		most = max(1+s, 4*s)
	}
	return stage.Up(math.Sqrt(most)) / 2
}

// table makes the value of noisy cells.
func (r Release) table(c *calibrated, st stage.Stage, noisy []int64) Table {
	t := r.empty(c, st)
	if !c.counted {
		return t
	}
	c.tellOf(&t, noisy)
	t.CountSigma = c.Sigma
	for i := range t.Sums {
		t.SumSigma[i] = c.Sigma / c.weights[i]
	}
	width := c.width()
	for g := range c.n {
		t.Counts[g] = c.Grid.Value(noisy[g*width])
		for i := range t.Sums {
			t.Sums[i][g] = c.Grid.Value(noisy[g*width+1+i]) / c.weights[i]
		}
		if t.People != nil {
			t.People[g] = c.Grid.Value(noisy[(g+1)*width-1])
		}
	}
	return t
}

// empty is a table of zeros.
func (r Release) empty(c *calibrated, st stage.Stage) Table {
	r, _ = r.besideDropped()
	t := Table{By: slices.Clone(r.By), Of: slices.Clone(r.Of), Groups: c.names(), Rows: st.Before.N, Measures: c.measures, SumSigma: make([]float64, len(c.measures))}
	t.Ordered, t.Whole = c.ordered, !st.Empty
	if k := st.Contributions.Rows; k > 1 {
		t.Persons = st.Before.N / k
	}
	if c.counted {
		t.Counts = make([]float64, c.n)
	}
	for _, q := range c.quantiles {
		t.Quantiles = append(t.Quantiles, TableQuantile{
			Column: q.asked.Column, Q: q.asked.Q, Values: make([]float64, c.n), Candidates: len(q.Candidates),
			Lo: q.Candidates[0], Hi: q.Candidates[len(q.Candidates)-1], Rounded: sums.RankRounded(q.asked.Q, st.Before.N),
		})
	}
	for range c.measures {
		t.Sums = append(t.Sums, make([]float64, c.n))
	}
	if c.people == beside {
		t.People = make([]float64, c.n)
	}
	return t
}

// namedGroups is how many groups a prediction names.
const namedGroups = 256

// Exact computes the table without noise.
func (r Release) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (Table, error) {
	r, tell := r.besideDropped()
	c, err := r.describe(st)
	if err == nil && tell {
		err = c.tellDropped(st)
	}
	if err != nil {
		return Table{}, err
	}
	t := r.empty(c, st)
	if tell {
		people, dropped, err := c.readDropped(ctx, in, st)
		if err != nil {
			return Table{}, err
		}
		t.DroppedMost, t.DroppedPeople, t.DroppedRows = c.dropped, float64(people), float64(dropped)
	}
	person, err := c.exactPeople(r, &t, st)
	if err != nil {
		return Table{}, err
	}
	if c.totals() {
		return t, c.exactTotals(ctx, in, st, &t)
	}
	group, values := c.groups.reader(st.In), c.values(st.In)
	counts := make([]int64, c.n)
	all := make([]rows.Neumaier, c.n*len(c.measures))
	err = in.InOrder(ctx, func(b *frames.Block) error {
		rows.EachRun(b, func(from, to int) {
			for i := from; i < to; i++ {
				var y float64
				if b.Y != nil {
					y = b.Y[i]
				}
				g := group(b.Row(i), y)
				counts[g]++
				person(b.First+i, g)
				for k, value := range values {
					all[g*len(values)+k].Add(value(b.Row(i), y))
				}
			}
		})
		return nil
	})
	if err == nil {
		err = c.exactQuantiles(ctx, in, st.In, &t)
	}
	for g := range t.Counts {
		if c.people != inCounts {
			t.Counts[g] = float64(counts[g])
		}
		for k := range values {
			t.Sums[k][g] = all[g*len(values)+k].Sum()
		}
	}
	return t, err
}
