package dpkit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/frames"
)

// boundCase is a way to bound what a person contributes, with what follows from it.
type boundCase struct {
	to      Contributing
	k, g, r int
	by      func(visit) string
}

func boundCases() []boundCase {
	none := func(visit) string { return "" }
	ward := func(v visit) string { return fmt.Sprint(v.ward) }
	both := func(v visit) string { return fmt.Sprint(v.ward, v.back) }
	return []boundCase{
		{Contributing{Rows: 1}, 1, 1, 1, none},
		{Contributing{Rows: 5}, 5, 5, 5, none},
		{Contributing{Groups: 2, RowsPerGroup: 1, By: []string{"ward"}}, 2, 2, 1, ward},
		{Contributing{Groups: 2, RowsPerGroup: 3, By: []string{"ward", "back"}}, 6, 2, 3, both},
		{Contributing{Rows: 4, Groups: 2, RowsPerGroup: 3, By: []string{"ward"}}, 4, 2, 3, ward},
		{Contributing{Rows: 4, RowsPerGroup: 1, By: []string{"ward", "back"}}, 4, 4, 1, both},
		{Contributing{Rows: 6, Groups: 1, By: []string{"ward"}}, 6, 1, 6, ward},
	}
}

// kept are the places behind a chain, each as text; "" where it is empty.
func kept(t testing.TB, p Pipeline) (places []string) {
	t.Helper()
	stages, end, err := p.trace()
	if err != nil {
		t.Fatal(err)
	}
	a := must(quote{stages: stages, end: end, place: p.s.place, held: p.s.held}.apply(t.Context(), p.s.src, nil))
	if err := a.rows.Scan(t.Context(), func(b *frames.Block) error {
		for i := range b.Rows {
			text := ""
			if b.Empty == nil || !b.Empty[i] {
				text = fmt.Sprint(b.Row(i), b.Y[i])
			}
			places = append(places, text)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return places
}

// text is a visit as kept shows it.
func (v visit) text() string {
	ward := fmt.Sprint(v.ward)
	if v.ward < 0 {
		ward = "NaN"
	}
	return fmt.Sprintf("[%v %v %s] %d", v.day, v.stay, ward, v.back)
}

// TestBoundIsOfOnePerson: what Bound keeps has the same bits in any order of the rows and in any blocks, and a table that differs in one
// person's rows, however many they were and are, leads to one that differs in that person's places alone.
func TestBoundIsOfOnePerson(t *testing.T) {
	for seed := range uint64(16) {
		rng := rand.New(rand.NewPCG(seed, 20))
		people := 2 + rng.IntN(12)
		all := hostileVisits(rng, people)
		again := slices.Clone(all)
		rng.Shuffle(len(again), func(i, j int) { again[i], again[j] = again[j], again[i] })
		who := rng.IntN(people)
		others := slices.DeleteFunc(slices.Clone(all), func(v visit) bool { return v.who == who })
		for range 1 + rng.IntN(30) {
			v := all[rng.IntN(len(all))]
			v.who = who
			others = slices.Insert(others, rng.IntN(len(others)+1), v)
		}
		size := 1 + rng.IntN(5)
		for _, c := range boundCases() {
			of := func(src frames.Source) []string {
				return kept(t, must(Demo(src, 1, ReplaceOne)).Data().Bound(c.to))
			}
			want := of(visitFrame(t, all))
			if len(want) != people*c.k {
				t.Fatalf("seed %d, %+v: %d places for %d people", seed, c.to, len(want), people)
			}
			if got := of(visitFrame(t, again).Blocks(size)); !slices.Equal(got, want) {
				t.Fatalf("seed %d, %+v: another order of the rows gives\n%q, want\n%q", seed, c.to, got, want)
			}
			changed := map[int]bool{}
			for i, row := range of(visitFrame(t, others)) {
				if row != want[i] {
					changed[i/c.k] = true
				}
			}
			if len(changed) > 1 {
				t.Fatalf("seed %d, %+v: other rows of one person change those of %d people", seed, c.to, len(changed))
			}
		}
	}
}

// TestBoundKeeps: everybody keeps rows that they have, as many as the bound leaves, and no more.
func TestBoundKeeps(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		all := hostileVisits(rand.New(rand.NewPCG(seed, 21)), 9)
		for i := range all { // a day is of one person
			all[i].day = float64(10*all[i].who + i%3)
		}
		for _, c := range boundCases() {
			places := kept(t, must(Demo(visitFrame(t, all), 1, ReplaceOne)).Data().Bound(c.to))
			taken := map[int]bool{}
			for ; len(places) > 0; places = places[c.k:] {
				rows := slices.DeleteFunc(slices.Clone(places[:c.k]), func(s string) bool { return s == "" })
				// One of the people, not yet found, has exactly such rows.
				who := slices.IndexFunc(all, func(v visit) bool { return !taken[v.who] && c.leaves(all, v.who, rows) })
				if who < 0 {
					t.Fatalf("seed %d, %+v: nobody has %q, or more are to be kept", seed, c.to, rows)
				}
				taken[all[who].who] = true
			}
		}
	}
}

// leaves reports whether rows are of that person, within the bound, and as many as it leaves whatever is chosen.
func (c boundCase) leaves(all []visit, who int, rows []string) bool {
	has, groups, text := map[string]int{}, map[string]int{}, map[string]string{}
	for _, v := range all {
		if v.who == who {
			has[v.text()]++
			groups[c.by(v)]++
			text[v.text()] = c.by(v)
		}
	}
	in := map[string]int{}
	for _, row := range rows {
		if has[row]--; has[row] < 0 {
			return false
		}
		in[text[row]]++
	}
	for _, n := range in {
		if n > c.r {
			return false
		}
	}
	if len(c.to.By) > 0 && len(in) > c.g {
		return false
	}
	if len(rows) == c.k {
		return true
	}
	if len(c.to.By) == 0 {
		return len(rows) == min(c.k, groups[""])
	}
	// Less than K: G groups, or all, and of each what there is, up to R.
	want := 0
	for g := range in {
		want += min(c.r, groups[g])
	}
	return len(rows) == want && len(in) == min(c.g, len(groups))
}

// TestBoundKeepsAnyRow: which row is kept is a draw of the key, so that each is kept about as often.
func TestBoundKeepsAnyRow(t *testing.T) {
	var all []visit
	for who := range 3000 {
		for day := range 4 {
			all = append(all, visit{who: who, day: float64(day), stay: 1, ward: day % 2})
		}
	}
	places := kept(t, must(Demo(visitFrame(t, all), 1, ReplaceOne)).Data().Bound(Contributing{Rows: 1}))
	count := map[string]int{}
	for _, p := range places {
		count[p]++
	}
	for _, v := range all[:4] {
		// Binomial(3000, 1/4): 6.5 standard deviations, two-sided below 1e-10.
		if n := count[v.text()]; n < 750-155 || n > 750+155 {
			t.Errorf("%s is kept of %d people, want about 750", v.text(), n)
		}
	}
}

// TestBoundErrors: a bound that is none, a step that compares rows of people before it, and a chain without people, are errors that name
// the step.
func TestBoundErrors(t *testing.T) {
	data := must(Demo(visitFrame(t, hostileVisits(rand.New(rand.NewPCG(3, 16)), 30)), 1, ReplaceOne)).Data()
	price := func(p Pipeline) error {
		_, err := p.Histogram("back", Target{Epsilon: 1, Delta: 1e-6}).Cost()
		return err
	}
	ward := []string{"ward"}
	for name, p := range map[string]Pipeline{
		"nothing":           data.Bound(Contributing{}),
		"negative":          data.Bound(Contributing{Rows: -1}),
		"too many":          data.Bound(Contributing{Rows: 1 << 21}),
		"too many by both":  data.Bound(Contributing{Groups: 1 << 12, RowsPerGroup: 1 << 12, By: ward}),
		"groups of what":    data.Bound(Contributing{Groups: 2, RowsPerGroup: 1}),
		"by without groups": data.Bound(Contributing{Rows: 3, By: ward}),
		"groups alone":      data.Bound(Contributing{Groups: 3, By: ward}),
		"by a number":       data.Bound(Contributing{Rows: 3, RowsPerGroup: 1, By: []string{"stay"}}),
		"by the person":     data.Bound(Contributing{Rows: 3, RowsPerGroup: 1, By: []string{"patient"}}),
		"by one twice":      data.Bound(Contributing{Rows: 3, RowsPerGroup: 1, By: []string{"ward", "ward"}}),
		"by none such":      data.Bound(Contributing{Rows: 3, RowsPerGroup: 1, By: []string{"town"}}),
		"twice":             data.Bound(Contributing{Rows: 3}).Bound(Contributing{Rows: 2}),
		"behind PerPerson":  data.PerPerson(MostFrequent{Column: "ward"}, MostFrequent{Column: "back"}).Bound(Contributing{Rows: 2}),
		"a fitted step":     data.Impute(Mean{}, "stay").Bound(Contributing{Rows: 3}),
		"a removing step":   data.Dedup(Exact{}).Bound(Contributing{Rows: 3}),
		"no person":         must(Demo(priceFrame(t, 40), 1, ReplaceOne)).Data().Bound(Contributing{Rows: 3}),
	} {
		if err := price(p); err == nil || !strings.Contains(err.Error(), "step ") {
			t.Errorf("%s: got %v, want an error that names the step", name, err)
		}
	}
	if err := price(data); !errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), "Bound(Contributing{Rows: k})") || !strings.Contains(err.Error(), "PerPerson(") {
		t.Errorf("no bound: got %v, want an error that names both ways", err)
	}
	for _, p := range []Pipeline{data.Bound(Contributing{Rows: 3}), data.Where(Is("ward", "lung")).Impute(Midpoint{}, "stay").Bound(Contributing{Groups: 2, RowsPerGroup: 2, By: []string{"ward", "back"}})} {
		if err := price(p); err != nil {
			t.Errorf("%v: %v", p, err)
		}
		plan := p.Histogram("back", Target{Epsilon: 1, Delta: 1e-6})
		if got := must(Parse[Estimates](data.s, plan.String())).String(); got != plan.String() {
			t.Errorf("read back: got %s, want %s", got, plan.String())
		}
	}
	if c := must(data.Bound(Contributing{Rows: 3}).Histogram("back", Target{Epsilon: 1, Delta: 1e-6}).Cost()); c.Rows != 30 || !strings.Contains(c.String(), "30 people") {
		t.Errorf("the cost is of %d rows, want 30 people:\n%v", c.Rows, c)
	}
}

