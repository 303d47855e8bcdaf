package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// LeastSquaresGradient bounds by how much the gradient of a least-squares loss on clipped rows moves with one row,
// relative to its norm: for every θ, unbounded, with
//
//	g(θ) = Aθ − b,  A = (1/n) Σ x_i x_iᵀ + μ I,  b = (1/n) Σ y_i x_i,
//
// the gradients g and g' of neighbours have ‖g − g'‖² ≤ η² min(‖g‖², ‖g'‖²) + R², as [RelativeGaussian] wants
// (docs/theory/mechanisms.md#relative-sensitivity-of-least-squares).
//
// It corrects Proposition 1 of Hendrikx, Mangold, Bellet 2025, which takes A ⪰ ρC for A⁻² ⪯ ρ⁻²C⁻²: squaring does not
// keep that order, and the true η² can be 185 times the printed one. What does follow is
// xᵀA⁻²x ≤ xᵀA⁻¹x/λ_min(A) ≤ xᵀC⁻¹x/(ρ² λ_min(C)), hence
//
//	‖xxᵀA⁻¹‖ ≤ K = ‖x‖ √(xᵀC⁻¹x/λ_min(C))/ρ.
//
// With D the bound on ‖(A − A')A⁻¹‖ n, min(2K, R_x²/(ρ λ_min(C))) under [ReplaceOne] and K under [AddRemove] (the
// row zeroed out, at a public n), and B = D ‖b‖ + n‖b − b'‖, from θ = A⁻¹(g + b) it follows for every c > 0 that
// η² = (1 + c) D²/n² and R² = (1 + 1/c) B²/n².
//
// B has a second form, which the paper does not: n‖(A − A')θ*‖ + n‖b − b'‖ at the minimiser θ* = A⁻¹b. Where |y| ≤ Y,
// θ*ᵀAθ* = bᵀA⁻¹b ≤ (1/n) Σ y² ≤ Y², since (1/n) XᵀA⁻¹X ⪯ I for the matrix X of rows as columns; hence ‖θ*‖ ≤ Y/√λ_min(A) and
// n‖(A − A')θ*‖ ≤ R_x² Y/√(ρ λ_min(C)): the smaller one where A is far from well conditioned. The smaller of the two counts.
type LeastSquaresGradient struct {
	Rows     int     // n, public
	Strength float64 // ρ: A ⪰ ρC for the dataset and its neighbours, by a floor, a test or a noisy bound

	MinEigen, MaxEigen float64 // of the public positive definite C; both 1 for C = I

	Leverage float64 // R_c²: rows are clipped to xᵀC⁻¹x ≤ R_c²
	Norm     float64 // R_x: rows are clipped to ‖x‖ ≤ R_x; 0: what the leverage implies, R_c √λ_max(C)
	Joint    float64 // rows are clipped to ‖x‖ √(xᵀC⁻¹x/λ_min(C)) ≤ Joint; 0: what the others imply

	Moment float64 // R_xy: ‖y x‖ ≤ R_xy, by clipping
	Mean   float64 // bound on ‖b‖; 0: R_xy
	Label  float64 // Y: |y| ≤ Y; 0: not known
	Split  float64 // c; 0: ½
}

// Sensitivity returns η and R, rounded up. Errors wrap [ErrNeighbours] or [ErrParameter].
func (l LeastSquaresGradient) Sensitivity(rel Neighbours) (eta, absolute float64, err error) {
	if err := rel.Validate(); err != nil {
		return math.NaN(), math.NaN(), err
	}
	if err := l.validate(); err != nil {
		return math.NaN(), math.NaN(), err
	}
	mul, div := quad.MulUp, quad.DivUp
	norm := mul(quad.SqrtUp(l.MaxEigen), quad.SqrtUp(l.Leverage))
	if l.Norm > 0 {
		norm = min(norm, l.Norm)
	}
	joint := mul(norm, quad.SqrtUp(div(l.Leverage, l.MinEigen)))
	if l.Joint > 0 {
		joint = min(joint, l.Joint)
	}
	d := div(joint, l.Strength)
	moment := l.Moment
	if rel == ReplaceOne {
		// A difference of two positive semidefinite matrices is no larger than the larger of them.
		d = min(2*d, div(div(mul(norm, norm), l.MinEigen), l.Strength))
		moment = 2 * l.Moment
	} else {
		d = min(d, div(div(mul(norm, norm), l.MinEigen), l.Strength))
	}
	mean, c, n := l.Moment, l.Split, float64(l.Rows)
	if l.Mean > 0 {
		mean = min(mean, l.Mean)
	}
	if c == 0 {
		c = 0.5
	}
	eta = div(mul(quad.SqrtUp(quad.AddUp(1, c)), d), n)
	at := mul(d, mean) // n‖(A − A')θ*‖
	if l.Label > 0 {
		at = min(at, div(mul(mul(norm, norm), l.Label), math.Nextafter(math.Sqrt(l.Strength), 0)*math.Nextafter(math.Sqrt(l.MinEigen), 0)*(1-0x1p-52)))
	}
	absolute = div(mul(quad.SqrtUp(quad.AddUp(1, div(1, c))), quad.AddUp(at, moment)), n)
	return eta, absolute, nil
}

// StrengthSensitivity is R_c²/n, rounded up: by how much λ_min(C^(-½) A C^(-½)), the largest ρ with A ⪰ ρC, moves with a
// row, replaced or zeroed out at a public n (docs/theory/mechanisms.md#strength-of-the-regressors). A test that it is at least ρ, at [TestThresholdLaplace] or
// [TestThresholdGaussian] with this sensitivity, is what Proposition 2 of the paper should be: its own
// statistic, the number of rows that may be changed before A ⪰ ρC fails, can fall from 1001 to 2 between neighbours.
// Errors wrap [ErrParameter].
func (l LeastSquaresGradient) StrengthSensitivity() (float64, error) {
	if l.Strength == 0 {
		l.Strength = 1 // what is to be found
	}
	if err := l.validate(); err != nil {
		return math.NaN(), err
	}
	return quad.DivUp(l.Leverage, float64(l.Rows)), nil
}

// mostSquared is above the square of pair.MaxRadius, with room for a ridge and a scaled label.
const mostSquared = 1e140

func (l LeastSquaresGradient) validate() error {
	bad := func(name string, got any, want string) error {
		return fmt.Errorf("accountant: LeastSquaresGradient: %s: got %v, want %s: %w", name, got, want, ErrParameter)
	}
	if l.Rows < 1 {
		return bad("rows", l.Rows, "at least 1")
	}
	for _, f := range []struct {
		name  string
		value float64
		zero  bool
	}{
		{"strength", l.Strength, false},
		{"minEigen", l.MinEigen, false},
		{"maxEigen", l.MaxEigen, false},
		{"leverage", l.Leverage, false},
		{"moment", l.Moment, false},
		{"norm", l.Norm, true},
		{"joint", l.Joint, true},
		{"mean", l.Mean, true},
		{"label", l.Label, true},
		{"split", l.Split, true},
	} {
		if !(f.value > 0 || (f.zero && f.value == 0)) || !(f.value <= mostSquared) {
			return bad(f.name, f.value, fmt.Sprintf("a positive number, at most %g", mostSquared))
		}
	}
	if l.MinEigen > l.MaxEigen {
		return bad("eigenvalues", fmt.Sprintf("%g above %g", l.MinEigen, l.MaxEigen), "the least not above the largest")
	}
	return nil
}
