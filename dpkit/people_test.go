package dpkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/frames"
)

// visit is a row of a table of visits: who came, when, for how long, to which ward, and whether they came back.
type visit struct {
	who       int
	day, stay float64 // NaN: missing
	ward      int     // −1: missing
	back      int
}

var wardNames = []string{"heart", "lung", "skin"}

func visitSchema() frames.Schema {
	return must(frames.NewSchema(
		frames.Person("patient"), frames.Numeric("day", 0, 365).MayMiss(), frames.Numeric("stay", 0, 30).MayMiss(),
		frames.Category("ward", wardNames...).MayMiss(), frames.Label("back", "no", "yes"),
	))
}

// visitFrame is a table in memory, read from the text that a file would have.
func visitFrame(t testing.TB, all []visit) *frames.Frame {
	t.Helper()
	return must(frames.ParseCSV(strings.NewReader(visitText(all)), "visits", visitSchema(), frames.CSVOptions{Header: true}))
}

func visitText(all []visit) string {
	cell := func(v float64) string {
		if math.IsNaN(v) {
			return ""
		}
		return fmt.Sprint(v)
	}
	var b strings.Builder
	b.WriteString("patient,day,stay,ward,back\n")
	for _, v := range all {
		ward := ""
		if v.ward >= 0 {
			ward = wardNames[v.ward]
		}
		fmt.Fprintf(&b, "p%d,%s,%s,%s,%s\n", v.who, cell(v.day), cell(v.stay), ward, []string{"no", "yes"}[v.back])
	}
	return b.String()
}

