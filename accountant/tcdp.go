package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// TCDP is a release of which (ρ, ω)-truncated concentrated DP is known: D_α ≤ ρα for 1 < α < ω
// (Bun, Dwork, Rothblum, Steinke 2018, Definition 1).
type TCDP struct {
	Rho        float64
	Omega      float64 // above 1; +Inf is zCDP
	Neighbours Neighbours
}

var _ = registerLeaf[TCDP]("tcdp")

// RDP is ρα up to ω, which counts, as Rényi divergences rise continuously towards it, and +Inf above:
// nothing is known there. [Curve.Epsilon] of it is the best conversion. Errors wrap [ErrNeighbours] or
// [ErrParameter].
func (c TCDP) RDP(rel Neighbours) (Curve, error) {
	if err := c.validate(rel); err != nil {
		return nil, err
	}
	curve := zcdpCurve(c.Rho)
	return func(alpha float64) float64 {
		if alpha > c.Omega {
			return math.Inf(1)
		}
		return curve(alpha)
	}, nil
}

// ClosedForm is the ε of the closed conversion, rounded up,
//
//	ε = ρ + 2√(ρ ln 1/δ) where √(ln(1/δ)/ρ) ≤ ω − 1, else ρω + ln(1/δ)/(ω − 1)
//
// (Bun, Dwork, Rothblum, Steinke 2018, from ε = D_α + ln(1/δ)/(α − 1)). [EpsilonOf] is never above it. Errors wrap
// [ErrNeighbours], [ErrParameter] or [ErrDelta].
func (c TCDP) ClosedForm(rel Neighbours, delta float64) (float64, error) {
	if err := c.validate(rel); err != nil {
		return math.NaN(), err
	}
	if err := checkDelta(delta); err != nil {
		return math.NaN(), err
	}
	if c.Rho == 0 && math.IsInf(c.Omega, 1) {
		return 0, nil
	}
	logDelta := -quad.Log(delta)
	eps := c.Rho + 2*math.Sqrt(c.Rho*logDelta)
	if !(math.Sqrt(logDelta/c.Rho) <= c.Omega-1) {
		eps = c.Rho*c.Omega + logDelta/(c.Omega-1)
	}
	return quad.Inflate(max(0, eps), leafMargin), nil
}

// String names the guarantee.
func (c TCDP) String() string {
	return fmt.Sprintf("TCDP(rho %.6g, omega %.6g, %v)", c.Rho, c.Omega, c.Neighbours)
}

func (c TCDP) validate(rel Neighbours) error {
	if err := c.Neighbours.match("TCDP", rel); err != nil {
		return err
	}
	if err := checkRho("TCDP", c.Rho); err != nil {
		return err
	}
	if !(c.Omega > 1) {
		return fmt.Errorf("accountant: TCDP: omega: got %g, want an order above 1: %w", c.Omega, ErrParameter)
	}
	return nil
}
