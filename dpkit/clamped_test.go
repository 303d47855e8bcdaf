package dpkit

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/frames"
)

// TestCountsAreClamped: released counts and their intervals are within what is public, by every law and relation; clamping moves no value
// away from the exact one, so that the intervals hold it as often as those of the noise do.
func TestCountsAreClamped(t *testing.T) {
	const rows, releases, level = 12, 400, 0.9
	f := tinyFrame(t, rows, 5)
	exact := must(must(OnPublic(frames.Public(f))).Data().Histogram("work", lawTarget).Release(t.Context())).Value
	for _, law := range []Noise{NoiseGaussian, NoiseLaplace, NoiseGeometric} {
		target := Target{Epsilon: 0.5, Delta: 1e-6, Noise: law}
		if law.Pure() {
			target.Delta = 0
		}
		for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
			d := must(Demo(f, 1, rel)).Data()
			for name, plan := range map[string]Plan[Estimates]{
				"histogram": d.Histogram("work", target), "count": d.Count(target, Is("work", exact.Names[0])), "all": d.Count(target, Between("age", 0, 200)),
			} {
				within, ends, all := 0, 0, 0
				for _, e := range must(plan.Replicate(t.Context(), releases)) {
					low, high, err := e.Interval(level)
					if err != nil || e.Most != rows {
						t.Fatalf("%s: %v, most %g", name, err, e.Most)
					}
					for i, v := range e.Values {
						want := exact.Values[i]
						if name == "all" {
							want = rows
						}
						all++
						if !(v >= 0 && v <= rows) || math.Signbit(v) || !(low[i] >= 0) || !(high[i] <= rows) || !(low[i] <= v) || !(high[i] >= v) {
							t.Fatalf("%s: %g in [%g, %g]", name, v, low[i], high[i])
						}
						if v == 0 || v == rows {
							ends++
						}
						if low[i] <= want && want <= high[i] {
							within++
						}
					}
				}
				// 400 draws at least: 0.9 less 6.5 standard deviations.
				if share := float64(within) / float64(all); !(share > 0.8) {
					t.Errorf("%s, %s, %v: %d of %d intervals hold the exact count", name, law, rel, within, all)
				}
				if ends == 0 {
					t.Errorf("%s, %s, %v: nothing was clamped", name, law, rel)
				}
			}
		}
	}
}

// TestClampedIsTheDrawClamped: what is released is the noisy count of the same bits, clamped, and clamping is of that count alone.
func TestClampedIsTheDrawClamped(t *testing.T) {
	for noisy, want := range map[float64]float64{-3: 0, -1e-9: 0, 0: 0, 0.5: 0.5, 6: 6, 10: 10, 10.25: 10, 1e300: 10} {
		if got := sums.Clamped(noisy, 10); got != want {
			t.Errorf("%g: got %g, want %g", noisy, got, want)
		}
	}
}

// TestCountsOfTheFirstLawReplay: counts that were stored before they were clamped replay as they were stored, at no cost, and have the
// intervals of then.
func TestCountsOfTheFirstLawReplay(t *testing.T) {
	s := private(t, tinyFrame(t, 60, 5), ledgerPath(t), Budget{Epsilon: 3, Delta: 1e-6})
	for _, plan := range []Plan[Estimates]{s.Data().Count(lawTarget, Is("work", "a")), s.Data().Histogram("work", lawTarget)} {
		pl := plan.plan()
		req := must(pl.request(t.Context(), must(pl.quote())))
		if len(req.OldIDs) != 1 || req.OldIDs[0] == req.ID {
			t.Fatalf("the identities of then are %q, now %q", req.OldIDs, req.ID)
		}
		old := Estimates{Of: "count", Names: []string{"a", "b", "c"}, Values: []float64{-3, 70, 5}, Sigma: []float64{4, 4, 4}}
		req.ID, req.OldIDs = req.OldIDs[0], nil
		must(s.ledger.Release(t.Context(), req, func(context.Context) (json.RawMessage, error) { return json.Marshal(old) }))
		before := len(must(s.ledger.Entries()))
		got := must(plan.Release(t.Context()))
		low, high, err := got.Value.Interval(0.95)
		if !got.Replayed || !slices.Equal(got.Value.Values, old.Values) || got.Value.Most != 0 || err != nil || !(low[0] < -3) || !(high[1] > 70) {
			t.Errorf("%s: replayed %+v", plan, got.Value)
		}
		if n := len(must(s.ledger.Entries())); n != before {
			t.Errorf("%s: %d charges, want %d", plan, n, before)
		}
	}
}
