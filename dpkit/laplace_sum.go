package dpkit

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// laplaceSum is a vector sum over rows with exact discrete Laplace noise on a public grid, of pure ε.
// Its sensitivity is in the L1 norm over all coordinates together: the divergence of a shift is
// convex and 0 at 0, hence superadditive, so that one coordinate is the worst way to spend it
// (docs/theory/calculus.md#sums).
type laplaceSum struct {
	query       pair.Query // in the L1 norm; Lipschitz is from ℓ2, in which the pair state measures rows
	coordinates int
	fp          float64 // as gaussianSum's, in the L1 norm

	s, free float64 // sensitivity on the pair state, and of the free rows alone
	scale   float64 // b
	grid    noise.Grid
	steps   uint64 // b in grid steps
}

// settle chooses the grid and the scale for a pure target. Rounding rows to the grid h·Z moves the sum
// by up to k·h/2 for each of f + m rows on each side, k coordinates.
//
// The price is that of real-valued Laplace noise on a vector of sensitivity k·h more. Claim: discrete
// Laplace noise of t steps on a sum that moves by j ≥ 1 steps is dominated by real Laplace noise at the
// shift j + 1. Proof. With r = e^{−1/t} the discrete pair has its losses at (j − 2i)/t and there the
// profile 1 − r^i of the real pair at shift j; in between it is linear in w = e^ε. There
// 1 − δ = c√w for the real pair, and the chord of √w between w₁ and w₁/r² is at least √w / cosh(1/2t),
// which is at least √w·e^{−1/2t}: the factor by which one more step lowers c√w. ∎
func (l *laplaceSum) settle(target accountant.Budget, p pair.State) error {
	t, err := accountant.CalibrateLaplace(accountant.Budget{Epsilon: target.Epsilon})
	if err != nil {
		return err
	}
	q := l.query
	q.C = upSum(q.C, l.coordinates)
	s, free, err := q.Sensitivity(p)
	if err != nil {
		return err
	}
	if p.Displaced() {
		s = up(s + 2*l.fp*float64(p.M))
	}
	l.s, l.free = s, free
	for range 8 {
		grid, steps, err := noise.NewLaplaceGrid(up(l.s/t), up(q.C*float64(p.N)))
		if err != nil {
			return fmt.Errorf("noise grid: %w", err)
		}
		settled := l.steps > 0 && grid == l.grid
		l.grid, l.steps, l.scale = grid, steps, float64(steps)*grid.Step()
		if settled {
			return nil
		}
		a := float64(l.coordinates) * grid.Step()
		l.s, l.free = up(s+float64(p.F+p.M+1)*a), up(free+float64(p.F+1)*a)
	}
	return fmt.Errorf("noise grid: no grid fits n = %d rows at this target; raise ε", p.N)
}

func (l *laplaceSum) price(target accountant.Budget, st Stage, c ReleaseCost) (bill, error) {
	rel := st.Before.Neighbours
	at := func(s float64) (accountant.Event, accountant.Guarantee, error) {
		e := accountant.Laplace{Sensitivity: s, Scale: l.scale, Neighbours: rel}
		g, err := accountant.EpsilonOf(e, rel, 0)
		return e, g, err
	}
	ev, counted, err := at(l.s)
	if err != nil {
		return bill{}, err
	}
	if !(counted.Epsilon <= target.Epsilon) {
		return bill{}, fmt.Errorf("calibration: got ε = %g for the target %g: the noise cannot be drawn that exactly; raise ε", counted.Epsilon, target.Epsilon)
	}
	_, ignored, err := at(l.free)
	if err != nil {
		return bill{}, err
	}
	_, unpaid, err := at(l.s * l.s / l.free)
	if err != nil {
		return bill{}, err
	}
	c.Event, c.Sensitivity, c.FreeSensitivity, c.Sigma = ev.String(), l.s, l.free, l.sd()
	c.Uncounted, c.Nominal = ignored.Epsilon, unpaid.Epsilon
	return bill{Event: ev, Guarantee: counted, Cost: c}, nil
}

func (l *laplaceSum) lattice() noise.Grid                 { return l.grid }
func (l *laplaceSum) sensitivity() (total, free float64)  { return l.s, l.free }
func (l *laplaceSum) sd() float64                         { return math.Sqrt2 * l.scale }
func (l *laplaceSum) add(rng *noise.Source, sums []int64) { noise.AddLaplace(rng, sums, l.steps) }
func (l *laplaceSum) summand() pair.Query                 { return l.query }
func (l *laplaceSum) reference() string {
	return "Laplace mechanism on the pair state, all in the L1 norm: S = 2Cf + min(Lτ, 2Cm)"
}
