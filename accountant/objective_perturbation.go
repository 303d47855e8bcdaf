package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// ObjectivePerturbation is the release of the exact minimiser θ of
//
//	Σ_i ℓ(y_i, x_iᵀθ) + r(θ) + (Λ/2)‖θ‖² + bᵀθ,  b ~ N(0, σ² I)
//
// for a generalised linear loss ℓ (Chaudhuri, Monteleoni, Sarwate 2011; Kifer, Smith, Thakurta 2012). It is priced
// by its privacy loss, not by Kifer's theorem: 2 to 3 times less noise. For other losses than the logistic one [GLMPerturbation] is
// sharper and asks for less.
//
// The price holds under conditions that it cannot check:
//   - every row has norm at most C, a constant column for an intercept included, and Λ covers that column too;
//   - |y| ≤ 1 for the logistic loss ln(1 + exp(−y xᵀθ)); its gradient is Lipschitz, as that of any ℓ here;
//   - r is public, convex and twice continuously differentiable: no L1 term;
//   - θ is unconstrained, and the exact minimiser. For one within r of it release θ + N(0, σ₀² I) and compose
//     with Gaussian{Sensitivity: 2r, Sigma: σ₀}; a solver that does not converge must not become
//     an abort that depends on the data;
//   - no common row is displaced: on a displaced pair the event is not priced.
type ObjectivePerturbation struct {
	C      float64 // bound on the rows' norms
	Sigma  float64 // standard deviation of b; 0 costs +Inf
	Lambda float64 // Λ, above 0
	Loss   GLMLoss // zero value: Logistic
	// Slope and Curvature bound |ℓ'| and ℓ” with respect to xᵀθ for the losses other than Logistic, whose
	// bounds are 1 and ¼. Logistic wants zeros.
	Slope, Curvature float64
	Neighbours       Neighbours // the relation that the price is for
}

var _ = registerLeaf[ObjectivePerturbation]("objective_perturbation")

// GLMLoss is a class of losses of a generalised linear model.
type GLMLoss uint8

const (
	// Logistic is ln(1 + exp(−y xᵀθ)).
	Logistic GLMLoss = iota
	// MonotoneGLM has a derivative of one sign for each label, as smoothed hinge losses have.
	MonotoneGLM
	// GLM has any convex, twice differentiable loss.
	GLM
)

// String names the class.
func (l GLMLoss) String() string {
	switch l {
	case Logistic:
		return "logistic"
	case MonotoneGLM:
		return "monotone GLM"
	case GLM:
		return "GLM"
	default:
		return fmt.Sprintf("GLMLoss(%d)", uint8(l))
	}
}

// MarshalText writes the class's name.
func (l GLMLoss) MarshalText() ([]byte, error) {
	if l > GLM {
		return nil, fmt.Errorf("accountant: loss: got %v, want Logistic, MonotoneGLM or GLM: %w", l, ErrParameter)
	}
	return []byte(l.String()), nil
}

// UnmarshalText reads what MarshalText writes.
func (l *GLMLoss) UnmarshalText(text []byte) error {
	for _, loss := range []GLMLoss{Logistic, MonotoneGLM, GLM} {
		if string(text) == loss.String() {
			*l = loss
			return nil
		}
	}
	return fmt.Errorf("accountant: loss: got %q, want %q, %q or %q: %w", text, Logistic, MonotoneGLM, GLM, ErrParameter)
}

// Profile bounds the profile by the distribution of the privacy loss, for a row that is added or removed. With
// s = L/σ, L = C sup|ℓ'|, β = C² sup ℓ” and X of the law N(0, s²) the loss is at most
//
//	ln(1 + β/Λ) + s²/2 + |X|                            in general,
//	ln(1 + β/Λ) + s²/2 + max(X, 0)                      where ℓ' has one sign,
//	max over p in [0,1] of ln(1 + p(1−p) C²/Λ) + p² s²/2 + p X   for the logistic loss,
//
// and exactly that of the Gaussian mechanism at ε where the loss is logistic and Λ ≥ C²/(ε + s²/2)
// (docs/theory/mechanisms.md#privacy-loss-of-objective-perturbation).
//
// Under [ReplaceOne] it goes by the dataset without the row: δ(ε₁) + e^ε₁ δ(ε₂) for the best ε₁ + ε₂ = ε. (A
// calibration that doubles the noise is not proved for correlated rows, and one that does not is false.)
// Errors wrap [ErrNeighbours] or [ErrParameter].
func (o ObjectivePerturbation) Profile(rel Neighbours) (Profile, error) {
	l, err := o.loss(rel)
	if err != nil {
		return nil, err
	}
	if rel == AddRemove {
		return l.delta, nil
	}
	return func(epsilon float64) float64 { return twoSteps(l.delta, epsilon) }, nil
}

