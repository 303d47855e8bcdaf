package dpkit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/local"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/frames"
)

// jointOf is what Together settled.
func jointOf(t testing.TB, p Plan[Joint]) *jointQuote {
	t.Helper()
	q, err := p.plan().joint.calibrated()
	if err != nil {
		t.Fatalf("%s: %v", p, err)
	}
	return q
}

// TestTogetherEveryMechanism: every kind of release goes together with others, whatever its target is called: its own (ε, δ) says
// nothing, everything else stays, the whole meets the target, and the text reads back to the same identity and price.
func TestTogetherEveryMechanism(t *testing.T) {
	t.Parallel()
	// Settled a dozen times these take seconds; others of their families are there.
	dear := map[string]bool{
		"gaussmix": true, "fit/linear, LinearMixing": true, "fit/linear, Sheffet2017": true, "fit/multinomial": true,
		"fit/logistic-objective, ByObjective": true, "fit/logistic-objective, Kifer2012": true,
		"fit/logistic-report, ByObjective": true, "fit/logistic-report, Kifer2012": true,
	}
	everyMechanism(t, func(t *testing.T, e mechanismEntry, d Pipeline, _ knownMechanism) {
		pl := e.end(d)
		own, ok := query.BudgetOf(pl.m)
		m, same := query.Retargeted(pl.m, 0.7, 1e-7)
		if b, _ := query.BudgetOf(m); !ok || !same || b != (Budget{Epsilon: 0.7, Delta: 1e-7}) {
			t.Fatalf("%s: no target to replace: got %v", pl, b)
		}
		if back, _ := query.Retargeted(m, own.Epsilon, own.Delta); !reflect.DeepEqual(withoutCoordinator(back), withoutCoordinator(pl.m)) {
			t.Errorf("another target changes more than it: %v, want %v", back, pl.m)
		}
		target := Target{Epsilon: 4, Delta: 1e-5}
		q := must(Parse[any](d.s, pl.String()))
		others := []AnyPlan{q.Named("again").Weight(3)}
		if dear[e.kind] {
			others = nil
		}
		together := func(pl *plan) Plan[Joint] { return Together(target, append([]AnyPlan{held{pl}}, others...)...) }
		both := together(pl)
		settled := jointOf(t, both)
		if !(settled.guarantee.Epsilon <= 4 && settled.guarantee.Delta <= 1e-5) || settled.guarantee.Epsilon < 2 && others != nil && e.kind != "found" { // its δ is used up first
			t.Errorf("got %v for the target (4, 1e-5)", settled.guarantee)
		}
		text := both.String()
		read := must(Parse[Joint](d.s, text))
		if read.String() != text {
			t.Errorf("got %s, want %s", read, text)
		}
		if got, want := must(read.plan().jointIdentity()), must(both.plan().jointIdentity()); !reflect.DeepEqual(got, want) {
			t.Errorf("identity %v, want %v", got, want)
		}
		elsewhere, _ := pl.retargeted(0.3, own.Delta/3)
		if got, want := must(together(elsewhere).plan().jointIdentity()), must(both.plan().jointIdentity()); !reflect.DeepEqual(got, want) {
			t.Errorf("the target of a plan is in the identity: %v, want %v", got, want)
		}
	})
}