// TestBoundIsCompared: other bounds are listed with their price and not recommended, and what is written says what one row a person costs.
func TestBoundIsCompared(t *testing.T) {
	data := must(Demo(visitFrame(t, hostileVisits(rand.New(rand.NewPCG(9, 20)), 60)), 1, ReplaceOne)).Data()
	plan := data.Bound(Contributing{Groups: 2, RowsPerGroup: 2, By: []string{"ward"}}).By("ward").Count().Table(Target{Epsilon: 1, Delta: 1e-6})
	c := must(plan.Compare())
	if len(c.Steps) == 0 || c.Recommended.Noise != c.Written.Noise {
		t.Fatalf("got %v", c)
	}
	noise := map[string]float64{}
	for _, v := range c.Steps[0].Variants {
		noise[v.Name] = v.Noise
	}
	for name, want := range map[string]float64{
		`Bound(Contributing{Groups: 2, RowsPerGroup: 2, By: ["ward"]})`: 1,
		`Bound(Contributing{Groups: 1, RowsPerGroup: 2, By: ["ward"]})`: math.Sqrt(0.5),
		`Bound(Contributing{Groups: 4, RowsPerGroup: 2, By: ["ward"]})`: 1, // there are four wards: where one side has rows in all of them the other has none
		`Bound(Contributing{Groups: 2, RowsPerGroup: 1, By: ["ward"]})`: 0.5,
		`Bound(Contributing{Groups: 2, RowsPerGroup: 4, By: ["ward"]})`: 2,
	} {
		if got := noise[name] / c.Written.Noise; math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: %g times the noise, want %g", name, got, want)
		}
	}
	if text := c.String(); !strings.Contains(text, "PerPerson") {
		t.Errorf("one row a person is not told of:\n%s", text)
	}
}

