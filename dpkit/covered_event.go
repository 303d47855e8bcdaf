package dpkit

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pld"
)

// coveredEvent is an event without a μ of its own as a ledger reads it: by the Gaussian that covers it outside a failure of
// probability delta0, which stands beside it.
type coveredEvent struct {
	of     accountant.Event
	delta0 float64
	tv     float64 // distance of the sampler from the law
	delta  deltaAt // nil: that of the event
}

// coveredEvents is such an event with its failure, which a ledger pays from its reserve ([Options]).
func coveredEvents(of accountant.Event, rel accountant.Neighbours, delta0, tv float64, delta deltaAt) accountant.Event {
	return accountant.Compose(coveredEvent{of: of, delta0: delta0, tv: tv, delta: delta}, accountant.ApproxDP{Delta: delta0, Neighbours: rel})
}

func (c coveredEvent) RDP(rel accountant.Neighbours) (accountant.Curve, error) {
	return c.of.RDP(rel)
}

// GDP computes the cover when a ledger asks: it is not free.
func (c coveredEvent) GDP(rel accountant.Neighbours) (mu, tv float64, err error) {
	e := c.of
	if c.delta != nil {
		profile, err := chords(c.delta, c.delta0)
		if err != nil {
			return math.NaN(), math.NaN(), err
		}
		e = profiled{c.of, profile}
	}
	mu, err = accountant.GaussianCover(e, rel, c.delta0)
	return mu, c.tv, err
}

func (c coveredEvent) String() string { return c.of.String() }

// deltaAt is an upper bound on a privacy profile, at a price: hundredths of a second a point.
type deltaAt func(epsilon float64) (float64, error)

// byLosses is that of the privacy-loss distribution.
func byLosses(e accountant.Event, rel accountant.Neighbours) deltaAt {
	return func(epsilon float64) (float64, error) {
		d, err := accountant.PLD(e, rel)
		if err != nil {
			return math.NaN(), err
		}
		delta, _, err := d.With(pld.Options{RelTol: 0x1p-10, UpperOnly: true}).Delta(epsilon)
		return delta, err
	}
}

// byRDP is that of the Rényi curve.
func byRDP(e accountant.Event, rel accountant.Neighbours) deltaAt {
	return func(epsilon float64) (float64, error) {
		g, err := accountant.DeltaOf(e, rel, epsilon)
		return g.Delta, err
	}
}

// chords is a profile that was asked at few points down to δ₀: as a profile is convex in e^ε, the chord between two bounds is a
// bound. A cover asks at hundreds.
func chords(delta deltaAt, delta0 float64) (accountant.Profile, error) {
	const points, largest = 32, 500
	last := 0x1p-10
	for {
		d, err := delta(last)
		if err != nil {
			return nil, err
		}
		if d <= delta0 {
			break
		}
		if last *= 1.5; last > largest {
			return nil, fmt.Errorf("cover: δ is above the failure %g up to ε = %d: %w", delta0, largest, accountant.ErrNoRoute)
		}
	}
	at := func(i int) float64 { return last * float64(i) / points }
	var deltas [points + 1]float64
	for i := range deltas {
		d, err := delta(at(i))
		if err != nil {
			return nil, err
		}
		deltas[i] = d
	}
	return func(epsilon float64) float64 {
		i := int(clamp(epsilon/last*points, 0, points))
		if i == points || !(epsilon > at(i)) { // a rounding may lead to the next cell
			return deltas[i]
		}
		share := math.Expm1(epsilon-at(i)) / math.Expm1(at(i+1)-at(i)) * (1 - 0x1p-40)
		return up(deltas[i] + (deltas[i+1]-deltas[i])*clamp(share, 0, 1))
	}, nil
}

// profiled is an event that is priced by that profile alone.
type profiled struct {
	accountant.Event
	profile accountant.Profile
}

func (p profiled) RDP(accountant.Neighbours) (accountant.Curve, error) {
	return nil, fmt.Errorf("cover: %v: by its profile alone: %w", p.Event, accountant.ErrNoRoute)
}

func (p profiled) Profile(accountant.Neighbours) (accountant.Profile, error) { return p.profile, nil }
