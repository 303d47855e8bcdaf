package accountant

import (
	"fmt"
	"math"
)

// EpsilonOf returns the least ε for which some route gives (ε, δ)-DP under rel, and names the route:
// the exact profile where the event has one, and the Rényi curve at its best order. The ε is +Inf where
// no route has a bound. The scope is Unconditional: it is that of the event, believing its
// sensitivities. A caller whose sensitivities rest on declarations or tests adds them by
// [Guarantee.Within]. Errors wrap [ErrDelta], [ErrNeighbours] or [ErrParameter].
func EpsilonOf(e Event, rel Neighbours, delta float64) (Guarantee, error) {
	if err := checkDelta(delta); err != nil {
		return Guarantee{}, err
	}
	rs, err := routes(e, rel)
	if err != nil {
		return Guarantee{}, err
	}
	best := guarantee(rel)
	best.Budget = Budget{Epsilon: math.Inf(1), Delta: delta}
	for _, r := range rs {
		eps, name, err := r.epsilon(delta)
		if err != nil {
			return Guarantee{}, err
		}
		if eps < best.Epsilon || best.Route == "" {
			best.Epsilon, best.Route = eps, name
		}
	}
	return best, nil
}

// DeltaOf returns the least δ for which some route gives (ε, δ)-DP under rel, and names the route; see
// [EpsilonOf]. Errors wrap [ErrEpsilon], [ErrNeighbours] or [ErrParameter].
func DeltaOf(e Event, rel Neighbours, epsilon float64) (Guarantee, error) {
	if err := checkEpsilon(epsilon); err != nil {
		return Guarantee{}, err
	}
	rs, err := routes(e, rel)
	if err != nil {
		return Guarantee{}, err
	}
	best := guarantee(rel)
	best.Budget = Budget{Epsilon: epsilon, Delta: 1}
	for _, r := range rs {
		delta, name, err := r.delta(epsilon)
		if err != nil {
			return Guarantee{}, err
		}
		if delta < best.Delta || best.Route == "" {
			best.Delta, best.Route = delta, name
		}
	}
	return best, nil
}

func guarantee(rel Neighbours) Guarantee {
	return Guarantee{Neighbours: rel, Scope: Scope{Kind: Unconditional}}
}

// A route is one valid way from an event to (ε, δ); both functions also name it.
type route struct {
	epsilon func(delta float64) (float64, string, error)
	delta   func(epsilon float64) (float64, string, error)
}

// routes lists the ways that are open to an event, preferred ones first.
func routes(e Event, rel Neighbours) ([]route, error) {
	if e == nil {
		return nil, fmt.Errorf("accountant: price: event: got nil, want an event: %w", ErrParameter)
	}
	var rs []route
	mu, tv, err := gdpOf(e, rel)
	if optional(err) != nil {
		return nil, err
	}
	gaussian := err == nil
	if gaussian {
		name := "exact Gaussian profile"
		if tv > 0 {
			name = "Gaussian profile and total variation"
		}
		rs = append(rs, profileRoute(gaussianProfile(mu, tv), name))
	}
	p, err := profileOf(e, rel)
	if optional(err) != nil {
		return nil, err
	}
	if err == nil && !gaussian {
		rs = append(rs, profileRoute(p, "exact profile"))
	}
	curve, err := e.RDP(rel)
	if err != nil {
		return nil, err
	}
	sketch, err := sketchOf(e, rel)
	if err != nil {
		return nil, err
	}
	return append(rs, curveRoute(curve, sketch)), nil
}

func profileRoute(p Profile, name string) route {
	return route{
		epsilon: func(delta float64) (float64, string, error) {
			eps, err := p.Epsilon(delta)
			return eps, name, err
		},
		delta: func(epsilon float64) (float64, string, error) {
			return p(epsilon), name, nil
		},
	}
}

// curveRoute converts a curve at its best order, which it looks for with the help of the sketch, if there is one.
func curveRoute(c Curve, sketch *sketch) route {
	return route{
		epsilon: func(delta float64) (float64, string, error) {
			eps, order, err := c.epsilonBy(sketch, delta)
			return eps, rdpName(order), err
		},
		delta: func(epsilon float64) (float64, string, error) {
			delta, order, err := c.deltaBy(sketch, epsilon)
			return delta, rdpName(order), err
		},
	}
}

func rdpName(order float64) string {
	return fmt.Sprintf("RDP, order %.4g", order)
}
