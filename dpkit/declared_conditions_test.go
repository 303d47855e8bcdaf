package dpkit

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/attack"
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

// TestEveryRefusalIsDeclared: each error of this package and those below that says that a chain has no bound is declared where it is
// made, or says that nothing rests on it.
func TestEveryRefusalIsDeclared(t *testing.T) {
	places, made, err := refusals.Undeclared(".", "ErrOrder")
	if err != nil || made < 70 {
		t.Fatalf("found %d refusals: %v", made, err)
	}
	for _, at := range places {
		t.Errorf("%s: an error that wraps ErrOrder: declare what it guards, by //dp:refuses, or by //dp:advises that nothing rests on it", at)
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

// attackedChain is a chain of steps as it would be priced with a fact hidden from its last step, on two tables that differ in row 0.
type attackedChain struct {
	schema frames.Schema
	sides  [2][][]float64 // features, then the label
	chain  func(Pipeline) Pipeline
	hide   func(*stage.Stage)
}

// shown is the largest of what is measured, each in units of what is claimed: without a refusal all of them are 1 at most.
func (a attackedChain) shown(t *testing.T) (shown, _, without float64) {
	t.Helper()
	chain := a.chain(Pipeline{}).steps
	claim, err := claimOf(chain, attack.State{
		Schema: a.schema, Pair: must(pair.Start(len(a.sides[0]), attack.Radius(a.schema), ReplaceOne)),
	}, func(step int, st *stage.Stage) {
		if step == len(chain)-1 {
			a.hide(st)
		}
	})
	if err != nil {
		t.Fatalf("without the refusal: %v", err)
	}
	claim.Taint = stage.Taint{} // what is measured is how far rows move, and not of which columns that was said
	for _, f := range claim.Schema.Features() {
		claim.Taint[f.Name] = true
	}
	d := len(a.schema.Features())
	var sides [2]attack.Side
	for i, table := range a.sides {
		b := &frames.Block{Cols: d, Rows: len(table)}
		for _, row := range table {
			b.X, b.Y = append(b.X, row[:d]...), append(b.Y, row[d:]...)
		}
		sides[i].Rows = b
	}
	x, y, err := runBoth(t.Context(), claim.Priced.(quote), sides[0], sides[1])
	if err != nil {
		t.Fatal(err)
	}
	got, breach := attack.MeasureAt([]int{0}, claim, x, y)
	shown = slices.Max(got[:])
	if breach != "" && shown <= 1 { // a column that is called clean is not, or a cell left its domain
		shown = math.Inf(1)
	}
	return shown, 0, 1
}

// nudge is a step of the caller's own that adds to a column By times what it is in the first row, and says so.
type nudge struct {
	custom
	Column string
	By     float64
}

func (n nudge) String() string { return "nudge" }

func (n nudge) Propagate(st stage.Stage) (stage.Propagation, error) {
	pr, err := n.custom.Propagate(st)
	p := pr.Pair
	p.M, p.T1, p.TF, p.TInf = p.N-1, stage.Up(n.By*float64(p.N)), stage.Up(n.By*math.Sqrt(float64(p.N))), stage.Up(n.By)
	pr.Pair, pr.Taint = p.Close(), stage.Taint{n.Column: true}
	return pr, err
}

func (n nudge) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	j, _ := st.In.FeatureIndex(n.Column)
	first, seen := 0.0, false
	err := stage.ScanRows(ctx, in, func(row []float64, _ float64) {
		if !seen {
			first, seen = row[j], true
		}
	})
	return stage.ByRow(func(dst, src []float64) { copy(dst, src); dst[j] = min(src[j]+n.By*first, 1) }), err
}

// relevelled is a step of the caller's own that gives all rows the level of the first, and says so.
type relevelled struct {
	custom
	Column string
}

func (r relevelled) String() string { return "relevelled" }

func (r relevelled) Propagate(st stage.Stage) (stage.Propagation, error) {
	return nudge{Column: r.Column, By: math.Sqrt2}.Propagate(st)
}

func (r relevelled) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	j, _ := st.In.FeatureIndex(r.Column)
	first, seen := 0.0, false
	err := stage.ScanRows(ctx, in, func(row []float64, _ float64) {
		if !seen {
			first, seen = row[j], true
		}
	})
	return stage.ByRow(func(dst, src []float64) { copy(dst, src); dst[j] = first }), err
}

// refusedBy is a case without an attack.
func refusedBy(says, unshown string, refused func(t *testing.T) error) conditionCase {
	return conditionCase{refused: refused, says: says, unshown: unshown}
}
