package dpkit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

func drugSchema() frames.Schema {
	return mustSchema(frames.Person("id"), frames.Numeric("dose", 0, 10), frames.Category("drug", "a", "b"), frames.Numeric("when", 0, 365).MayMiss())
}

type drug struct {
	who        int
	dose, when float64
	kind       int
}

func drugFrame(t testing.TB, all []drug) *frames.Frame {
	t.Helper()
	var b strings.Builder
	b.WriteString("id,dose,drug,when\n")
	for _, d := range all {
		when := ""
		if !math.IsNaN(d.when) {
			when = fmt.Sprint(d.when)
		}
		fmt.Fprintf(&b, "p%d,%v,%s,%s\n", d.who, d.dose, []string{"a", "b"}[d.kind], when)
	}
	return must(frames.ParseCSV(strings.NewReader(b.String()), "drugs", drugSchema(), frames.CSVOptions{Header: true}))
}

// hostileDrugs are rows of some of the people, and of others who are in no other table.
func hostileDrugs(rng *rand.Rand, people int) (all []drug) {
	for who := range people + 3 {
		for range []int{0, 0, 1, 2, 7}[rng.IntN(5)] {
			d := drug{who, []float64{0, 0.1, 0.2, 10}[rng.IntN(4)], float64(rng.IntN(3)), rng.IntN(2)}
			if rng.IntN(4) == 0 {
				d.when = math.NaN()
			}
			all = append(all, d)
		}
	}
	all = append(all, drug{people + 4, 1, 1, 1})
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// TestJoinPeople: everybody of the first table has a row with the cells of the second, whatever the order of the tables, how they are read and
// what memory there is; who is not in the second has counts and sums of none, and nothing else; who is in the second alone is nobody.
func TestJoinPeople(t *testing.T) {
	visits := []visit{{1, 1, 2, 0, 0}, {2, 1, 4, 1, 1}, {1, 3, 6, 2, 1}, {3, 1, 8, 2, 0}}
	drugs := []drug{{2, 1, 5, 0}, {7, 9, 9, 1}, {1, 2, 5, 1}, {2, 3, 6, 1}}
	for name, read := range map[string]func(v, d *frames.Frame) (frames.Source, frames.Source){
		"in memory": func(v, d *frames.Frame) (frames.Source, frames.Source) { return v, d },
		"in blocks": func(v, d *frames.Frame) (frames.Source, frames.Source) { return v.Blocks(1), d.Blocks(2) },
	} {
		for _, memory := range []int{1 << 20, 16} {
			v, d := read(visitFrame(t, visits), drugFrame(t, drugs))
			s := must(Demo(v, 1, ReplaceOne))
			must(0, s.Memory(memory))
			second := must(s.AddTable("drugs", d))
			p := s.Data().PerPerson(SumOf{Column: "stay", Hi: 9}).
				JoinPeople(second.PerPerson(CountRows{Max: 9, As: "drugs"}, SumOf{Column: "dose", Lo: 1, Hi: 9}, MostFrequent{Column: "drug"})).
				JoinPeople(second.Where(Is("drug", "b")).PerPerson(CountRows{Max: 9, As: "b"}))
			got := sideOf(t, p)
			slices.SortFunc(got, func(a, b []float64) int { return int(a[0]*10 - b[0]*10) })
			if want := "[[4 2 4 0 1] [8 1 2 1 1] [8 0 1 NaN 0]]"; fmt.Sprint(got) != want && fmt.Sprint(got) != "[[4 2 4 0 1] [8 0 1 NaN 0] [8 1 2 1 1]]" {
				t.Errorf("%s: got %v, want %s", name, got, want)
			}
			rows := s.Data().JoinPeople(second.PerPerson(CountRows{Max: 9, As: "drugs"}))
			each := sideOf(t, rows.PerPerson(SumOf{Column: "stay", Hi: 9}, MaxOf{Column: "drugs"}))
			kept := sideOf(t, rows.Select("stay", "drugs").Bound(Contributing{Rows: 2}))
			for _, rows := range [][][]float64{each, kept} {
				slices.SortFunc(rows, func(a, b []float64) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
			if got, want := fmt.Sprint(each, kept), "[[4 2] [8 0] [8 1]] [[2 1 0] [4 2 1] [6 1 1] [8 0 0] [] []]"; got != want {
				t.Errorf("%s: rows of people: got %s, want %s", name, got, want)
			}
		}
	}
}

// TestJoinPeopleIsOfOnePerson: two pairs of tables that differ in one person's rows, in either or in both, lead to rows that differ at that
// person's place alone.
func TestJoinPeopleIsOfOnePerson(t *testing.T) {
	t.Parallel()
	const k = 3
	moved := map[string]int{}
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 21))
		people := 2 + rng.IntN(8)
		visits, drugs := hostileVisits(rng, people), hostileDrugs(rng, people)
		chains := func(v []visit, d []drug) map[string][][]float64 {
			s := must(Demo(visitFrame(t, v), 1, ReplaceOne))
			second := must(s.AddTable("drugs", drugFrame(t, d)))
			one := second.PerPerson(CountRows{Max: 9, As: "drugs"}, MeanOf{Column: "dose"}, Latest{Column: "drug", By: "when"})
			return map[string][][]float64{
				"one row each": sideOf(t, everyStatistic(s.Data()).JoinPeople(one)),
				"some rows":    sideOf(t, s.Data().JoinPeople(one).Bound(Contributing{Rows: k})),
				"some pairs":   sideOf(t, s.Data().JoinPeople(second.Select("dose", "drug"), PairedRows{First: 2, Second: 3}).Bound(Contributing{Rows: k})),
				"kept pairs":   sideOf(t, s.Data().Select("stay", "ward").JoinPeople(second.Select("dose", "drug"), PairedRows{First: 2, Second: 3}).Bound(Contributing{Rows: 6})),
				"of all pairs": sideOf(t, s.Data().JoinPeople(second.Where(Is("drug", "a")).Select("dose"), PairedRows{First: 3, Second: 2}).PerPerson(CountRows{Max: 99}, SumOf{Column: "dose", Hi: 1e3, As: "all"}, Latest{Column: "dose", By: "stay"})),
			}
		}
		who := rng.IntN(people)
		first := slices.DeleteFunc(slices.Clone(visits), func(v visit) bool { return v.who == who })
		for range 1 + rng.IntN(9) {
			v := visits[rng.IntN(len(visits))]
			v.who = who
			first = slices.Insert(first, rng.IntN(len(first)+1), v)
		}
		second := slices.DeleteFunc(slices.Clone(drugs), func(d drug) bool { return d.who == who })
		for range rng.IntN(5) {
			d := drugs[rng.IntN(len(drugs))]
			d.who = who
			second = slices.Insert(second, rng.IntN(len(second)+1), d)
		}
		was := chains(visits, drugs)
		for name, now := range map[string]map[string][][]float64{"both": chains(first, second), "the first": chains(first, drugs), "the second": chains(visits, second)} {
			for chain, rows := range now {
				if len(rows) != len(was[chain]) {
					t.Fatalf("seed %d: %s, %s: %d rows, and %d", seed, chain, name, len(rows), len(was[chain]))
				}
				each := map[string]int{"one row each": 1, "some rows": k, "some pairs": k, "kept pairs": 6, "of all pairs": 1}[chain]
				at := map[int]bool{}
				differ := 0
				for i, row := range rows {
					if fmt.Sprint(row) != fmt.Sprint(was[chain][i]) {
						at[i/each], differ = true, differ+1
					}
				}
				if len(at) > 1 {
					t.Fatalf("seed %d: %s, %s: the rows of %d people differ", seed, chain, name, len(at))
				}
				moved[chain] = max(moved[chain], differ)
			}
		}
	}
	if moved["one row each"] != 1 || moved["some rows"] != k || moved["some pairs"] != k || moved["kept pairs"] != 6 || moved["of all pairs"] != 1 {
		t.Errorf("a person moves %v rows, want as many as are claimed", moved)
	}
}