// hostileVisits are tables with ties, rows that repeat, gaps, people of one row and of many, and numbers whose sum depends on its order.
func hostileVisits(rng *rand.Rand, people int) (all []visit) {
	numbers := []float64{0, 1e-17, 0.1, 0.2, 0.3, 1, 10, 29.999999999999996, 30}
	for who := range people {
		rows := []int{1, 1, 2, 3, 7, 40}[rng.IntN(6)]
		for range rows {
			v := visit{who: who, day: float64(rng.IntN(5)), stay: numbers[rng.IntN(len(numbers))], ward: rng.IntN(4) - 1, back: rng.IntN(2)}
			if rng.IntN(4) == 0 {
				v.day = math.NaN()
			}
			if rng.IntN(4) == 0 {
				v.stay = math.NaN()
			}
			all = append(all, v)
			if rng.IntN(3) == 0 {
				all = append(all, v)
			}
		}
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// everyStatistic is PerPerson with all that there is.
func everyStatistic(p Pipeline) Pipeline {
	return p.PerPerson(
		CountRows{Max: 20}, SumOf{Column: "stay", Lo: 1, Hi: 100}, MeanOf{Column: "stay"}, MinOf{Column: "stay"}, MaxOf{Column: "day", As: "last"},
		ShareOf{Column: "ward", Level: "lung"}, ShareOf{Column: "back", Level: "yes"}, MostFrequent{Column: "ward"}, Latest{Column: "stay", By: "day"},
		Latest{Column: "back", By: "day"},
	)
}

// collapsed are the rows that PerPerson makes, as text, so that missing cells compare.
func collapsed(t testing.TB, src frames.Source) (rows []string) {
	t.Helper()
	s := must(Demo(src, 1, ReplaceOne))
	stages, end, err := everyStatistic(s.Data()).trace()
	if err != nil {
		t.Fatal(err)
	}
	a := must(quote{stages: stages, end: end, place: s.place}.apply(t.Context(), src, nil))
	if err := a.rows.Scan(t.Context(), func(b *frames.Block) error {
		for i := range b.Rows {
			rows = append(rows, fmt.Sprint(b.Row(i), b.Y[i]))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestPerPersonIsOfOnePerson: what PerPerson makes of a table has the same bits in any order of its rows, and a table that differs in one
// person's rows, however many they were and are, leads to one that differs in that person's row alone, at its place.
func TestPerPersonIsOfOnePerson(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 16))
		people := 2 + rng.IntN(12)
		all := hostileVisits(rng, people)
		want := collapsed(t, visitFrame(t, all))
		if len(want) != people {
			t.Fatalf("seed %d: got %d rows for %d people", seed, len(want), people)
		}
		again := slices.Clone(all)
		rng.Shuffle(len(again), func(i, j int) { again[i], again[j] = again[j], again[i] })
		if got := collapsed(t, visitFrame(t, again).Blocks(1+rng.IntN(5))); !slices.Equal(got, want) {
			t.Fatalf("seed %d: another order of the rows gives\n%v, want\n%v", seed, got, want)
		}
		who := rng.IntN(people)
		others := slices.DeleteFunc(slices.Clone(all), func(v visit) bool { return v.who == who })
		for range 1 + rng.IntN(30) {
			v := all[rng.IntN(len(all))]
			v.who = who
			others = slices.Insert(others, rng.IntN(len(others)+1), v)
		}
		differ := 0
		for i, row := range collapsed(t, visitFrame(t, others)) {
			if row != want[i] {
				differ++
			}
		}
		if differ > 1 {
			t.Fatalf("seed %d: other rows of one person change %d rows", seed, differ)
		}
	}
}

func TestPerPersonValues(t *testing.T) {
	nan := math.NaN()
	f := visitFrame(t, []visit{
		{who: 1, day: 3, stay: 10, ward: 1, back: 1},
		{who: 1, day: 5, stay: 20, ward: 2, back: 0},
		{who: 1, day: nan, stay: nan, ward: -1, back: 1},
		{who: 1, day: 5, stay: 30, ward: 1, back: 1},
		{who: 2, day: nan, stay: nan, ward: -1, back: 0},
	})
	want := []string{
		"[4 60 20 10 5 0.6666666666666666 0.75 1 30] 1", // the later of the two rows of day 5 by their values
		"[1 1 NaN NaN NaN NaN 0 NaN NaN] 0",             // nothing but a row: the sum of nothing is 0, clamped to its bounds
	}
	got := collapsed(t, f)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s, want\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestOneRowEach: a table in which every person has one row gives what it gave as a table of rows, with the same bits at the same price.
func TestOneRowEach(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 16))
	var text strings.Builder
	text.WriteString("patient,day,stay\n")
	for i := range 500 {
		fmt.Fprintf(&text, "p%d,%d,%g\n", i, rng.IntN(365), 30*rng.Float64())
	}
	load := func(first frames.Column) *Session {
		s := must(frames.NewSchema(first, frames.Numeric("day", 0, 365), frames.NumericLabel("stay", 0, 30)))
		return must(Demo(must(frames.ParseCSV(strings.NewReader(text.String()), "v", s, frames.CSVOptions{Header: true})), 3, AddRemove))
	}
	target := Target{Epsilon: 1, Delta: 1e-6}
	rows, people := load(frames.Ignored("patient")).Data(), load(frames.Person("patient")).Data().
		PerPerson(Latest{Column: "day", By: "day"}, Latest{Column: "stay", By: "day"})
	a, b := must(rows.Mean(target).Release(t.Context())), must(people.Mean(target).Release(t.Context()))
	if !slices.Equal(a.Value.Values, b.Value.Values) {
		t.Errorf("mean: got %v, want %v as of rows", b.Value.Values, a.Value.Values)
	}
	x, y := must(rows.FitLinear(AdaSSP{Epsilon: 1, Delta: 1e-6}).Release(t.Context())), must(people.FitLinear(AdaSSP{Epsilon: 1, Delta: 1e-6}).Release(t.Context()))
	if !slices.Equal(x.Value.Coef, y.Value.Coef) {
		t.Errorf("coefficients: got %v, want %v as of rows", y.Value.Coef, x.Value.Coef)
	}
	if x.Cost.Release.Sigma != y.Cost.Release.Sigma || x.Cost.Guarantee.Epsilon != y.Cost.Guarantee.Epsilon {
		t.Error("the price of people is another than that of rows")
	}
}

// TestPeopleAreNoRows: nothing that takes a row for a person runs before rows are people, and the error says how.
func TestPeopleAreNoRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 16))
	data := must(Demo(visitFrame(t, hostileVisits(rng, 30)), 1, ReplaceOne)).Data()
	target := Target{Epsilon: 1, Delta: 1e-6}
	price := func(p Pipeline) error { _, err := p.Histogram("back", target).Cost(); return err }
	for name, p := range map[string]Pipeline{
		"no step":         data,
		"a fitted step":   data.Impute(Mean{}, "stay").PerPerson(CountRows{Max: 3}),
		"a removing step": data.Dedup(Exact{}).PerPerson(CountRows{Max: 3}),
		"a public step":   data.Scale(),
	} {
		if err := price(p); !errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), `by "patient"`) || !strings.Contains(err.Error(), "PerPerson(") {
			t.Errorf("%s: got %v, want ErrOrder that names PerPerson", name, err)
		}
	}
	for name, p := range map[string]Pipeline{
		"twice":            data.PerPerson(CountRows{Max: 3}).PerPerson(CountRows{Max: 3}),
		"no person":        must(Demo(priceFrame(t, 40), 1, ReplaceOne)).Data().PerPerson(CountRows{Max: 3}),
		"nothing":          data.PerPerson(),
		"nil":              data.PerPerson(nil),
		"no such column":   data.PerPerson(MeanOf{Column: "price"}),
		"the person":       data.PerPerson(Latest{Column: "patient", By: "day"}),
		"mean of levels":   data.PerPerson(MeanOf{Column: "ward"}),
		"levels of number": data.PerPerson(MostFrequent{Column: "stay"}),
		"no such level":    data.PerPerson(ShareOf{Column: "ward", Level: "soul"}),
		"no bounds":        data.PerPerson(SumOf{Column: "stay"}),
		"NaN bounds":       data.PerPerson(SumOf{Column: "stay", Lo: math.NaN(), Hi: 3}),
		"no most":          data.PerPerson(CountRows{}),
		"one name twice":   data.PerPerson(CountRows{Max: 3}, CountRows{Max: 4}),
		"label may miss":   data.PerPerson(PersonLabel{Of: MostFrequent{Column: "ward"}}),
		"encoded":          data.OneHot().PerPerson(MeanOf{Column: "ward=lung"}),
	} {
		if err := price(p); err == nil || !strings.Contains(err.Error(), "step ") {
			t.Errorf("%s: got %v, want an error that names the step", name, err)
		}
	}
	// Public maps of one row at a time may stand before it, and know whose row it is.
	p := data.ClipColumns(0, 10, "stay").Impute(Midpoint{}, "stay").Indicate("day").Bin([]float64{100}, "day").
		PerPerson(MeanOf{Column: "stay"}, MeanOf{Column: "day is missing"}, PersonLabel{Of: CountRows{Max: 40}}).FitLinear(AdaSSP{Epsilon: 1, Delta: 1e-6})
	if _, err := p.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if got := must(Parse[LinearModel](data.s, p.String())).String(); got != p.String() {
		t.Errorf("read back: got %s, want %s", got, p.String())
	}
}

