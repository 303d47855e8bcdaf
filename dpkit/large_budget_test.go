package dpkit

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// needMore are what kinds of release may answer to a small target: it is too small for any noise, or for the rows.
var needMore = map[string]string{
	"fit/linear, RelativeGaussianDescent": "want more than", // its steps cost as much at any noise
	"fit/unbounded":                       "not lost in noise",
	"mean/unbounded":                      "not lost in noise",
	"moments/second":                      "not lost in noise",
	"moments/covariance":                  "not lost in noise",
}

// TestEveryTargetHasAPrice: each kind of release has a price at every ε up to 10 000 and every δ, which is within the target, and a ledger of that
// size takes what it is charged.
func TestEveryTargetHasAPrice(t *testing.T) {
	t.Parallel()
	priced := map[string]int{}
	everyMechanism(t, func(t *testing.T, e mechanismEntry, d Pipeline, _ knownMechanism) {
		base := e.end(d)
		for _, delta := range []float64{1e-30, 1e-12, 1e-6, 0.1} {
			for _, epsilon := range []float64{0.01, 1, 40, 100, 1000, 10_000} {
				pl, ok := base.retargeted(epsilon, delta)
				if !ok {
					t.Fatal("no target")
				}
				q, err := pl.quote()
				if err != nil {
					if why := needMore[e.kind]; why == "" || epsilon > 2 || !strings.Contains(err.Error(), why) {
						t.Errorf("(%g, %g): %v", epsilon, delta, err)
					}
					continue
				}
				priced[e.kind]++
				if g := q.price.Guarantee; !(g.Epsilon >= 0 && g.Epsilon <= epsilon) || g.Delta != delta && g.Delta != 0 {
					t.Errorf("(%g, %g): sold as %v", epsilon, delta, g)
				}
			}
		}
		if priced[e.kind] == 0 {
			t.Error("no target has a price")
		}
	})
}

// TestLargeBudgetsAreSpent: a ledger takes releases of Gaussian and of pure noise that are calibrated to all of it, in one release and in a
// hundred of a hundredth of its μ² each.
func TestLargeBudgetsAreSpent(t *testing.T) {
	t.Parallel()
	for _, epsilon := range []float64{0.01, 1, 45, 100, 1000, 10_000} {
		for _, delta := range []float64{1e-30, 1e-6, 0.1} {
			for _, n := range []int{1, 100} {
				name := fmt.Sprintf("%g-%g-%d", epsilon, delta, n)
				s := must(Create(zeroRows(t, 60, 2), Options{Ledger: filepath.Join(t.TempDir(), "l"), Budget: Budget{Epsilon: epsilon, Delta: delta}, Neighbours: ReplaceOne, Dataset: name}))
				defer s.Close()
				target := Target{Epsilon: epsilon, Delta: delta}
				if n > 1 {
					mu := must(accountant.CalibrateShared(Budget{Epsilon: epsilon, Delta: delta})) / math.Sqrt(float64(n))
					part := must(accountant.EpsilonOf(accountant.Gaussian{Sensitivity: mu, Sigma: 1, Neighbours: ReplaceOne}, ReplaceOne, delta/1e6*(1-accountant.SamplerShare)))
					target = Target{Epsilon: part.Epsilon * (1 - 1e-9), Delta: delta / 1e6} // at δ itself so little may be worth no ε at all
				}
				for i := range n {
					if _, err := s.Data().Mean(target).Named(fmt.Sprint(i)).Release(t.Context()); err != nil {
						t.Errorf("%s, release %d of ε = %g: %v", name, i+1, target.Epsilon, err)
						break
					}
				}
				if left := must(s.ledger.Status()).Left; !(left.Epsilon < epsilon/10) {
					t.Errorf("%s: %v is left", name, left)
				}
			}
		}
	}
}
