package accountant

import (
	"fmt"
	"math"
)

// PureDP is a release of which only (ε, 0)-DP is known. Its numbers are those of the binary
// randomized response with ε, of which every such release is a function
// (Kairouz, Oh, Viswanath 2015).
type PureDP struct {
	Epsilon    float64
	Neighbours Neighbours
}

var _ = registerLeaf[PureDP]("pure_dp")

// RDP is the largest of all (ε, 0)-DP releases. Errors wrap [ErrNeighbours] or [ErrParameter].
func (p PureDP) RDP(rel Neighbours) (Curve, error) {
	if err := p.validate(rel); err != nil {
		return nil, err
	}
	return responseCurve(2, p.Epsilon), nil
}

// Profile is the largest of all (ε, 0)-DP releases: δ(e) = (e^ε − e^e)/(e^ε + 1) for 0 ≤ e ≤ ε.
func (p PureDP) Profile(rel Neighbours) (Profile, error) {
	if err := p.validate(rel); err != nil {
		return nil, err
	}
	return responseProfile(2, p.Epsilon), nil
}

// ZCDP is ε tanh(ε/2) to about five digits, and at most ε²/2 (Bun, Steinke 2016); see [ZCDPer].
func (p PureDP) ZCDP(rel Neighbours) (float64, error) {
	if err := p.validate(rel); err != nil {
		return math.NaN(), err
	}
	return zcdpSup(responseCurve(2, p.Epsilon), halfSquare(p.Epsilon)), nil
}

// String names the guarantee.
func (p PureDP) String() string {
	return fmt.Sprintf("PureDP(epsilon %.6g, %v)", p.Epsilon, p.Neighbours)
}

func (p PureDP) validate(rel Neighbours) error {
	if err := p.Neighbours.match("PureDP", rel); err != nil {
		return err
	}
	return checkPure("PureDP", p.Epsilon)
}
