package others

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Laplace draws noise of that scale.
func Laplace(random *rand.Rand, scale float64) float64 {
	return scale * (random.ExpFloat64() - random.ExpFloat64())
}

// Count is a count of rows with two-sided geometric noise, P(k) ∝ e^{−ε|k|}: that of the difference of two geometric numbers.
func Count(random *rand.Rand, count int, epsilon float64) float64 {
	geometric := func() float64 { return math.Floor(random.ExpFloat64() / epsilon) }
	return float64(count) + geometric() - geometric()
}

// Mean is the mean of values in [lo, hi] with Laplace noise of scale (hi − lo)/(nε), cut to the bounds.
func Mean(random *rand.Rand, values []float64, lo, hi, epsilon float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += min(max(v, lo), hi)
	}
	n := float64(len(values))
	return min(max(sum/n+Laplace(random, (hi-lo)/(n*epsilon)), lo), hi)
}

// Quantile draws an interval between neighbouring values with weight length · e^{−ε|i − qn|/2}, i the number of values below it, and a point of
// it evenly. values are sorted and within [lo, hi].
func Quantile(random *rand.Rand, sorted []float64, q, lo, hi, epsilon float64) float64 {
	n := len(sorted)
	edge := func(i int) float64 { // of n + 2 edges
		switch i {
		case 0:
			return lo
		case n + 1:
			return hi
		}
		return sorted[i-1]
	}
	// The largest of log weights with Gumbel noise has the law of a draw by weights.
	best, at := math.Inf(-1), 0
	for i := range n + 1 {
		length := edge(i+1) - edge(i)
		if !(length > 0) {
			continue
		}
		weight := math.Log(length) - epsilon*math.Abs(float64(i)-q*float64(n))/2 - math.Log(random.ExpFloat64())
		if weight > best {
			best, at = weight, i
		}
	}
	return edge(at) + random.Float64()*(edge(at+1)-edge(at))
}

// ExactQuantile is the value of rank ⌈qn⌉ of sorted ones.
func ExactQuantile(sorted []float64, q float64) float64 {
	return sorted[min(max(int(math.Ceil(q*float64(len(sorted))))-1, 0), len(sorted)-1)]
}

// Sorted is a sorted copy.
func Sorted(values []float64) []float64 {
	out := slices.Clone(values)
	slices.Sort(out)
	return out
}
