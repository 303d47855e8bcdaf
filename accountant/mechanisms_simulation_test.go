package accountant

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// A normalMixture is a law on the line.
type normalMixture []struct{ weight, mean, variance float64 }

func (m normalMixture) draw(rng *rand.Rand) float64 {
	u := rng.Float64()
	i := 0
	for i < len(m)-1 && u >= m[i].weight {
		u -= m[i].weight
		i++
	}
	return m[i].mean + math.Sqrt(m[i].variance)*rng.NormFloat64()
}

func (m normalMixture) density(x float64) float64 {
	sum := 0.0
	for _, c := range m {
		sum += c.weight * math.Exp(-(x-c.mean)*(x-c.mean)/(2*c.variance)) / math.Sqrt(c.variance)
	}
	return sum
}

// lossOf draws ln(P/Q) of x ~ P.
func lossOf(p, q normalMixture) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 {
		x := p.draw(rng)
		return math.Log(p.density(x) / q.density(x))
	}
}

// bothWays simulates a pair in both directions.
func bothWays(name string, e Event, p, q normalMixture) []simulated {
	return []simulated{{name + ", forth", e, lossOf(p, q), false, 0}, {name + ", back", e, lossOf(q, p), false, 0}}
}

// simulatedMechanisms draws losses of what the mechanisms do on a pair of datasets, as far as it is visible: along
// the direction in which the pair differs.
func simulatedMechanisms(t *testing.T, rel Neighbours) []simulated {
	t.Helper()
	replace := rel == ReplaceOne
	var all []simulated

	// A sum over a sample: the row has the gradient 1, and −1 or none in its place; the others are 0.
	const rate = 0.5
	center, gone := 0.0, normalMixture{{1, 0, 1}}
	if replace {
		center = -1
		gone = normalMixture{{1 - rate, 0, 1}, {rate, center, 1}}
	}
	here := normalMixture{{1 - rate, 0, 1}, {rate, 1, 1}}
	poisson := SubsampledGaussian{C: 1, Sigma: 1, Sampling: PoissonSampling(rate), Neighbours: rel}
	all = append(all, bothWays("Poisson sample", poisson, here, gone)...)
	if replace {
		// A batch of one in two. With gradients of −1 in all other rows a batch without the row loses one of them.
		batch := SubsampledGaussian{C: 1, Sigma: 1, Sampling: BatchSampling(1, 2), Neighbours: rel}
		all = append(all, bothWays("batch", batch, here, gone)...)
		all = append(all, bothWays("batch among others", batch, normalMixture{{0.5, -1, 1}, {0.5, 1, 1}}, normalMixture{{1, -1, 1}})...)
	}

	// Two one-sided rows beside the one that differs, all on one side, each in the sample or not.
	rows := 3
	var group, other normalMixture
	for k := 0; k <= rows; k++ {
		w := math.Gamma(float64(rows+1)) / math.Gamma(float64(k+1)) / math.Gamma(float64(rows-k+1)) *
			math.Pow(rate, float64(k)) * math.Pow(1-rate, float64(rows-k))
		group = append(group, struct{ weight, mean, variance float64 }{w, float64(k), 4})
	}
	if other = (normalMixture{{1, 0, 4}}); replace {
		other = normalMixture{{1 - rate, 0, 4}, {rate, -1, 4}}
	}
	all = append(all, bothWays("group in a sample", SubsampledGroup{C: 1, Sigma: 2, Rate: rate, OneSided: 2, Neighbours: rel}, group, other)...)

	// A pass whose first row differs, with linear losses: the iterate at a secret step.
	const steps = 4
	w := 1.0
	if replace {
		w = 2
	}
	var moved, still normalMixture
	for j := 1; j <= steps; j++ {
		moved = append(moved, struct{ weight, mean, variance float64 }{1. / steps, w, float64(j)})
		still = append(still, struct{ weight, mean, variance float64 }{1. / steps, 0, float64(j)})
	}
	all = append(all, bothWays("pass", SGDIteration{C: 1, Sigma: 1, Steps: steps, Neighbours: rel}, moved, still)...)

	// A sketch, in the units of C = 1, with noise s = γ − 1 alone in the row's direction: k rows of N(0, s + 1) against
	// k of N(0, s); with another row at right angles one of each.
	const k, gamma = 5, 6.0
	square := func(rng *rand.Rand, variance float64) (sum float64) {
		for range k {
			x := rng.NormFloat64()
			sum += x * x
		}
		return variance * sum
	}
	sketch := func(rng *rand.Rand, from, to float64) float64 {
		return k/2.*math.Log(to/from) + square(rng, from)*(1/to-1/from)/2
	}
	mix := GaussMix{K: k, Gamma: gamma, Noise: gamma - 1, Neighbours: rel}
	if replace {
		all = append(all, simulated{"sketch", mix, func(rng *rand.Rand) float64 {
			return sketch(rng, gamma, gamma-1) + sketch(rng, gamma-1, gamma)
		}, false, 0})
	} else {
		all = append(all,
			simulated{"sketch, forth", mix, func(rng *rand.Rand) float64 { return sketch(rng, gamma, gamma-1) }, false, 0},
			simulated{"sketch, back", mix, func(rng *rand.Rand) float64 { return sketch(rng, gamma-1, gamma) }, false, 0})
		// The row raises the smallest eigenvalue from λ to λ + 1, and the sketch follows what was released of it.
		m := ModifiedGaussMix{K: k, Gamma: gamma, Eta: 2, Tau: 2.5, Neighbours: rel}
		modified := func(with bool, lambda float64) func(*rand.Rand) float64 {
			return func(rng *rand.Rand) float64 {
				p, q := lambda, lambda+1
				if with {
					p, q = q, p
				}
				hat := p + m.Eta*rng.NormFloat64()
				loss := ((hat-q)*(hat-q) - (hat-p)*(hat-p)) / (2 * m.Eta * m.Eta)
				noise := min(max(gamma+m.Eta*m.Tau-max(hat, 0), 0), gamma-1)
				if p+noise <= 0 || q+noise <= 0 {
					return math.Inf(1) // a sketch without noise tells all
				}
				return loss + sketch(rng, p+noise, q+noise)
			}
		}
		for _, lambda := range []float64{0, 3, 12} {
			all = append(all,
				simulated{"modified sketch, forth", m, modified(true, lambda), false, 0},
				simulated{"modified sketch, back", m, modified(false, lambda), false, 0})
		}
	}

	// Vectors of norm 1 and 1/(1+η), as far apart as the relative sensitivity allows.
	const eta, dim = 0.25, 4
	relative := RelativeGaussian{Eta: eta, Gamma: 0.2, Dim: dim, Matched: 1, Neighbours: rel}
	small := 1 / (1 + eta)
	spherical := func(from, to float64) func(*rand.Rand) float64 {
		return func(rng *rand.Rand) float64 {
			loss := dim / 2. * math.Log(to/from)
			shift := eta * small
			for range dim {
				x := math.Sqrt(from) * rng.NormFloat64()
				loss += (x-shift)*(x-shift)/(2*to) - x*x/(2*from)
				shift = 0
			}
			return loss
		}
	}
	all = append(all,
		simulated{"relative noise, forth", relative, spherical(0.2, 0.2*small*small), false, 0},
		simulated{"relative noise, back", relative, spherical(0.2*small*small, 0.2), false, 0})

	// A logistic model of one feature: rows at ±1 as far as given, and one with the label +1, −1 or none.
	o := ObjectivePerturbation{C: 1, Sigma: 1, Lambda: 0.5, Neighbours: rel}
	for name, background := range map[string][]float64{"alone": nil, "among others": {1, -1, 1, 1, 0.3}} {
		with := append([]float64{1}, background...)
		without := background
		if replace {
			without = append([]float64{-1}, background...)
		}
		var back Event = o
		if background == nil { // as Gaussian DP
			back = LogisticPerturbation{C: o.C, Sigma: o.Sigma, Lambda: o.Lambda, Neighbours: rel}
		}
		all = append(all,
			simulated{"logistic model " + name + ", forth", o, logisticLosses(o, with, without), false, 0},
			simulated{"logistic model " + name + ", back", back, logisticLosses(o, without, with), false, 0})
	}

	// A Huber loss on one row, whose bends lie where the noise is.
	glm := GLMPerturbation{C: 1, Sigma: 1, Lambda: 2, Slope: 1, Curvature: 0.5, Neighbours: rel}
	with := bentPair{sigma: 1, lambda: 2, x: 1, row: bentLoss{-1, 0.5, -1}}
	without := with
	without.row.curvature, without.x = 0, 0
	if replace {
		without.row, without.x = bentLoss{0, 0.5, -1}, -1
	}
	return append(all,
		simulated{"Huber loss, forth", glm, bentLosses(with, without), false, 0},
		simulated{"Huber loss, back", glm, bentLosses(without, with), false, 0})
}

