package accountant

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

// TestSharedNodesAreThePairs: nodes that displacements share give what quadrature of each pair alone gives.
func TestSharedNodesAreThePairs(t *testing.T) {
	single.Goroutine(t)
	rng := rand.New(rand.NewPCG(61, 62))
	worst, most, priced, missed := map[string]float64{}, map[string]float64{}, 0, 0
	for range 3000 {
		q, shift, alpha := stepParameters(rng)
		if rng.IntN(4) == 0 {
			alpha = 1 + math.Exp(-8*rng.Float64())
		}
		v := math.Exp(6*rng.Float64()-5) * shift
		if alpha*(2*shift+v) > tableReach {
			continue
		}
		for name, p := range map[string]alike{
			"add": addAlike{newCoin(q), shift, false}, "remove": addAlike{newCoin(q), shift, true}, "replace": replaceAlike{newCoin(q), shift},
		} {
			nodes := p.nodes(alpha, v)
			for _, x := range []float64{0, 0.1 * v, v} {
				got, want := nodes(x), lineMoment(p.at(x), alpha)
				if priced++; math.IsInf(got, 1) {
					missed++
					continue
				}
				diff := got/want - 1
				worst[name], most[name] = min(worst[name], diff), max(most[name], diff)
				if !(math.Abs(diff) <= 2e-11) {
					t.Errorf("%s: q = %g, shift %g, v = %g, order %g: %.15g, want %.15g, %g", name, q, shift, x, alpha, got, want, diff)
				}
			}
		}
	}
	if missed > priced/20 {
		t.Errorf("%d of %d pairs had too few nodes, want few", missed, priced)
	}
	t.Logf("relative differences %v to %v, %d of %d left to quadrature alone", worst, most, missed, priced)
}

// TestOneHopIsTheMean: the price is the mean over the drawn counts of what quadrature of each pair gives, where counts
// reach the total and where none matters.
func TestOneHopIsTheMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 64))
	worst := 0.0
	for range 150 {
		q, shift, alpha := stepParameters(rng)
		d := displacement{DisplacedRows: DisplacedRows{Rows: 1 + rng.IntN(40), Each: shift * math.Exp(-4*rng.Float64())}}
		d.Total = d.Each * (1 + float64(d.Rows-1)*rng.Float64())
		d.fewest = int(math.Ceil(d.Total / d.Each))
		if alpha*(alpha-1)*math.Pow(2*shift+d.Total+d.Each, 2) > 1200 {
			continue // e^600 and more
		}
		c := newCoin(q)
		for name, pairs := range map[string][]alike{"add/remove": {addAlike{c, shift, false}, addAlike{c, shift, true}}, "replace-one": {replaceAlike{c, shift}}} {
			free := 2 * shift
			if len(pairs) == 2 {
				free = shift
			}
			hop := newOneHop(q, shift, free, d)
			convex := alpha <= convexOrder(shift)
			law := hop.rows()
			if convex {
				law = hop.vertex
			}
			want := 0.0
			for _, p := range pairs {
				sum := 0.0
				for i, k := range law.count {
					v := k * d.Each
					if !convex {
						v = min(v, d.Total)
					}
					sum += law.p[i] * math.Expm1(min(lineMoment(p.at(v), alpha), gaussMoment(alpha, free+v)))
				}
				want = max(want, math.Log1p(sum))
			}
			got := hop.logMoment(alpha, pairs...)
			diff := got/want - 1
			worst = max(worst, math.Abs(diff))
			if !(math.Abs(diff) <= 1e-9) {
				t.Errorf("%s: q = %g, shift %g, %+v, order %g: %.15g, want %.15g, %g", name, q, shift, d, alpha, got, want, diff)
			}
		}
	}
	t.Logf("largest relative difference %.2g", worst)
}

// TestMergedCounts: blocks of a law that walks the ratios have the sums of their terms.
func TestMergedCounts(t *testing.T) {
	const n, q = 40_000, 0.03
	law, total := binomialCount(n, q), 0.0
	k := 0
	for i, end := range law.count {
		sum := math.Inf(-1)
		for ; float64(k) <= end; k++ {
			x := float64(k)
			term := logBinomial(n, x) + x*math.Log(q) + (n-x)*math.Log1p(-q)
			if sum < term {
				sum, term = term, sum
			}
			sum += math.Log1p(math.Exp(term - sum))
		}
		total += law.p[i]
		// The law is rounded up by the error of the factorials, 1e-8 here.
		if diff := law.logP[i] - sum; !(diff >= 0 && diff <= 1e-8) {
			t.Errorf("up to %g: ln p = %.15g, want %.15g", end, law.logP[i], sum)
		}
	}
	if k != n+1 || !(math.Abs(total-1) < 1e-7) {
		t.Errorf("%d values with probabilities that sum to %g, want all and 1", k, total)
	}
}

// TestReversePower: the excess over the tangent of a negative power is that of its definition.
func TestReversePower(t *testing.T) {
	for _, alpha := range []float64{1.0001, 1.3, 2, 9.5, 300} {
		p := newPower(1 - alpha)
		for _, l := range []float64{-0.5, -1e-2, -1e-5, 1e-5, 1e-3, 0.3, 2} {
			// Σ_{k≥2} (a^k − a) l^k / k! for a = 1 − α, whose terms of equal parity have one sign: two sums.
			var even, odd, term, a float64 = 0, 0, 1, 1
			for k := 1; k < 4000 && (k < 10 || math.Abs(term) > 1e-300); k++ {
				term *= l / float64(k)
				a *= 1 - alpha
				if math.Abs(a) > 1e280 || math.Abs((1-alpha)*l) > 5 {
					even = math.NaN()
					break
				}
				if k%2 == 0 {
					even += (a - (1 - alpha)) * term
				} else if k > 1 {
					odd += (a - (1 - alpha)) * term
				}
			}
			if math.IsNaN(even) {
				even = math.Expm1((1-alpha)*l) - (1-alpha)*math.Expm1(l)
			}
			got, want := p.excessLog(l), even+odd
			if !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
				t.Errorf("order %g, l = %g: %.15g, want %.15g", alpha, l, got, want)
			}
		}
	}
}
