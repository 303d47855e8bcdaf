package dpkit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// aReading is a plan over rows of people, and the columns that it reads besides the person's: those
// of the visits, and after a bar those of the drugs. Columns in namedOnly are named by a step whose
// output nothing reads.
type aReading struct {
	name  string
	reads string
	plan  func(d, drugs Pipeline) *plan
}

var namedOnly = []string{"cost", "when", "dose", "drug"}

// readings are plans after every step that is made of all rows of a person.
func readings() []aReading {
	target := Target{Epsilon: 0.1, Delta: 1e-8}
	count := func(p Pipeline) *plan { return p.By("ward").People().Count().Table(target).plan() }
	perPerson := func(s PersonStatistic, reads string) aReading {
		return aReading{fmt.Sprintf("PerPerson(%T)", s), reads, func(d, _ Pipeline) *plan {
			return d.PerPerson(s, MaxOf{Column: "cost", As: "most"}).Select("made").Histogram("made", target).plan()
		}}
	}
	numbers := func(s PersonStatistic, reads string) aReading {
		return aReading{fmt.Sprintf("PerPerson(%T)", s), reads, func(d, _ Pipeline) *plan {
			made := d.PerPerson(s, MaxOf{Column: "cost", As: "most"}).Select("made")
			if _, sums := s.(SumOf); !sums && strings.Contains(reads, "stay") {
				made = made.Impute(Midpoint{})
			}
			return made.Mean(target).plan()
		}}
	}
	return []aReading{
		{"Bound", "ward", func(d, _ Pipeline) *plan { return count(d.Bound(Contributing{Rows: 2})) }},
		{"Bound by groups", "ward back", func(d, _ Pipeline) *plan {
			return count(d.Bound(Contributing{Groups: 1, RowsPerGroup: 2, By: []string{"back"}}))
		}},
		{"Where, then Bound", "day ward", func(d, _ Pipeline) *plan {
			return count(d.Where(Between("day", 1, 4)).Bound(Contributing{Rows: 2}))
		}},
		{"Bound, then Where", "day ward", func(d, _ Pipeline) *plan {
			return count(d.Bound(Contributing{Rows: 2}).Where(Between("day", 1, 4)))
		}},
		{"Bound of steps by column", "stay", func(d, _ Pipeline) *plan {
			return d.Impute(Midpoint{}).ClipColumns(0, 20, "stay").Bound(Contributing{Rows: 2}).Select("stay").Mean(target).plan()
		}},
		{"Bound, then Holdout", "ward", func(d, _ Pipeline) *plan {
			train, _ := d.Bound(Contributing{Rows: 2}).Holdout(0.3)
			return count(train)
		}},
		{"Bound, then a model", "stay ward back", func(d, _ Pipeline) *plan {
			return d.Select("stay", "ward").Impute(Midpoint{}).OneHot().Bound(Contributing{Rows: 2}).Scale().
				FitLogistic(ByGradient{Epsilon: 0.1, Delta: 1e-8, Steps: 3}).plan()
		}},
		numbers(CountRows{Max: 9, As: "made"}, ""),
		numbers(SumOf{Column: "stay", Hi: 60, As: "made"}, "stay"),
		numbers(MeanOf{Column: "stay", As: "made"}, "stay"),
		numbers(MinOf{Column: "stay", As: "made"}, "stay"),
		numbers(MaxOf{Column: "stay", As: "made"}, "stay"),
		numbers(ShareOf{Column: "ward", Level: "lung", As: "made"}, "ward"),
		numbers(Latest{Column: "stay", By: "day", As: "made"}, "day stay"),
		perPerson(MostFrequent{Column: "ward", As: "made"}, "ward"),
		{"PerPerson(steps.PersonLabel)", "stay back", func(d, _ Pipeline) *plan {
			return d.PerPerson(MeanOf{Column: "stay", As: "made"}, MaxOf{Column: "cost"}, PersonLabel{Of: MostFrequent{Column: "back"}}).
				Select("made").Impute(Midpoint{}).FitLogistic(ByObjective{Epsilon: 0.1, Delta: 1e-8}).plan()
		}},
		{"JoinPeople of people", "ward | dose", func(d, drugs Pipeline) *plan {
			return d.PerPerson(MostFrequent{Column: "ward"}, MaxOf{Column: "cost"}).
				JoinPeople(drugs.Where(Between("dose", 0, 3)).PerPerson(CountRows{Max: 20, As: "drugs"}, MaxOf{Column: "when"})).
				By("ward").Count().Mean("drugs").Table(target).plan()
		}},
		{"JoinPeople of rows", "day | when", func(d, drugs Pipeline) *plan {
			return d.JoinPeople(drugs, PairedRows{First: 2, Second: 2}).PerPerson(MaxOf{Column: "day", As: "made"}, MaxOf{Column: "when", As: "there"}, MaxOf{Column: "dose"}).
				Select("made", "there").Impute(Midpoint{}).Mean(target).plan()
		}},
		{"Together", "day ward", func(d, _ Pipeline) *plan {
			kept := d.Bound(Contributing{Rows: 2})
			return Together(target, kept.Count(target, Is("ward", "lung")), kept.Where(Between("day", 0, 2)).Count(target)).plan()
		}},
	}
}

