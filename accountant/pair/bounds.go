package pair

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// StepBounds are the public constants with which one preprocessing step moves a [State].
// Names follow the calculus: a* are aggregate fit displacements caused by one free row,
// h* those caused by the incoming displacement (already multiplied by it).
//
// A zero says that the effect is absent; +Inf in A* or H* says that no bound is known, so a step of
// which only KF is known sets all three H* to +Inf. The constants must be rounded up and hold on the
// whole domain: one that holds on declared datasets alone may fail on the hybrid that the proof of
// [State.Propagate] goes through.
type StepBounds struct {
	K            float64 // Lipschitz constant of the row map, uniformly over fits
	A1, AF, AInf float64 // Σ, ℓ2, max over the common rows, per free row
	H1, HF, HInf float64 // the same for the incoming displacement
	KF           float64 // joint Frobenius Lipschitz constant (map and fit); 0 where none is known
	Affected     int     // common rows that a fit change can move (Δ∞)
	R            float64 // norm bound after the step
	Jump         float64 // a row that differs at all can move by this much more (public grid)
	ResetFree    bool    // the free row's image is arbitrary in the output domain (keyed and mask steps)
}

// Validate reports the first constant that is negative, NaN or, for K, KF, R and Jump, infinite,
// and effects that are present in one norm and absent in another: a forgotten constant must not
// pass for a zero. The error wraps [ErrPair].
func (b StepBounds) Validate() error {
	for _, c := range []struct {
		name   string
		value  float64
		finite bool
	}{
		{"K", b.K, true},
		{"A1", b.A1, false},
		{"AF", b.AF, false},
		{"AInf", b.AInf, false},
		{"H1", b.H1, false},
		{"HF", b.HF, false},
		{"HInf", b.HInf, false},
		{"KF", b.KF, true},
		{"Jump", b.Jump, true},
	} {
		if !(c.value >= 0) || (c.finite && math.IsInf(c.value, 1)) {
			return fmt.Errorf("pair: step: %s: got %g, want a number, at least 0 and finite where it multiplies: %w", c.name, c.value, ErrPair)
		}
	}
	if !(b.R > 0) || math.IsInf(b.R, 1) {
		return fmt.Errorf("pair: step: R: got %g, want a positive finite bound on the rows' norm after the step; clip the rows: %w", b.R, ErrPair)
	}
	if b.Affected < 0 {
		return fmt.Errorf("pair: step: Affected: got %d, want at least 0: %w", b.Affected, ErrPair)
	}
	if b.Affected > 0 && ((b.A1 > 0) != (b.AInf > 0) || (b.AF > 0) != (b.AInf > 0)) {
		return fmt.Errorf("pair: step: A1, AF, AInf: got %g, %g, %g, want all of them zero or none; AInf·Affected bounds A1 and AF: %w",
			b.A1, b.AF, b.AInf, ErrPair)
	}
	// With a joint constant KF the term K tF + HF is dispensable; HF = 0 then reads "unknown".
	if (b.H1 > 0) != (b.HInf > 0) || (b.HF > 0 && b.HInf == 0) || (b.HF == 0 && b.KF == 0 && b.HInf > 0) {
		return fmt.Errorf("pair: step: H1, HF, HInf: got %g, %g, %g, want all of them zero or none (+Inf where no bound is known): %w",
			b.H1, b.HF, b.HInf, ErrPair)
	}
	return nil
}

// moves reports whether the fit can displace a common row that agreed before.
func (b StepBounds) moves() bool {
	return b.A1 > 0 || b.AF > 0 || b.AInf > 0 || b.H1 > 0 || b.HF > 0 || b.HInf > 0
}

// Propagate is the state after a step (docs/theory/calculus.md#theorem-1-propagation), closed:
//
//	t1' = min(K t1 + h1, √n KF tF) + m J   + f a1
//	tF' = min(K tF + hF, KF tF)    + √m J  + f aF
//	t∞' = K t∞ + h∞ + J [m > 0]            + f a∞
//	D'  = K D  + h∞ + J + f a∞             (+Inf under ResetFree, where only 2R' is known)
//	m'  = min(n − f, m + Affected)         where the fit can move anything
//
// Proof. Let X̃ have the free rows of X and the other rows of X'; it is in the domain, which is a
// product of row domains. For a row i that is not free, with g the row map and θ the fit,
// g(θ_X, x) − g(θ_X', x') is the sum of the fit's change from X to X̃ at x (h), the row map's change
// from x to x' under θ_X̃ (K d), and the fit's change from X̃ to X' at x', which is f replacements
// (f a). Take the sum, the ℓ2 norm and the maximum over rows. KF bounds the first two jointly. ∎
//
// Every operation rounds up to the next float64. The error wraps [ErrPair] or [accountant.ErrNeighbours].
func (p State) Propagate(b StepBounds) (State, error) {
	if err := p.Validate(); err != nil {
		return State{}, err
	}
	if err := b.Validate(); err != nil {
		return State{}, err
	}
	if b.Affected == 0 && p.N > p.F && max(b.A1, b.AF, b.H1, b.HF) > 0 {
		return State{}, fmt.Errorf("pair: step: Affected: got 0 with a fit that displaces rows, want their number, n - f = %d where it is unknown: %w",
			p.N-p.F, ErrPair)
	}
	add, mul := quad.AddUp, quad.MulUp
	f, m := float64(p.F), float64(p.M)

	t1 := add(mul(b.K, p.T1), b.H1)
	hF := b.HF
	if hF == 0 && b.HInf > 0 {
		hF = math.Inf(1)
	}
	tF := add(mul(b.K, p.TF), hF)
	if b.KF > 0 {
		joint := mul(b.KF, p.TF)
		t1 = min(t1, mul(quad.SqrtUp(float64(p.N)), joint))
		tF = min(tF, joint)
	}
	tInf := add(mul(b.K, p.TInf), b.HInf)
	if p.M > 0 {
		t1 = add(t1, mul(m, b.Jump))
		tF = add(tF, mul(quad.SqrtUp(m), b.Jump))
		tInf = add(tInf, b.Jump)
	}

	next := p
	next.R = b.R
	next.T1 = add(t1, mul(f, b.A1))
	next.TF = add(tF, mul(f, b.AF))
	next.TInf = add(tInf, mul(f, b.AInf))
	next.DFree = add(add(mul(b.K, p.D()), b.HInf), add(b.Jump, mul(f, b.AInf)))
	if b.ResetFree {
		next.DFree = math.Inf(1)
	}
	if b.moves() {
		next.M += min(b.Affected, p.N-p.F-p.M)
	}
	next = next.Close()
	return next, next.Validate()
}
