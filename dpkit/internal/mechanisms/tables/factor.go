package tables

import (
	"math"
	"math/bits"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// factor is a factorisation A = LR of the sums A of all numbers up to each period: both lower triangular, and of one coefficient a diagonal. R has those
// of (1 − x)^−p, L those of (1 − x)^−(1 − p), for a power p from 0 (each period by itself, and summed up) over ½ (the square root of A:
// Fichtenberger, Henzinger, Upadhyay 2023; Henzinger, Upadhyay, Upadhyay 2023) to 1 (each sum by itself).
type factor struct {
	power float64
	right []uint64  // of R, in units of 2^−rightBits: not negative, and falling
	left  []float64 // of L, the inverse of R as it is rounded, times A
}

// rightBits is how finely R is rounded, so that Rx is computed exactly.
const rightBits = 30

// factorOf is that of so many periods.
func factorOf(power float64, periods int) factor {
	f := factor{power: power, right: make([]uint64, periods), left: make([]float64, periods)}
	c := 1.0
	for k := range periods {
		if k > 0 {
			c *= (float64(k) - 1 + power) / float64(k)
		}
		f.right[k] = uint64(math.RoundToEven(c * (1 << rightBits)))
	}
	for t := range periods { // R·L = A: the coefficients of R and of L fold to 1, 1, 1, …
		f.left[t] = 1
		for k := 1; k <= t; k++ {
			f.left[t] -= f.at(k) * f.left[t-k]
		}
	}
	return f
}

// at is a coefficient of R, exactly.
func (f factor) at(k int) float64 { return float64(f.right[k]) / (1 << rightBits) }

// deviations are the deviations of the sums up to each period where each number of Rx has one of 1: the norms of the rows of L.
func (f factor) deviations() []float64 {
	out, sum := make([]float64, len(f.left)), 0.0
	for t, l := range f.left {
		sum += l * l
		out[t] = math.Sqrt(sum)
	}
	return out
}

// products are RᵀR among the first n periods, rounded up: in the columns s ≤ t those of f_k·f_(k+t−s) for k below T − t. They fall where s and t move
// on together, and where t moves away from s.
func (f factor) products(n int) [][]float64 {
	periods := len(f.right)
	out := make([][]float64, n)
	for t := range out {
		out[t] = make([]float64, n)
	}
	for shift := range n {
		sum, k := 0.0, 0
		for t := periods - 1; t >= shift; t-- {
			for ; k < periods-t; k++ {
				sum += f.at(k) * f.at(k+shift)
			}
			if t < n {
				out[t-shift][t] = stage.UpSum(sum, periods)
				out[t][t-shift] = out[t-shift][t]
			}
		}
	}
	return out
}

// largest is the largest ‖Ra‖² over what a person may add, a_t rows in period t. Given how many rows are in each period with rows, the first periods are
// the worst, since products fall; and a convex function is largest at a corner, where all periods but one have none or as many rows as they
// may (docs/theory/tables.md#cumulative-sums).
func (f factor) largest(c contributions) float64 {
	c = c.closed()
	full := min(c.groups, c.rows/c.perGroup)
	rest, n := 0.0, full
	if full < c.groups && full < len(f.right) {
		rest = float64(min(c.rows-full*c.perGroup, c.perGroup))
	}
	if rest > 0 {
		n++
	}
	m, r := f.products(n), float64(c.perGroup)
	ones, total := make([]float64, n), 0.0
	for s := range m {
		for _, v := range m[s] {
			ones[s] += v
		}
		total += ones[s]
	}
	if rest == 0 {
		return stage.UpSum(r*r*total, n*n)
	}
	most, less := 0.0, r-rest
	for i := range n { // r everywhere, but for less in period i
		most = max(most, r*r*total-2*r*less*ones[i]+less*less*m[i][i])
	}
	return stage.UpSum(most, 4*n*n)
}

// pair is the largest squared distance that one row moves Rx by, in counts alone, where it is replaced by another or by none.
func (f factor) pair() float64 {
	m := f.products(len(f.right))
	most := m[0][0]
	for s := range m {
		for t := s + 1; t < len(m); t++ {
			most = max(most, m[s][s]+m[t][t]-2*m[s][t])
		}
	}
	return stage.Up(most)
}

// moved is what a person moves Rx by, and the numbers beside it whose weights have squares that sum up to s, and what one row does: the latter
// in the units of a pair.Query.
func (f factor) moved(c contributions) (person, row float64) {
	c = c.closed()
	s, all, one := c.weights, f.largest(c), f.products(1)[0][0]
	if c.rel == accountant.AddRemove {
		return stage.Up(math.Sqrt((1 + s) * all)), stage.Up(math.Sqrt((1 + s) * one))
	}
	// (a − b)² + S(a + b)² as in tables by groups: 2(1 + S)·all or 4S·all, since no product of two sides is negative.
	person = max(2*(1+s), 4*s) * all
	each := max(2*(1+s), 4*s) * one
	if s == 0 {
		each = min(each, f.pair())
	}
	person = min(person, float64(c.rows)*float64(c.rows)*each)
	return stage.Up(math.Sqrt(person)), stage.Up(math.Sqrt(each)) / 2
}

// steps of powers that are tried.
const powers = 16

// bestFactor is that of the least mean squared error of the sums at one price.
func bestFactor(periods int, c contributions) (best factor) {
	least := math.Inf(1)
	for i := range powers + 1 {
		f := factorOf(float64(i)/powers, periods)
		moved, _ := f.moved(c)
		if v := moved * f.rms(); v < least*(1-1e-9) {
			least, best = v, f
		}
	}
	return best
}

// rms is the root of the mean squared deviation of the sums where each number of Rx has one of 1.
func (f factor) rms() float64 {
	sum := 0.0
	for _, e := range f.deviations() {
		sum += e * e
	}
	return math.Sqrt(sum / float64(len(f.left)))
}

// fold is Rx in period t, of integers x that are stride apart, in units of 2^−by, rounded down: exact before.
func (f factor) fold(x []int64, stride, t, by int) int64 {
	var hi int64
	var lo uint64
	for k := range t + 1 {
		v := x[(t-k)*stride]
		h, l := bits.Mul64(f.right[k], uint64(max(v, -v)))
		var carry uint64
		if v < 0 {
			lo, carry = bits.Sub64(lo, l, 0)
			hi -= int64(h + carry)
		} else {
			lo, carry = bits.Add64(lo, l, 0)
			hi += int64(h + carry)
		}
	}
	switch {
	case by >= 64:
		return hi >> min(by-64, 63)
	case by > 0:
		return int64(uint64(hi)<<(64-by) | lo>>by)
	}
	return int64(lo << -by)
}

// sum makes the sums up to each period of the numbers Rx.
func (f factor) sum(y []float64) []float64 {
	out := make([]float64, len(y))
	for t := range out {
		for k := range t + 1 {
			out[t] += f.left[k] * y[t-k]
		}
	}
	return out
}