// tablesOf are visits and drugs in which columns that are not read are as change has them: a column
// is named with its declaration, and how its cells are written.
func tablesOf(t *testing.T, change func(c frames.Column, read bool) (frames.Column, func(cell string) string), extra bool, reads string) (visits, drugs *frames.Frame) {
	t.Helper()
	first, second, _ := strings.Cut(reads, "|")
	rng := rand.New(rand.NewPCG(11, 4))
	var v, d strings.Builder
	for who := range 40 {
		for range []int{1, 1, 2, 3, 7, 12}[rng.IntN(6)] {
			fmt.Fprintf(&v, "p%d,%d,%v,%s,%d,%s\n", who, rng.IntN(5), []any{0.1, 0.2, 0.3, 1e-17, 29.5, ""}[rng.IntN(6)], wardNames[rng.IntN(3)], rng.IntN(900), []string{"no", "yes"}[rng.IntN(2)])
		}
		for range rng.IntN(4) {
			fmt.Fprintf(&d, "p%d,%d,%s,%d\n", who, rng.IntN(5), []string{"a", "b"}[rng.IntN(2)], rng.IntN(9))
		}
	}
	make := func(name, text, reads string, cols ...frames.Column) *frames.Frame {
		declared, write := []frames.Column{}, []func(string) string{}
		var b strings.Builder
		if extra {
			b.WriteString("more " + name + ",")
			declared, write = append(declared, frames.Numeric("more "+name, 0, 1e6)), append(write, func(string) string { return fmt.Sprint(rng.IntN(1e6)) })
		}
		for i, c := range cols {
			b.WriteString(c.Name + strings.Repeat(",", min(1, len(cols)-1-i)))
			as, cell := change(c, c.Kind == frames.KindPerson || slices.Contains(strings.Fields(reads), c.Name))
			declared, write = append(declared, as), append(write, cell)
		}
		b.WriteString("\n")
		for line := range strings.Lines(text) {
			cells := strings.Split(strings.TrimSpace(line), ",")
			if extra {
				cells = append([]string{""}, cells...)
			}
			for i := range cells {
				cells[i] = write[i](cells[i])
			}
			b.WriteString(strings.Join(cells, ",") + "\n")
		}
		return must(frames.ParseCSV(strings.NewReader(b.String()), name, must(frames.NewSchema(declared...)), frames.CSVOptions{Header: true}))
	}
	visits = make("visits", v.String(), first, frames.Person("patient"), frames.Numeric("day", 0, 10), frames.Numeric("stay", 0, 30).MayMiss(),
		frames.Category("ward", wardNames...), frames.Numeric("cost", 0, 1000), frames.Label("back", "no", "yes"))
	drugs = make("drugs", d.String(), second, frames.Person("id"), frames.Numeric("dose", 0, 10), frames.Category("drug", "a", "b"), frames.Numeric("when", 0, 10))
	return visits, drugs
}

func asItIs(cell string) string { return cell }

// otherColumns are what may become of columns that a plan does not read.
var otherColumns = map[string]func(c frames.Column, read bool) (frames.Column, func(string) string){
	"ignored": func(c frames.Column, read bool) (frames.Column, func(string) string) {
		if !read && !slices.Contains(namedOnly, c.Name) {
			return frames.Ignored(c.Name), asItIs
		}
		return c, asItIs
	},
	"other cells and bounds": func(c frames.Column, read bool) (frames.Column, func(string) string) {
		i := 0
		switch {
		case read:
			return c, asItIs
		case len(c.Levels) > 0:
			return c, func(string) string { i++; return c.Levels[i*i%len(c.Levels)] }
		}
		return frames.Numeric(c.Name, -7, 2000), func(string) string { i++; return fmt.Sprint(i * 7919 % 2000) }
	},
	"texts": func(c frames.Column, read bool) (frames.Column, func(string) string) {
		if read || c.Kind == frames.KindLabel || slices.Contains(namedOnly, c.Name) {
			return c, asItIs
		}
		return frames.Text(c.Name), func(cell string) string { return "text" + cell }
	},
}

func unchanged(c frames.Column, _ bool) (frames.Column, func(string) string) { return c, asItIs }

