package tables

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/single"
)

// boundedCase is a table behind a bound.
type boundedCase struct {
	to    stage.Contributions
	wards int
	by    []string
	of    []TableStatistic
	tight float64 // the least part of what is charged that some pair attains
}

var (
	wardNames = []string{"a", "b", "c", "d"}
	count     = TableStatistic{Of: Count}
	people    = TableStatistic{Of: People}
	meanOfX   = TableStatistic{Of: Mean, Column: "x"}
	shareOf   = TableStatistic{Of: Share, Column: "back", Level: "yes"}
	medianOfX = TableStatistic{Of: Quantile, Column: "x", Q: 0.5}

	totalOfX     = TableStatistic{Of: Total, Column: "x", Lo: -3, Hi: 5}
	meanTotalOfX = TableStatistic{Of: MeanTotal, Column: "x", Lo: -3, Hi: 5}
)

func boundedSchema(wards int) frames.Schema {
	return must(frames.NewSchema(frames.Category("ward", wardNames[:wards]...), frames.Numeric("x", -3, 5), frames.Label("back", "no", "yes")))
}

// stage is that behind a bound, of three people.
func (c boundedCase) stage(rel accountant.Neighbours) stage.Stage {
	schema := boundedSchema(c.wards)
	before := must(must(pair.Start(3*c.to.Rows, stage.StartRadius(schema), rel)).Group(c.to.Rows - 1))
	return stage.Stage{In: schema, Out: schema, Before: before, Empty: true, Contributions: c.to}
}

// table are the exact cells where the second of three people has these rows.
func (c boundedCase) table(t *testing.T, cal *calibrated, st stage.Stage, bag [][]float64) []int64 {
	t.Helper()
	k := c.to.Rows
	m := &rows.Matrix{Domain: st.In, Cols: 2, X: make([]float64, 6*k), Y: make([]float64, 3*k)}
	for i := range 3 * k {
		switch at := i - k; {
		case i >= k && i < 2*k && at < len(bag):
			copy(m.Row(i), bag[at])
			m.Y[i] = bag[at][2]
		case i >= k && i < 2*k, i%k > 0:
			m.Remove(i)
		}
	}
	return must(cal.read(st)(t.Context(), rows.InProcess{In: m}))
}

// bags are all that a person may have within the bound, of rows with values at their ends.
func (c boundedCase) bags() (out [][][]float64) {
	var kinds [][]float64
	for ward := range c.wards {
		for _, x := range []float64{-3, 5} {
			for back := range 2 {
				kinds = append(kinds, []float64{float64(ward), x, float64(back)})
			}
		}
	}
	fits := func(bag [][]float64) bool {
		in := map[string]int{}
		for _, row := range bag {
			group := ""
			for _, name := range c.to.By {
				group += fmt.Sprint(row[map[string]int{"ward": 0, "back": 2}[name]], " ")
			}
			in[group]++
		}
		for _, n := range in {
			if n > c.to.PerGroup {
				return false
			}
		}
		return len(c.to.By) == 0 || len(in) <= c.to.Groups
	}
	var add func(bag [][]float64, from int)
	add = func(bag [][]float64, from int) {
		if fits(bag) {
			out = append(out, slices.Clone(bag))
		}
		if len(bag) == c.to.Rows {
			return
		}
		for i := from; i < len(kinds); i++ {
			add(append(slices.Clone(bag), kinds[i]), i)
		}
	}
	add(nil, 0)
	return out
}

// told is what a table is made of: its noisy cells, and the errors of quantiles at some of their candidates, the ends among them.
type told struct {
	cells []int64
	ranks [][]uint64 // of each quantile and group
}

func (c *calibrated) told(all []int64) told {
	out := told{cells: slices.Clone(all[:c.n*c.width()])}
	for _, q := range c.quantiles {
		for g := range c.n {
			errors := q.Errors(c.sumsOf(all, q.column, g))
			some := errors[len(errors)-1:]
			for k := 0; k < len(errors); k += 1 << 12 {
				some = append(some[:len(some):len(some)], errors[k])
			}
			out.ranks = append(out.ranks, slices.Clone(some))
		}
	}
	return out
}

// rankMoves is by how many rows the errors of a quantile differ, over all groups.
func (c *calibrated) rankMoves(i int, a, b told) (total float64) {
	for g := range c.n {
		most := 0.0
		x, y := a.ranks[i*c.n+g], b.ranks[i*c.n+g]
		for k := range x {
			most = max(most, math.Abs(float64(x[k])-float64(y[k]))/sums.RankUnit)
		}
		total += most
	}
	return total
}

