package dpkit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/frames"
)

// wideRows are n rows with an income that nobody bounds, within [1024, 3072), a stay within [0, 60), declared far wider, and a class.
func wideRows(t testing.TB, n int) *frames.Frame {
	t.Helper()
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = []float64{1024 + float64(i*37%2048), float64(i * 7 % 60), float64(i % 3), float64(i % 2)}
	}
	return frameOf(t, mustSchema(
		frames.Unbounded("income"), frames.Numeric("stay", -1e6, 1e6), frames.Category("ward", "a", "b", "c"), frames.Label("back", "no", "yes"),
	), rows)
}

// boundsOf are the constants lo and hi of a cost's step.
func boundsOf(c Cost, step int) (out []float64) {
	for _, k := range c.Steps[step].Constants {
		if k.Symbol == "lo" || k.Symbol == "hi" {
			out = append(out, k.Value)
		}
	}
	return out
}

// TestPrivateBoundsInChains: bounds come out around the rows, what follows has the noise of these, the charge is the one that was announced,
// and a ledger replays all of it.
func TestPrivateBoundsInChains(t *testing.T) {
	ctx := context.Background()
	// A bin has 500 rows or none; one with fewer than 90 is missed, with noise of 20.
	s := private(t, wideRows(t, 30000), ledgerPath(t), Budget{Epsilon: 4, Delta: 1e-5})
	target := Target{Epsilon: 1, Delta: 1e-6}
	plan := s.Data().Winsorize(PrivateBounds{Share: 0.2}, "income", "stay").By("ward").Sum("income").Sum("stay").Table(target)
	before := must(plan.Cost())
	wide := []float64{-0x1p81, 0x1p81, -1e6, 1e6}
	if got := boundsOf(before, 0); !slices.Equal(got, wide) {
		t.Errorf("before the release priced at %v, want %v", got, wide)
	}
	r := must(plan.Release(ctx))
	want := []float64{1024, 4096, 0, 64}
	got := boundsOf(r.Cost, 0)
	if !(got[0] <= 1024 && got[1] >= 4096 && got[2] <= 0 && got[3] >= 64) { // noise finds further bins once in a thousand releases
		t.Fatalf("bounds came out at %v, want around %v", got, want)
	}
	if !slices.Equal(got, want) {
		t.Skipf("bounds came out at %v", got)
	}
	known := must(s.Data().ClipColumns(1024, 4096, "income").ClipColumns(0, 64, "stay").By("ward").Sum("income").Sum("stay").Table(target).Cost())
	if got, most := r.Cost.Release.Sigma/known.Release.Sigma, 1/math.Sqrt(0.8); !(math.Abs(got/most-1) < 1e-6) {
		t.Errorf("noise × %v of that at public bounds, want × %v, for the share that found them", got, most)
	}
	if r.Cost.Charged != before.Charged || r.Guarantee.Epsilon != before.Guarantee.Epsilon || r.Guarantee.Scope.Kind != before.Guarantee.Scope.Kind {
		t.Errorf("charged %v at %v, announced as %v at %v", r.Cost.Charged, r.Guarantee, before.Charged, before.Guarantee)
	}
	for _, m := range r.Value.Measures {
		if m.Column == "stay" && (m.Lo != 0 || m.Hi != 64) {
			t.Errorf("the table has %+v, want the bounds that came out", m)
		}
	}
	again := must(plan.Release(ctx))
	if !again.Replayed || again.Cost.String() != r.Cost.String() || fmt.Sprint(again.Value) != fmt.Sprint(r.Value) {
		t.Errorf("replayed %v with another cost or value:\n%v\n%v", again.Replayed, r.Cost, again.Cost)
	}
	model := must(demo(t, wideRows(t, 6000)).Data().Drop("ward").Winsorize(PrivateBounds{Share: 0.2}, "income", "stay").Scale().FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6}).Release(ctx))
	inside, beyond := must(model.Value.PredictRow(map[string]any{"income": 4096., "stay": 64.})), must(model.Value.PredictRow(map[string]any{"income": 1e9, "stay": 900.}))
	if inside != beyond {
		t.Errorf("prediction does not clamp to what came out: %v, %v", inside, beyond)
	}
}