// TestTogetherParts: Gaussian releases get μ* in proportion to the root of their weights, steps that ask privately among them; the
// failures of tests come out of δ first; and one plan is what it is alone.
func TestTogetherParts(t *testing.T) {
	s := must(Demo(tinyFrame(t, 400, 1), 1, ReplaceOne))
	d := s.Data()
	filled := d.OneHot().Impute(Midpoint{}).Scale()
	tested := d.OneHot().Impute(Mean{Pad: 1, MaxMissing: Test(250, Tested{Share: 0.3, Delta: 1e-8})}).Scale()
	plans := []AnyPlan{
		d.Count(Target{Epsilon: 9, Delta: 0.1}, Is("work", "a")).Weight(1), filled.Mean(Target{}).Weight(2),
		tested.Mean(Target{}).Weight(0.5), filled.FitLogistic(ByGradient{Steps: 3}).Weight(1e-3),
	}
	q := jointOf(t, Together(Target{Epsilon: 0.8, Delta: 1e-6}, plans...))
	mu := must(accountant.CalibrateShared(Budget{Epsilon: 0.8, Delta: 1e-6 - 1e-8}))
	sum := 0.0
	for i, w := range []float64{1, 2, 0.5, 1e-3} {
		rest, _, err := accountant.SplitFailures(q.parts[i].q.price.Event, ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := accountant.GDPOf(rest, ReplaceOne)
		if want := mu * math.Sqrt(w/3.501); err != nil || !(math.Abs(got-want) <= 1e-6*want) {
			t.Errorf("plan %d: μ = %g (%v), want %g", i+1, got, err, want)
		}
		sum += got * got
	}
	if !(sum <= mu*mu*(1+1e-12)) || q.scale-1 > 1e-6 {
		t.Errorf("Σ μ² = %g at c = %g, want at most %g", sum, q.scale, mu*mu)
	}
	if !(q.guarantee.Epsilon <= 0.8 && q.guarantee.Epsilon >= 0.8*(1-1e-4)) || q.guarantee.Scope.Kind != accountant.Tested {
		t.Errorf("got %v", q.guarantee)
	}
	target := Target{Epsilon: 0.8, Delta: 1e-6}
	for _, c := range []struct {
		alone AnyPlan
		with  AnyPlan
	}{
		{filled.Mean(target), filled.Mean(Target{}).Weight(7)},
		{tested.Mean(target), tested.Mean(Target{})},
		{filled.FitLogistic(ByGradient{Epsilon: 0.8, Delta: 1e-6}), filled.FitLogistic(ByGradient{Epsilon: 3})},
		{d.Quantile(target, 0.5, "age"), d.Quantile(Target{}, 0.5, "age")},
		{d.Count(Target{Epsilon: 0.8, Noise: NoiseLaplace}, Is("work", "a")), d.Count(Target{Noise: NoiseLaplace}, Is("work", "a"))},
	} {
		want := must(c.alone.plan().quote()).price
		got := jointOf(t, Together(target, c.with))
		if g := got.parts[0].q.price; fmt.Sprint(g.Event) != fmt.Sprint(want.Event) || !(got.guarantee.Epsilon <= 0.8) {
			t.Errorf("%s: alone %v, and %v as the only one of a joint", c.alone.plan(), want.Event, g.Event)
		}
	}
	pure := jointOf(t, Together(Target{Epsilon: 1}, d.Quantile(Target{}, 0.5, "age").Weight(4), d.Count(Target{Noise: NoiseLaplace}, Is("work", "a"))))
	if e := pure.guarantee; e.Delta != 0 || !(e.Epsilon <= 1 && e.Epsilon > 0.999) {
		t.Errorf("pure releases: %v", e)
	}
	if a, b := pure.parts[0].q.price.Guarantee.Epsilon, pure.parts[1].q.price.Guarantee.Epsilon; math.Abs(a/b-2) > 1e-6 {
		t.Errorf("ε of pure parts: %g and %g, want them as 2 to 1", a, b)
	}
}

// TestTogetherNeverExceeds: random mixes of kinds, weights and targets are priced anew by the numerical accountant from below, which
// never comes out above the target, and from above, by which little of it is wasted.
func TestTogetherNeverExceeds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(19, 5))
	frame := tinyFrame(t, 300, 2)
	mixes := 8
	if s := os.Getenv("DPNB_MIXES"); s != "" {
		mixes = must(strconv.Atoi(s))
	}
	for i := range mixes {
		rel := []accountant.Neighbours{ReplaceOne, AddRemove}[i%2]
		d := must(Demo(frame, 1, rel)).Data()
		filled := d.OneHot().Impute(Midpoint{}).Scale()
		meant := d.OneHot().Impute(Mean{Pad: 1, MaxMissing: Test(200, Tested{Share: 0.2, Delta: 1e-9})}).Scale()
		kinds := []func(n string) AnyPlan{
			func(n string) AnyPlan { return d.Count(Target{}, Is("work", "a")).Named(n).Weight(r.ExpFloat64()) },
			func(n string) AnyPlan {
				return d.Count(Target{Noise: NoiseLaplace}, Is("work", "b")).Named(n).Weight(r.ExpFloat64())
			},
			func(n string) AnyPlan { return d.Quantile(Target{}, 0.3, "age").Named(n).Weight(r.ExpFloat64()) },
			func(n string) AnyPlan { return filled.Mean(Target{}).Named(n).Weight(math.Exp(6 * r.NormFloat64())) },
			func(n string) AnyPlan { return meant.Sum(Target{}).Named(n).Weight(r.ExpFloat64()) },
		}
		var plans []AnyPlan
		for k := range 2 + r.IntN(4) {
			plans = append(plans, kinds[r.IntN(len(kinds))](fmt.Sprint(k)))
		}
		target := Target{Epsilon: math.Exp(math.Log(0.03) + r.Float64()*math.Log(200)), Delta: math.Pow(10, -5-4*r.Float64()/2)}
		p := Together(target, plans...)
		q, err := p.plan().joint.calibrated()
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		// Of exponential mechanisms, whose pair is of none of them, one with that range: randomised response.
		least := make([]accountant.Event, len(q.parts))
		for i, p := range q.parts {
			least[i] = p.q.price.Event
			if e, ok := least[i].(accountant.Exponential); ok {
				least[i] = accountant.PureDP{Epsilon: e.Epsilon / 2, Neighbours: rel}
			}
		}
		_, lower, err := accountant.EpsilonPLD(accountant.Compose(least...), rel, target.Delta)
		if err != nil {
			t.Fatal(err)
		}
		upper, _, err := accountant.EpsilonPLD(q.event, rel, target.Delta)
		if err != nil {
			t.Fatal(err)
		}
		if !(lower <= target.Epsilon) || !(q.guarantee.Epsilon <= target.Epsilon) || q.guarantee.Delta != target.Delta {
			t.Errorf("%s: ε in [%g, %g], sold as %v", p, lower, upper, q.guarantee)
		}
		if !(min(upper, q.guarantee.Epsilon) >= 0.99*target.Epsilon) {
			t.Errorf("%s: ε = %g, which leaves much of %g unused", p, upper, target.Epsilon)
		}
	}
}