// RDP is ln E[e^((α−1) Z)]/(α−1) for the bounds Z of the privacy loss of [ObjectivePerturbation.Profile]. Under
// [ReplaceOne] the loss is at most ln(1 + β/Λ) + 2 (L/σ)² + |X| + |X'| (or the positive parts) for two
// such X of unknown correlation; their sum is at most 2|X| in the convex order, so that the formula
// holds with 2L in place of L. The minimum with the weak triangle through the dataset without
// the row is taken. Errors wrap [ErrNeighbours] or [ErrParameter].
func (o ObjectivePerturbation) RDP(rel Neighbours) (Curve, error) {
	l, err := o.loss(rel)
	if err != nil {
		return nil, err
	}
	if rel == AddRemove {
		return l.divergence, nil
	}
	twice := l
	twice.logistic = false
	twice.s = 2 * l.s
	once := l
	once.logistic = false // the quadrature at each order of the triangle would cost more than it gains
	triangle := WeakTriangle(once.divergence, once.divergence)
	return func(alpha float64) float64 { return min(twice.divergence(alpha), triangle(alpha)) }, nil
}

func (o ObjectivePerturbation) profileName() string { return "bound on the privacy loss" }

// String names the mechanism and its parameters.
func (o ObjectivePerturbation) String() string {
	return fmt.Sprintf("ObjectivePerturbation(%v, C %.6g, sigma %.6g, lambda %.6g, %v)", o.Loss, o.C, o.Sigma, o.Lambda, o.Neighbours)
}

// loss checks the parameters and returns the bound on the privacy loss of one row added or removed.
func (o ObjectivePerturbation) loss(rel Neighbours) (objectiveLoss, error) {
	none := objectiveLoss{}
	if err := o.Neighbours.match("ObjectivePerturbation", rel); err != nil {
		return none, err
	}
	bad := func(name string, got any, want string) error {
		return fmt.Errorf("accountant: ObjectivePerturbation: %s: got %v, want %s: %w", name, got, want, ErrParameter)
	}
	slope, curvature := o.Slope, o.Curvature
	switch {
	case o.Loss > GLM:
		return none, bad("loss", o.Loss, "Logistic, MonotoneGLM or GLM")
	case o.Loss == Logistic && (slope != 0 || curvature != 0):
		return none, bad("slope and curvature", fmt.Sprint(slope, curvature), "zeros: those of the logistic loss are known")
	case o.Loss == Logistic:
		slope, curvature = 1, 0.25
	}
	switch {
	case !(o.C > 0) || math.IsInf(o.C, 1):
		return none, bad("C", o.C, "a positive finite bound on the rows' norms; clip them")
	case !(o.Sigma >= 0) || math.IsInf(o.Sigma, 1):
		return none, bad("sigma", o.Sigma, "a finite number, at least 0")
	case !(o.Lambda > 0) || math.IsInf(o.Lambda, 1):
		return none, bad("lambda", o.Lambda, "a positive finite number")
	case !(slope > 0) || math.IsInf(slope, 1):
		return none, bad("slope", slope, "a positive finite bound on |ℓ'|")
	case !(curvature > 0) || math.IsInf(curvature, 1):
		return none, bad("curvature", curvature, "a positive finite bound on ℓ''")
	}
	l := objectiveLoss{logistic: o.Loss == Logistic, oneSign: o.Loss != GLM, s: math.Inf(1)}
	if o.Sigma > 0 {
		l.s = quad.DivUp(quad.MulUp(o.C, slope), o.Sigma)
	}
	square := quad.DivUp(quad.MulUp(o.C, o.C), o.Lambda)
	l.bend = square
	l.det = quad.Inflate(math.Log1p(quad.MulUp(curvature, square)), 0x1p-50)
	return l, nil
}

// twoSteps is the profile of a pair of datasets that have a common neighbour.
func twoSteps(delta Profile, epsilon float64) float64 {
	at := func(first float64) float64 {
		grow := quad.Inflate(math.Exp(first), 0x1p-50)
		return min(1, quad.AddUp(delta(first), quad.MulUp(grow, delta(math.Nextafter(epsilon-first, math.Inf(-1))))))
	}
	half := at(epsilon / 2)
	if !(epsilon > 0) || math.IsInf(epsilon, 1) {
		return half
	}
	_, best := quad.MinimizeTo(at, 0, epsilon, 1e-3)
	return min(half, best)
}