// TestPrivateBoundsCover: what is charged before bounds are known covers the release at those that came out, for every kind of noise that
// is not refused, and it is theirs.
func TestPrivateBoundsCover(t *testing.T) {
	t.Parallel()
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		data := must(Demo(wideRows(t, 3000), 1, rel)).Data().Drop("ward").Winsorize(PrivateBounds{Share: 0.1}, "income", "stay")
		target := Target{Epsilon: 1, Delta: 1e-6}
		for name, pl := range map[string]*plan{
			"mean":                    data.Mean(target).plan(),
			"sum":                     data.Sum(target).plan(),
			"behind private scales":   data.Scale().Standardize(PrivateStandard{Share: 0.2, Floor: 0.05}).Mean(target).plan(),
			"second fit, raw":         data.Standardize(PrivateRMS{Share: 0.2, Floor: 0.05}).Mean(target).plan(),
			"table":                   data.By("back").Sum("income").Mean("stay").Table(target).plan(),
			"gram":                    data.Gram(target).plan(),
			"gradient":                data.FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6}).plan(),
			"objective, behind Scale": data.Scale().FitLogistic(ByObjective{Epsilon: 1, Delta: 1e-6}).plan(),
		} {
			t.Run(fmt.Sprint(name, " ", rel), func(t *testing.T) {
				q := must(pl.quote())
				for _, b := range [][]float64{{1024, 4096, 0, 64}, {0, 0x1p-39, -0x1p-40, 0}, {-0x1p81, 0, -0x1p19, 0x1p3}, {0x1p80, 0x1p81, 0x1p18, 0x1p19}} {
					i := q.narrows()
					at := must(q.rest(i, b))
					if got := at.stages[i].Step.(steps.PrivateWinsor).Found; !slices.Equal(got, b) {
						t.Errorf("bounds %v: the release stays at the widest", b)
						continue
					}
					if !at.covers() || at.price.Guarantee.Epsilon > q.price.Guarantee.Epsilon*(1+1e-9) {
						t.Errorf("bounds %v: charged %v, drawn %v", b, q.price.Event, at.price.Event)
					}
				}
				dearer := q
				dearer.charged = &q.price
				dearer.price.Event = must(pl.retargetedEvent(1.001))
				if dearer.covers() {
					t.Error("a charge covers a release of a larger ε")
				}
			})
		}
	}
}

// retargetedEvent is the plan's event at so many times its ε.
func (pl *plan) retargetedEvent(by float64) (accountant.Event, error) {
	other, ok := pl.retargeted(by, 1e-6)
	if !ok {
		return nil, errors.New("no target")
	}
	q, err := other.quote()
	return q.price.Event, err
}

// TestPrivateBoundsFallBack: what has no price at the bounds that come out is left as it was priced, and no release fails for them.
func TestPrivateBoundsFallBack(t *testing.T) {
	ctx := context.Background()
	target := Target{Epsilon: 1, Delta: 1e-6}
	data := demo(t, wideRows(t, 4000)).Data().Select("stay").Winsorize(PrivateBounds{Share: 0.2}, "stay")
	for name, p := range map[string]Plan[Estimates]{
		"a clamp that leaves nothing": data.ClipColumns(100, 200, "stay").Mean(target),
		"edges outside":               data.Bin([]float64{10, 1000}, "stay").OneHot().Mean(target),
	} {
		t.Run(name, func(t *testing.T) {
			r, err := p.Release(ctx)
			if err != nil || len(r.Value.Values) == 0 {
				t.Fatal(err)
			}
			if got := boundsOf(r.Cost, 1); !slices.Equal(got, []float64{-1e6, 1e6}) {
				t.Errorf("priced at %v, want the widest", got)
			}
			if !strings.Contains(r.Cost.String(), "widest") {
				t.Errorf("nothing says so:\n%v", r.Cost)
			}
		})
	}
	few := must(demo(t, wideRows(t, 3)).Data().Select("stay").Winsorize(PrivateBounds{Share: 0.2}, "stay").Mean(target).Release(ctx))
	if got := boundsOf(few.Cost, 1); !slices.Equal(got, []float64{-1e6, 1e6}) {
		t.Errorf("three rows have bounds %v", got)
	}
}

