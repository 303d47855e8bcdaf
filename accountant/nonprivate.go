package accountant

import (
	"fmt"
	"math"
)

// NonPrivate is a release without any guarantee: it costs +Inf under every relation.
type NonPrivate struct {
	Reason string // why it has none, in general terms
}

var _ = registerLeaf[NonPrivate]("non_private")

// RDP is +Inf at every order. The error wraps [ErrNeighbours].
func (n NonPrivate) RDP(rel Neighbours) (Curve, error) {
	if err := rel.Validate(); err != nil {
		return nil, err
	}
	return func(float64) float64 { return math.Inf(1) }, nil
}

// Profile is 1 at every ε.
func (n NonPrivate) Profile(rel Neighbours) (Profile, error) {
	if err := rel.Validate(); err != nil {
		return nil, err
	}
	return func(float64) float64 { return 1 }, nil
}

// String gives the reason.
func (n NonPrivate) String() string {
	return fmt.Sprintf("NonPrivate(%s)", n.Reason)
}
