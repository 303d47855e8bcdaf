package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
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
	return epsilonsOf.price(e, rel, delta, leastEpsilon)
}

var epsilonsOf prices

func leastEpsilon(e Event, rel Neighbours, delta float64) (Guarantee, error) {
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
	return deltasOf.price(e, rel, epsilon, leastDelta)
}

var deltasOf prices

func leastDelta(e Event, rel Neighbours, epsilon float64) (Guarantee, error) {
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
	rs, err := statedRoutes(e, rel)
	if err != nil {
		return nil, err
	}
	mu, tv, err := gdpOf(e, rel)
	if optional(err) != nil {
		return nil, err
	}
	gaussian := err == nil
	if gaussian {
		name := "exact Gaussian profile"
		switch {
		case tv > 0:
			name = "Gaussian profile and total variation"
		case onGrid(e, math.Inf(1)):
			name = "Gaussian profile above discrete noise"
		}
		rs = append(rs, profileRoute(gaussianProfile(mu, tv), name))
	}
	// Of noise on a coarse grid, or up to a total variation, there may be a better profile than that of the Gaussian.
	if !gaussian || tv > 0 || onGrid(e, maxLatticeSigma) {
		p, err := profileOf(e, rel)
		if optional(err) != nil {
			return nil, err
		}
		if err == nil {
			rs = append(rs, profileRoute(p, profileName(e)))
		}
	}
	curve, delta0, err := approxRDP(e, rel)
	if err != nil && (len(rs) == 0 || optional(err) != nil) {
		return nil, err
	}
	if err == nil {
		guide, err := guideOf(e, rel)
		if err != nil {
			return nil, err
		}
		rs = append(rs, curveRoute(curve, delta0, e, guide))
	}
	return rs, nil
}

// profileName is the name of an event's profile as a route.
func profileName(e Event) string {
	if n, ok := e.(interface{ profileName() string }); ok {
		return n.profileName()
	}
	return "exact profile"
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

// curveRoute converts the curve of an event, which holds outside a failure of probability delta0, at
// its best order. It looks for that with the help of the guide, if there is one.
func curveRoute(c Curve, delta0 float64, e Event, guide *guide) route {
	name := func(order float64) string {
		s := rdpName(order, delta0)
		if r, ok := e.(interface{ routeAt(alpha float64) string }); ok {
			s += ", " + r.routeAt(order)
		}
		return s
	}
	return route{
		epsilon: func(delta float64) (float64, string, error) {
			left := deltaBeside(delta, delta0)
			if left < 0 {
				return math.Inf(1), rdpName(math.Inf(1), delta0), nil
			}
			eps, order, err := c.epsilonBy(guide, left)
			return eps, name(order), err
		},
		delta: func(epsilon float64) (float64, string, error) {
			delta, order, err := c.deltaBy(guide, epsilon)
			return min(1, quad.AddUp(delta, delta0)), name(order), err
		},
	}
}

func rdpName(order, delta0 float64) string {
	if delta0 > 0 {
		return fmt.Sprintf("RDP, order %.4g, outside failures of probability %.3g", order, delta0)
	}
	return fmt.Sprintf("RDP, order %.4g", order)
}
