package dpkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// extremeRows are rows that one person may have: all cells at an end of what the schema allows, all that may miss missing, or all of these by turns.
func extremeRows(s frames.Schema) map[string]func(i int) []float64 {
	cells := func(cell func(c frames.Column, j int) float64) []float64 {
		var row []float64
		for j, c := range s.Features() {
			row = append(row, cell(c, j))
		}
		if y, ok := s.Label(); ok {
			row = append(row, cell(y, len(row)))
		}
		return row
	}
	end := func(c frames.Column, hi bool) float64 {
		lo, most := c.Lo, c.Hi
		switch {
		case len(c.Levels) > 0:
			lo, most = 0, float64(len(c.Levels)-1)
		case c.NoBounds:
			lo, most = -math.MaxFloat64, math.MaxFloat64
		}
		if hi {
			return most
		}
		return lo
	}
	all := map[string]func(i int) []float64{
		"low":  func(int) []float64 { return cells(func(c frames.Column, _ int) float64 { return end(c, false) }) },
		"high": func(int) []float64 { return cells(func(c frames.Column, _ int) float64 { return end(c, true) }) },
		"missing": func(int) []float64 {
			return cells(func(c frames.Column, j int) float64 {
				if c.Missing {
					return math.NaN()
				}
				return end(c, j%2 == 0)
			})
		},
	}
	low, high, missing := all["low"], all["high"], all["missing"]
	all["by turns"] = func(i int) []float64 { return []func(int) []float64{low, high, missing}[i%3](i) }
	all["every one"] = func(i int) []float64 {
		rng := rand.New(rand.NewPCG(uint64(i), 38))
		return cells(func(c frames.Column, _ int) float64 { return end(c, rng.IntN(2) == 0) })
	}
	return all
}

// tableOfPeople is a table with one row for each person and so many more rows of one of them.
func tableOfPeople(t *testing.T, s frames.Schema, first [][]float64, many int, row func(i int) []float64) *frames.Frame {
	t.Helper()
	d := len(s.Features())
	b := &frames.Block{Cols: d, Rows: len(first) + many}
	for i := range b.Rows {
		r := []float64(nil)
		who := i
		if i < len(first) {
			r = first[i]
		} else {
			r, who = row(i-len(first)), 0
		}
		b.X, b.Y = append(b.X, r[:d]...), append(b.Y, r[d:]...)
		var id frames.PersonID
		id[0], id[1], id[2] = byte(who), byte(who>>8), 1
		b.Person = append(b.Person, id)
	}
	if _, ok := s.Label(); !ok {
		b.Y = nil
	}
	if _, ok := s.Person(); !ok {
		b.Person = nil
	}
	return must(frames.FromBlock(s, b))
}

