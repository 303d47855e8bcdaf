package dpkit

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/attack"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// bags are rows of people, features and then the label where there is one.
type bags [][][]float64

// block is the table, in an order of its own. Who has no row keeps a place that is empty.
func (b bags) block(s frames.Schema, rng *rand.Rand) *frames.Block {
	d := len(s.Features())
	out := &frames.Block{Cols: d}
	labels := 0
	if _, ok := s.Label(); ok {
		labels = 1
	}
	type at struct{ who, row int }
	var order []at
	for who, bag := range b {
		for row := range max(1, len(bag)) {
			order = append(order, at{who, row})
		}
	}
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for _, o := range order {
		row := make([]float64, d+labels)
		if out.Empty = append(out.Empty, len(b[o.who]) == 0); len(b[o.who]) > 0 {
			row = b[o.who][o.row]
		}
		out.X, out.Y = append(out.X, row[:d]...), append(out.Y, row[d:]...)
		var id frames.PersonID
		binary.LittleEndian.PutUint64(id[:], uint64(o.who))
		out.Person = append(out.Person, id)
		out.Rows++
	}
	return out
}

// extremeRow has cells at the ends of the domain, in the middle and missing.
func extremeRow(s frames.Schema, rng *rand.Rand) (row []float64) {
	cols := s.Features()
	if y, ok := s.Label(); ok {
		cols = append(slices.Clone(cols), y)
	}
	for _, c := range cols {
		v := []float64{c.Lo, c.Hi, c.Lo + (c.Hi-c.Lo)*rng.Float64()}[rng.IntN(3)]
		switch {
		case c.Missing && rng.IntN(4) == 0:
			v = math.NaN()
		case len(c.Levels) > 0:
			v = float64(rng.IntN(len(c.Levels)))
		}
		row = append(row, v)
	}
	return row
}

// hostileBags are tables of neighbours: the first person's bag differs, and under add/remove the second table has nobody's.
func hostileBags(s frames.Schema, rng *rand.Rand, people, most int, rel accountant.Neighbours) (a, b bags) {
	few := make([][]float64, 3) // others repeat each other
	for i := range few {
		few[i] = extremeRow(s, rng)
	}
	bag := func(least int) (out [][]float64) {
		for range least + rng.IntN(most+1-least) {
			if row := few[rng.IntN(3)]; rng.IntN(2) == 0 {
				out = append(out, row)
			} else {
				out = append(out, extremeRow(s, rng))
			}
		}
		return out
	}
	for who := range people {
		a = append(a, bag(min(who, 1))) // the last is there on both sides
	}
	b = slices.Clone(a)
	a[0], b[0] = bag(1), bag(0)
	if rng.IntN(2) == 0 { // one row, as often as there is room, on either side
		a[0], b[0] = slices.Repeat(bag(1)[:1], most), slices.Repeat(bag(1)[:1], rng.IntN(most+1))
	}
	if rel == accountant.AddRemove {
		b[0] = nil
	}
	return a, b
}

// withPerson has a person before the columns.
func withPerson(s frames.Schema) frames.Schema {
	return mustSchema(append([]frames.Column{frames.Person("id")}, s.Columns()...)...)
}

// boundAttack attacks a chain behind a bound.
type boundAttack struct {
	domain frames.Schema        // without a person
	before []stage.Preprocessor // public steps of rows of people
	to     Contributing
	k      int // of to
	chain  []stage.Preprocessor
	rel    accountant.Neighbours
	pairs  int
	seed   uint64
	within func(*frames.Block) bool
	// believed is the claim that is attacked in the place of the chain's own; nil: that.
	believed func(attack.Claim) attack.Claim
}

// run is what the attack attains of the claim, and what breaks it; refused is the error of a chain without a price.
func (o boundAttack) run(t *testing.T) (best attack.Shares, breach string, refused error) {
	t.Helper()
	const people = 6
	rng := rand.New(rand.NewPCG(o.seed, 20))
	s, k := withPerson(o.domain), o.k
	state := attack.State{Schema: s, Pair: must(pair.Start(people, attack.Radius(s), o.rel))}
	all := slices.Concat(o.before, []stage.Preprocessor{steps.Bound{To: o.to}}, o.chain)
	claim, err := claimOf(all, state)
	if err != nil {
		if !hasNoPrice(err) {
			t.Fatal(err)
		}
		return best, "", err
	}
	first, run := must(claimOf(all[:len(o.before)+1], state)), claim.Priced.(quote)
	claim.Unordered = run.end.Unordered // the search of steps, which moves nobody, takes places behind Bound for lost
	if o.believed != nil {
		claim = o.believed(claim)
	}
	for range o.pairs {
		a, b := hostileBags(s, rng, people, k+1, o.rel)
		sides := [2]attack.Side{{Rows: a.block(s, rng)}, {Rows: b.block(s, rng)}}
		if o.within != nil && (!o.within(sides[0].Rows) || !o.within(sides[1].Rows)) {
			continue
		}
		x, y, err := runBoth(t.Context(), first.Priced.(quote), sides[0], sides[1])
		if err != nil {
			t.Fatal(err)
		}
		at := -1
		for i := range x.Rows.Rows {
			if !slices.EqualFunc(x.Rows.Row(i), y.Rows.Row(i), sameCell) || x.Rows.Empty[i] != y.Rows.Empty[i] || x.Rows.Y != nil && x.Rows.Y[i] != y.Rows.Y[i] {
				at = i / k
			}
		}
		if at < 0 {
			continue // all that differs is not kept
		}
		var free []int
		for i := range min(k, claim.Pair.F) {
			free = append(free, at*k+i)
		}
		if x, y, err = runBoth(t.Context(), run, sides[0], sides[1]); err != nil {
			t.Fatal(err)
		}
		got, what := attack.MeasureAt(free, claim, x, y)
		if what != "" {
			return got, what, nil
		}
		for c, v := range got {
			best[c] = max(best[c], v)
		}
	}
	return best, "", nil
}

func sameCell(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// TestEveryStepBehindABound: behind a bound of three rows a person every step holds what it states of pairs of which the rows of one person
// differ, present or not, or is refused.
func TestEveryStepBehindABound(t *testing.T) {
	entries := stepEntries()
	for _, s := range knownSteps() {
		name := s.Kind().Name
		if strings.HasPrefix(name, "people/") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := entries[name].attacks[0]
			var most attack.Shares
			for _, rel := range []accountant.Neighbours{accountant.ReplaceOne, accountant.AddRemove} {
				best, breach, refused := boundAttack{
					domain: a.domain(1), to: Contributing{Rows: 3}, k: 3, chain: a.chain(Pipeline{}, 1).steps, rel: rel, pairs: 40, seed: seedOf(name, "bound"), within: a.within,
				}.run(t)
				t.Logf("%v: %v %v", rel, best, refused)
				if breach != "" || refused != nil {
					t.Errorf("%v: %s %v", rel, breach, refused)
				}
				for c, v := range best {
					most[c] = max(most[c], v)
				}
			}
			// A search that attains nothing proves nothing: what a person's rows may be, a private query that all of them move, and what they move
			// of others.
			if max(most[attack.FreeRow], most[attack.FreeRows], most[attack.Query]) < 0.33 || most[attack.Query] > 0 && most[attack.Query] < 0.7 {
				t.Errorf("the search attains %v", most)
			}
		})
	}
}
