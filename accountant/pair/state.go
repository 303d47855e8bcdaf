package pair

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// State is the pair state of the stability calculus (docs/theory/calculus.md#the-pair-state): the set of all pairs of datasets (X, X')
// of N rows in the ball of radius R such that at most F rows are free (any two domain values)
// and, over the other rows with displacements d_i = ‖x_i − x'_i‖,
//
//	#{d_i > 0} ≤ M,  Σ d_i ≤ T1,  (Σ d_i²)^½ ≤ TF,  max d_i ≤ TInf.
//
// Under [accountant.AddRemove] the free row is zeroed out on one side, and N stays. Inside fits it still counts with the
// displacement D = 2R; only a mechanism's free part changes.
// The zero value is not a state: begin with [Start].
type State struct {
	Neighbours accountant.Neighbours
	N          int     // rows (public, and the same on both sides)
	R          float64 // bound on every row's Euclidean norm (public)
	F          int     // free rows
	M          int     // bound on the number of displaced rows
	T1         float64 // bound on the total displacement τ (L12)
	TF         float64 // bound on the Frobenius displacement
	TInf       float64 // bound on the largest row displacement
	DFree      float64 // bound on the displacement of a free row; +Inf where only 2R is known
}

// The legal bounds R on a row's norm: those of every schema with bounds, which are at least 1e-60 apart and at most 1e60 in
// size, of up to 2²⁶ columns. Fourth powers of R, quotients of its squares and sums of 2⁴⁰ of them are normal numbers of
// float64, so that no constant of a step and no sensitivity underflows or overflows.
const (
	MinRadius = 1e-61
	MaxRadius = 1e64
)

// Start is the state of neighbouring datasets before any step: n rows of norm at most R, one of
// them free, none displaced. R outside [MinRadius, MaxRadius] is refused, there and behind every step. The error wraps
// [ErrPair] or [accountant.ErrNeighbours].
func Start(n int, R float64, rel accountant.Neighbours) (State, error) {
	p := State{Neighbours: rel, N: n, R: R, F: 1, DFree: math.Inf(1)}
	return p, p.Validate()
}

// D bounds the displacement of a free row: min(2R, DFree).
func (p State) D() float64 {
	return min(2*p.R, p.DFree)
}

// FreeImages counts the values of free rows on both sides together, each of which contributes at
// most C to a clipped sum: 2F, and under [accountant.AddRemove] 2F − 1, since one row is there on one side only.
// The rows that [State.Group] freed are on both.
func (p State) FreeImages() int {
	if p.Neighbours == accountant.AddRemove {
		return max(0, 2*p.F-1)
	}
	return 2 * p.F
}

// Displaced reports whether a common row can differ between the two sides. Steps that are not
// continuous in their input (keys, ranks, bins, dedup) need a pair that is not.
func (p State) Displaced() bool {
	return p.M > 0 && p.T1 > 0
}

// Group is the state in which up to extra further rows are free: the price of a discontinuous step
// on displaced rows, or of deduplication that keeps one row of each group.
// The bounds on common rows stay, as they bound fewer rows. What a free row can do is forgotten.
func (p State) Group(extra int) (State, error) {
	if err := p.Validate(); err != nil {
		return State{}, err
	}
	if extra < 0 {
		return State{}, fmt.Errorf("pair: extra free rows: got %d, want at least 0: %w", extra, ErrPair)
	}
	p.F += min(extra, p.N-p.F)
	p.DFree = math.Inf(1)
	return p.Close(), nil
}

// Validate reports the first field that no pair of datasets can have. The error wraps [ErrPair]
// or [accountant.ErrNeighbours].
func (p State) Validate() error {
	if err := p.Neighbours.Validate(); err != nil {
		return err
	}
	if p.N < 1 {
		return fmt.Errorf("pair: rows: got %d, want at least 1: %w", p.N, ErrPair)
	}
	if !(p.R >= MinRadius) || !(p.R <= MaxRadius) {
		return fmt.Errorf("pair: radius: got %g, want a bound on the rows' norm in [%g, %g]; clip the rows, or give the columns in another unit: %w",
			p.R, MinRadius, MaxRadius, ErrPair)
	}
	if p.F < 0 || p.F > p.N {
		return fmt.Errorf("pair: free rows: got %d, want 0 to %d: %w", p.F, p.N, ErrPair)
	}
	if p.M < 0 || p.M > p.N-p.F {
		return fmt.Errorf("pair: displaced rows: got %d, want 0 to %d: %w", p.M, p.N-p.F, ErrPair)
	}
	for _, c := range []struct {
		name  string
		value float64
	}{
		{"total displacement", p.T1},
		{"Frobenius displacement", p.TF},
		{"largest displacement", p.TInf},
	} {
		if !(c.value >= 0) || math.IsInf(c.value, 1) {
			return fmt.Errorf("pair: %s: got %g, want a finite number, at least 0: %w", c.name, c.value, ErrPair)
		}
	}
	if !(p.DFree >= 0) {
		return fmt.Errorf("pair: displacement of a free row: got %g, want at least 0 (+Inf where unknown): %w", p.DFree, ErrPair)
	}
	return nil
}

// String prints the state on one line, its bounds rounded up.
func (p State) String() string {
	return fmt.Sprintf("%v pair of %d rows, norm ≤ %s: %d free (moved ≤ %s), %d displaced (total ≤ %s, Frobenius ≤ %s, each ≤ %s)",
		p.Neighbours, p.N, accountant.FormatUp(p.R), p.F, accountant.FormatUp(p.D()), p.M, accountant.FormatUp(p.T1), accountant.FormatUp(p.TF), accountant.FormatUp(p.TInf))
}

// Close returns the tightest state with the same pairs, by the elementary norm inequalities
//
//	t∞ ≤ min(t1, tF, 2R),  tF ≤ min(t1, √(t1 t∞), √m t∞),  t1 ≤ min(√m tF, m t∞),  m ≤ n − f.
//
// It is idempotent and monotone, as each bound is rounded up to the next float64 at most.
func (p State) Close() State {
	p.M = max(0, min(p.M, p.N-p.F))
	m := float64(p.M)
	rootM := quad.SqrtUp(m)
	// In real arithmetic one round reaches the fixed point; rounding can leave a unit in the last
	// place to later ones. Every state on the way is sound.
	for range 64 {
		before := p
		p.TInf = min(p.TInf, p.T1, p.TF, 2*p.R)
		p.TF = min(p.TF, p.T1, quad.SqrtUp(quad.MulUp(p.T1, p.TInf)), quad.MulUp(rootM, p.TInf))
		p.T1 = min(p.T1, quad.MulUp(rootM, p.TF), quad.MulUp(m, p.TInf))
		if p == before {
			break
		}
	}
	if p.T1 == 0 {
		p.M, p.TF, p.TInf = 0, 0, 0
	}
	return p
}
