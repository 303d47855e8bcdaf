package dpkit

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

func TestQuantileAgainstExact(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	f := tinyFrame(t, 4000, 5)
	for _, target := range []Target{{Epsilon: 1}, {Epsilon: 1, Delta: 1e-6}} {
		for _, q := range []float64{0.1, 0.5, 0.9} {
			for _, column := range []string{"age", "pay"} { // pay may miss
				plan := func(p Pipeline) Plan[QuantileEstimate] { return p.Quantile(target, q, column) }
				exact := must(plan(must(OnPublic(frames.Public(f))).Data()).Release(ctx)).Value
				r := must(plan(private(t, f, ledgerPath(t), Budget{Epsilon: 3, Delta: 1e-5}).Data()).Release(ctx))
				if r.Guarantee.Epsilon > target.Epsilon || r.Guarantee.Delta != target.Delta {
					t.Errorf("guarantee %v, want %v", r.Guarantee, target)
				}
				// The margin is passed with probability 1e-12; candidates are 4 rows apart at least
				// on average, and the exact one is as good as any.
				m := must(r.Value.RankMargin(1 - 1e-12))
				if got, want := rankOf(t, f, column, r.Value.Value), rankOf(t, f, column, exact.Value); math.Abs(got-want) > 2*m+20 {
					t.Errorf("%s %g: rank %v of %v, exact %v of %v, margin %v", column, q, got, r.Value.Value, want, exact.Value, m)
				}
				if !strings.Contains(r.Value.String(), column) || exact.Rate != 0 || !(must(exact.RankMargin(0.5)) <= 4000*0x1p-21) {
					t.Errorf("%v, exact %v", r.Value, exact)
				}
			}
		}
	}
}

