package dpkit

import (
	"strings"
	"testing"
)

// TestChargedAsPrinted: a ledger that keeps a part of ε for what is pure, and a reserve, charges each kind within 5 % of what is printed,
// and says what it takes of each part, before and behind the release.
func TestChargedAsPrinted(t *testing.T) {
	t.Parallel()
	f := tinyFrame(t, 400, 3)
	open := func(pure float64) *Session {
		s := must(Create(f, Options{Ledger: ledgerPath(t), Budget: Budget{Epsilon: 4, Delta: 1e-6}, Neighbours: AddRemove, Dataset: "test", Reserve: 1e-7, Pure: pure}))
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	without, with := open(0), open(2)
	for _, c := range []struct {
		name      string
		plan      func(p Pipeline) *plan
		gaussians float64 // least of the charge without a part for pure releases, in units of what is printed: why there is one
		takes     string
	}{
		{"objective perturbation alone", func(p Pipeline) *plan {
			return p.OneHot().Impute(Midpoint{}).Scale().FitLogistic(ByObjective{Epsilon: 1, Delta: 1e-6, Alone: true}).plan()
		}, 1.1, "pure ε"},
		{"sampled descent", func(p Pipeline) *plan {
			return p.OneHot().Impute(Midpoint{}).Scale().FitConvex(LogLoss{}, ByGradient{Epsilon: 1, Delta: 1e-6, Solver: PoissonSampling{Rate: 0.2}}).plan()
		}, 0.9, "reserve δ"},
		{"count", func(p Pipeline) *plan {
			return p.Count(Target{Epsilon: 1, Noise: NoiseLaplace}, Is("home", "x")).plan()
		}, 4, "pure ε"},
		{"quantile", func(p Pipeline) *plan { return p.Quantile(Target{Epsilon: 1}, 0.5, "age").plan() }, 2.5, "pure ε"},
		{"Gaussian count", func(p Pipeline) *plan {
			return p.Count(Target{Epsilon: 1, Delta: 1e-6, Noise: NoiseGaussian}, Is("home", "x")).plan()
		}, 0.9, "μ"},
	} {
		t.Run(c.name, func(t *testing.T) {
			charged := map[*Session]float64{}
			for _, s := range []*Session{without, with} {
				q := must(c.plan(s.Data()).quote())
				b, taken, err := s.ledger.PriceParts(q.price.Event)
				if err != nil {
					t.Fatal(err)
				}
				charged[s] = b.Epsilon / q.price.Guarantee.Epsilon
				if s == with && !strings.Contains(taken, c.takes) {
					t.Errorf("it takes %s, want %s of it", taken, c.takes)
				}
			}
			t.Logf("printed 1, charged %.4f without a part for pure releases, %.4f with it", charged[without], charged[with])
			if !(charged[without] >= c.gaussians) || !(charged[with] <= 1.05) {
				t.Errorf("charged %g of what is printed, without a part for pure releases %g: want at most 1.05, and at least %g", charged[with], charged[without], c.gaussians)
			}
		})
	}
	p := with.Data().OneHot().Impute(Midpoint{}).Scale().FitLogistic(ByObjective{Epsilon: 1, Delta: 1e-6, Alone: true})
	c := must(p.Cost())
	r := must(p.Release(t.Context()))
	e := must(with.ledger.Entries())[0]
	if e.Taken() != c.Taken || !(e.Mu > 0 && e.Pure > 0 && e.Fail > 0) || !strings.Contains(c.String(), c.Taken) || r.Status.PureSpent != e.Pure {
		t.Errorf("charged %s, announced as %q in\n%v", e.Taken(), c.Taken, c)
	}
}
