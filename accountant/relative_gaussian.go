package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// RelativeGaussian is the release of a vector of relative L2 sensitivity, with noise that grows with its norm:
// for q with ‖q(X) − q(X')‖² ≤ η² min(‖q(X)‖², ‖q(X')‖²) + R² it publishes
//
//	q(X) + √(γ ‖q(X)‖² + σ²) N(0, I_d)
//
// (Hendrikx, Mangold, Bellet 2025; docs/theory/mechanisms.md#relative-gaussian-mechanism).
type RelativeGaussian struct {
	Eta   float64 // relative sensitivity, above 0
	Gamma float64 // variance of the noise relative to ‖q‖²; 0 costs +Inf
	Dim   int     // d
	// Matched is c = σ² η²/(γ R²): 1 or more is the mechanism of the paper, good at every order that any is; below 1
	// orders under 1 + (1−c)/η have the bound of that order. The zero value costs +Inf. Where R = 0 any σ will
	// do, and Matched is 1.
	Matched    float64
	Neighbours Neighbours // the relation that Eta and R were computed for
}

var _ = registerLeaf[RelativeGaussian]("relative_gaussian")

// RDP is the exact supremum over all pairs,
//
//	D_α = α η² / (2γ (1 − η(2+η)(α−1))) + d φ_α(η(2+η)),  φ_α(t) = −ln(1 − (α−1)t)/(2(α−1)) − ½ ln(1+t),
//
// for α < 1 + 1/(η(2+η)), +Inf above: with a'² = ‖q‖² + R²/η² in place of the norms the distance is at most η min(a', b')
// and the variance γ a'², and both terms are largest at b' = a'/(1+η). It is 1.2 to 9 times below
// the bound of the paper's Theorem 1, [RelativeGaussian.PaperBound]. Errors wrap [ErrNeighbours] or [ErrParameter].
func (r RelativeGaussian) RDP(rel Neighbours) (Curve, error) {
	if err := r.validate(rel); err != nil {
		return nil, err
	}
	if r.Gamma == 0 || r.Matched == 0 {
		return func(float64) float64 { return math.Inf(1) }, nil
	}
	from := 1.0
	if r.Matched < 1 {
		from = quad.AddUp(1, quad.DivUp(math.Nextafter(1-r.Matched, 1), r.Eta))
	}
	t := r.swing()
	slope := quad.DivUp(quad.MulUp(r.Eta, r.Eta), 2*r.Gamma)
	d := float64(r.Dim)
	return func(alpha float64) float64 {
		if !(alpha > 1) {
			return math.Inf(1)
		}
		alpha = max(alpha, from)
		left := 1 - quad.MulUp(t, alpha-1)
		if !(left > 0) {
			return math.Inf(1)
		}
		mean := quad.DivUp(quad.MulUp(alpha, slope), math.Nextafter(left, 0))
		return quad.AddUp(mean, quad.MulUp(d, eigenvalueCost(t, alpha)))
	}, nil
}

// TCDP returns (ρ, ω) of truncated concentrated DP, D_α ≤ ρ α for 1 < α < ω, weaker than RDP: ρ = η²/γ + 1.55 d η²
// and ω = 1 + 1/(2η(2+η)), for η ≤ 1 and Matched ≥ 1. Other errors wrap [ErrNeighbours] or [ErrParameter].
func (r RelativeGaussian) TCDP(rel Neighbours) (rho, omega float64, err error) {
	if err := r.validate(rel); err != nil {
		return math.NaN(), math.NaN(), err
	}
	if !(r.Eta <= 1) || !(r.Matched >= 1) || r.Gamma == 0 {
		return math.NaN(), math.NaN(), fmt.Errorf("accountant: RelativeGaussian: tCDP: eta %g, matched %g, gamma %g: want eta at most 1, matched at least 1, gamma positive: %w",
			r.Eta, r.Matched, r.Gamma, ErrNoRoute)
	}
	square := quad.MulUp(r.Eta, r.Eta)
	rho = quad.AddUp(quad.DivUp(square, r.Gamma), quad.MulUp(quad.MulUp(1.55, float64(r.Dim)), square))
	return rho, 1 + (1-0x1p-50)/(2*r.swing()), nil
}

// PaperBound is the bound of the paper's Theorem 1, for comparison: valid, and never below RDP.
func (r RelativeGaussian) PaperBound(alpha float64) float64 {
	eta, d := r.Eta, float64(r.Dim)
	left := 1 - eta*(2+eta)*(alpha-1)
	if !(alpha > 1) || !(left > 0) {
		return math.Inf(1)
	}
	c := (2 + eta) * (1 + eta)
	return alpha * eta * eta / (2 * r.Gamma) * (1 + r.Gamma*d*c*c) / left
}