// TestPeopleInLedgers: guarantee, value, ledger and statement of a table of people speak of people, and a ledger of the one unit is none of the
// other.
func TestPeopleInLedgers(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "visits.csv")
	if err := os.WriteFile(path, []byte(visitText(hostileVisits(rand.New(rand.NewPCG(5, 16)), 50))), 0o600); err != nil {
		t.Fatal(err)
	}
	src := must(frames.OpenCSV(path, visitSchema(), frames.CSVOptions{Header: true}))
	o := Options{Ledger: filepath.Join(dir, "visits.ledger"), Budget: Budget{Epsilon: 2, Delta: 1e-6}, Neighbours: ReplaceOne, Dataset: "visits"}
	s := must(Create(src, o))
	plan := func(s *Session) Plan[LogisticModel] {
		return everyStatistic(s.Data()).Drop("rows").OneHot().Impute(Midpoint{}).Scale().FitLogistic(ByObjective{Epsilon: 1, Delta: 1e-7})
	}
	r := must(plan(s).Release(t.Context()))
	c := must(plan(s).Cost())
	st := must(s.Status())
	if c.Rows != 50 || !strings.Contains(s.String(), "50 people") || !strings.Contains(st.String(), "per person") {
		t.Errorf("the number of people does not stand in cost, session and status: %d, %s, %s", c.Rows, s, st)
	}
	var statement bytes.Buffer
	l := must(ledger.Open(o.Ledger))
	if err := json.NewEncoder(&statement).Encode(must(l.Statement())); err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	for name, text := range map[string]string{
		"guarantee": r.Guarantee.String(), "value": fmt.Sprint(r.Value), "cost": c.String(), "statement": statement.String(), "history": must(s.History()).Col("unit").Elem(0).String(),
	} {
		if !strings.Contains(text, "person") {
			t.Errorf("%s does not speak of people:\n%s", name, text)
		}
	}
	row := map[string]any{
		"sum of stay": 3, "mean of stay": 1, "least stay": 1, "last": 200, "share of ward=lung": 0.5, "share of back=yes": 0, "ward": "skin", "stay": nil,
	}
	if _, err := r.Value.PredictRow(row); err != nil {
		t.Errorf("a model of people does not read a person: %v", err)
	}
	again := must(plan(must(Open(must(frames.ReadCSV(path, visitSchema(), frames.CSVOptions{Header: true})), o.Ledger))).Release(t.Context()))
	if !again.Replayed || !slices.Equal(again.Value.Coef, r.Value.Coef) || again.Guarantee.String() != r.Guarantee.String() {
		t.Error("the release does not replay, or as another")
	}
	// The same rows with other people are other data, although every column is the same.
	swapped := must(frames.ParseCSV(strings.NewReader(strings.Replace(visitText(hostileVisits(rand.New(rand.NewPCG(5, 16)), 50)), "p7,", "p8,", 1)), "v", visitSchema(), frames.CSVOptions{Header: true}))
	if r, err := plan(must(Open(swapped, o.Ledger))).Release(t.Context()); err == nil {
		t.Errorf("another person's row: got %v, want a refusal", r.Guarantee)
	}
	perRow := must(frames.NewSchema(frames.Ignored("patient"), frames.Numeric("day", 0, 365).MayMiss(), frames.Numeric("stay", 0, 30).MayMiss(),
		frames.Category("ward", wardNames...).MayMiss(), frames.Label("back", "no", "yes")))
	rows := must(frames.ReadCSV(path, perRow, frames.CSVOptions{Header: true}))
	if _, err := Open(rows, o.Ledger); err == nil || !strings.Contains(err.Error(), "per person") {
		t.Errorf("rows in a ledger of people: got %v", err)
	}
	if _, err := Create(rows, o); err == nil || !strings.Contains(err.Error(), "unit") {
		t.Errorf("rows in a ledger of people, created: got %v", err)
	}
}

