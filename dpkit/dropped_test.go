package dpkit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/attack"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/tables"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// visitsOfSome are rows of people of whom some have many, by ward, with what bounds drop of them: computed from the names alone.
func visitsOfSome(t *testing.T, people int) (f *frames.Frame, rowsOf []int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(38, 6))
	var b strings.Builder
	b.WriteString("p,ward,stay\n")
	for i := range people {
		n := 1 + rng.IntN(4)
		if i%10 == 0 {
			n = 20 + rng.IntN(100)
		}
		rowsOf = append(rowsOf, n)
		for range n {
			fmt.Fprintf(&b, "p%d,w%d,%d\n", i, rng.IntN(4), rng.IntN(30))
		}
	}
	schema := mustSchema(frames.Person("p"), frames.Category("ward", "w0", "w1", "w2", "w3"), frames.Numeric("stay", 0, 30))
	return must(frames.ParseCSV(strings.NewReader(b.String()), "visits", schema, frames.CSVOptions{Header: true})), rowsOf
}

// droppedBy are how many people have more than k rows, and how many rows those are, of each person at most m.
func droppedBy(rowsOf []int, k, m int) (people, dropped float64) {
	for _, n := range rowsOf {
		if n > k {
			people, dropped = people+1, dropped+float64(min(n-k, m))
		}
	}
	return people, dropped
}

// TestDroppedIsTold: the numbers are those of the rows that are not counted, on public data to the unit, in demonstrations within their
// intervals as often as these say, whatever stands beside them; the text and the words name them.
func TestDroppedIsTold(t *testing.T) {
	const k, m, demonstrations = 3, 50, 400
	f, rowsOf := visitsOfSome(t, 600)
	people, dropped := droppedBy(rowsOf, k, m)
	target := Target{Epsilon: 1, Delta: 1e-6}
	for name, end := range map[string]func(Grouping) Grouping{
		"count":        func(g Grouping) Grouping { return g.Count().Dropped(m) },
		"people, mean": func(g Grouping) Grouping { return g.Dropped(m).People().Mean("stay") },
		"people":       func(g Grouping) Grouping { return g.People().Dropped(m) },
		"total":        func(g Grouping) Grouping { return g.People().Total("stay", 0, 40).Dropped(m) },
		"quantile":     func(g Grouping) Grouping { return g.Count().Quantile(0.5, "stay").Dropped(m) },
	} {
		exact := must(end(must(OnPublic(frames.Public(f))).Data().Bound(Contributing{Rows: k}).By("ward")).Table(target).Release(t.Context())).Value
		if exact.DroppedPeople != people || exact.DroppedRows != dropped || exact.DroppedSigma != 0 || exact.DroppedMost != m {
			t.Fatalf("%s: on public data %v, want %g people and %g rows", name, exact, people, dropped)
		}
		plain := end(must(Demo(f, 1, ReplaceOne)).Data().Bound(Contributing{Rows: k}).By("ward"))
		held := [2]int{}
		for _, v := range must(plain.Table(target).Replicate(t.Context(), demonstrations)) {
			p, r, err := v.Dropped(0.95)
			if err != nil || v.DroppedMost != m {
				t.Fatal(v, err)
			}
			if p.Low <= people && people <= p.High {
				held[0]++
			}
			if r.Low <= dropped && dropped <= r.High {
				held[1]++
			}
		}
		for i, n := range held {
			if !(float64(n) >= 0.885*demonstrations) { // false alarms below 1e-9
				t.Errorf("%s: number %d: %d of %d intervals hold it", name, i, n, demonstrations)
			}
		}
	}
	r := must(must(Demo(f, 1, ReplaceOne)).Data().Bound(Contributing{Rows: k}).By("ward").Count().Dropped(m).Table(target).Release(t.Context()))
	if text := r.Value.String(); !strings.Contains(text, "the bound dropped about") || !strings.Contains(text, "counting at most 50 of each person") {
		t.Errorf("the text says\n%s", text)
	}
	var again Table
	if err := again.UnmarshalJSON(must(r.Value.MarshalJSON())); err != nil || again.DroppedWords() != r.Value.DroppedWords() || again.DroppedRows != r.Value.DroppedRows {
		t.Errorf("read back: %v, %v", again, err)
	}
	pl := must(Demo(f, 1, ReplaceOne)).Data().Bound(Contributing{Rows: k}).By("ward").Count().Dropped(m).Table(target)
	if back := must(Parse[Table](must(Demo(f, 1, ReplaceOne)), pl.String())); back.String() != pl.String() {
		t.Errorf("parsed: %s, want %s", back, pl)
	}
}