// TestTableOfPeopleSensitivity goes through all bags of a person on both sides, of rows at the ends of their values: the table moves by at most
// what is charged, and by that where the table has room for both sides.
func TestTableOfPeopleSensitivity(t *testing.T) {
	of := func(rows, groups, perGroup int, by ...string) stage.Contributions {
		return stage.Contributions{Rows: rows, Groups: groups, PerGroup: perGroup, By: by}
	}
	ward, back, both := []string{"ward"}, []string{"back"}, []string{"ward", "back"}
	for _, c := range []boundedCase{
		{of(2, 2, 2), 2, ward, []TableStatistic{count}, 0.999},
		{of(2, 2, 2), 2, ward, []TableStatistic{count, meanOfX}, 0.999},
		{of(2, 2, 1, "ward"), 3, ward, []TableStatistic{count}, 0.999},
		{of(2, 2, 1, "ward"), 3, ward, []TableStatistic{count, meanOfX, shareOf}, 0.999},
		{of(2, 1, 2, "ward"), 2, ward, []TableStatistic{meanOfX}, 0.999},
		{of(2, 2, 2), 2, nil, []TableStatistic{count}, 0.999},
		{of(3, 2, 2, "ward"), 2, ward, []TableStatistic{count}, 0.999},
		{of(2, 2, 2), 3, ward, []TableStatistic{count, people}, 0.999},
		{of(2, 2, 2), 3, ward, []TableStatistic{people}, 0.999},
		{of(3, 2, 2, "ward"), 3, ward, []TableStatistic{people, meanOfX}, 0.98}, // where both sides are in the same groups no people differ
		{of(2, 2, 1, "ward"), 3, ward, []TableStatistic{people, count}, 0.999},
		{of(2, 2, 2), 3, ward, []TableStatistic{count, people, medianOfX}, 0.999}, // ranks stand behind the cells of people
		{of(2, 2, 2), 2, ward, []TableStatistic{medianOfX, meanOfX}, 0.999},
		// Totals: however many rows, a person adds one to a group.
		{of(2, 2, 2), 4, ward, []TableStatistic{people, totalOfX}, 0.999},
		{of(3, 2, 2, "ward"), 3, ward, []TableStatistic{people, totalOfX, meanTotalOfX}, 0.999},
		{of(3, 1, 3, "ward"), 2, ward, []TableStatistic{totalOfX}, 0.999},
		{of(3, 3, 3), 2, nil, []TableStatistic{totalOfX}, 0.999},
		{of(2, 2, 1, "ward"), 4, ward, []TableStatistic{meanTotalOfX, {Of: Total, Column: "x", Lo: -3, Hi: 3}}, 0.999},
		// Groups of other columns than those of the bound.
		{of(2, 2, 1, "ward"), 2, back, []TableStatistic{count}, 0.999},
		{of(2, 2, 1, "ward"), 2, both, []TableStatistic{count, meanOfX}, 0.999},
		{of(2, 1, 2, "ward", "back"), 2, ward, []TableStatistic{count}, 0.999},
		{of(2, 1, 2, "ward"), 2, both, []TableStatistic{count}, 0.7}, // no more groups than rows: those of one ward are not known to be few
	} {
		for _, rel := range []accountant.Neighbours{accountant.ReplaceOne, accountant.AddRemove} {
			t.Run(fmt.Sprint(c.to, c.by, c.of, rel), func(t *testing.T) {
				st := c.stage(rel)
				cal := must(Release{By: c.by, Of: c.of, Target: query.Target{Epsilon: 1, Delta: 1e-6}}.Calibrate(st))
				single.Goroutine(t)
				var tables []told
				for _, bag := range c.bags() {
					tables = append(tables, cal.told(c.table(t, cal, st, bag)))
				}
				most := 0.0                                  // the first bag is empty
				ranks := make([]float64, len(cal.quantiles)) // by how many rows those of each quantile move
				for i, a := range tables {
					for _, b := range tables[:i] {
						most = max(most, distance(a.cells, b.cells, cal.Grid.Step()))
						for i, q := range cal.quantiles {
							moved, claimed := cal.rankMoves(i, a, b), must(cal.moves(q, st.Before, false))
							if ranks[i] = max(ranks[i], moved); !(moved <= claimed) {
								t.Fatalf("a person moves ranks by %g, charged are %g", moved, claimed)
							}
						}
						if rel == accountant.AddRemove {
							break
						}
					}
				}
				if !(most <= cal.S) || !(most >= c.tight*cal.S) {
					t.Errorf("a person moves the table by %.17g, charged are %.17g", most, cal.S)
				}
				for i, q := range cal.quantiles { // K rows come or go, each of which moves one group by max(q, 1 − q)
					if claimed := must(cal.moves(q, st.Before, false)); rel == accountant.AddRemove && !(ranks[i] >= 0.999*claimed) {
						t.Errorf("a person moves ranks by %g at most, charged are %g", ranks[i], claimed)
					}
				}
			})
		}
	}
}