// TestOtherColumnsOfPeople: a plan over rows of people depends on the columns that it reads alone.
// Another table in which only others changed gives the same value, and replays.
func TestOtherColumnsOfPeople(t *testing.T) {
	for _, r := range readings() {
		t.Run(r.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "budget.ledger")
			open := func(visits, drugs *frames.Frame) (charged, shown Result[any]) {
				t.Helper()
				private := must(Create(visits, Options{Ledger: path, Budget: Budget{Epsilon: 1, Delta: 1e-5}, Neighbours: ReplaceOne, Dataset: t.Name() + path}))
				defer private.Close()
				pl := r.plan(private.Data(), must(private.AddTable("drugs", drugs)))
				if pl.joint == nil {
					want := "patient " + strings.Replace(r.reads, "|", "drugs: id drugs:", 1)
					got := strings.Join(must(pl.quote()).reads(private.schema, pl.m), " ")
					if sorted(got) != sorted(want) {
						t.Errorf("reads %s, want %s", got, want)
					}
				}
				s := must(Demo(visits, 5, ReplaceOne))
				return must(pl.release(t.Context())), must(r.plan(s.Data(), must(s.AddTable("drugs", drugs))).release(t.Context()))
			}
			first, shown := open(tablesOf(t, unchanged, false, r.reads))
			if first.Replayed {
				t.Fatal("the first release is replayed")
			}
			for name, change := range otherColumns {
				for _, extra := range []bool{false, true} {
					again, other := open(tablesOf(t, change, extra, r.reads))
					if !again.Replayed || fmt.Sprint(measured(again.Value, false)) != fmt.Sprint(measured(first.Value, false)) {
						t.Errorf("%s, one more column %v: replayed %v, %v for %v", name, extra, again.Replayed, measured(again.Value, false), measured(first.Value, false))
					}
					if a, b := measured(other.Value, false), measured(shown.Value, false); a != b {
						t.Errorf("%s, one more column %v: a demonstration gives %v for %v", name, extra, a, b)
					}
				}
			}
		})
	}
}

// TestReadingsAreComplete: every statistic of a person's rows is among the plans above.
func TestReadingsAreComplete(t *testing.T) {
	all := readings()
	for _, s := range knownVariants(reflect.TypeFor[PersonStatistic]()) {
		name := fmt.Sprintf("PerPerson(%T)", s)
		if !slices.ContainsFunc(all, func(r aReading) bool { return r.name == name }) {
			t.Errorf("no plan reads %s", name)
		}
	}
}

func sorted(words string) string {
	all := strings.Fields(words)
	slices.Sort(all)
	return strings.Join(all, " ")
}

// TestOtherColumnsElsewhere: workers leave out the same columns as this process does, for a joint
// release those that none of its plans reads.
func TestOtherColumnsElsewhere(t *testing.T) {
	for _, r := range readings() {
		if strings.Contains(r.reads, "|") {
			continue // workers join no tables
		}
		t.Run(r.name, func(t *testing.T) {
			whole, _ := tablesOf(t, unchanged, false, r.reads)
			narrow, _ := tablesOf(t, otherColumns["other cells and bounds"], true, r.reads)
			afar, _, jobs := sharded(t, narrow, []int{50, 51}, 3)
			a, errA := r.plan(must(Demo(whole, 5, ReplaceOne)).Data(), Pipeline{}).release(t.Context())
			b, errB := r.plan(must(Demo(afar, 5, ReplaceOne)).Data(), Pipeline{}).release(t.Context())
			if errors.Is(errB, frames.ErrElsewhere) { // such as a fit in many passes
				return
			}
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			if x, y := measured(a.Value, false), measured(b.Value, false); x != y || *jobs == 0 {
				t.Errorf("%v in this process, %v in %d jobs", x, y, *jobs)
			}
		})
	}
}

// TestHoldoutOfOtherColumns: which rows are set aside depends on their order. A release of one side
// replays where other columns change, and not where the order of the rows does.
func TestHoldoutOfOtherColumns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "budget.ledger")
	release := func(t *testing.T, text string, cost frames.Column) Result[Estimates] {
		schema := must(frames.NewSchema(frames.Numeric("stay", 0, 30), cost))
		f := must(frames.ParseCSV(strings.NewReader(text), "rows", schema, frames.CSVOptions{Header: true}))
		s := must(Create(f, Options{Ledger: path, Budget: Budget{Epsilon: 3, Delta: 1e-5}, Neighbours: ReplaceOne, Dataset: path, Version: "1"}))
		defer s.Close()
		train, _ := s.Data().Holdout(0.5)
		return must(train.Select("stay").Mean(Target{Epsilon: 0.1, Delta: 1e-8}).Release(t.Context()))
	}
	const rows = "stay,cost\n1,2\n3,4\n5,6\n7,8\n9,9\n"
	release(t, rows, frames.Numeric("cost", 0, 10))
	if r := release(t, rows, frames.Ignored("cost")); !r.Replayed {
		t.Error("another column that is not read: charged again")
	}
	if r := release(t, strings.ReplaceAll(rows, ",9", ",1"), frames.Numeric("cost", 0, 10)); !r.Replayed {
		t.Error("other cells of a column that is not read: charged again")
	}
}

// TestNoFeatures: rows that have no column but whose they are, or a label, can be counted by person.
func TestNoFeatures(t *testing.T) {
	target := Target{Epsilon: 10, Delta: 1e-3}
	f := must(frames.ParseCSV(strings.NewReader("who,back\na,no\na,yes\nb,no\nc,yes\n"), "rows",
		must(frames.NewSchema(frames.Person("who"), frames.Label("back", "no", "yes"))), frames.CSVOptions{Header: true}))
	d := must(Demo(f, 1, ReplaceOne)).Data()
	for name, of := range map[string]PersonStatistic{"rows": CountRows{Max: 5}, "label": MostFrequent{Column: "back"}} {
		if _, err := d.Where(Is("back", "yes")).PerPerson(of).Count(target).Release(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
