package dpkit

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// chainConditions are those that chains declare, what joins their steps, and what asks the ledger.
func chainConditions() map[string][]conditionCase {
	return map[string][]conditionCase{
		"bound/groups-that-stay": {
			{attack: mergedGroups("x1,x2,x3", func(p Pipeline) Pipeline { return p.Codebook("code", "other", "y1", "y2") })},
			{attack: groupsAfter(frames.Category("g", "a", "b").MayMiss(), frames.Category("g", "a", "b"))},
			{attack: groupsAfter(frames.Text("g"))},
		},
		"bound/groups-after-a-step": {
			{attack: mergedGroups("x1,x2,x3", func(p Pipeline) Pipeline { return p.Codebook("code", "other", "y1", "y2") })},
			{attack: behindGroups(func(p Pipeline) Pipeline { return p.Impute(Mean{}, "stay") })},
			{attack: behindGroups(func(p Pipeline) Pipeline { return p.Dedup(Exact{}) })},
			{attack: behindGroups(func(p Pipeline) Pipeline { return p.Dedup(Exact{}, "ward") })},
		},
		"holdout/joint-of-both-sides": {
			{attack: bothSides(func(s *Session) Pipeline { _, test := s.Data().Holdout(0.5); return test })},
			{attack: bothSides(func(s *Session) Pipeline { train, _ := s.Data().Holdout(0.2); return train })},
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

// bothSides is a joint release of several parts of the people, and then one of another part. Somebody is in the last of the joint
// release, and in the one after it.
func bothSides(second func(s *Session) Pipeline) func(t *testing.T) (shown, charged, without float64) {
	return func(t *testing.T) (shown, charged, without float64) {
		s := private(t, numbered(t, 200), ledgerPath(t), Budget{Epsilon: 4, Delta: 1e-5})
		target := Target{Epsilon: 1, Delta: 1e-6}
		train, test := s.Data().Holdout(0.5)
		joint := Together(target, train.Histogram("y", Target{}).Weight(0.01), second(s).Histogram("y", Target{}))
		without = must(joint.Release(t.Context())).Status.Spent.Epsilon
		last := test.Histogram("y", target)
		charged = must(last.Release(t.Context())).Status.Spent.Epsilon
		// A level for another moves each release by so many units of its noise.
		parts := must(joint.plan().joint.calibrated()).parts
		c, after := parts[len(parts)-1].q.price.Cost, must(last.Cost()).Release
		mu := math.Hypot(c.Sensitivity/c.Sigma, after.Sensitivity/after.Sigma)
		g := must(accountant.EpsilonOf(accountant.Gaussian{Sensitivity: mu, Sigma: 1, Neighbours: ReplaceOne}, ReplaceOne, 1e-5))
		return g.Epsilon, charged, without
	}
}

// groupsAfter are what is known of the groups of a person with two rows, in one group each, after a step that makes a column another one.
// Both rows may be in one group of it.
func groupsAfter(was frames.Column, becomes ...frames.Column) func(t *testing.T) (shown, charged, without float64) {
	return func(t *testing.T) (shown, charged, without float64) {
		st := stage.Stage{
			In: mustSchema(was, frames.Numeric("x", 0, 1)), Out: mustSchema(append(becomes, frames.Numeric("x", 0, 1))...),
			Contributions: stage.Contributions{Rows: 2, Groups: 2, PerGroup: 1, By: []string{was.Name}},
		}
		got := contributionsBehind(st, stage.Propagation{Role: stage.RolePublic})
		return 2, float64(got.PerGroup), 1
	}
}

// behindGroups is what a table of two groups with a row each is charged for after a step, against what it is at once.
func behindGroups(after func(Pipeline) Pipeline) func(t *testing.T) (shown, charged, without float64) {
	return func(t *testing.T) (shown, charged, without float64) {
		s := must(Demo(visitFrame(t, hostileVisits(rand.New(rand.NewPCG(12, 20)), 60)), 1, ReplaceOne))
		table := func(p Pipeline) float64 {
			return must(p.By("ward").Count().Table(Target{Epsilon: 1, Delta: 1e-6}).Cost()).Release.Sensitivity
		}
		at := s.Data().Bound(Contributing{Groups: 2, RowsPerGroup: 1, By: []string{"ward"}})
		return math.Sqrt(8), table(after(at)), table(at) // both rows of one group, and then of another
	}
}