// TestPrivateBoundsErrors: what a chain with private bounds refuses, and why.
func TestPrivateBoundsErrors(t *testing.T) {
	data := demo(t, wideRows(t, 400)).Data()
	target := Target{Epsilon: 1, Delta: 1e-6}
	bounds := PrivateBounds{Share: 0.1}
	for _, c := range []struct {
		name string
		plan interface{ Cost() (Cost, error) }
		says string
		is   error
	}{
		{"no share", data.Winsorize(PrivateBounds{}, "income").Mean(target), "share: got 0", ErrParameter},
		{"half a guess", data.Winsorize(PrivateBounds{Share: 0.1, GuessLo: 3}, "income").Mean(target), "GuessLo and GuessHi: got [3, 0]", ErrParameter},
		{"a category", data.Winsorize(bounds, "ward").Mean(target), "want a numeric column", ErrColumn},
		{"twice", data.Winsorize(bounds, "stay", "stay").Mean(target), "twice", ErrColumn},
		{"no power of two", data.ClipColumns(3, 3.5, "stay").Winsorize(bounds, "stay").Mean(target), "neither 0 nor a power of two", ErrParameter},
		{"displaced", data.Drop("income").Winsorize(SmoothedQuantile{Q: 0.1, Window: 0.1}, "stay").Winsorize(bounds, "stay").Mean(target), "differs in common rows", ErrOrder},
		{"pure", data.Drop("ward").Winsorize(bounds, "income").Mean(Target{Epsilon: 1}), "δ", ErrOrder},
		{"not Gaussian", data.Drop("ward").Winsorize(bounds, "income").FitLogistic(ByObjective{Epsilon: 1, Delta: 1e-6}), "put Scale behind that step", ErrOrder},
	} {
		if _, err := c.plan.Cost(); err == nil || !strings.Contains(err.Error(), c.says) || !errors.Is(err, c.is) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.says)
		}
	}
	if _, err := data.Select("income").Winsorize(bounds, "income").Mean(target).Error(0.95); err == nil || !strings.Contains(err.Error(), "GuessLo") {
		t.Errorf("a prediction of rows that nobody knows: %v", err)
	}
}

// TestPrivateBoundsCompared: public, private and too wide bounds stand side by side, with errors of the same rows.
func TestPrivateBoundsCompared(t *testing.T) {
	data := demo(t, wideRows(t, 6000)).Data().Select("stay")
	target := Target{Epsilon: 1, Delta: 1e-6}
	of := func(p Plan[Estimates]) map[string]cost.Variant {
		out := map[string]cost.Variant{}
		for _, v := range must(p.Compare()).Steps[0].Variants {
			out[fmt.Sprint(v.Kind)] = v
		}
		return out
	}
	public := of(data.ClipColumns(0, 60, "stay").Mean(target))
	private := of(data.Winsorize(PrivateBounds{Share: 0.05, GuessLo: 0, GuessHi: 60}, "stay").Mean(target))
	for name, ways := range map[string]map[string]cost.Variant{"public as written": public, "private as written": private} {
		pub, own, wide := ways["public"], ways["private"], ways["left out"]
		if !pub.Predicted || !own.Predicted || !wide.Predicted {
			t.Fatalf("%s: predicted %v %v %v", name, pub.Predicted, own.Predicted, wide.Predicted)
		}
		if !(pub.Error < own.Error && own.Error < 1.5*pub.Error && wide.Error > 1000*own.Error) {
			t.Errorf("%s: errors %v with public bounds, %v with private ones, %v with the column's own", name, pub.Error, own.Error, wide.Error)
		}
		if !own.Listed == (name == "public as written") || !wide.Listed {
			t.Errorf("%s: listed %v, %v", name, own.Listed, wide.Listed)
		}
	}
	// The error of the mean is that of its noise against half of [0, 60], whatever the bounds.
	sigma := must(data.ClipColumns(0, 60, "stay").Mean(target).Error(0.95)).Margin[0] / 1.96
	if got := public["public"].Error; math.Abs(got*30/sigma-1) > 0.01 {
		t.Errorf("error %v, want %v", got, sigma/30)
	}
}