// TestTableBelievedTooLittle: what is charged for one row, or for counts alone, is less than what a person does.
func TestTableBelievedTooLittle(t *testing.T) {
	several := contributions{rows: 3, perGroup: 2, groups: 2, cells: 5, weights: 2, rel: accountant.ReplaceOne}
	worst := math.Sqrt(worst(several, several.square))
	one := several
	one.rows, one.perGroup, one.groups = 1, 1, 1
	for name, believed := range map[string]float64{
		"a row is a person": one.l2(),
		"√2 where S > 1":    math.Sqrt2 * math.Sqrt(3) * math.Sqrt(5), // √(2(1 + S)·C), not √(4S·C)
		"√K":                math.Sqrt(3) * one.l2(),                  // rows of one group add up
		"the people's":      contributions{rows: 2, perGroup: 1, groups: 2, cells: 5, rel: accountant.ReplaceOne}.l2(),
	} {
		if !(believed < 0.95*worst) {
			t.Errorf("%s: %g is believed, and a person moves the table by %g", name, believed, worst)
		}
	}
	// A person without rows who becomes a row of defaults is replaced, not removed.
	removed, replaced := oneRowEach(0, 2, accountant.AddRemove), oneRowEach(0, 2, accountant.ReplaceOne)
	if got := replaced.l2() / removed.l2(); !(got > 1.41) {
		t.Errorf("a default row in the place of none moves the counts by %g of what is believed", got)
	}
}

// TestPeopleInGroups: a person who has several rows in a group counts once there, in every group that they have rows in; and behind a step
// that loses the order of people nobody counts them.
func TestPeopleInGroups(t *testing.T) {
	c := boundedCase{to: stage.Contributions{Rows: 4, Groups: 4, PerGroup: 4}, wards: 3, by: []string{"ward"}, of: []TableStatistic{people, count}}
	st := c.stage(accountant.ReplaceOne)
	target := query.Target{Epsilon: 1e4, Delta: 1e-6}
	bag := [][]float64{{1, 0, 0}, {0, 0, 1}, {1, 5, 1}, {1, 5, 1}}
	want := [][2]float64{{3, 3}, {1, 3}, {0, 0}} // with the two others, who have one row each in the first ward
	for _, of := range [][]TableStatistic{{people, count}, {people}} {
		r := Release{By: c.by, Of: of, Target: target}
		cal := must(r.Calibrate(st))
		v := r.table(cal, st, c.table(t, cal, st, bag))
		cells := must(v.Column("people", 0.95))
		for g, w := range want {
			if math.Abs(cells[g].Value-w[0]) > 1e-3 {
				t.Errorf("%v, ward %d: %g people, want %g", of, g, cells[g].Value, w[0])
			}
			if len(of) > 1 && math.Abs(v.Counts[g]-w[1]) > 1e-3 {
				t.Errorf("ward %d: %g rows, want %g", g, v.Counts[g], w[1])
			}
		}
	}
	st.Unordered = true
	if _, err := (Release{By: c.by, Of: c.of, Target: target}).Calibrate(st); err == nil {
		t.Error("people are counted by places that no longer are theirs")
	}
}

// TestPeopleAreNoMoreThanThereAre: numbers of people, and their intervals, are within the number of all, not within that of the places of their rows;
// so is what is predicted of them.
func TestPeopleAreNoMoreThanThereAre(t *testing.T) {
	c := boundedCase{to: stage.Contributions{Rows: 4, PerGroup: 4, Groups: 4}, wards: 2, by: []string{"ward"}}
	for name, of := range map[string][]TableStatistic{"alone": {people}, "beside rows": {people, count}} {
		t.Run(name, func(t *testing.T) {
			st := c.stage(accountant.ReplaceOne) // of three people with twelve places
			r := Release{By: c.by, Of: of, Target: query.Target{Epsilon: 1, Delta: 1e-6}}
			cal := must(r.Calibrate(st))
			tab := r.empty(cal, st)
			tab.CountSigma = 5
			for g := range tab.Counts {
				tab.Counts[g] = 11
				if tab.People != nil {
					tab.People[g] = 7
				}
			}
			if got := must(tab.Column(People, 0.95))[0]; got.Value != 3 || got.High != 3 || got.Low != 0 && len(of) > 1 {
				t.Errorf("got %+v of three people", got)
			}
			if len(of) > 1 {
				if got := must(tab.Column(Count, 0.95))[0]; got.Value != 11 || got.High != 12 {
					t.Errorf("got %+v of twelve rows", got)
				}
			}
			p := cal.predicted(st)
			for i, name := range p.Names {
				want := 6.0
				if strings.HasSuffix(name, People) {
					want = 1.5
				}
				if p.Most[i] != want {
					t.Errorf("%s: half of what is open is %g, want %g", name, p.Most[i], want)
				}
			}
			tab.Persons = 13
			if tab.Check() == nil {
				t.Error("a table of thirteen people in twelve rows is taken")
			}
		})
	}
}
