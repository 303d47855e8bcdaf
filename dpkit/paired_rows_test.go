package dpkit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/attack"
	"github.com/dpkit-go/dpnb/frames"
)

// TestPairedRows: the rows that are paired are those that Bound keeps of each table alone, each of the one with each of the other, so that
// neither another person nor the other table has a say in which.
func TestPairedRows(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 38))
		people := 2 + rng.IntN(5)
		all := hostileDrugs(rng, people)
		for i := range all {
			all[i].when = float64(all[i].who) // whose a joined row is
		}
		visits, drugs := visitFrame(t, hostileVisits(rng, people)), drugFrame(t, all)
		alone := func(f *frames.Frame) *Session {
			s := must(Demo(f, 1, ReplaceOne))
			must(0, s.Memory([]int{16, 1 << 20}[seed%2]))
			return s
		}
		for _, keep := range []PairedRows{{First: 1, Second: 1}, {First: 2, Second: 3}, {First: 4, Second: 1}, {First: 1, Second: 5}} {
			s, each := alone(visits), keep.First*keep.Second
			second := must(s.AddTable("drugs", drugs))
			kept := map[float64][][]float64{} // of the second table, by whose they are
			for _, row := range sideOf(t, alone(drugs).Data().Bound(Contributing{Rows: keep.Second})) {
				if len(row) > 0 {
					kept[row[2]] = append(kept[row[2]], row)
				}
			}
			first := s.Data().Select("stay", "ward")
			own, joined := sideOf(t, first.Bound(Contributing{Rows: keep.First})), sideOf(t, first.JoinPeople(second, keep).Bound(Contributing{Rows: each}))
			if len(joined)*keep.First != len(own)*each {
				t.Fatalf("%v: %d places, want %d of each of %d people", keep, len(joined), each, len(own)/keep.First)
			}
			for who := range len(own) / keep.First {
				var got, want []string
				none := [][]float64{{math.NaN(), math.NaN(), math.NaN()}}
				others := none
				for _, row := range joined[who*each : (who+1)*each] {
					if len(row) == 0 {
						continue
					}
					if got = append(got, fmt.Sprint(row[:2], row[2:5])); !math.IsNaN(row[4]) {
						others = kept[row[4]]
					}
				}
				for _, a := range own[who*keep.First : (who+1)*keep.First] {
					for _, b := range others {
						if len(a) > 0 {
							want = append(want, fmt.Sprint(a[:2], b))
						}
					}
				}
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, %v: a person has\n%v, want\n%v", seed, keep, got, want)
				}
			}
		}
	}
}

// TestJoinsOfOneExtremePerson: a join of rows with rows is refused before anything is charged where no public bound is named, whatever the rows
// are, and with one a person of very many rows in both tables ends the release in a value as a person of one row does.
func TestJoinsOfOneExtremePerson(t *testing.T) {
	table := func(name, value string, rows int) *frames.Frame {
		schema := mustSchema(frames.Person("id"), frames.Category(name, value, "other"))
		text := fmt.Sprintf("id,%s\n", name)
		for who := range 20 {
			text += fmt.Sprintf("p%d,%s\n", who, value)
		}
		text += strings.Repeat("target,"+value+"\n", rows)
		return must(frames.ParseCSV(strings.NewReader(text), name, schema, frames.CSVOptions{Header: true}))
	}
	for _, rows := range []int{1, 70_000} { // 4.9e9 pairs
		path := filepath.Join(t.TempDir(), "budget.ledger")
		s := must(Create(table("ward", "a", rows), Options{Ledger: path, Budget: Budget{Epsilon: 1, Delta: 1e-6}, Neighbours: ReplaceOne, Dataset: "visits of " + path}))
		t.Cleanup(func() { _ = s.Close() })
		second := must(s.AddTable("drugs", table("drug", "u", rows)))
		plan := func(keep ...PairedRows) Plan[Table] {
			return s.Data().JoinPeople(second, keep...).PerPerson(CountRows{Max: 10}, MostFrequent{Column: "ward"}).By("ward").Count().Mean("rows").Table(Target{Epsilon: 0.1, Delta: 1e-7})
		}
		if _, err := plan().Cost(); !errors.Is(err, ErrOrder) || !strings.Contains(fmt.Sprint(err), "PairedRows{First: 10, Second: 10}") {
			t.Errorf("%d rows: the price of a join without bounds: %v", rows, err)
		}
		if _, err := plan().Release(t.Context()); !errors.Is(err, ErrOrder) {
			t.Errorf("%d rows: a release of a join without bounds: %v", rows, err)
		}
		if st := must(s.Status()); st.Spent.Epsilon > 0 || st.Releases != 0 || len(st.Interrupted) > 0 {
			t.Errorf("%d rows: a refusal was charged: %+v", rows, st)
		}
		if _, err := plan(PairedRows{First: 3, Second: 4}).Release(t.Context()); err != nil {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
}

// TestPairedRowsAreAttacked: of pairs of tables in which the rows of one person differ in both tables that are joined, row with row, the joined
// rows hold the claim of as many free rows as the product of both bounds, and break the claim of one row less.
func TestPairedRowsAreAttacked(t *testing.T) {
	domain := mustSchema(frames.Numeric("x", -1, 1), frames.Numeric("y", 0, 1), frames.Numeric("z", -1, 1))
	for _, keep := range []PairedRows{{First: 2, Second: 3}, {First: 3, Second: 1}, {First: 1, Second: 3}} {
		k := keep.First * keep.Second
		joined := Pipeline{}.Select("x", "y").JoinPeople(secondOfTest(withPerson(domain)).Select("z"), keep).steps
		for _, rel := range []accountant.Neighbours{accountant.ReplaceOne, accountant.AddRemove} {
			o := boundAttack{domain: domain, before: joined, to: Contributing{Rows: k}, k: k, rel: rel, pairs: 300, seed: uint64(k)}
			if _, breach, err := o.run(t); breach != "" || err != nil {
				t.Errorf("%v, %v: %s %v", keep, rel, breach, err)
			}
			o.believed = func(c attack.Claim) attack.Claim {
				c.Pair.F--
				return c
			}
			if _, breach, _ := o.run(t); breach == "" {
				t.Errorf("%v, %v: the claim of %d rows holds", keep, rel, k-1)
			}
		}
	}
}

// TestPairedRowsAreLimitedByPublicNumbers: whether there are too many joined rows is said by the price, from the number of people.
func TestPairedRowsAreLimitedByPublicNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 38))
	visits, drugs := hostileVisits(rng, 3000), hostileDrugs(rng, 3000)
	s := must(Demo(visitFrame(t, visits), 1, ReplaceOne))
	second := must(s.AddTable("drugs", drugFrame(t, drugs))).Select("dose")
	most := PairedRows{First: 1 << 10, Second: 1 << 10}
	if _, err := s.Data().JoinPeople(second, most).Schema(); !errors.Is(err, ErrParameter) || !strings.Contains(fmt.Sprint(err), "2^31") {
		t.Errorf("3000 people of 2^20 rows: %v", err)
	}
	if _, err := s.Data().JoinPeople(second, PairedRows{First: 1 << 9, Second: 1 << 10}).Schema(); err != nil {
		t.Errorf("3000 people of 2^19 rows: %v", err)
	}
}
