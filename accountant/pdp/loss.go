package pdp

import "math"

// Loss is the loss ℓ(xᵀθ; y) of a generalised linear model, convex and twice continuously differentiable in xᵀθ.
type Loss interface {
	// Derivatives returns ℓ' and ℓ'' ≥ 0 with respect to u = xᵀθ.
	Derivatives(u, y float64) (first, second float64)
}

// Logistic is ln(1 + exp(−y u)) for labels −1 and +1.
type Logistic struct{}

// Derivatives returns −y σ(−yu) and σ(u) σ(−u) for y = ±1.
func (Logistic) Derivatives(u, y float64) (first, second float64) {
	e := math.Exp(-math.Abs(u))
	small, large := e/(1+e), 1/(1+e) // σ(−|u|), σ(|u|)
	if y*u > 0 {
		return -y * small, y * y * small * large
	}
	return -y * large, y * y * small * large
}

// Squared is (u − y)²/2.
type Squared struct{}

// Derivatives returns u − y and 1.
func (Squared) Derivatives(u, y float64) (first, second float64) { return u - y, 1 }
