package dpkit

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/attack"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
	"github.com/dpkit-go/dpnb/internal/refusals"
)

// conditionCase violates a condition that a source declares.
type conditionCase struct {
	// refused is the error of a chain that the condition refuses, which wraps is (nil: ErrOrder) and says what to do.
	refused func(t *testing.T) error
	is      error
	says    string
	// attack is what neighbouring tables show at least: how far a release moves, or its μ or ε. A release is charged for so much,
	// and without the condition for less than they show.
	attack func(t *testing.T) (shown, charged, without float64)
	// unshown says why there is no attack.
	unshown string
}

// conditionCases has a case, or several, for every declared name.
func conditionCases() map[string][]conditionCase {
	all := map[string][]conditionCase{}
	for _, of := range []map[string][]conditionCase{mechanismConditions(), stepConditions(), chainConditions()} {
		for name, c := range of {
			all[name] = append(all[name], c...)
		}
	}
	return all
}

// TestDeclaredConditions: each condition that a source declares refuses the chain that violates it, and the claim of that chain would
// be false without it; or the price holds with it and not without it.
func TestDeclaredConditions(t *testing.T) {
	declared := must(refusals.Read("."))
	if len(declared) < 8 {
		t.Fatalf("found %d declarations", len(declared))
	}
	cases := conditionCases()
	for _, d := range declared {
		t.Run(d.Name, func(t *testing.T) {
			if len(cases[d.Name]) == 0 {
				t.Fatalf("%s:%d: no case violates it: add one to conditionCases", d.File, d.Line)
			}
			for i, c := range cases[d.Name] {
				c.run(t, d, i+1)
			}
		})
		delete(cases, d.Name)
	}
	if len(cases) > 0 {
		t.Errorf("no source declares %q", slices.Sorted(maps.Keys(cases)))
	}
}

func (c conditionCase) run(t *testing.T, d refusals.Declaration, i int) {
	t.Helper()
	if (c.attack == nil) == (c.unshown == "") {
		t.Errorf("case %d: want an attack, or the reason why there is none", i)
	}
	if (d.Kind == refusals.Refuses) != (c.refused != nil) {
		t.Fatalf("case %d: want a refused chain of what refuses, and of nothing else", i)
	}
	if c.refused != nil {
		want := c.is
		if want == nil {
			want = ErrOrder
		}
		if err := c.refused(t); !errors.Is(err, want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("case %d: got %v, want %v that says %q", i, err, want, c.says)
		}
	}
	if c.attack == nil {
		return
	}
	shown, charged, without := c.attack(t)
	t.Logf("case %d: tables show %.4g; charged %.4g, without the condition %.4g", i, shown, charged, without)
	if !(shown > without) {
		t.Errorf("case %d: without the condition %v would be charged, and the tables show no more than %v", i, without, shown)
	}
	if d.Kind == refusals.Charges && !(shown <= charged) {
		t.Errorf("case %d: the tables show %v, and %v is charged", i, shown, charged)
	}
}

// forced is a release that is refused as it would be made without the refusal: the mechanism is shown a stage that hides the fact.
type forced struct {
	rel    accountant.Neighbours
	schema frames.Schema
	sides  [2][][]float64 // features, then the label
	end    func(Pipeline) *plan
	hide   func(*stage.Stage)
	told   func(v any) float64 // how much a value speaks for the first table
	draws  int                 // of each table; 0: 400
}

// shown is the ε that releases on both tables prove, and the ε that they would be charged.
func (f forced) shown(t *testing.T) (proved, _, without float64) {
	t.Helper()
	draws := f.draws
	if draws == 0 {
		draws = 400
	}
	var pilot, seen [2][]float64
	var g accountant.Guarantee
	for side := range 2 {
		s := must(Demo(frameOf(t, f.schema, f.sides[side]), 1+uint64(side)<<32, f.rel))
		pl := f.end(s.Data())
		stages, end, err := pl.p.trace()
		if err != nil {
			t.Fatal(err)
		}
		f.hide(&end)
		made, err := pl.of.Settle(end)
		if err != nil {
			t.Fatalf("without the refusal: %v", err)
		}
		q := quote{stages: stages, end: end, unit: s.unit, place: s.place, second: s.tables.source, held: s.held}.as(made)
		g = q.price.Guarantee
		rng := noise.NewDemo(s.seed)
		table := must(q.apply(t.Context(), s.src, rng))
		draw := must(made.Read(t.Context(), pl.table(table.rows)))
		for i := range draws + draws/4 {
			rng.Restart(s.seed + uint64(i))
			v := f.told(must(draw(t.Context(), rng)))
			if i < draws/4 {
				pilot[side] = append(pilot[side], v)
			} else {
				seen[side] = append(seen[side], v)
			}
		}
		slices.Sort(pilot[side])
		slices.Sort(seen[side])
	}
	return bestRule(true, g.Delta, pilot).proof(true, g.Delta, seen, auditAlpha), 0, g.Epsilon
}

// clean hides that columns differ in common rows.
func clean(st *stage.Stage) { st.Taint = nil }

// alone hides that more rows than one are free, and that common rows differ.
func alone(st *stage.Stage) {
	st.Taint, st.Contributions = nil, stage.Contributions{}
	st.Before = must(pair.Start(st.Before.N, st.Before.R, st.Before.Neighbours))
}

// exactly is a release without noise, of a plan with a price.
func exactly(t *testing.T, pl *plan) (value any, q quote) {
	t.Helper()
	q = must(pl.quote())
	a := must(q.apply(t.Context(), pl.p.s.src, noise.NewDemo(1)))
	return must(pl.of.Exact(t.Context(), pl.table(a.rows), a.q.end)), q
}

// costOf is what a chain's end says of its price.
func costOf[V any](p Plan[V]) error { return errOf(p.Cost()) }

// attackedChain is a chain of steps as it would be priced with a fact hidden, on two tables.
type attackedChain struct {
	schema frames.Schema
	rel    accountant.Neighbours
	sides  [2]*frames.Block
	chain  []stage.Preprocessor
	hide   func(step int, st *stage.Stage) // before each step, from 0
	free   []int
}

// settledAs is what a mechanism costs at the end of a plan's chain with a fact hidden.
func settledAs(t *testing.T, pl *plan, hide func(*stage.Stage)) mechanism.Settled[any] {
	t.Helper()
	_, end, err := pl.p.trace()
	if err != nil {
		t.Fatal(err)
	}
	hide(&end)
	return must(pl.of.Settle(end))
}

var _ = attack.Claim{}