// TestBoundsAreNotCalledEqual: bounds of 3, 6 and 12 rows differ in their predicted error as they do in noise; what each drops is an unknown bias,
// in Compare and in Error, of tables, counts and sums alike, and of all plans of a joint release.
func TestBoundsAreNotCalledEqual(t *testing.T) {
	s := must(Demo(visitFrame(t, hostileVisits(rand.New(rand.NewPCG(9, 20)), 60)), 1, ReplaceOne))
	target := Target{Epsilon: 1, Delta: 1e-6}
	for name, of := range map[string]func(p Pipeline) *plan{
		"table": func(p Pipeline) *plan { return p.By("ward").Count().Table(target).plan() },
		"count": func(p Pipeline) *plan { return p.Count(target, Is("back", "yes")).plan() },
		"sum":   func(p Pipeline) *plan { return p.Impute(Midpoint{}, "stay").Select("stay").Sum(target).plan() },
	} {
		last := 0.0
		for _, k := range []int{3, 6, 12} {
			pl := of(s.Data().Bound(Contributing{Rows: k}))
			c, _, err := pl.compare()
			if err != nil {
				t.Fatal(name, err)
			}
			if w := c.Written; !(w.Error > 1.9*last) || !strings.Contains(w.Predict(), "+ unknown bias") || !strings.Contains(c.String(), "the rows of a person that Bound drops") {
				t.Errorf("%s, K = %d: predicted %q after %.3g:\n%s", name, k, w.Predict(), last, c)
			}
			last = c.Written.Error
			for _, e := range []cost.Prediction{must(pl.predicted(0.95)), *must(pl.Cost()).Predicted} {
				if e.Unknown != "the rows of a person that Bound drops" || !strings.Contains(e.String(), "unknown: "+e.Unknown) {
					t.Errorf("%s, K = %d: Error says %+v", name, k, e)
				}
			}
		}
	}
	both := Together(target, s.Data().Bound(Contributing{Rows: 3}).By("ward").Count().Table(Target{}), s.Data().Bound(Contributing{Rows: 3}).By("back").Count().Table(Target{}))
	for _, e := range must(both.Error(0.95)).Members {
		if e.Unknown == "" {
			t.Errorf("together: Error says %+v", e)
		}
	}
}

