package sums

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// LaplaceSum is a vector sum over rows with exact discrete Laplace noise on a public grid, of pure ε.
// Its sensitivity is in the L1 norm over all coordinates together: the divergence of a shift is
// convex and 0 at 0, hence superadditive, so that one coordinate is the worst way to spend it
// (docs/theory/calculus.md#sums).
type LaplaceSum struct {
	query       pair.Query // in the L1 norm; Lipschitz is from ℓ2, in which the pair state measures rows
	Coordinates int
	any         float64 // as Any of [GaussianSum]
	together    Together
	fp          float64 // as Fp of [GaussianSum], in the L1 norm

	S, free float64 // sensitivity on the pair state, and of the free rows alone
	Scale   float64 // b
	Grid    noise.Grid
	Steps   uint64 // b in grid steps
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
func (l *LaplaceSum) settle(target accountant.Budget, p pair.State) error {
	t, err := accountant.CalibrateLaplace(accountant.Budget{Epsilon: target.Epsilon})
	if err != nil {
		return err
	}
	s, free, err := l.moves(p, l.query.Lipschitz)
	if err != nil {
		return err
	}
	l.S, l.free = s, free
	for range 8 {
		grid, steps, err := noise.NewLaplaceGrid(stage.Up(l.S/t), stage.Up(l.bound()*float64(p.N)))
		if err != nil {
			return fmt.Errorf("noise grid: %w", err)
		}
		settled := l.Steps > 0 && grid == l.Grid
		l.Grid, l.Steps, l.Scale = grid, steps, float64(steps)*grid.Step()
		if settled {
			return nil
		}
		a := float64(l.Coordinates) * grid.Step()
		l.S, l.free = stage.Up(s+float64(p.F+p.M+1)*a), stage.Up(free+float64(p.F+1)*a)
	}
	return fmt.Errorf("noise grid: no grid fits n = %d rows at this target; raise ε", p.N)
}

func (l *LaplaceSum) Price(target accountant.Budget, st stage.Stage, c cost.Release) (query.Bill, error) {
	rel := st.Before.Neighbours
	at := func(s float64) (accountant.Event, accountant.Guarantee, error) {
		e := accountant.Laplace{Sensitivity: s, Scale: l.Scale, Neighbours: rel}
		g, err := accountant.EpsilonOf(e, rel, 0)
		return e, g, err
	}
	ev, counted, err := at(l.S)
	if err != nil {
		return query.Bill{}, err
	}
	if !(counted.Epsilon <= target.Epsilon) {
		return query.Bill{}, fmt.Errorf("calibration: got ε = %g for the target %g: the noise cannot be drawn that exactly; raise ε", counted.Epsilon, target.Epsilon)
	}
	_, ignored, err := at(l.free)
	if err != nil {
		return query.Bill{}, err
	}
	_, unpaid, err := at(l.S * l.S / l.free)
	if err != nil {
		return query.Bill{}, err
	}
	c.Event, c.Sensitivity, c.FreeSensitivity, c.Sigma = ev.String(), l.S, l.free, l.sd()
	c.Uncounted, c.Nominal = ignored.Epsilon, unpaid.Epsilon
	behind := func(p pair.State) (accountant.Event, error) {
		s, err := l.movesBehind(p, st.Taint)
		if err != nil {
			return nil, err
		}
		e, _, err := at(s)
		return e, err
	}
	return query.Bill{Event: ev, Guarantee: counted, Cost: c, Behind: behind}, nil
}

// bound is C as [GaussianSum.Bound].
func (l *LaplaceSum) bound() float64 { return stage.UpSum(l.query.C, l.Coordinates) }

// moves is the sensitivity on a pair state, and that of its free rows alone, before rounding to the grid.
func (l *LaplaceSum) moves(p pair.State, lipschitz float64) (total, free float64, err error) {
	q := l.query
	q.C, q.Lipschitz = l.bound(), lipschitz
	total, free, err = q.Sensitivity(p)
	if err == nil && l.together.Rows > 0 {
		rows := l.together.of(p, q.C, l.Coordinates)
		total, free = stage.Up(total-free+rows), rows
	}
	if err == nil && p.Displaced() {
		total = stage.Up(total + 2*l.fp*float64(p.M))
	}
	return total, free, err
}

// movesBehind is the sensitivity on any pair state, rounding to the grid included, as that of [GaussianSum].
func (l *LaplaceSum) movesBehind(p pair.State, taint stage.Taint) (float64, error) {
	lipschitz, err := lipschitzBehind(p, taint, l.query.Lipschitz, l.any)
	if err != nil {
		return math.Inf(1), err
	}
	s, _, err := l.moves(p, lipschitz)
	return stage.Up(s + float64(p.F+p.M+1)*float64(l.Coordinates)*l.Grid.Step()), err
}

func (l *LaplaceSum) Lattice() noise.Grid { return l.Grid }

func (l *LaplaceSum) Sensitivity() (total, free float64) { return l.S, l.free }

func (l *LaplaceSum) sd() float64 { return math.Sqrt2 * l.Scale }

func (l *LaplaceSum) add(rng *noise.Source, sums []int64) { noise.AddLaplace(rng, sums, l.Steps) }

func (l *LaplaceSum) Summand() pair.Query { return l.query }

func (l *LaplaceSum) reference() string {
	return "Laplace mechanism on the pair state, all in the L1 norm: S = 2Cf + min(Lτ, 2Cm)"
}