// bentLosses draws minimisers of the first problem and returns the log ratio of their densities under both.
func bentLosses(p, q bentPair) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 {
		b := p.sigma * rng.NormFloat64()
		lo, hi := -1e3, 1e3
		for range 80 { // the noise falls with θ
			if at, _ := p.noise((lo+hi)/2, true); at > b {
				lo = (lo + hi) / 2
			} else {
				hi = (lo + hi) / 2
			}
		}
		return p.logDensity(lo, true) - q.logDensity(lo, true)
	}
}

// logisticLosses draws minimisers of Σ ln(1 + e^(−zθ)) + Λθ²/2 + bθ over the numbers z = yx of one table, and returns
// the log ratio of their densities under both by the change of variables.
func logisticLosses(o ObjectivePerturbation, p, q []float64) func(*rand.Rand) float64 {
	derivatives := func(z []float64, theta float64) (first, second float64) {
		first, second = o.Lambda*theta, o.Lambda
		for _, z := range z {
			s := 1 / (1 + math.Exp(z*theta))
			first -= z * s
			second += z * z * s * (1 - s)
		}
		return first, second
	}
	logDensity := func(z []float64, theta float64) float64 {
		b, h := derivatives(z, theta)
		return math.Log(h) - b*b/(2*o.Sigma*o.Sigma)
	}
	return func(rng *rand.Rand) float64 {
		b := o.Sigma * rng.NormFloat64()
		lo, hi := -1e3, 1e3
		theta := -b / o.Lambda
		for range 100 { // Newton's method within a bracket
			first, second := derivatives(p, theta)
			if first += b; first > 0 {
				hi = theta
			} else {
				lo = theta
			}
			next := theta - first/second
			if !(next > lo && next < hi) {
				next = (lo + hi) / 2
			}
			done := math.Abs(next-theta) < 1e-12*(1+math.Abs(theta))
			if theta = next; done {
				break
			}
		}
		return logDensity(p, theta) - logDensity(q, theta)
	}
}

// TestEveryLeafIsSimulated: each leaf that can be stored is among the simulations, but for the one that promises nothing.
func TestEveryLeafIsSimulated(t *testing.T) {
	seen := map[reflect.Type]bool{reflect.TypeFor[NonPrivate](): true}
	lists := [][]simulated{simulatedLeaves(t), simulatedMechanisms(t, AddRemove), simulatedMechanisms(t, ReplaceOne)}
	count := 0
	for _, list := range lists {
		for _, s := range list {
			seen[reflect.TypeOf(s.e)] = true
			count += 8 // comparisons
		}
	}
	for kind, typ := range leafTypes {
		if !seen[typ] {
			t.Errorf("kind %q: no simulation of %v", kind, typ)
		}
	}
	if count > 450 {
		t.Errorf("%d comparisons, want at most the 450 of the stated rate of false alarms", count)
	}
}