// TestTogetherRefuses: what cannot be released together is said, with its position.
func TestTogetherRefuses(t *testing.T) {
	s := must(Demo(tinyFrame(t, 60, 1), 1, ReplaceOne))
	d := s.Data()
	other := must(Demo(tinyFrame(t, 60, 1), 1, ReplaceOne)).Data()
	target := Target{Epsilon: 1, Delta: 1e-6}
	count := d.Count(Target{}, Is("work", "a"))
	mean := d.Histogram("work", Target{})
	var none Plan[Estimates]
	for _, c := range []struct {
		name   string
		plan   Plan[Joint]
		detail []string
	}{
		{"no plans", Together(target), []string{"got no plans"}},
		{"nil", Together(target, count, nil), []string{"plan 2 of 2", "got none"}},
		{"a typed nil", Together(target, count, none), []string{"plan 2 of 2", "got none"}},
		{"two sessions", Together(target, count, mean, other.Count(Target{})), []string{"plan 3 of 3", "another session than plan 1"}},
		{"nested", Together(target, count, Together(target, mean)), []string{"plan 2 of 2", "list all plans in one"}},
		{"twice", Together(target, count, mean, count.Weight(2)), []string{"plan 3 of 3", "plan 1 again", "Named"}},
		{"weight 0", Together(target, count, mean.Weight(0)), []string{"plan 2 of 2", "weight: got 0"}},
		{"weight below 0", Together(target, count.Weight(-1), mean), []string{"plan 1 of 2", "weight: got -1"}},
		{"weight NaN", Together(target, count.Weight(math.NaN()), mean), []string{"weight: got NaN"}},
		{"weight +Inf", Together(target, count.Weight(math.Inf(1)), mean), []string{"weight: got +Inf"}},
		{"weights that overflow", Together(target, count.Weight(1e308), mean.Weight(1e308)), []string{"weights sum to +Inf"}},
		{"fresh", Together(target, count.Fresh(), mean), []string{"plan 1 of 2", "got Fresh"}},
		{"a margin", Together(target, d.Count(target.Within(3, 0.9)), mean), []string{"plan 1 of 2", "Session.Plan"}},
		{"a margin of all", Together(Target{Delta: 1e-6}.Within(3, 0.9), count, mean), []string{"Session.Plan"}},
		{"no target", Together(Target{}, count, mean), []string{"epsilon: got 0"}},
		{"δ = 1", Together(Target{Epsilon: 1, Delta: 1}, count, mean), []string{"delta"}},
		{"NaN", Together(Target{Epsilon: math.NaN(), Delta: 1e-6}, count, mean), []string{"epsilon: got NaN"}},
		{"pure and Gaussian", Together(Target{Epsilon: 1}, count, mean), []string{"plan 1 of 2", "delta"}},
		{"a wrong step", Together(target, count, d.Impute(Fixed{Value: 1e9}, "pay").Mean(Target{})), []string{"plan 2 of 2", "step 1"}},
		{"tests beyond δ", Together(target, count, d.OneHot().Impute(Mean{Pad: 1, MaxMissing: Test(9, Tested{Share: 0.1, Delta: 6e-7})}).Sum(Target{}), d.OneHot().Impute(Mean{Pad: 1, MaxMissing: Test(8, Tested{Share: 0.1, Delta: 6e-7})}).Sum(Target{})), []string{"1.2e-06 together"}},
	} {
		_, err := c.plan.Cost()
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		for _, want := range c.detail {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q in it", c.name, err, want)
			}
		}
		if _, again := c.plan.Release(t.Context()); again == nil || again.Error() != err.Error() {
			t.Errorf("%s: released: %v, priced: %v", c.name, again, err)
		}
		_ = c.plan.String()
	}
	for _, text := range []string{
		"Together(", "Together()", "Together(ε = 1, δ = 1e-06, Scale())", "Together(ε = 1, ε = 2)", "Scale().Together(ε = 1)",
		"Together(ε = 1, δ = 1e-06, Together(ε = 1, δ = 1e-06))", "Together(ε = 1, δ = 1e-06, Count()", "Together(Count() Count())",
		strings.Repeat("Together(", 1000),
	} {
		p, err := Parse[Joint](s, text)
		if err == nil {
			_, err = p.Cost()
		}
		if err == nil {
			t.Errorf("%.40s: no error", text)
		}
	}
}

