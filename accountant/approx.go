package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// An ApproxRDPer is an Event whose curve holds outside a failure of probability δ₀: on events of
// probability 1 − δ₀ each, the conditional laws of the two neighbouring datasets have Rényi divergences within
// the curve (after Bun, Steinke 2016, Definition 8.1). Curves and δ₀ add in composition, and the curve's
// (ε, δ) gives (ε, δ₀ + (1−δ₀) δ). Tests that may pass wrongly, as in propose-test-release, are of this kind.
type ApproxRDPer interface {
	ApproxRDP(rel Neighbours) (c Curve, delta0 float64, err error)
}

// ApproxDP is a release of which only (ε, δ)-DP is known. It has no Rényi curve: one output may
// identify the data with probability δ. With ε = 0 it is a mere failure of probability δ beside the events that it is
// composed with, as of a test that may pass wrongly.
type ApproxDP struct {
	Epsilon, Delta float64
	Neighbours     Neighbours
}

var _ = registerLeaf[ApproxDP]("approx_dp")

// RDP returns an error that wraps [ErrNoRoute], unless δ = 0, where the release is a [PureDP].
func (a ApproxDP) RDP(rel Neighbours) (Curve, error) {
	c, delta0, err := a.ApproxRDP(rel)
	if err != nil {
		return nil, err
	}
	if delta0 > 0 {
		return nil, fmt.Errorf("accountant: %v: no Rényi curve, as it fails with probability δ; use its profile or ApproxRDP: %w", a, ErrNoRoute)
	}
	return c, nil
}

// ApproxRDP is the curve of binary randomized response with ε, outside a failure of probability δ: every
// (ε, δ)-DP release is a function of one that with probability δ tells all, and else responds so
// (Kairouz, Oh, Viswanath 2015). Errors wrap [ErrNeighbours], [ErrParameter] or [ErrDelta].
func (a ApproxDP) ApproxRDP(rel Neighbours) (c Curve, delta0 float64, err error) {
	if err := a.validate(rel); err != nil {
		return nil, math.NaN(), err
	}
	return responseCurve(2, a.Epsilon), a.Delta, nil
}

// Profile is the largest of all (ε, δ)-DP releases: δ + (1−δ)(e^ε − e^e)/(e^ε + 1) for 0 ≤ e ≤ ε,
// and δ from there on.
func (a ApproxDP) Profile(rel Neighbours) (Profile, error) {
	if err := a.validate(rel); err != nil {
		return nil, err
	}
	inner := responseProfile(2, a.Epsilon)
	return func(e float64) float64 {
		d := inner(e)
		return min(1, quad.AddUp(d, quad.MulUp(a.Delta, 1-d+0x1p-53)))
	}, nil
}

// String names the guarantee.
func (a ApproxDP) String() string {
	return fmt.Sprintf("ApproxDP(epsilon %.6g, delta %.6g, %v)", a.Epsilon, a.Delta, a.Neighbours)
}

func (a ApproxDP) validate(rel Neighbours) error {
	if err := a.Neighbours.match("ApproxDP", rel); err != nil {
		return err
	}
	if err := checkPure("ApproxDP", a.Epsilon); err != nil {
		return err
	}
	return checkDelta(a.Delta)
}

// splitFailures takes the events of mere failure out of a list and adds them up.
func splitFailures(parts []Event, rel Neighbours) (rest []Event, delta0 float64, err error) {
	for _, e := range openStated(parts) {
		a, ok := e.(ApproxDP)
		if !ok || a.Epsilon != 0 {
			rest = append(rest, e)
			continue
		}
		if err := a.validate(rel); err != nil {
			return nil, math.NaN(), err
		}
		delta0 = quad.AddUp(delta0, a.Delta)
	}
	return rest, min(1, delta0), nil
}

// SplitFailures takes the mere failures ([ApproxDP] with ε = 0) out of a composition and adds up their
// probabilities: δ₀ outside which rest is what remains. An event without any is returned as it is.
// Errors wrap [ErrNeighbours] or [ErrDelta].
func SplitFailures(e Event, rel Neighbours) (rest Event, delta0 float64, err error) {
	c, ok := unstated(e).(composition)
	if !ok {
		return e, 0, nil
	}
	parts, delta0, err := splitFailures(c.parts, rel)
	if err != nil || delta0 == 0 {
		return e, 0, err
	}
	if len(parts) == 1 {
		return parts[0], delta0, nil
	}
	return composition{parts}, delta0, nil
}

// exactRDP reads an event's curve, which has no failure.
func exactRDP(e Event, rel Neighbours) (Curve, float64, error) {
	c, err := e.RDP(rel)
	return c, 0, err
}

// approxRDP reads an event's curve and failure; an event that is not an [ApproxRDPer] does not fail.
func approxRDP(e Event, rel Neighbours) (Curve, float64, error) {
	if a, ok := e.(ApproxRDPer); ok {
		return a.ApproxRDP(rel)
	}
	return exactRDP(e, rel)
}

// deltaBeside is the δ that a curve may use beside failures of probability δ₀: (δ − δ₀)/(1 − δ₀),
// rounded down; it is negative where there is none.
func deltaBeside(delta, delta0 float64) float64 {
	if delta0 == 0 || delta == delta0 {
		return delta - delta0
	}
	left := delta - delta0
	if left <= 0 || delta0 >= 1 {
		return -1
	}
	return min(1, left/(1-delta0)) * (1 - 0x1p-50)
}