// TestJoinPeopleEach: each row of a person stands beside each that they have in the second table, or beside none, whatever the order of the
// tables, how they are read and what memory there is.
func TestJoinPeopleEach(t *testing.T) {
	visits := []visit{{1, 1, 2, 0, 0}, {2, 1, 4, 1, 1}, {1, 3, 6, 2, 1}, {3, 1, 8, 2, 0}}
	drugs := []drug{{2, 1, 5, 0}, {7, 9, 9, 1}, {1, 2, 5, 1}, {1, 4, 6, 0}, {2, 3, 6, 1}, {1, 4, 6, 0}}
	all := PairedRows{First: 9, Second: 9}
	for turn := range 3 {
		for _, memory := range []int{1 << 20, 16} {
			v, d := frames.Source(visitFrame(t, visits)), frames.Source(drugFrame(t, drugs))
			if turn > 0 {
				v, d = v.(*frames.Frame).Blocks(turn), d.(*frames.Frame).Blocks(turn)
			}
			s := must(Demo(v, 1, ReplaceOne))
			must(0, s.Memory(memory))
			second := must(s.AddTable("drugs", d))
			pairs := s.Data().JoinPeople(second, all)
			each := sideOf(t, pairs.PerPerson(CountRows{Max: 99}, SumOf{Column: "stay", Hi: 99}, SumOf{Column: "dose", Hi: 99, As: "doses"}))
			kept := sideOf(t, s.Data().JoinPeople(second.Where(Is("drug", "b")).Select("dose"), all).Select("stay", "dose").Bound(Contributing{Rows: 3}))
			for _, rows := range [][][]float64{each, kept} {
				slices.SortFunc(rows, func(a, b []float64) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
			if got, want := fmt.Sprint(each, kept), "[[1 8 0] [2 8 4] [6 24 20]] [[2 2 0] [4 3 1] [6 2 1] [8 NaN 0] [] [] [] [] []]"; got != want {
				t.Errorf("%d, %d bytes: got %s, want %s", turn, memory, got, want)
			}
		}
		slices.Reverse(visits)
		slices.Reverse(drugs)
	}
	filtered := func(p func(d, second Pipeline) Pipeline) string { // who has no row left keeps a place
		s := must(Demo(visitFrame(t, visits), 1, ReplaceOne))
		rows := sideOf(t, p(s.Data().Where(Between("stay", 3, 9)), must(s.AddTable("drugs", drugFrame(t, drugs)))).PerPerson(SumOf{Column: "stay", Hi: 99}, SumOf{Column: "dose", Hi: 99, As: "doses"}))
		slices.SortFunc(rows, func(a, b []float64) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		return fmt.Sprint(rows)
	}
	got := filtered(func(d, second Pipeline) Pipeline { return d.JoinPeople(second.Select("dose"), all) })
	one := filtered(func(d, second Pipeline) Pipeline {
		return d.JoinPeople(second.PerPerson(SumOf{Column: "dose", Hi: 99, As: "dose"}))
	})
	if got != "[[18 10] [8 0] [8 4]]" || one != "[[4 4] [6 10] [8 0]]" {
		t.Errorf("behind Where: got %s, beside one row each %s", got, one)
	}
	// More rows than a block has.
	many, takes := make([]visit, 0, 90), make([]drug, 0, 300)
	for i := range 90 {
		many = append(many, visit{i % 3, 1, float64(i % 7), 0, 0})
	}
	for i := range 300 {
		takes = append(takes, drug{i % 3, float64(i % 5), 1, 0})
	}
	s := must(Demo(visitFrame(t, many), 1, ReplaceOne))
	second := must(s.AddTable("drugs", drugFrame(t, takes)))
	if got := fmt.Sprint(sideOf(t, s.Data().JoinPeople(second, PairedRows{First: 30, Second: 100}).PerPerson(CountRows{Max: 1e5}))); got != "[[3000] [3000] [3000]]" {
		t.Errorf("30 × 100 rows each: got %s", got)
	}
}

// TestJoinPeopleOfAList: places are those of the first table's roster, where somebody may have rows in the second alone.
func TestJoinPeopleOfAList(t *testing.T) {
	listed := func(names ...string) frames.Schema {
		return mustSchema(frames.Person("id").Roster(names...), frames.Numeric("x", 0, 9))
	}
	read := func(s frames.Schema, text string) *frames.Frame {
		return must(frames.ParseCSV(strings.NewReader("id,x\n"+text), "t", s, frames.CSVOptions{Header: true}))
	}
	s := must(Demo(read(listed("a", "b", "c"), "c,1\nb,2\n"), 1, AddRemove))
	second := must(s.AddTable("more", read(listed("c", "d", "a"), "c,3\na,4\nd,5\n")))
	p := s.Data().PerPerson(MaxOf{Column: "x"}).JoinPeople(second.PerPerson(SumOf{Column: "x", Hi: 9, As: "more"}))
	if got, want := fmt.Sprint(sideOf(t, p)), "[[] [2 0] [1 3]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestJoinPeriods: where people are protected in periods, a period of the one table meets the same of the other.
func TestJoinPeriods(t *testing.T) {
	of := func(last string, unit frames.CalendarUnit) frames.Schema {
		return mustSchema(frames.Person("id").Per(unit, "day"), frames.Date("day", "2024-01-01", last), frames.Numeric("x", 0, 9))
	}
	read := func(s frames.Schema, text string) *frames.Frame {
		return must(frames.ParseCSV(strings.NewReader("id,day,x\n"+text), "t", s, frames.CSVOptions{Header: true}))
	}
	const last = "2024-03-31"
	s := must(Demo(read(of(last, frames.Month), "a,2024-01-05,1\na,2024-03-01,2\nb,2024-02-01,3\n"), 1, ReplaceOne))
	for name, schema := range map[string]frames.Schema{"other days": of("2024-04-30", frames.Month), "another unit": of(last, frames.Week), "no unit": mustSchema(frames.Person("id"), frames.Date("day", "2024-01-01", last), frames.Numeric("x", 0, 9))} {
		if _, err := s.AddTable(name, read(schema, "a,2024-01-05,1\n")); !errors.Is(err, ErrColumn) {
			t.Errorf("%s: %v", name, err)
		}
	}
	second := must(s.AddTable("more", read(of(last, frames.Month), "a,2024-03-31,5\nb,2024-03-31,6\nb,2024-02-02,7\n")))
	got := sideOf(t, s.Data().PerPerson(MaxOf{Column: "x"}).JoinPeople(second.PerPerson(SumOf{Column: "x", Hi: 9, As: "more"})))
	slices.SortFunc(got, func(a, b []float64) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	if want := "[[1 0] [2 5] [3 7] [] [] []]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	each := sideOf(t, s.Data().JoinPeople(second.PerPerson(SumOf{Column: "x", Hi: 9, As: "more"})).Select("x", "more").Bound(Contributing{Rows: 1}))
	slices.SortFunc(each, func(a, b []float64) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	if fmt.Sprint(each) != fmt.Sprint(got) {
		t.Errorf("rows of people: got %v, want %v", each, got)
	}
}

// TestJoinPeopleErrors: what would join rows of different people, or is no second table, is refused with what to do.
func TestJoinPeopleErrors(t *testing.T) {
	visits, drugs := visitFrame(t, []visit{{1, 1, 2, 0, 0}, {2, 1, 4, 1, 1}}), drugFrame(t, []drug{{1, 2, 3, 0}})
	s := must(Demo(visits, 1, ReplaceOne))
	second := must(s.AddTable("drugs", drugs))
	elsewhere := must(must(Demo(visits, 1, ReplaceOne)).AddTable("drugs", drugs))
	one, rows := s.Data().PerPerson(CountRows{Max: 3}), second.PerPerson(CountRows{Max: 3, As: "drugs"})
	for name, c := range map[string]struct {
		p    Pipeline
		says string
		is   error
	}{
		"many rows of both":        {one.JoinPeople(second), "multiplies rows", ErrOrder},
		"many rows, one each":      {one.JoinPeople(second, PairedRows{First: 2, Second: 2}), "multiplies rows", ErrOrder},
		"rows without a bound":     {s.Data().JoinPeople(second), "JoinPeople(second, PairedRows{First: 10, Second: 10})", ErrOrder},
		"no first rows":            {s.Data().JoinPeople(second, PairedRows{Second: 2}), "First: got 0", ErrParameter},
		"no second rows":           {s.Data().JoinPeople(second, PairedRows{First: 2}), "Second: got 0", ErrParameter},
		"negative rows":            {s.Data().JoinPeople(second, PairedRows{First: -1, Second: 2}), "First: got -1", ErrParameter},
		"too many rows":            {s.Data().JoinPeople(second, PairedRows{First: 1 << 11, Second: 1 << 10}), "First times Second", ErrParameter},
		"a product that overflows": {s.Data().JoinPeople(second, PairedRows{First: math.MaxInt, Second: math.MaxInt}), fmt.Sprint("First: got ", math.MaxInt), ErrParameter},
		"two bounds":               {s.Data().JoinPeople(second, PairedRows{First: 2, Second: 2}, PairedRows{First: 2, Second: 2}), "want one", ErrParameter},
		"a bound of no pairs":      {s.Data().JoinPeople(rows, PairedRows{First: 2, Second: 2}), "leave out PairedRows", ErrParameter},
		"a bound inside":           {s.Data().JoinPeople(second.Bound(Contributing{Rows: 2})), "leave out Bound", ErrOrder},
		"bounded rows of both":     {s.Data().Bound(Contributing{Rows: 2}).JoinPeople(second.Bound(Contributing{Rows: 2})), "multiplies rows", ErrOrder},
		"behind a bound":           {s.Data().Bound(Contributing{Rows: 2}).JoinPeople(rows), "one person's alone", ErrOrder},
		"behind another step":      {one.Scale().JoinPeople(rows), "one person's alone", ErrOrder},
		"behind a split":           {setAside(one, 0.5).JoinPeople(rows), "one person's alone", ErrOrder},
		"a chain of the first":     {one.JoinPeople(one), "no", nil},
		"texts of many rows":       {s.Data().JoinPeople(must(s.AddTable("noted", must(frames.ParseCSV(strings.NewReader("id,note\np1,x\n"), "t", mustSchema(frames.Person("id"), frames.Text("note")), frames.CSVOptions{Header: true})))), PairedRows{First: 2, Second: 2}), "of texts", ErrColumn},
		"no columns":               {s.Data().JoinPeople(second.Select()), "", nil},
		"of another session":       {one.JoinPeople(elsewhere.PerPerson(CountRows{Max: 3})), "another session", ErrParameter},
		"a name twice":             {one.JoinPeople(second.PerPerson(CountRows{Max: 3})), `"rows" is there already`, ErrColumn},
		"a label that misses":      {one.JoinPeople(second.PerPerson(CountRows{Max: 3, As: "n"}, PersonLabel{Of: MeanOf{Column: "dose"}})), "which a label cannot", ErrColumn},
		"two labels":               {everyStatistic(s.Data()).JoinPeople(second.PerPerson(CountRows{Max: 3, As: "n"}, PersonLabel{Of: CountRows{Max: 3, As: "drugs"}})), "there is a label", ErrColumn},
		"a wrong chain":            {one.JoinPeople(second.PerPerson(MeanOf{Column: "weight"})), "weight", ErrColumn},
		"a table behind tables":    {one.JoinPeople(second.JoinPeople(second.PerPerson(CountRows{Max: 3})).PerPerson(CountRows{Max: 3})), "Session.Data", ErrOrder},
	} {
		_, err := c.p.Schema()
		if c.is == nil {
			c.is = ErrParameter
		}
		if !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := rows.Mean(Target{Epsilon: 1, Delta: 1e-6}).Release(t.Context()); !errors.Is(err, ErrOrder) {
		t.Errorf("a release of the second table alone: %v", err)
	}
	// addTo adds a table of each name to a session over a column; the ledger would know some by one name.
	addTo := func(column string, names ...string) (err error) {
		of := func(columns ...frames.Column) *frames.Frame {
			s := mustSchema(append([]frames.Column{frames.Person("id")}, columns...)...)
			return must(frames.ParseCSV(strings.NewReader("a"+strings.Repeat(",1", len(columns))+"\nb"+strings.Repeat(",0", len(columns))+"\n"), "t", s, frames.CSVOptions{}))
		}
		s := must(Demo(of(frames.Numeric(column, 0, 1)), 1, ReplaceOne))
		for _, name := range names {
			_, err = s.AddTable(name, of(frames.Numeric("dose", 0, 1), frames.Numeric("b: dose", 0, 1)))
		}
		return err
	}
	for name, add := range map[string]func() error{
		"a name twice": func() error { _, err := s.AddTable("drugs", drugs); return err },
		"a name that the ledger has for a column":             func() error { return addTo("drugs: dose", "drugs") },
		"a name that the ledger has for one of another table": func() error { return addTo("x", "more", "more: b") },
		"no name":  func() error { _, err := s.AddTable(" ", drugs); return err },
		"no table": func() error { _, err := s.AddTable("none", nil); return err },
		"no person": func() error {
			_, err := s.AddTable("numbers", numbered(t, 4))
			return err
		},
		"rows are people": func() error { _, err := demo(t, numbered(t, 4)).AddTable("drugs", drugs); return err },
		"public":          func() error { _, err := must(OnPublic(frames.Public(visits))).AddTable("drugs", drugs); return err },
		"of a second one": func() error { _, err := second.s.AddTable("more", drugs); return err },
	} {
		if err := add(); !errors.Is(err, ErrParameter) && !errors.Is(err, ErrColumn) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