// TestTogetherReleases: one charge for all, which replays with all values, in this session and the next; each value promises what all
// of them promise; a budget that is spent refuses before anything is fitted.
func TestTogetherReleases(t *testing.T) {
	path := ledgerPath(t)
	f := tinyFrame(t, 300, 3)
	o := Options{Ledger: path, Budget: Budget{Epsilon: 1.2, Delta: 1e-6}, Neighbours: ReplaceOne, Dataset: "test"}
	open := func() (*Session, Plan[Estimates], Plan[LogisticModel], Plan[Joint]) {
		s := must(Create(f, o))
		d := s.Data()
		count := d.Count(Target{}, Is("work", "a"))
		model := d.OneHot().Impute(Midpoint{}).Scale().FitLogistic(ByGradient{Steps: 3}).Weight(2)
		return s, count, model, Together(Target{Epsilon: 1, Delta: 1e-6}, count, model)
	}
	s, count, model, both := open()
	r, err := both.Release(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Replayed || r.Status.Releases != 1 || !(math.Abs(r.Status.Spent.Epsilon-1) < 1e-4) {
		t.Errorf("replayed %v, %d charges, ε = %g spent, want one charge of 1", r.Replayed, r.Status.Releases, r.Status.Spent.Epsilon)
	}
	whole := must(Create(f, Options{Ledger: ledgerPath(t), Budget: Budget{Epsilon: 1, Delta: 1e-6}, Neighbours: ReplaceOne, Dataset: "whole"}))
	defer whole.Close()
	wd := whole.Data()
	for i := range 3 { // all that there is fits, once
		_, err := Together(Target{Epsilon: 1, Delta: 1e-6}, wd.Count(Target{}, Is("work", "a")), wd.Histogram("work", Target{}).Weight(0.37), wd.Select("age").Mean(Target{}).Weight(1+float64(i))).Release(t.Context())
		if (err == nil) != (i == 0) || err != nil && !errors.Is(err, ledger.ErrBudget) {
			t.Errorf("the whole budget, time %d: %v", i+1, err)
		}
	}
	n, m := must(count.Of(r)), must(model.Of(r))
	for _, p := range []Provenance{n.Value.Provenance, m.Value.Provenance} {
		if p.Guarantee == nil || !(p.Guarantee.Epsilon <= 1 && p.Guarantee.Epsilon > 0.99) || p.Entry != r.Entry || !strings.Contains(p.Release, "released together with another plan under one guarantee") {
			t.Errorf("a value carries %+v, want the guarantee of both", p)
		}
	}
	if n.Guarantee.Epsilon != r.Guarantee.Epsilon || n.Entry != r.Entry || n.Cost.Together == nil || len(r.Cost.Members) != 2 || len(r.Value.Results()) != 2 {
		t.Errorf("the release of a plan: %v, entry %s; cost of %d plans", n.Guarantee, n.Entry, len(r.Cost.Members))
	}
	if text := n.Cost.String(); !strings.Contains(text, "guarantee, of all plans released together: (1, 1e-06)-DP") && !strings.Contains(text, "of all plans released together: (0.99") {
		t.Errorf("its cost does not say what it is a part of:\n%s", text)
	}
	if rows := r.Cost.Gota(); rows.Nrow() != 5 || !strings.HasPrefix(rows.Col("name").Elem(4).String(), "plan 2: FitLogistic(") {
		t.Errorf("as gota: %v", rows)
	}
	entries := must(s.ledger.Entries())
	if len(entries) != 1 || entries[0].Mechanism != both.String() {
		t.Errorf("%d entries, the first of %q, want one of %q", len(entries), entries[0].Mechanism, both)
	}
	if _, err := s.Data().Histogram("work", Target{}).Of(r); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), "not among the plans") {
		t.Errorf("a plan that was not released: %v", err)
	}
	if _, err := count.Of(Result[Joint]{}); !errors.Is(err, ErrParameter) {
		t.Errorf("of no result: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s, count, model, both = open()
	defer s.Close()
	again := must(both.Release(t.Context()))
	if !again.Replayed || again.Status.Releases != 1 || !again.When.Equal(r.When) {
		t.Errorf("replayed %v, %d charges", again.Replayed, again.Status.Releases)
	}
	if !reflect.DeepEqual(must(count.Of(again)).Value.Values, n.Value.Values) || !reflect.DeepEqual(must(model.Of(again)).Value.Coef, m.Value.Coef) {
		t.Error("other values are replayed")
	}
	// The values of a joint are no releases of the plans alone, and other weights are another joint.
	for _, p := range []Plan[Joint]{
		Together(Target{Epsilon: 1, Delta: 1e-6}, count.Weight(2), model), Together(Target{Epsilon: 1, Delta: 1e-6}, model, count), both.Named("other"), both.Fresh(),
	} {
		if _, err := p.Release(t.Context()); !errors.Is(err, ledger.ErrBudget) {
			t.Errorf("%s: %v, want the budget to refuse another draw", p, err)
		}
	}
	if st := must(s.Status()); st.Releases != 1 {
		t.Errorf("%d charges after refusals", st.Releases)
	}
}

// A failing coordinator fails, or cancels, in the draw.
type failingCoordinator struct {
	*fixedPoints
	fail func() error
	told int
}

func (f *failingCoordinator) Begin(ctx context.Context, l models.LocalFacts) error {
	f.told++
	if err := f.fail(); err != nil {
		return err
	}
	return f.fixedPoints.Begin(ctx, l)
}

// TestTogetherFails: where one plan fails in the draw, nothing of the others is stored or returned, and the charge stands.
func TestTogetherFails(t *testing.T) {
	data := frozenData(t)["numbers"]
	s := must(Create(data, Options{Ledger: ledgerPath(t), Budget: Budget{Epsilon: 8, Delta: 1e-6}, Neighbours: ReplaceOne, Dataset: "test"}))
	defer s.Close()
	d := s.Data().Scale()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	fail := errors.New("the others are gone")
	at := &failingCoordinator{frozenPoints(0, 0, 0, 0), func() error { return fail }, 0}
	sum := d.Sum(Target{})
	train := d.TrainLocally(local.Training{Rounds: 2, Noise: models.ClippedNoise, Ridge: 0.5, Clip: 1}, at)
	both := Together(Target{Epsilon: 1, Delta: 1e-6}, sum, train)
	r, err := both.Release(ctx)
	if !errors.Is(err, fail) || !strings.Contains(err.Error(), "plan 2 of 2") || len(r.Value.Results()) != 0 {
		t.Fatalf("got %v with %v", err, r.Value)
	}
	st := must(s.Status())
	if st.Releases != 1 || len(st.Interrupted) != 1 || at.told != 1 {
		t.Errorf("%d charges, %d interrupted, want one of each", st.Releases, len(st.Interrupted))
	}
	if _, err := both.Release(ctx); !errors.Is(err, ledger.ErrInterrupted) || at.told != 1 {
		t.Errorf("again: %v, want ErrInterrupted and no draw", err)
	}
	at.fail = func() error { cancel(); return nil }
	order := Together(Target{Epsilon: 1, Delta: 1e-6}, train, sum) // cancelled before the second
	if _, err := order.Release(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled in the draw: %v", err)
	}
	if _, err := order.Named("x").Release(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before the charge: %v", err)
	}
	if st = must(s.Status()); st.Releases != 2 {
		t.Errorf("%d charges, want 2: one that failed and one that was cancelled in its draw", st.Releases)
	}
	at.fail = func() error { return nil }
	told := at.told
	if _, err := Together(Target{Epsilon: 7.9, Delta: 9e-7}, train, sum).Release(t.Context()); !errors.Is(err, ledger.ErrBudget) || at.told != told {
		t.Errorf("beyond the budget: %v, want ErrBudget and no draw", err)
	}
	fresh, err := both.Fresh().Release(t.Context())
	if err != nil || fresh.Replayed || len(fresh.Value.Results()) != 2 {
		t.Fatalf("fresh: %v", err)
	}
	if again := must(both.Release(t.Context())); !again.Replayed || !reflect.DeepEqual(must(sum.Of(again)).Value.Values, must(sum.Of(fresh)).Value.Values) {
		t.Error("the value that was paid for again does not replay")
	}
}

// TestTogetherTests: a test that does not pass refuses its plan's value alone, and its refusal replays. Failures add up into the reserve.
func TestTogetherTests(t *testing.T) {
	s := must(Create(tinyFrame(t, 300, 4), Options{Ledger: ledgerPath(t), Budget: Budget{Epsilon: 3, Delta: 1e-5}, Reserve: 1e-6, Neighbours: ReplaceOne, Dataset: "test"}))
	defer s.Close()
	d := s.Data()
	hopeless := d.OneHot().Impute(Mean{Pad: 1, MaxMissing: Test(2, Tested{Share: 0.1, Delta: 1e-7})}).Sum(Target{})
	bounded := d.OneHot().Impute(Mean{Pad: 1, MaxMissing: Bound(Tested{Share: 0.3, Delta: 2e-7})}).Sum(Target{})
	count := d.Count(Target{}, Is("work", "a"))
	both := Together(Target{Epsilon: 1, Delta: 9e-6}, hopeless, count, bounded)
	for i := range 2 {
		r, err := both.Release(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := hopeless.Of(r); !errors.Is(err, ErrTestFailed) {
			t.Errorf("the test of too many missing cells: %v", err)
		}
		n, err := count.Of(r)
		if err != nil || len(n.Value.Values) != 1 || n.Guarantee.Scope.Kind != accountant.Tested {
			t.Errorf("the count beside it: %v under %v", err, n.Guarantee)
		}
		b, err := bounded.Of(r)
		if err != nil || len(b.Value.Values) == 0 {
			t.Errorf("the sum behind a bound: %v", err)
		}
		if all := r.Value.Results(); all[0].Value != nil || all[0].Refused == "" || !strings.Contains(r.Value.String(), "refused: ") {
			t.Errorf("got %v", r.Value)
		}
		if r.Replayed != (i == 1) || r.Status.Releases != 1 || !(math.Abs(r.Status.Failures-3e-7) < 1e-12) {
			t.Errorf("replayed %v, %d charges, failures of %g, want one charge and 3e-7", r.Replayed, r.Status.Releases, r.Status.Failures)
		}
	}
}

// TestTogetherIsNotPrivate: demonstrations and public data say so at every value.
func TestTogetherIsNotPrivate(t *testing.T) {
	f := tinyFrame(t, 120, 5)
	public := must(OnPublic(frames.Public(f)))
	for name, s := range map[string]*Session{"demo": must(Demo(f, 4, ReplaceOne)), "public": public} {
		d := s.Data()
		count, age := d.Count(Target{}, Is("work", "a")), d.Quantile(Target{}, 0.5, "age")
		both := Together(Target{Epsilon: 1, Delta: 1e-6}, count, age)
		r, err := both.Release(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		n, a := must(count.Of(r)), must(age.Of(r))
		if r.NotPrivate == "" || n.NotPrivate == "" || a.NotPrivate == "" || n.Value.NotPrivate == "" || a.Value.NotPrivate == "" {
			t.Errorf("%s: a value does not say that it is not private", name)
		}
		if name == "demo" {
			if again := must(both.Release(t.Context())); !reflect.DeepEqual(must(count.Of(again)).Value, n.Value) {
				t.Error("a demonstration does not repeat")
			}
			all, err := both.Replicate(t.Context(), 3)
			if err != nil || len(all) != 3 || !reflect.DeepEqual(all[0].Results()[0].Value, any(n.Value)) {
				t.Errorf("replicates: %v", err)
			}
			p, err := both.Error(0.9)
			if err != nil || len(p.Members) != 2 || !(p.Members[0].Margin[0] > 0) {
				t.Errorf("predicted: %v (%v)", p, err)
			}
			if c, err := both.Compare(); err != nil || c.Written.Refused != "" {
				t.Errorf("compared: %v (%v)", c, err)
			}
			if _, err := both.Audit(t.Context(), Joint{}); !errors.Is(err, ErrParameter) {
				t.Errorf("audited: %v", err)
			}
		}
	}
}
