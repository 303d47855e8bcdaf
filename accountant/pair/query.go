package pair

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// Query describes a sum q(X) = Σ_i φ(x_i) over rows to a mechanism that adds noise to it:
// ‖φ(x)‖ ≤ C and ‖φ(x) − φ(x')‖ ≤ Lipschitz·‖x − x'‖ on the domain, in the norm of the mechanism.
type Query struct {
	C         float64 // bound on one row's contribution: a clipping norm
	Lipschitz float64 // μ: contribution per unit of displacement of its row; +Inf where none is known
	Frobenius float64 // L_F: Lipschitz constant of the whole sum in the Frobenius norm; 0 where none is known
}

// Sensitivity bounds the distance of the sums of a pair in the state p, and what of it the free
// rows cause alone:
//
//	free = 2Cf (replace-one) or C(2f − 1) (add/remove),  total = free + min(μ t1, L_F tF, 2Cm).
//
// The noise that pays for the total is total/free times that of the free rows
// (docs/theory/calculus.md#sums).
func (q Query) Sensitivity(p State) (total, free float64, err error) {
	if err := p.Validate(); err != nil {
		return 0, 0, err
	}
	if !(q.C > 0) || math.IsInf(q.C, 1) {
		return 0, 0, fmt.Errorf("pair: query: C: got %g, want a positive finite bound on a row's contribution; clip it: %w", q.C, accountant.ErrParameter)
	}
	if !(q.Lipschitz >= 0) || !(q.Frobenius >= 0) {
		return 0, 0, fmt.Errorf("pair: query: Lipschitz constants: got %g and %g, want at least 0: %w", q.Lipschitz, q.Frobenius, accountant.ErrParameter)
	}
	free = quad.MulUp(q.C, float64(p.FreeImages()))
	if !p.Displaced() {
		return free, free, finite(free)
	}
	shift := quad.MulUp(2*q.C, float64(p.M))
	if !math.IsInf(q.Lipschitz, 1) {
		shift = min(shift, quad.MulUp(q.Lipschitz, p.T1))
	}
	if q.Frobenius > 0 {
		shift = min(shift, quad.MulUp(q.Frobenius, p.TF))
	}
	total = quad.AddUp(free, shift)
	return total, free, finite(total)
}

// finite reports a sensitivity that is no number any more.
func finite(s float64) error {
	if math.IsInf(s, 1) {
		return fmt.Errorf("pair: query: its sensitivity is beyond float64; clip contributions to a smaller C: %w", accountant.ErrParameter)
	}
	return nil
}

// GramSensitivity bounds the Frobenius distance of the Gram matrices ZᵀZ of a pair in the state p, Z of rows z of norm
// at most p.R, labels included:
//
//	√2 R² f + min(2R t1, 2√n R tF, √2 R² m),
//
// rounded up: ‖zzᵀ − z'z'ᵀ‖ is at most √2 R² (at orthogonal rows), and at most (‖z‖ + ‖z'‖)‖z − z'‖; and
// ‖ZᵀZ − Z'ᵀZ'‖ ≤ (‖Z‖ + ‖Z'‖)‖Z − Z'‖_F, where only the public 2√n R may stand for the norms (docs/theory/calculus.md#gram-matrices). Under [accountant.AddRemove] one of
// the free rows is zeroed out and counts R². Errors wrap [ErrPair] or [accountant.ErrNeighbours].
func GramSensitivity(p State) (float64, error) {
	if err := p.Validate(); err != nil {
		return math.NaN(), err
	}
	square := quad.MulUp(p.R, p.R)
	row := quad.MulUp(quad.SqrtUp(2), square)
	total := quad.MulUp(row, float64(p.F))
	if p.Neighbours == accountant.AddRemove && p.F > 0 {
		total = quad.AddUp(quad.MulUp(row, float64(p.F-1)), square)
	}
	if !p.Displaced() {
		return total, nil
	}
	shift := quad.MulUp(row, float64(p.M))
	shift = min(shift, quad.MulUp(2*p.R, p.T1))
	shift = min(shift, quad.MulUp(quad.MulUp(2*p.R, quad.SqrtUp(float64(p.N))), p.TF))
	return quad.AddUp(total, shift), nil
}
