package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// Repeat is the event of n releases of e, adaptively as in [Compose]: the same as Compose(e, …, e), up
// to rounding. It is the only place that holds a count. An n below 1 is an error when the event is
// priced; Compose() is the event of no release.
func Repeat(e Event, n int) Event {
	return repetition{of: e, n: n}
}

type repetition struct {
	of Event
	n  int
}

func (r repetition) RDP(rel Neighbours) (Curve, error) {
	curve, _, err := r.curve(rel, exactRDP)
	return curve, err
}

func (r repetition) ApproxRDP(rel Neighbours) (curve Curve, delta0 float64, err error) {
	return r.curve(rel, approxRDP)
}

func (r repetition) curve(rel Neighbours, of func(Event, Neighbours) (Curve, float64, error)) (curve Curve, delta0 float64, err error) {
	if err := r.validate(); err != nil {
		return nil, math.NaN(), err
	}
	one, failure, err := of(r.of, rel)
	if err != nil {
		return nil, math.NaN(), err
	}
	n := float64(r.n)
	return func(alpha float64) float64 { return quad.MulUp(n, one(alpha)) }, min(1, quad.MulUp(n, failure)), nil
}

func (r repetition) GDP(rel Neighbours) (mu, tv float64, err error) {
	if err := r.validate(); err != nil {
		return 0, 0, err
	}
	if mu, tv, err = gdpOf(r.of, rel); err != nil {
		return 0, 0, err
	}
	n := float64(r.n)
	return quad.MulUp(quad.SqrtUp(n), mu), min(1, quad.MulUp(n, tv)), nil
}

func (r repetition) Profile(rel Neighbours) (Profile, error) {
	if err := r.validate(); err != nil {
		return nil, err
	}
	if r.n == 1 {
		return profileOf(r.of, rel)
	}
	return composedProfile(r, rel)
}

func (r repetition) String() string {
	return fmt.Sprintf("Repeat(%v, %d)", r.of, r.n)
}

func (r repetition) validate() error {
	if r.of == nil {
		return fmt.Errorf("accountant: Repeat: event: got nil, want an event: %w", ErrParameter)
	}
	if r.n < 1 {
		return fmt.Errorf("accountant: Repeat: count: got %d, want at least 1: %w", r.n, ErrParameter)
	}
	return nil
}
