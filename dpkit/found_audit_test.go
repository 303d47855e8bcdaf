package dpkit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/tables"
)

// TestFoundReachesItsDelta draws from pairs of tables in which a person has one group, or two, that nobody else has: what the likelihood ratio
// decides has the δ that was calibrated, within the error of so many draws, and no more. A claim of half of it would be refuted. By Bernstein's
// inequality a false alarm has a probability below 1e-9 in all.
func TestFoundReachesItsDelta(t *testing.T) {
	const draws, epsilon, delta = 20000, 1.0, 0.05
	codes := []string{"s0", "s1", "s2", "s3"}
	for _, c := range []struct {
		rel         accountant.Neighbours
		groups      int
		first, last []string // of the person, on the two sides
	}{
		{AddRemove, 1, []string{"alone"}, nil},
		{AddRemove, 2, []string{"alone", "new"}, nil},
		{AddRemove, 2, []string{"alone", "s0"}, nil},
		{AddRemove, 2, []string{"s0", "s1"}, nil},
		{ReplaceOne, 1, []string{"alone"}, []string{"s0"}},
		{ReplaceOne, 1, []string{"alone"}, []string{"other"}},
		{ReplaceOne, 2, []string{"alone", "new"}, []string{"s0", "s1"}},
		{ReplaceOne, 2, []string{"alone", "s1"}, []string{"other", "s0"}},
		{ReplaceOne, 2, []string{"s2", "s3"}, []string{"s0", "s1"}},
	} {
		t.Run(fmt.Sprint(c.rel, c.first, c.last), func(t *testing.T) {
			t.Parallel()
			var sides [2][]*Table
			var leaf accountant.GaussianThreshold
			for side, own := range [][]string{c.first, c.last} {
				f := visitsOf(t, 401, func(i int) []string {
					if i == 0 {
						if own == nil {
							return []string{""} // the place stays
						}
						return own
					}
					return codes[i%4 : i%4+1]
				})
				s := must(Demo(f, uint64(1e6*side), c.rel))
				pl := s.Data().Bound(Contributing{Groups: c.groups, RowsPerGroup: 1, By: []string{"code"}}).By("code").People().Found(Target{Epsilon: epsilon, Delta: delta}).plan()
				q := must(pl.quote())
				leaf = must(tables.LeafOf(pl.m.(tables.Found), q.end))
				for _, v := range must(pl.replicate(context.Background(), draws)) {
					sides[side] = append(sides[side], v.(*Table))
				}
			}
			own := func(list []string) (n int, shared []string) {
				for _, code := range list {
					if slices.Contains(codes, code) {
						shared = append(shared, code)
					} else {
						n++
					}
				}
				return n, shared
			}
			j, up := own(c.first)
			i, down := own(c.last)
			hidden := math.Log(0.5 * math.Erfc(-(leaf.Threshold-1)/leaf.Sigma/math.Sqrt2))
			decides := func(v *Table) bool {
				loss := float64(j-i) * hidden
				for g, name := range v.Groups {
					switch {
					case slices.Contains(c.first, name[0]) && !slices.Contains(codes, name[0]):
						return true
					case slices.Contains(c.last, name[0]) && !slices.Contains(codes, name[0]):
						return false
					case slices.Contains(up, name[0]):
						loss += (v.Counts[g] - 100.5) / (leaf.Sigma * leaf.Sigma)
					case slices.Contains(down, name[0]):
						loss -= (v.Counts[g] - 100.5) / (leaf.Sigma * leaf.Sigma)
					}
				}
				return loss > epsilon
			}
			share := func(of []*Table) float64 {
				n := 0
				for _, v := range of {
					if decides(v) {
						n++
					}
				}
				return float64(n) / draws
			}
			p, q := share(sides[0]), share(sides[1])
			const l = 24 // more than ln of 18 / 1e-9
			off := func(p float64) float64 { return l/(3*draws) + math.Sqrt(2*l*max(p, l/draws)/draws) }
			got, tol := p-math.Exp(epsilon)*q, off(p)+math.Exp(epsilon)*off(q)
			want := pairDelta(leaf, len(up)+len(down), i, j, epsilon)
			if math.Abs(got-want) > tol {
				t.Errorf("δ = %g ± %g, in theory %g", got, tol, want)
			}
			if got-tol > delta || want > delta {
				t.Errorf("δ = %g, in theory %g, calibrated %g", got, want, delta)
			}
		})
	}
}

// pairDelta is the δ of one pair, with so many groups that both tables have, i and j groups of one alone.
func pairDelta(g accountant.GaussianThreshold, moved, i, j int, epsilon float64) float64 {
	cdf := func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
	log := math.Log(cdf((g.Threshold - 1) / g.Sigma))
	e := epsilon + float64(i-j)*log
	rest := max(0, -math.Expm1(e))
	if mu := math.Sqrt(float64(moved)) / g.Sigma; mu > 0 {
		rest = cdf(mu/2-e/mu) - math.Exp(e)*cdf(-mu/2-e/mu)
	}
	return -math.Expm1(float64(j)*log) + math.Exp(float64(j)*log)*rest
}