func rankOf(t *testing.T, f *frames.Frame, column string, v float64) float64 {
	t.Helper()
	at, _ := f.Schema().FeatureIndex(column)
	n := 0.0
	if err := stage.ScanRows(context.Background(), f, func(row []float64, _ float64) {
		if row[at] <= v {
			n++
		}
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestQuantilePenalties: the error of a candidate, by hand, rows at the nearest one each.
func TestQuantilePenalties(t *testing.T) {
	s := must(frames.NewSchema(frames.Numeric("x", 0, 10).MayMiss(), frames.Label("y", "no", "yes")))
	nan := math.NaN()
	table := [][]float64{{1, 0}, {1, 0}, {2, 0}, {5, 0}, {nan, 0}, {9, 1}}
	f := frameOf(t, s, table)
	stages, st, err := demo(t, f).Data().trace()
	if err != nil || len(stages) > 0 {
		t.Fatal(err)
	}
	for _, c := range []struct {
		q          float64
		candidates []float64
		want       []float64 // rows
	}{
		{0.5, []float64{0, 1, 1.5, 2, 3, 5, 10}, []float64{2.5, 0.5, 0.5, 0, 0.5, 0.5, 1.5}},
		{0.25, []float64{0, 1, 1.5, 2, 10}, []float64{1.25, 0, 0.75, 0.75, 2.75}},
	} {
		p := must(sums.Quantile{Target: Target{Epsilon: 1}, Q: c.q, Column: "x", Candidates: c.candidates}.Calibrate(st))
		got := must(p.Penalties(context.Background(), rows.InProcess{In: f}))
		for i, v := range got {
			if float64(v)/sums.RankUnit != c.want[i] {
				t.Errorf("q = %g, candidate %g: error %v, want %v", c.q, c.candidates[i], float64(v)/sums.RankUnit, c.want[i])
			}
		}
	}
}

// TestAttackQuantile searches for neighbours on which the exact law of the released candidate breaks the
// price: the log ratios of all candidates span 2ηΔ at most.
func TestAttackQuantile(t *testing.T) {
	t.Parallel()
	s := must(frames.NewSchema(frames.Numeric("x", 0, 1).MayMiss(), frames.Label("y", "no", "yes")))
	r := rand.New(rand.NewPCG(3, 4))
	draw := func() float64 {
		if k := r.IntN(8); k < 6 {
			return float64(k) / 5 // ties
		} else if k == 6 {
			return math.NaN()
		}
		return r.Float64()
	}
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		for _, q := range []float64{0.5, 0.2, 0.97} {
			worst := 0.0
			for range 1500 {
				n := 2 + r.IntN(6)
				x := make([][]float64, n)
				for i := range x {
					x[i] = []float64{draw(), 0}
				}
				y := slices.Clone(x)
				y[0] = []float64{draw(), 0}
				p := must(Demo(frameOf(t, s, x), 1, rel)).Data()
				_, st, err := p.trace()
				if err != nil {
					t.Fatal(err)
				}
				mech := sums.Quantile{Target: Target{Epsilon: 1}, Q: q, Column: "x", Candidates: []float64{0, 0.2, 0.3, 0.6, 0.99}}
				if r.IntN(2) == 0 {
					mech.Candidates = []float64{0.1, 0.4, 0.8, 1}
				}
				plan := must(mech.Calibrate(st))
				mx := must(rows.Materialise(context.Background(), frameOf(t, s, x), s, rows.SameRow))
				my := must(rows.Materialise(context.Background(), frameOf(t, s, y), s, rows.SameRow))
				mx.Empty, my.Empty = make([]bool, n), make([]bool, n)
				for i := 1; i < n; i++ {
					mx.Empty[i] = r.IntN(3) == 0
					my.Empty[i] = mx.Empty[i]
				}
				mx.Empty[0] = rel == AddRemove || r.IntN(4) == 0
				a, b := must(plan.Penalties(context.Background(), rows.InProcess{In: mx})), must(plan.Penalties(context.Background(), rows.InProcess{In: my}))
				lo, hi := math.Inf(1), math.Inf(-1)
				for k := range a {
					d := (float64(a[k]) - float64(b[k])) / sums.RankUnit * plan.Eta()
					lo, hi = min(lo, d), max(hi, d)
				}
				worst = max(worst, (hi-lo)/plan.Event.Epsilon)
			}
			t.Logf("%v, q = %g: worst observed/bound %.4f", rel, q, worst)
			if !(worst <= 1) || worst < 0.5 {
				t.Errorf("%v, q = %g: observed/bound is %v, want in [0.5, 1]", rel, q, worst)
			}
		}
	}
}

// TestQuantileCost: at δ = 0 the range is the target, ηΔ = ε/2.
func TestQuantileCost(t *testing.T) {
	data := func(rel accountant.Neighbours) Pipeline { return must(Demo(tinyFrame(t, 500, 5), 1, rel)).Data() }
	for _, c := range []struct {
		name   string
		plan   Plan[QuantileEstimate]
		lo, hi float64 // of η
	}{
		{"replace-one", data(ReplaceOne).Quantile(Target{Epsilon: 1}, 0.5, "age"), 0.4999999, 0.5},
		{"add/remove", data(AddRemove).Quantile(Target{Epsilon: 1}, 0.5, "age"), 0.9999999, 1},
		{"add/remove, high", data(AddRemove).Quantile(Target{Epsilon: 1}, 0.9, "age"), 0.555555, 0.555556},
		{"behind a fit of another column", data(ReplaceOne).Impute(Mean{}, "pay").Quantile(Target{Epsilon: 1}, 0.5, "age"), 0.4999999, 0.5},
		{"δ", data(ReplaceOne).Quantile(Target{Epsilon: 1, Delta: 1e-6}, 0.5, "age"), 0.5, 0.51},
	} {
		t.Run(c.name, func(t *testing.T) {
			cost := must(c.plan.Cost())
			if eta := cost.Release.Constants[1].Value; !(eta >= c.lo && eta <= c.hi) {
				t.Errorf("η = %v, want in [%v, %v]", eta, c.lo, c.hi)
			}
			if g := cost.Guarantee.Epsilon; !(g <= 1 && g > 0.999999) {
				t.Errorf("ε = %v, want 1 at most", g)
			}
			if !strings.Contains(cost.String(), "exponential mechanism") {
				t.Errorf("cost %v", cost)
			}
		})
	}
}

func TestQuantileMistakes(t *testing.T) {
	data := demo(t, tinyFrame(t, 50, 5)).Data()
	pure := Target{Epsilon: 1}
	for _, c := range []struct {
		name string
		plan Plan[QuantileEstimate]
		want string
		is   error
	}{
		{"no ε", data.Quantile(Target{}, 0.5, "age"), "epsilon", accountant.ErrEpsilon},
		{"a δ that is none", data.Quantile(Target{Epsilon: 1, Delta: 2}, 0.5, "age"), "delta", accountant.ErrDelta},
		{"noise", data.Quantile(laplaceTarget, 0.5, "age"), "want none", ErrParameter},
		{"q of 0", data.Quantile(pure, 0, "age"), "between 0 and 1", ErrParameter},
		{"q of 1", data.Quantile(pure, 1, "age"), "between 0 and 1", ErrParameter},
		{"q of NaN", data.Quantile(pure, math.NaN(), "age"), "between 0 and 1", ErrParameter},
		{"no column", data.Quantile(pure, 0.5, "aeg"), "no such column", ErrColumn},
		{"label", data.Quantile(pure, 0.5, "income"), "no such column", ErrColumn},
		{"category", data.Quantile(pure, 0.5, "work"), "want a numeric column", ErrColumn},
		{"candidates that fall", data.Quantile(pure, 0.5, "age", 30, 20), "rising", ErrParameter},
		{"a candidate outside", data.Quantile(pure, 0.5, "age", 30, 91), "bounds [17, 90]", ErrParameter},
		{"a candidate of NaN", data.Quantile(pure, 0.5, "age", math.NaN()), "rising", ErrParameter},
		{"behind a private query", data.Impute(PrivateMean{Share: 0.1}, "pay").Quantile(pure, 0.5, "pay"), "steps could share", ErrOrder},
		{"tiny ε", data.Quantile(Target{Epsilon: 1e-15}, 0.5, "age"), "drawn exactly", ErrParameter},
		{"huge ε", data.Quantile(Target{Epsilon: 1e9}, 0.5, "age"), "drawn exactly", ErrParameter},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.plan.Cost()
			if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, c.is) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if _, err := (QuantileEstimate{}).RankMargin(0); !errors.Is(err, ErrParameter) {
		t.Errorf("level 0: got %v", err)
	}
}

// TestQuantileIdentity: other candidates make another release.
func TestQuantileIdentity(t *testing.T) {
	a := sums.Quantile{Target: Target{Epsilon: 1}, Q: 0.5, Column: "x", Candidates: []float64{1, 2, 4}}
	b := a
	b.Candidates = []float64{1, 3, 4}
	if kind.TextOf(a) == kind.TextOf(b) {
		t.Errorf("%v and %v are told apart by nothing", a, b)
	}
}

// TestQuantileOfTies: equal rows between two candidates are found, alone and as the largest part of all, where ranks say nothing of the candidates
// around them.
func TestQuantileOfTies(t *testing.T) {
	s := must(frames.NewSchema(frames.Category("ward", "a", "b"), frames.Numeric("price", 0, 30), frames.Label("y", "no", "yes")))
	var all [][]float64
	for i := range 600 {
		price := 9.99
		if i%2 == 1 && i%3 == 0 { // a third of ward b
			price = float64(i) / 20
		}
		all = append(all, []float64{float64(i % 2), price, 0})
	}
	f := frameOf(t, s, all)
	for _, q := range []float64{0.4, 0.5} {
		d := must(Demo(f, 6, ReplaceOne)).Data()
		for _, r := range must(d.Quantile(Target{Epsilon: 1}, q, "price").Replicate(t.Context(), 6)) {
			if !(math.Abs(r.Value-9.99) < 30./(1<<16)) {
				t.Fatalf("quantile %g: got %g, want 9.99", q, r.Value)
			}
		}
		for _, r := range must(d.By("ward").Quantile(q, "price").Table(Target{Epsilon: 2}).Replicate(t.Context(), 6)) {
			for g, v := range r.Quantiles[0].Values {
				if !(math.Abs(v-9.99) < 30./(1<<16)) {
					t.Fatalf("quantile %g of ward %s: got %g, want 9.99", q, r.Groups[g], v)
				}
			}
		}
	}
}

// TestQuantilesOfEarlierLawsReplay: a value that a ledger holds by the identity of the law with fewer candidates comes back, uncharged; with
// another q, candidates or name, or Fresh, nothing does.
func TestQuantilesOfEarlierLawsReplay(t *testing.T) {
	s := private(t, tinyFrame(t, 300, 5), ledgerPath(t), Budget{Epsilon: 30, Delta: 1e-5})
	of := func() Plan[QuantileEstimate] { return s.Data().Quantile(Target{Epsilon: 1}, 0.5, "age") }
	pl := of().plan()
	req := must(pl.request(t.Context(), must(pl.quote())))
	if len(req.OldIDs) != 3 {
		t.Fatalf("%d identities of before, want those of laws 3, 2 and 1", len(req.OldIDs))
	}
	req.ID, req.OldIDs = req.OldIDs[2], nil
	must(s.ledger.Release(t.Context(), req, func(context.Context) (json.RawMessage, error) {
		return json.RawMessage(`{"column":"age","q":0.5,"value":50,"rate":0.5,"candidates":1025}`), nil
	}))
	if r := must(of().Release(t.Context())); !r.Replayed || r.Value.Candidates != 1025 || r.Value.Value != 50 {
		t.Errorf("%v, replayed %v", r.Value, r.Replayed)
	}
	for name, other := range map[string]Plan[QuantileEstimate]{
		"q": s.Data().Quantile(Target{Epsilon: 1}, 0.25, "age"), "candidates": s.Data().Quantile(Target{Epsilon: 1}, 0.5, "age", 20, 30),
		"name": of().Named("x"), "fresh": of().Fresh(),
	} {
		if r := must(other.Release(t.Context())); r.Replayed {
			t.Errorf("another %s: replayed", name)
		}
	}
}
