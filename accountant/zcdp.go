package accountant

import (
	"fmt"
	"math"
)

// ZCDP is a release of which ρ-zero-concentrated DP is known: D_α ≤ ρα at every order
// (Bun, Steinke 2016, Definition 1.1).
type ZCDP struct {
	Rho        float64
	Neighbours Neighbours
}

var _ = registerLeaf[ZCDP]("zcdp")

// RDP is ρα. Errors wrap [ErrNeighbours] or [ErrParameter].
func (z ZCDP) RDP(rel Neighbours) (Curve, error) {
	if err := z.validate(rel); err != nil {
		return nil, err
	}
	return zcdpCurve(z.Rho), nil
}

// ZCDP is ρ; see [ZCDPer].
func (z ZCDP) ZCDP(rel Neighbours) (float64, error) {
	if err := z.validate(rel); err != nil {
		return math.NaN(), err
	}
	return z.Rho, nil
}

// String names the guarantee.
func (z ZCDP) String() string {
	return fmt.Sprintf("ZCDP(rho %.6g, %v)", z.Rho, z.Neighbours)
}

func (z ZCDP) validate(rel Neighbours) error {
	if err := z.Neighbours.match("ZCDP", rel); err != nil {
		return err
	}
	return checkRho("ZCDP", z.Rho)
}

func checkRho(event string, rho float64) error {
	if !(rho >= 0) || math.IsInf(rho, 1) {
		return fmt.Errorf("accountant: %s: rho: got %g, want a finite number, at least 0: %w", event, rho, ErrParameter)
	}
	return nil
}
