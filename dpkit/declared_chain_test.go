package dpkit

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// chainConditions are those that chains declare, what joins their steps, and what asks the ledger.
func chainConditions() map[string][]conditionCase {
	return map[string][]conditionCase{
		"bound/groups-that-stay": {
			{attack: mergedGroups("x1,x2,x3", func(p Pipeline) Pipeline { return p.Codebook("code", "other", "y1", "y2") })},
		},
		"holdout/joint-of-both-sides": {
			{attack: bothSides(func(train, test Pipeline) Pipeline { return test })},
		},
	}
}

// mergedGroups is a person with one row in each of three groups, which a step makes one of.
func mergedGroups(codes string, merge func(Pipeline) Pipeline) func(t *testing.T) (shown, charged, without float64) {
	return func(t *testing.T) (shown, charged, without float64) {
		var counts [2][]float64
		for side, own := range []string{codes, "y1"} {
			f := visitsOf(t, 4, func(i int) []string {
				if i == 0 {
					return strings.Split(own, ",")
				}
				return []string{"y1", "y2"}
			})
			p := must(Demo(f, 1, ReplaceOne)).Data().Bound(Contributing{Groups: 3, RowsPerGroup: 1, By: []string{"code"}})
			v, q := exactly(t, merge(p).By("code").Count().Table(Target{Epsilon: 1, Delta: 1e-6}).plan())
			counts[side], charged = v.(*Table).Counts, q.price.Cost.Sensitivity
			without = math.Sqrt(6) // three groups of one row, and three others
		}
		for i, a := range counts[0] {
			shown = math.Hypot(shown, a-counts[1][i])
		}
		return shown, charged, without
	}
}

// bothSides releases both sides of a split jointly, and then one of them alone. A person there is in two releases.
func bothSides(then func(train, test Pipeline) Pipeline) func(t *testing.T) (shown, charged, without float64) {
	return func(t *testing.T) (shown, charged, without float64) {
		f := numbered(t, 200)
		target := Target{Epsilon: 1, Delta: 1e-6}
		s := private(t, f, ledgerPath(t), Budget{Epsilon: 4, Delta: 1e-5})
		train, test := s.Data().Holdout(0.5)
		joint := Together(target, train.Histogram("y", Target{}).Weight(0.01), test.Histogram("y", Target{}))
		if then(train, test).String() == train.String() {
			joint = Together(target, train.Histogram("y", Target{}), test.Histogram("y", Target{}).Weight(0.01))
		}
		without = must(joint.Release(t.Context())).Status.Spent.Epsilon
		last := then(train, test).Histogram("y", target)
		charged = must(last.Release(t.Context())).Status.Spent.Epsilon
		// What moves of the person's own side: a level for another, in each release in units of its noise.
		joined := must(joint.plan().joint.calibrated())
		mu := 0.0
		for _, p := range joined.parts {
			if strings.HasPrefix(p.pl.p.String(), then(train, test).String()) {
				mu = p.q.price.Cost.Sensitivity / p.q.price.Cost.Sigma
			}
		}
		c := must(last.Cost()).Release
		mu = math.Hypot(mu, c.Sensitivity/c.Sigma)
		g := must(accountant.EpsilonOf(accountant.Gaussian{Sensitivity: mu, Sigma: 1, Neighbours: ReplaceOne}, ReplaceOne, 1e-5))
		return g.Epsilon, charged, without
	}
}

var (
	_ = slices.Contains[[]int]
	_ = frames.Numeric
)