// String names the mechanism and its parameters.
func (r RelativeGaussian) String() string {
	return fmt.Sprintf("RelativeGaussian(eta %.6g, gamma %.6g, dim %d, matched %.6g, %v)", r.Eta, r.Gamma, r.Dim, r.Matched, r.Neighbours)
}

// swing is η(2+η), rounded up.
func (r RelativeGaussian) swing() float64 {
	return quad.MulUp(r.Eta, quad.AddUp(2, r.Eta))
}

func (r RelativeGaussian) validate(rel Neighbours) error {
	if err := r.Neighbours.match("RelativeGaussian", rel); err != nil {
		return err
	}
	bad := func(name string, got any, want string) error {
		return fmt.Errorf("accountant: RelativeGaussian: %s: got %v, want %s: %w", name, got, want, ErrParameter)
	}
	switch {
	case !(r.Eta > 0) || r.Eta > 1e100:
		return bad("eta", r.Eta, "a positive finite number; an absolute sensitivity is a Gaussian")
	case !(r.Gamma >= 0) || math.IsInf(r.Gamma, 1):
		return bad("gamma", r.Gamma, "a finite number, at least 0")
	case r.Dim < 1:
		return bad("dim", r.Dim, "at least 1")
	case !(r.Matched >= 0):
		return bad("matched", r.Matched, "a number, at least 0")
	}
	return nil
}

// CalibrateRelativeGaussian returns r with the least Gamma, rounded up, at which n releases of it, and the events
// beside them, are within the budget under r.Neighbours by their Rényi curve; r.Gamma is ignored, and σ² = c γ R²/η²
// follows it. The logarithmic term does not shrink with γ: where it alone exceeds the budget the error names the smallest
// feasible ε and wraps [ErrEpsilon]. Others wrap [ErrDelta], [ErrNeighbours] or [ErrParameter].
func CalibrateRelativeGaussian(b Budget, r RelativeGaussian, n int, beside ...Event) (RelativeGaussian, error) {
	if err := b.Validate(); err != nil {
		return RelativeGaussian{}, err
	}
	price := func(gamma float64) (float64, error) {
		r.Gamma = gamma
		curve, err := Compose(append([]Event{Repeat(r, n)}, beside...)...).RDP(r.Neighbours)
		if err != nil {
			return math.NaN(), err
		}
		eps, _, err := curve.Epsilon(b.Delta)
		return eps, err
	}
	least, err := price(math.MaxFloat64 / 4)
	if err != nil {
		return RelativeGaussian{}, err
	}
	if !(least < b.Epsilon) {
		return RelativeGaussian{}, fmt.Errorf("accountant: RelativeGaussian: calibrate: epsilon: got %g, want more than %g, the smallest feasible: it is what the change of the noise's scale costs; take fewer steps or a smaller eta: %w",
			b.Epsilon, least, ErrEpsilon)
	}
	const top = 708 // e^top is near the largest number
	f := func(u float64) float64 {
		eps, err := price(math.Exp(min(u, top)))
		if err != nil {
			return math.NaN()
		}
		return eps/b.Epsilon - 1
	}
	// Without the logarithmic term n releases are Gaussian with μ² = n η²/γ.
	mu, err := CalibrateGaussian(b)
	if err != nil {
		return RelativeGaussian{}, err
	}
	u := math.Log(float64(n)) + 2*math.Log(r.Eta/mu)
	br, err := quad.Grow(f, quad.Bracket{Lo: u - 1, Hi: u + 1})
	if err == nil {
		br, err = quad.Brent(f, br)
	}
	if err != nil {
		return RelativeGaussian{}, fmt.Errorf("accountant: RelativeGaussian: calibrate: budget %+v: %w: %w", b, ErrEpsilon, err)
	}
	gamma := certify(math.Exp(min(br.Hi, top)), 1, math.NaN(), func(gamma float64) bool {
		eps, err := price(gamma)
		return err == nil && eps <= b.Epsilon
	})
	if math.IsNaN(gamma) {
		return RelativeGaussian{}, fmt.Errorf("accountant: RelativeGaussian: calibrate: no certified gamma near %g: %w", math.Exp(br.Hi), ErrEpsilon)
	}
	r.Gamma = gamma
	return r, nil
}