// TestDroppedErrors: steps and releases for which the numbers would be of other rows refuse them, and say what to do.
func TestDroppedErrors(t *testing.T) {
	f, _ := visitsOfSome(t, 40)
	d := must(Demo(f, 1, ReplaceOne)).Data()
	target, bound := Target{Epsilon: 1, Delta: 1e-6}, Contributing{Rows: 3}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"no bound":         {errOf(d.PerPerson(CountRows{Max: 3}).By().Sum("rows").Dropped(5).Table(target).Cost()), "after Bound"},
		"rows go after":    {errOf(d.Bound(bound).Where(Is("ward", "w1")).By("ward").Count().Dropped(5).Table(target).Cost()), "removes rows"},
		"its column goes":  {errOf(d.Bound(bound).Select("ward").By("ward").Count().Dropped(5).Table(target).Cost()), "rows dropped"},
		"it is clipped":    {errOf(d.Bound(bound).ClipColumns(1, 5, "rows dropped").By("ward").Count().Dropped(9).Table(target).Cost()), "rows dropped"},
		"it is quantized":  {errOf(d.Bound(bound).Quantize(40, "rows dropped").By("ward").Count().Dropped(9).Table(target).Cost()), "rows dropped"},
		"rows are clipped": {errOf(d.Bound(bound).Drop("ward").ClipNorm(30).By().Sum("stay").Dropped(9).Table(target).Cost()), "rows dropped"},
		"none":             {errOf(d.Bound(bound).By("ward").Count().Dropped(0).Table(target).Cost()), "dropped"},
		"less than none":   {errOf(d.Bound(bound).By("ward").Count().Dropped(-1).Table(target).Cost()), "Dropped: got -1"},
		"alone":            {errOf(d.Bound(bound).By("ward").Dropped(5).Table(target).Cost()), "Count()"},
		"found":            {errOf(d.Bound(bound).By("ward").People().Dropped(5).Found(target).Cost()), "Together"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", name, c.err, c.want)
		}
	}
	missing := must(Demo(visitFrame(t, hostileVisits(rand.New(rand.NewPCG(12, 20)), 60)), 1, ReplaceOne)).Data()
	for name, p := range map[string]Pipeline{
		"rows that go before":      d.Where(Is("ward", "w1")).Bound(bound),
		"other columns are binned": d.Bound(bound).Bin([]float64{10, 20}, "stay").OneHot("stay"),
		"other columns are moved":  d.Bound(bound).ClipColumns(1, 20, "stay").Quantize(2, "stay"),
		"it is selected":           d.Bound(bound).Select("ward", "rows dropped"),
		"another column goes":      d.Bound(bound).Drop("stay"),
		"missing cells are filled": missing.Bound(bound).Impute(Midpoint{}, "stay"),
	} {
		if err := errOf(p.By("ward").Count().Dropped(5).Table(target).Cost()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDroppedIsAttacked searches over tables of neighbours for a pair whose exact table and numbers of dropped rows differ by more than is
// charged, in the norm of the noise.
func TestDroppedIsAttacked(t *testing.T) {
	const people, k, m = 6, 2, 3
	s := withPerson(mustSchema(frames.Category("ward", "a", "b", "c"), frames.Numeric("stay", -1, 4), frames.Label("back", "no", "yes")))
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		rng := rand.New(rand.NewPCG(3, 38))
		state := attack.State{Schema: s, Pair: must(pair.Start(people, attack.Radius(s), rel))}
		claim := must(claimOf([]stage.Preprocessor{steps.Bound{To: Contributing{Rows: k, Dropped: m}}}, state))
		q := claim.Priced.(quote)
		of := tables.Release{By: []string{"ward"}, Of: []TableStatistic{{Of: tables.Count}, {Of: tables.Dropped, Column: stage.RowsDropped}}, Target: Target{Epsilon: 1, Delta: 1e-6}}
		sensitivity := must(of.Settle(q.end)).Bill.Cost.Sensitivity
		largest, most := 0., [2]float64{}
		for range 4000 {
			a, b := hostileBags(s, rng, people, k+m+2, rel)
			x, y, err := runBoth(t.Context(), q, attack.Side{Rows: a.block(s, rng)}, attack.Side{Rows: b.block(s, rng)})
			if err != nil {
				t.Fatal(err)
			}
			exact := func(b *frames.Block) Table {
				return must(of.Exact(t.Context(), rows.InProcess{In: matrixOfBlock(q.end.In, b)}, q.end))
			}
			v, w := exact(x.Rows), exact(y.Rows)
			weight := sensitivity / math.Sqrt(1+2./16) / 4 // of both numbers; the rest of Δ is the table's
			rowsMoved, peopleMoved := math.Abs(v.DroppedRows-w.DroppedRows)/m, math.Abs(v.DroppedPeople-w.DroppedPeople)
			most[0], most[1] = max(most[0], rowsMoved), max(most[1], peopleMoved)
			square := weight * weight * (rowsMoved*rowsMoved + peopleMoved*peopleMoved)
			for g := range v.Counts {
				square += math.Pow(v.Counts[g]-w.Counts[g], 2)
			}
			largest = max(largest, math.Sqrt(square))
		}
		if !(largest <= sensitivity) || !(largest >= 0.97*sensitivity) || most != [2]float64{1, 1} {
			t.Errorf("%v: neighbours differ by %g, charged are %g; numbers of dropped rows by %v of what they may", rel, largest, sensitivity, most)
		}
	}
}
