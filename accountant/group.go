package accountant

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// Group is the event e seen by a group of up to size rows that change together: the fallback for a mechanism that
// cannot be priced on a displaced pair, whose free and displaced rows form the group (pair.State.Group; docs/theory/calculus.md#groups-of-rows).
// A size below 1 is an error when the event is priced.
func Group(e Event, size int) Event {
	return grouped{of: e, size: size}
}

type grouped struct {
	of   Event
	size int
}

func (g grouped) RDP(rel Neighbours) (Curve, error) {
	if err := g.validate(); err != nil {
		return nil, err
	}
	curve, err := g.of.RDP(rel)
	if err != nil {
		return nil, err
	}
	return GroupCurve(curve, g.size)
}

// GDP multiplies μ (Dong, Roth, Su 2022, Theorem 3). The laws at the ends of the chain are as close to
// their Gaussian ones as before.
func (g grouped) GDP(rel Neighbours) (mu, tv float64, err error) {
	if err := g.validate(); err != nil {
		return 0, 0, err
	}
	if mu, tv, err = gdpOf(g.of, rel); err != nil {
		return 0, 0, err
	}
	return quad.MulUp(float64(g.size), mu), tv, nil
}

func (g grouped) Profile(rel Neighbours) (Profile, error) {
	if err := g.validate(); err != nil {
		return nil, err
	}
	if mu, tv, err := g.GDP(rel); err == nil {
		return gaussianProfile(mu, tv), nil
	} else if optional(err) != nil {
		return nil, err
	}
	profile, err := profileOf(g.of, rel)
	if err != nil {
		return nil, err
	}
	return func(epsilon float64) float64 {
		one := epsilon / float64(g.size) * (1 - 0x1p-51)
		return min(1, groupDelta(Budget{Epsilon: one, Delta: profile(one)}, g.size))
	}, nil
}

func (g grouped) String() string {
	return fmt.Sprintf("Group(%v, %d)", g.of, g.size)
}

func (g grouped) validate() error {
	if g.of == nil {
		return fmt.Errorf("accountant: Group: event: got nil, want an event: %w", ErrParameter)
	}
	return checkGroup(g.size)
}

func checkGroup(size int) error {
	if size < 1 {
		return fmt.Errorf("accountant: Group: size: got %d, want at least 1: %w", size, ErrParameter)
	}
	return nil
}

// GroupCurve is the curve of a group of size rows, the least of three bounds: size times the max-divergence;
// 3^c times the curve at 2^c α, α ≥ 2, for size ≤ 2^c (Mironov 2017, Proposition 2); and the weak
// triangle along the chain of neighbours at the orders that are best for a Gaussian, for which it is exact.
// The error wraps [ErrParameter].
func GroupCurve(c Curve, size int) (Curve, error) {
	if err := checkGroup(size); err != nil {
		return nil, err
	}
	if size == 1 {
		return c, nil
	}
	m := float64(size)
	steps := bits.Len(uint(size - 1))
	order, factor := math.Ldexp(1, steps), math.Pow(3, float64(steps))
	pure := quad.MulUp(m, c(math.Inf(1)))
	return func(alpha float64) float64 {
		if !(alpha > 1) {
			return math.Inf(1)
		}
		if math.IsInf(alpha, 1) {
			return pure
		}
		mironov := quad.MulUp(factor, c(order*max(2, alpha)))
		return min(pure, mironov, groupChain(c, size, alpha))
	}, nil
}

// groupChain splits one neighbour off at a time with c = 1 + (α−1)(m−1)/α, which leaves the order α m/(m−1) to the
// m − 1 others.
func groupChain(c Curve, size int, alpha float64) float64 {
	const longest = 1 << 20 // it takes a step for each of the group
	if size > longest {
		return math.Inf(1)
	}
	sum := 0.0
	for m := float64(size); m > 1; m-- {
		over := (alpha - 1) * (m - 1) / alpha
		factor := (alpha - 1 + alpha*over) / ((1 + over) * (alpha - 1)) * (1 + 0x1p-49)
		sum = quad.AddUp(sum, quad.MulUp(factor, c(alpha*(1+over)*(1+0x1p-51))))
		if math.IsInf(sum, 1) {
			return sum
		}
		alpha = (alpha + (alpha-1)/over) * (1 + 0x1p-51)
	}
	return quad.AddUp(sum, c(alpha))
}

// GroupBudget is what (ε, δ)-DP promises to a group of size rows: (g ε, δ (e^(gε) − 1)/(e^ε − 1)), rounded up; a δ above
// 1 promises nothing and is 1. ε must be at least 0 and finite, δ in [0, 1].
// Errors wrap [ErrEpsilon], [ErrDelta] or [ErrParameter].
func GroupBudget(b Budget, size int) (Budget, error) {
	if err := checkEpsilon(b.Epsilon); err != nil {
		return Budget{}, err
	}
	if err := checkDelta(b.Delta); err != nil {
		return Budget{}, err
	}
	if err := checkGroup(size); err != nil {
		return Budget{}, err
	}
	return Budget{Epsilon: quad.MulUp(float64(size), b.Epsilon), Delta: min(1, groupDelta(b, size))}, nil
}

// groupDelta is δ Σ e^(iε) over i below size.
func groupDelta(b Budget, size int) float64 {
	m := float64(size)
	if b.Delta == 0 {
		return 0
	}
	if b.Epsilon < 1e-8/m { // the sum is at most m e^((m−1)ε)
		return quad.MulUp(quad.MulUp(m, 1+2*m*b.Epsilon), b.Delta)
	}
	sum := math.Expm1(m*b.Epsilon) / math.Expm1(b.Epsilon)
	return quad.MulUp(quad.Inflate(sum, 0x1p-50*(8+m*b.Epsilon)), b.Delta)
}
