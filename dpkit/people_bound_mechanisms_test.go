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
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// ofPersons is a table whose rows are of people, so many each.
func ofPersons(t testing.TB, f *frames.Frame, each int) *frames.Frame {
	t.Helper()
	all := &frames.Block{Cols: len(f.Schema().Features())}
	if err := f.Scan(t.Context(), func(b *frames.Block) error {
		all.Rows += b.Rows
		all.X, all.Y = append(all.X, b.X...), append(all.Y, b.Y...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	all.Person = make([]frames.PersonID, all.Rows)
	for i := range all.Person {
		binary.LittleEndian.PutUint64(all.Person[i][:], uint64(i/each+1)) // 0 is nobody
	}
	return must(frames.FromBlock(must(frames.NewSchema(append([]frames.Column{frames.Person("id")}, f.Schema().Columns()...)...)), all))
}

// refusedOfSeveral are the releases that are priced for one row of a person alone.
var refusedOfSeveral = map[string]string{
	"gaussmix":                            "a Gaussian mixture is priced for one changed row",
	"fit/linear, LinearMixing":            "a Gaussian mixture is priced for one changed row",
	"fit/linear, RelativeGaussianDescent": "the relative sensitivity is that of one changed row",
	"fit/linear, Sheffet2017":             "a Gaussian mixture is priced for one changed row",
	"fit/huber":                           "objective perturbation is priced for one changed row",
	"fit/logistic-mixing":                 "a Gaussian mixture is priced for one changed row",
	"fit/logistic-objective, ByObjective": "objective perturbation is priced for one changed row",
	"fit/logistic-objective, Kifer2012":   "objective perturbation is priced for one changed row",
	"fit/hinge":                           "objective perturbation is priced for one changed row",
	"fit/logistic-report, ByObjective":    "objective perturbation is priced for one changed row",
	"fit/logistic-report, Kifer2012":      "objective perturbation is priced for one changed row",
	"fit/multinomial":                     "objective perturbation is priced for one changed row",
	"fit/poisson":                         "objective perturbation is priced for one changed row",
	"mean/unbounded":                      "the search for the centre is priced for one changed row",
}

// paidAsOne are the releases that a person moves as far with several rows as with one, and the test that shows it.
var paidAsOne = map[string]string{
	"table/top": "TestTopKReachesItsEpsilon: each count moves by one person, and the range is of any two counts",
}

// TestEveryMechanismCountsAPerson: behind a bound of three rows a person every kind of release pays for three rows that differ, or is refused
// by an error that names PerPerson. Another kind that pays for one is a kind whose price forgets the free rows of its pair.
func TestEveryMechanismCountsAPerson(t *testing.T) {
	const k = 3
	data := entryData(t)
	everyMechanism(t, func(t *testing.T, e mechanismEntry, _ Pipeline, _ knownMechanism) {
		s := must(Demo(ofPersons(t, data[e.data], 4), 1, e.rel))
		pl := e.end(s.Data().Bound(Contributing{Rows: k}))
		q, err := pl.quote()
		if why := refusedOfSeveral[e.kind]; why != "" {
			if err == nil || !strings.Contains(err.Error(), "PerPerson(") || !strings.Contains(err.Error(), "3 rows") {
				t.Errorf("got %v, want an error that names PerPerson: %s", err, why)
			}
			return
		}
		if err != nil {
			t.Fatalf("%v; say in refusedOfSeveral why it is refused", err)
		}
		if q.end.Before.F != k || !q.end.Empty || q.end.Before.N != s.rows*k {
			t.Fatalf("got %v, want three free rows of %d places, some empty", q.end.Before, s.rows*k)
		}
		one := q.end
		one.Contributions = stage.Contributions{}
		one.Before = must(pair.Start(one.Before.N, one.Before.R, one.Before.Neighbours))
		var of mechanism.Settled[any]
		if of, err = pl.of.Settle(one); err != nil {
			t.Fatal(err)
		}
		c, alone := q.price.Cost, of.Bill.Cost
		t.Logf("S = %g, of one row %g, noise %g and %g", c.Sensitivity, alone.Sensitivity, c.Sigma, alone.Sigma)
		if paidAsOne[e.kind] != "" {
			if c.Sensitivity != alone.Sensitivity || q.price.Guarantee.Epsilon != of.Bill.Guarantee.Epsilon {
				t.Errorf("S = %g, of one row %g, want the same", c.Sensitivity, alone.Sensitivity)
			}
			return
		}
		// What is settled anew may choose other constants, such as a clipping norm: then by what one row does at those.
		if most := max(c.Sensitivity/alone.Sensitivity, c.Sensitivity/c.FreeSensitivity); !(most >= k*(1-1e-6)) {
			t.Errorf("three rows cost %g times as much as one", most)
		}
		if !(c.Sensitivity >= k*(1-1e-6)*min(alone.Sensitivity, c.FreeSensitivity)) || !(q.price.Guarantee.Epsilon >= 0.5*of.Bill.Guarantee.Epsilon) {
			t.Errorf("S = %g, of one row %g", c.Sensitivity, alone.Sensitivity)
		}
	})
}

// TestSumsOfAPerson: a release of sums that sees no group pays exactly for what a person moves it by: K rows replaced, or K rows that are
// there on one side only, in the norm of the noise.
func TestSumsOfAPerson(t *testing.T) {
	const k = 3
	schema := must(frames.NewSchema(frames.Category("town", "a", "b"), frames.Numeric("x", 0, 2), frames.Label("y", "no", "yes")))
	data := ofPersons(t, frameOf(t, schema, slices.Repeat([][]float64{{0, 0, 0}}, 40)), 4)
	for name, c := range map[string]struct {
		end     func(Pipeline, Target) *plan
		replace float64 // a row of the other town, or at the other end of its bounds, three times
		remove  float64 // three rows, in both norms
		l1      float64 // as replace, in the ℓ1 norm
	}{
		"count":     {func(p Pipeline, t Target) *plan { return p.Count(t, Is("town", "a")).plan() }, 3, 3, 3},
		"histogram": {func(p Pipeline, t Target) *plan { return p.Histogram("town", t).plan() }, 3 * math.Sqrt2, 3, 6},
		"sum":       {func(p Pipeline, t Target) *plan { return p.Drop("town").Sum(t).plan() }, 6, 3, 6},
	} {
		for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
			for _, law := range []Noise{NoiseGaussian, NoiseLaplace, NoiseGeometric} {
				if law == NoiseGeometric && name == "sum" {
					continue // no counts
				}
				want := c.replace
				if law.Pure() {
					want = c.l1
				}
				target := Target{Epsilon: 1, Noise: law}
				if law == NoiseGaussian {
					target.Delta = 1e-6
				}
				if rel == AddRemove {
					want = c.remove
				}
				s := must(Demo(data, 1, rel))
				got := must(c.end(s.Data().Bound(Contributing{Rows: k}), target).quote()).price.Cost.Sensitivity
				if !(got >= want*(1-1e-9)) || !(got <= want*1.001) {
					t.Errorf("%s, %v, %s: S = %g, want %g", name, rel, law, got, want)
				}
			}
		}
	}
}

// TestQuantilesOfAPerson: under add/remove all K rows of a person come or go, and the errors of a quantile move by K·max(q, 1 − q) in all; a
// replaced row moves those of two groups so far, or those of all rows by 1.
func TestQuantilesOfAPerson(t *testing.T) {
	schema := must(frames.NewSchema(frames.Category("g", "a", "b", "c", "d", "e", "f"), frames.Numeric("x", 0, 10), frames.Label("y", "no", "yes")))
	data := ofPersons(t, frameOf(t, schema, slices.Repeat([][]float64{{0, 3, 0}}, 600)), 7)
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		s := must(Demo(data, 1, rel))
		for k := 1; k <= 6; k++ {
			bounds := map[string]Contributing{"rows": {Rows: k}, "groups": {Groups: k, RowsPerGroup: 1, By: []string{"g"}}}
			for name, to := range bounds {
				for _, q := range []float64{0.5, 0.9} {
					for _, target := range []Target{{Epsilon: 1}, {Epsilon: 1, Delta: 1e-6}} {
						p, each := s.Data().Bound(to), max(q, 1-q)
						grouped, whole := float64(k)*each, float64(k)*each
						if rel == ReplaceOne {
							grouped, whole = 2*grouped, float64(k)
						}
						table := must(p.By("g").Quantile(q, "x").Table(target).Cost()).Release.Sensitivity
						if !(table >= grouped*(1-1e-6)) || !(table <= grouped*(1+1e-6)) {
							t.Errorf("table, %v, %s, K = %d, q = %g: %g, want %g", rel, name, k, q, table, grouped)
						}
						alone := must(p.Quantile(target, q, "x").Cost()).Release.Sensitivity
						if !(alone >= whole*(1-1e-6)) || !(alone <= whole*(1+1e-6)) {
							t.Errorf("quantile, %v, %s, K = %d, q = %g: %g, want %g", rel, name, k, q, alone, whole)
						}
					}
				}
			}
		}
	}
}

// TestSolversCountAPerson: descent that draws rows, or takes one after the other, is priced for one row that changes: behind a bound it is
// refused and names PerPerson. Full batches pay for all.
func TestSolversCountAPerson(t *testing.T) {
	d := must(Demo(ofPersons(t, frozenData(t)["people"], 4), 1, ReplaceOne)).Data().Bound(Contributing{Rows: 3}).OneHot().Impute(Midpoint{}).Scale()
	for _, solver := range []Solver{PoissonSampling{}, WithoutReplacement{}, ByIteration{}} {
		for name, err := range map[string]error{
			"FitConvex":   errOf(d.FitConvex(LogLoss{}, ByGradient{Solver: solver, Epsilon: 1, Delta: 1e-6}).Cost()),
			"FitLogistic": errOf(d.FitLogistic(ByGradient{Solver: solver, Epsilon: 1, Delta: 1e-6}).Cost()),
		} {
			if err == nil || !strings.Contains(err.Error(), "PerPerson(") {
				t.Errorf("%s by %v: got %v, want an error that names PerPerson", name, solver, err)
			}
		}
	}
	if err := errOf(d.FitConvex(LogLoss{}, ByGradient{Epsilon: 1, Delta: 1e-6}).Cost()); err != nil {
		t.Error(err)
	}
}

func errOf[T any](_ T, err error) error { return err }

// TestGroupsOfABound: how many rows of a person are in a group is believed behind public maps of one row, and nowhere else.
func TestGroupsOfABound(t *testing.T) {
	s := must(Demo(visitFrame(t, hostileVisits(rand.New(rand.NewPCG(12, 20)), 60)), 1, ReplaceOne))
	bounded := s.Data().Bound(Contributing{Groups: 2, RowsPerGroup: 1, By: []string{"ward"}})
	for name, c := range map[string]struct {
		p    Pipeline
		want float64 // Δ² of counts by ward, of 4 groups: G = 2, R = 1, or K = 2 alone
	}{
		"at once":         {bounded, 4},
		"where":           {bounded.Where(Between("stay", 1, 20), Is("back", "no")), 4},
		"a public step":   {bounded.Impute(Midpoint{}, "stay").ClipColumns(0, 9, "stay"), 4},
		"a fitted step":   {bounded.Impute(Mean{}, "stay"), 8},
		"rows that go":    {bounded.Dedup(Exact{}), 8},
		"the column goes": {bounded.Drop("ward"), 8},
		"rows freed":      {bounded.Dedup(Exact{}, "ward"), 32}, // four rows by themselves, √2 each
	} {
		by := "ward"
		if name == "the column goes" {
			by = "back"
		}
		c0 := must(c.p.By(by).Count().Table(Target{Epsilon: 1, Delta: 1e-6}).Cost()).Release
		if got := c0.Sensitivity * c0.Sensitivity; math.Abs(got/c.want-1) > 1e-3 {
			t.Errorf("%s: Δ² = %g, want %g", name, got, c.want)
		}
	}
}

// TestTableOfQuantilesCountsAPerson: quantiles and variances by group pay for all rows of a person, whether people are counted beside them or
// not.
func TestTableOfQuantilesCountsAPerson(t *testing.T) {
	t.Parallel()
	s := must(Demo(visitFrame(t, hostileVisits(rand.New(rand.NewPCG(12, 20)), 60)), 1, ReplaceOne))
	price := func(k int, of func(Grouping) Grouping) Cost {
		p := s.Data().Bound(Contributing{Rows: k}).Impute(Midpoint{}, "stay")
		return must(of(p.By("back")).Table(Target{Epsilon: 1, Delta: 1e-6}).Cost())
	}
	for name, of := range map[string]func(Grouping) Grouping{
		"median":             func(g Grouping) Grouping { return g.Quantile(0.5, "stay") },
		"median, count":      func(g Grouping) Grouping { return g.Quantile(0.5, "stay").Count() },
		"variance":           func(g Grouping) Grouping { return g.Variance("stay") },
		"median, people too": func(g Grouping) Grouping { return g.Quantile(0.5, "stay").People().Count() },
	} {
		one, three := price(1, of).Release, price(3, of).Release
		if !(three.Sensitivity >= 3*(1-1e-6)*one.Sensitivity) {
			t.Errorf("%s: three rows cost %g times as much as one", name, three.Sensitivity/one.Sensitivity)
		}
	}
	r, err := s.Data().Bound(Contributing{Rows: 3}).Impute(Midpoint{}, "stay").By("back").People().Count().Quantile(0.5, "stay").Table(Target{Epsilon: 1e3, Delta: 1e-6}).Release(t.Context())
	if err != nil || math.Abs(r.Value.People[0]-r.Value.Counts[0]) < 0.5 {
		t.Errorf("got %v, %v: want fewer people than rows", r.Value, err)
	}
}