// TestBoundOfOneRowEach: where everybody has one row a table behind Bound, and one of people behind PerPerson, is today's of rows: the same
// bits at the same price.
func TestBoundOfOneRowEach(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 20))
	var text strings.Builder
	text.WriteString("patient,ward,stay\n")
	for i := range 400 {
		fmt.Fprintf(&text, "p%d,%s,%g\n", i, wardNames[rng.IntN(3)], 30*rng.Float64())
	}
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		load := func(first frames.Column) Pipeline {
			s := must(frames.NewSchema(first, frames.Category("ward", wardNames...), frames.Numeric("stay", 0, 30)))
			return must(Demo(must(frames.ParseCSV(strings.NewReader(text.String()), "v", s, frames.CSVOptions{Header: true})), 3, rel)).Data()
		}
		table := func(g Grouping) Result[Table] {
			return must(g.Mean("stay").Table(Target{Epsilon: 1, Delta: 1e-6}).Release(t.Context()))
		}
		want := table(load(frames.Ignored("patient")).By("ward").Count())
		people := load(frames.Person("patient"))
		for name, got := range map[string]Result[Table]{
			"Bound":               table(people.Bound(Contributing{Rows: 1}).By("ward").Count()),
			"Bound, people":       table(people.Bound(Contributing{Rows: 1}).By("ward").People()),
			"Bound of one each":   table(people.Bound(Contributing{Groups: 1, RowsPerGroup: 1, By: []string{"ward"}}).By("ward").Count()),
			"PerPerson, people":   table(people.PerPerson(MostFrequent{Column: "ward"}, MeanOf{Column: "stay", As: "stay"}).By("ward").People()),
			"rows, asked by name": table(load(frames.Ignored("patient")).By("ward").People()),
		} {
			if !slices.Equal(got.Value.Counts, want.Value.Counts) || !slices.Equal(got.Value.Sums[0], want.Value.Sums[0]) || got.Value.People != nil {
				t.Errorf("%v, %s: got %v, %v, want %v, %v", rel, name, got.Value.Counts, got.Value.Sums, want.Value.Counts, want.Value.Sums)
			}
			if got.Cost.Release.Sigma != want.Cost.Release.Sigma || got.Guarantee.Epsilon != want.Guarantee.Epsilon {
				t.Errorf("%v, %s: noise %g at ε = %g, want %g at %g", rel, name, got.Cost.Release.Sigma, got.Guarantee.Epsilon, want.Cost.Release.Sigma, want.Guarantee.Epsilon)
			}
		}
	}
}