// TestRowsAreNotPeople: a table of rows whose schema does not say whose they are is sold per row, and somebody with 23 of them has 32 times the ε
// that is printed (docs/theory/tables.md#rows-taken-for-people).
func TestRowsAreNotPeople(t *testing.T) {
	const visits = 23
	budget := Budget{Epsilon: 0.5, Delta: 1e-7}
	mu := must(accountant.CalibrateGaussian(budget))
	g := must(accountant.EpsilonOf(accountant.Gaussian{Sensitivity: visits * mu, Sigma: 1, Neighbours: ReplaceOne}, ReplaceOne, budget.Delta))
	if !(g.Epsilon > 15.5 && g.Epsilon < 16.5) {
		t.Errorf("somebody with %d rows: got ε = %g, want 16", visits, g.Epsilon)
	}
}

// TestPeopleTogether: a joint release of people is charged, promised and replayed per person.
func TestPeopleTogether(t *testing.T) {
	f := visitFrame(t, hostileVisits(rand.New(rand.NewPCG(8, 16)), 60))
	o := Options{
		Ledger: filepath.Join(t.TempDir(), "visits.ledger"), Budget: Budget{Epsilon: 4, Delta: 1e-6}, Neighbours: AddRemove, Dataset: "visits", Pure: 1, Reserve: 1e-7,
	}
	s := must(Create(f, o))
	people := s.Data().Where(Between("day", 0, 3)).PerPerson(CountRows{Max: 20}, MostFrequent{Column: "ward"}, MostFrequent{Column: "back"})
	table := people.By("back").Count().Mean("rows").Table(Target{})
	mean := people.Drop("ward").Mean(Target{})
	joint := Together(Target{Epsilon: 1, Delta: 1e-7}, table, mean.Weight(2))
	for _, replayed := range []bool{false, true} {
		r := must(joint.Release(t.Context()))
		v := must(table.Of(r))
		if r.Replayed != replayed || r.Guarantee.Unit != accountant.PerPerson || v.Value.Provenance.Unit != "person" || !strings.Contains(fmt.Sprint(v.Value), "per person") {
			t.Errorf("replayed %v: %v, %s", r.Replayed, r.Guarantee, v.Value)
		}
	}
	if es := must(s.ledger.Entries()); len(es) != 1 || es[0].Guarantee.Unit != accountant.PerPerson {
		t.Errorf("entries: %+v", es)
	}
	if r, err := people.Drop("ward").Mean(Target{Epsilon: 0.2, Delta: 1e-7}).Release(t.Context()); err != nil || r.Guarantee.Unit != accountant.PerPerson {
		t.Errorf("beside a part for pure releases: %v, %v", r.Guarantee, err)
	}
}