// rowsOfFrame are features and then the label.
func rowsOfFrame(t *testing.T, f *frames.Frame) (out [][]float64) {
	t.Helper()
	if err := f.Scan(t.Context(), func(b *frames.Block) error {
		for i := range b.Rows {
			row := append([]float64(nil), b.Row(i)...)
			if b.Y != nil {
				row = append(row, b.Y[i])
			}
			out = append(out, row)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// oneRowEach makes one row a person with the columns of the table.
func oneRowEach(p Pipeline, s frames.Schema) Pipeline {
	var of []PersonStatistic
	for _, c := range s.Columns() {
		var one PersonStatistic = MaxOf{Column: c.Name, As: c.Name}
		if len(c.Levels) > 0 {
			one = MostFrequent{Column: c.Name}
		}
		if c.Kind == frames.KindLabel {
			one = PersonLabel{Of: one}
		}
		of = append(of, one)
	}
	return p.PerPerson(of...)
}

// endsInAValue releases a plan through a ledger of its own, and says what went wrong after the charge.
func endsInAValue(t *testing.T, name string, f *frames.Frame, rel accountant.Neighbours, end func(d Pipeline) *plan) {
	t.Helper()
	s := must(Create(f, Options{Ledger: filepath.Join(t.TempDir(), "budget.ledger"), Budget: Budget{Epsilon: 4, Delta: 1e-5}, Reserve: 2e-6, Neighbours: rel, Dataset: t.TempDir()}))
	defer func() { _ = s.Close() }()
	pl := end(s.Data())
	r, err := pl.release(t.Context())
	if errors.Is(err, ErrTestFailed) && must(pl.quote()).asks() { // the test of a number that was declared, which is paid for
		return
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if st := must(s.Status()); len(st.Interrupted) > 0 {
		t.Errorf("%s: the ledger has an interrupted release", name)
	}
	if _, err := json.Marshal(r.Value); err != nil || fmt.Sprint(r.Value) == "" {
		t.Errorf("%s: the value cannot be shown: %v", name, err)
	}
	again, err := end(s.Data()).release(t.Context())
	if err != nil || !again.Replayed {
		t.Errorf("%s: does not replay: %v", name, err)
	}
}

// TestEveryReleaseOfAnExtremePerson: no kind of release ends in an error after the charge by what one person's rows are: where one row is at the
// ends of its columns, and where one person has very many rows at the ends, of which one row is made or some are kept.
func TestEveryReleaseOfAnExtremePerson(t *testing.T) {
	const many = 5000
	everyMechanism(t, func(t *testing.T, e mechanismEntry, d Pipeline, m knownMechanism) {
		t.Parallel()
		f := d.s.src.(*frames.Frame)
		s := f.Schema()
		first := rowsOfFrame(t, f)
		endsInAValue(t, "without", f, e.rel, e.end)
		extremes := extremeRows(s)
		for name, row := range extremes {
			rows := append([][]float64{row(0)}, first[1:]...)
			endsInAValue(t, "one row, "+name, tableOfPeople(t, s, rows, 0, nil), e.rel, e.end)
		}
		people := withPerson(s)
		severalRefused := refusedOfSeveral[wayName(m.of)] != ""
		for _, name := range []string{"by turns", "every one"} {
			table := tableOfPeople(t, people, first, many, extremes[name])
			endsInAValue(t, "one row of many, "+name, table, e.rel, func(d Pipeline) *plan { return e.end(oneRowEach(d, s)) })
			if !severalRefused {
				endsInAValue(t, "kept rows of many, "+name, table, e.rel, func(d Pipeline) *plan { return e.end(d.Bound(Contributing{Rows: 3})) })
			}
		}
	})
}

// TestEveryStepOfAnExtremePerson: no kind of step ends a release in an error after the charge by what one row is.
func TestEveryStepOfAnExtremePerson(t *testing.T) {
	for _, known := range knownSteps() {
		name := known.Kind().Name
		for _, a := range stepEntries()[name].attacks {
			s := a.domain(1)
			if _, people := s.Person(); people || len(a.displaced) > 0 || a.empty || a.narrow {
				continue // people: TestEveryReleaseOfAnExtremePerson; the others are chains that begin in the middle
			}
			t.Run(name+", "+a.name, func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(seedOf(name, a.name), 38))
				var first [][]float64
				for range 40 {
					first = append(first, extremeRow(s, rng))
				}
				for of, row := range extremeRows(s) {
					for _, end := range []func(p Pipeline) *plan{
						func(p Pipeline) *plan { return p.Mean(Target{Epsilon: 1, Delta: 1e-6}).plan() },
						func(p Pipeline) *plan { return p.Count(Target{Epsilon: 1, Delta: 1e-6}).plan() },
					} {
						f := tableOfPeople(t, s, append([][]float64{row(0)}, first[1:]...), 0, nil)
						plan := end(a.chain(must(Demo(f, 1, ReplaceOne)).Data(), 1))
						if _, err := plan.quote(); err != nil {
							continue // it is not priced, so that nothing is charged
						}
						if _, err := plan.release(t.Context()); err != nil && !errors.Is(err, ErrTestFailed) {
							t.Errorf("%s: %v", of, err)
						}
					}
				}
			})
		}
	}
}

// TestFoundTextsOfAnExtremePerson: one person with very many texts, long ones, each in groups of their own, ends no release of found groups in an
// error, where they fit memory and where they do not.
func TestFoundTextsOfAnExtremePerson(t *testing.T) {
	schema := mustSchema(frames.Person("id"), frames.Text("why"), frames.Numeric("stay", 0, 9))
	for _, many := range []int{1, 20_000} {
		var b strings.Builder
		b.WriteString("id,why,stay\n")
		for who := range 300 {
			fmt.Fprintf(&b, "p%d,cough,%d\n", who, who%9)
		}
		for i := range many {
			fmt.Fprintf(&b, "target,%d%s,9\n", i, strings.Repeat("é", 400))
		}
		f := must(frames.ParseCSV(strings.NewReader(b.String()), "visits", schema, frames.CSVOptions{Header: true}))
		for _, memory := range []int{16, 1 << 29} {
			end := func(d Pipeline) *plan {
				must(0, d.s.Memory(memory))
				return d.Bound(Contributing{Groups: 40, RowsPerGroup: 1, By: []string{"why"}}).By("why").People().Mean("stay").Found(Target{Epsilon: 1, Delta: 1e-6}).plan()
			}
			endsInAValue(t, fmt.Sprintf("%d texts, %d bytes", many, memory), f, ReplaceOne, end)
		}
	}
}

// TestUnboundedNumbersOfAnExtremePerson: numbers at the ends of float64, of one person with many of them, end no release of columns without bounds in
// an error, nor do they end several plans that are released together.
func TestUnboundedNumbersOfAnExtremePerson(t *testing.T) {
	schema := mustSchema(frames.Person("id"), frames.Unbounded("u").Guess(1), frames.Category("ward", "a", "b"))
	target := Target{Epsilon: 1, Delta: 1e-6}
	ends := map[string]func(d Pipeline) *plan{
		"totals": func(d Pipeline) *plan {
			return d.Bound(Contributing{Rows: 8}).By("ward").People().Total("u", -9, 9).MeanTotal("u", -9, 9).Table(target).plan()
		},
		"bounds": func(d Pipeline) *plan { return d.Bound(Contributing{Rows: 8}).Bounds("u", target).plan() },
		"private bounds": func(d Pipeline) *plan {
			return d.PerPerson(MeanOf{Column: "u", As: "u"}).Winsorize(PrivateBounds{Share: 0.2}, "u").Mean(target).plan()
		},
		"sums of a person": func(d Pipeline) *plan {
			return d.PerPerson(SumOf{Column: "u", Lo: -9, Hi: 9, As: "u"}, MaxOf{Column: "u", As: "most"}).Select("u").Mean(target).plan()
		},
		"together": func(d Pipeline) *plan {
			one := d.PerPerson(SumOf{Column: "u", Lo: -9, Hi: 9, As: "u"}, MostFrequent{Column: "ward"})
			return Together(target, one.By("ward").Count().Mean("u").Table(Target{}), one.Select("u").Mean(Target{}), one.Select("u").Quantile(Target{}, 0.5, "u")).plan()
		},
	}
	rows := map[string]func(i int) []float64{
		"one end":    func(int) []float64 { return []float64{math.MaxFloat64, 0} },
		"both ends":  func(i int) []float64 { return []float64{math.Copysign(math.MaxFloat64, float64(i%2)-0.5), 0} },
		"hardly any": func(i int) []float64 { return []float64{math.Copysign(5e-324, float64(i%2)-0.5), float64(i % 2)} },
	}
	var first [][]float64
	for i := range 200 {
		first = append(first, []float64{float64(i%7) - 3, float64(i % 2)})
	}
	for name, end := range ends {
		for of, row := range rows {
			for _, many := range []int{1, 3000} {
				endsInAValue(t, fmt.Sprintf("%s, %d rows at %s", name, many, of), tableOfPeople(t, schema, first, many, row), ReplaceOne, end)
			}
		}
	}
}