// TestPrivateBoundsOfVisits: behind a bound on contributions a person pays for all rows in the histogram, and a table by the groups of the
// bound for no more of them than without: what came out makes a public map of one row.
func TestPrivateBoundsOfVisits(t *testing.T) {
	data := must(Demo(ofPersons(t, wideRows(t, 1200), 4), 1, AddRemove)).Data().Drop("income").Bound(Contributing{Groups: 2, RowsPerGroup: 3, By: []string{"ward"}})
	target := Target{Epsilon: 1, Delta: 1e-6}
	private := data.Winsorize(PrivateBounds{Share: 0.3}, "stay").By("ward").Sum("stay").Table(target)
	a, b := must(private.Cost()), must(data.By("ward").Sum("stay").Table(target).Cost())
	if a.Release.Sensitivity != b.Release.Sensitivity {
		t.Errorf("Δ = %v behind private bounds, %v without", a.Release.Sensitivity, b.Release.Sensitivity)
	}
	if q := a.Steps[len(a.Steps)-1].Queries[0]; !(q.Sensitivity >= 5*math.Sqrt2+1) { // six rows on one side only, as five that are replaced and one
		t.Errorf("the histogram pays for %v, want six rows of a person", q.Sensitivity)
	}
	r := must(private.Release(t.Context()))
	if got := boundsOf(r.Cost, len(r.Cost.Steps)-1); got[1] != 64 || got[0] < 0 || got[0] > 32 { // few rows are not found among the noise for six
		t.Errorf("bounds came out at %v", got)
	}
}

// TestPrivateBoundsTogether: bounds come out in plans that are released together, which replay as one.
func TestPrivateBoundsTogether(t *testing.T) {
	s := private(t, wideRows(t, 6000), ledgerPath(t), Budget{Epsilon: 4, Delta: 1e-5})
	stay := s.Data().Select("stay").Winsorize(PrivateBounds{Share: 0.3}, "stay").Mean(Target{})
	both := Together(Target{Epsilon: 2, Delta: 1e-6}, stay, s.Data().Drop("income").Histogram("ward", Target{}))
	first, again := must(both.Release(t.Context())), must(both.Release(t.Context()))
	a, b := must(stay.Of(first)), must(stay.Of(again))
	if got := boundsOf(a.Cost, 1); len(got) != 2 || got[1] > 1e5 || !again.Replayed || a.Cost.String() != b.Cost.String() {
		t.Errorf("bounds came out at %v; replayed %v, at the cost\n%v\nwant\n%v", got, again.Replayed, b.Cost, a.Cost)
	}
}

// TestPrivateBoundsCompareWithTheCharge: behind several steps whose bounds come out a query is weighed against what is charged for it, and not
// against what the step before left.
func TestPrivateBoundsCompareWithTheCharge(t *testing.T) {
	pl := demo(t, wideRows(t, 3000)).Data().Drop("ward").
		Winsorize(PrivateBounds{Share: 0.1}, "income").Winsorize(PrivateBounds{Share: 0.1}, "stay").
		Scale().Standardize(PrivateStandard{Share: 0.2, Floor: 0.05}).Mean(Target{Epsilon: 1, Delta: 1e-6}).plan()
	q := must(pl.quote())
	last := len(q.stages) - 1
	want := q.stages[last].expenses[0].Query
	for i, b := range [][]float64{{0x1p80, 0x1p81}, {0, 0x1p-39}} {
		if q = must(q.rest(i+1, b)); len(q.stages[last].charged) == 0 || q.stages[last].charged[0].Query != want {
			t.Errorf("behind bounds of step %d its query is compared with %+v, charged is %+v", i+2, q.stages[last].charged, want)
		}
	}
}

// TestPrivateBoundsAreOfColumnsRead: a release is told apart by the columns whose bounds come out with it, also where a step behind drops them.
func TestPrivateBoundsAreOfColumnsRead(t *testing.T) {
	d := demo(t, wideRows(t, 300)).Data()
	pl := d.Winsorize(PrivateBounds{Share: 0.2, GuessLo: 1, GuessHi: 2}, "income").Select("stay").Mean(Target{Epsilon: 1, Delta: 1e-6}).plan()
	q := must(pl.quote())
	if got := q.reads(pl.p.s.schema, pl.m); fmt.Sprint(got) != "[income stay]" && fmt.Sprint(got) != "[stay income]" {
		t.Errorf("reads %q", got)
	}
}
