package viz

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pld"
)

// leastDelta is where profiles are cut off: what is below costs nobody anything.
const leastDelta = 1e-12

const profilePoints = 60

// Profiles plots the privacy profiles of events: the δ that each gives at every ε, by its exact profile where
// it has one and by its Rényi curve. [EventOf] makes an event of a plan.
func Profiles(rel accountant.Neighbours, events ...NamedEvent) View {
	c, end := profileChart(), 0.0
	routes := make([][]accountantRoute, len(events))
	for i, e := range events {
		err := e.missing()
		if err == nil {
			routes[i], err = bestRoutes(e.Event, rel)
		}
		if err != nil {
			c.warnings = append(c.warnings, fmt.Sprintf("%s is not drawn: %s", strconv.Quote(e.name()), clean(err.Error())))
			continue
		}
		least := math.Inf(1)
		for _, r := range routes[i] {
			if far, err := r.epsilon(leastDelta); err == nil {
				least = min(least, far)
			}
		}
		if least < 1e6 {
			end = max(end, least)
		}
	}
	for i, e := range events {
		if routes[i] == nil {
			continue
		}
		s := Series{Name: e.name(), X: epsilons(end), gaps: true}
		for _, eps := range s.X {
			least := math.Inf(1)
			for _, r := range routes[i] {
				if d, err := r.delta(eps); err == nil {
					least = min(least, d)
				}
			}
			s.Y = append(s.Y, least)
		}
		c.Series = append(c.Series, s)
	}
	return alone(c, "Privacy profiles, "+rel.String()+" neighbours", "Each point is a guarantee: (ε, δ)-DP holds on the line and above it.")
}

// bestRoutes are the Rényi curve and, where there is one, the exact profile.
func bestRoutes(e accountant.Event, rel accountant.Neighbours) ([]accountantRoute, error) {
	c, err := e.RDP(rel)
	if err != nil {
		return nil, err
	}
	out := []accountantRoute{renyiRoute(c)}
	if p, ok := e.(accountant.Profiler); ok {
		if f, err := p.Profile(rel); err == nil {
			out = append(out, profileRoute(f))
		}
	}
	return out, nil
}

// renyiRoute converts a curve. The δ of a plot's many points come from the curve's values at fixed orders, each of
// which is a bound; the ε at one δ from the best of all orders.
func renyiRoute(c accountant.Curve) accountantRoute {
	orders := geometric(leastOrder, greatestOrder, 3*orderPoints)
	values := make(map[float64]float64, len(orders))
	for _, a := range orders {
		values[a] = c(a)
	}
	tabled := accountant.Curve(func(a float64) float64 { return values[a] })
	return accountantRoute{
		name: "Rényi DP",
		delta: func(x float64) (float64, error) {
			least := 1.0
			for _, a := range orders {
				d, err := tabled.DeltaAt(a, x)
				if err != nil {
					return 0, err
				}
				least = min(least, d)
			}
			return least, nil
		},
		epsilon: func(d float64) (float64, error) { x, _, err := c.Epsilon(d); return x, err },
	}
}

func profileRoute(f accountant.Profile) accountantRoute {
	return accountantRoute{name: "exact profile", delta: func(x float64) (float64, error) { return f(x), nil }, epsilon: f.Epsilon}
}

func profileChart() LineChart {
	return LineChart{
		X: Axis{Name: "ε", Loss: true},
		Y: Axis{Name: "δ", Log: true, Loss: true, Range: [2]float64{leastDelta, 1}},
	}
}

// epsilons are where profiles up to end are drawn.
func epsilons(end float64) []float64 {
	if !(end > 0) {
		end = 1
	}
	return evenly(0, end, profilePoints)
}

// Accountants plots one event's privacy profile as several accountants know it, and names the ε of each
// at delta: the conversion of the Rényi curve, the upper bound of the numerical accountant, the exact
// profile, and the Gaussian that dominates the event. Those that do not know it are left out.
func Accountants(e NamedEvent, rel accountant.Neighbours, delta float64) View {
	c := profileChart()
	title := "What several accountants make of " + e.name() + ", " + rel.String() + " neighbours"
	note := "All of them are upper bounds, so that the lowest line holds."
	if e.Event == nil || !(delta > 0) || !(delta < 1) {
		c.warnings = []string{"nothing is drawn: want an event, and δ between 0 and 1"}
		return alone(c, title, note)
	}
	routes, missing := accountantsOf(e.Event, rel)
	least, end := math.Inf(1), 0.0
	for i := range routes {
		r := &routes[i]
		if r.eps, r.err = r.epsilon(delta); r.err == nil {
			least = min(least, r.eps)
		}
		if r.points > 0 && end > 0 {
			continue // it is dear, and hardly the highest
		}
		if far, err := r.epsilon(leastDelta); err == nil && far < 1e6 {
			end = max(end, far)
		}
	}
	// A route that is far above the others would leave them no room.
	if !math.IsInf(least, 1) && end > 6*least {
		end = 6 * least
	}
	for _, r := range routes {
		if r.err != nil {
			missing += fmt.Sprintf(" %s: %s.", r.name, clean(r.err.Error()))
			continue
		}
		s := Series{Name: r.name + ", ε = " + up(r.eps), X: epsilons(end), gaps: true, plain: true}
		if r.points > 0 {
			s.X = evenly(0, s.X[len(s.X)-1], r.points)
		}
		for _, eps := range s.X {
			v, err := r.delta(eps)
			if err != nil {
				v = math.NaN()
			}
			s.Y = append(s.Y, v)
		}
		c.Series = append(c.Series, s)
	}
	c.Rules = []Rule{{Name: "δ = " + up(delta), At: delta}}
	return alone(c, title, note+missing)
}

// accountantRoute is one accountant's view of an event.
type accountantRoute struct {
	name    string
	delta   func(epsilon float64) (float64, error)
	epsilon func(delta float64) (float64, error)
	points  int // of its line; 0 for as many as others have
	eps     float64
	err     error
}

// accountantsOf are the accountants that know the event, and words for those that do not.
func accountantsOf(e accountant.Event, rel accountant.Neighbours) ([]accountantRoute, string) {
	var out []accountantRoute
	missing := ""
	skip := func(name string, err error) {
		why := "not known for this event"
		if !errors.Is(err, accountant.ErrNoRoute) {
			why = clean(err.Error())
		}
		missing += fmt.Sprintf(" Without %s: %s.", name, why)
	}
	if c, err := e.RDP(rel); err != nil {
		skip("the Rényi curve", err)
	} else {
		out = append(out, renyiRoute(c))
	}
	if mu, tv, err := accountant.GDPOf(e, rel); err != nil {
		skip("Gaussian DP", err)
	} else if p, err := (accountant.Gaussian{Sensitivity: mu, Sigma: 1, Neighbours: rel}).Profile(rel); err != nil {
		skip("Gaussian DP", err)
	} else {
		out = append(out, gaussianRoute(p, tv))
	}
	if d, err := accountant.PLD(e, rel); err != nil {
		skip("the numerical accountant", err)
	} else {
		// One transform for each point: a line takes few of them, of the width that can be seen.
		rough := d.With(pld.Options{RelTol: 0.02, UpperOnly: true})
		out = append(out, accountantRoute{
			name: "numerical (PLD)", points: 24,
			delta:   func(x float64) (float64, error) { v, _, err := rough.Delta(x); return v, err },
			epsilon: func(v float64) (float64, error) { x, _, err := d.Epsilon(v); return x, err },
		})
	}
	if p, ok := e.(accountant.Profiler); ok {
		if f, err := p.Profile(rel); err != nil {
			skip("an exact profile", err)
		} else {
			out = append(out, profileRoute(f))
		}
	}
	return out, missing
}

// gaussianRoute is a Gaussian's profile p, for a law within the total variation tv of one that it dominates:
// δ grows by (1 + e^ε)·tv.
func gaussianRoute(p accountant.Profile, tv float64) accountantRoute {
	shifted := func(x float64) float64 {
		if tv == 0 {
			return p(x)
		}
		return min(1, math.Nextafter(p(x)+(1+math.Exp(x))*tv*(1+0x1p-50), math.Inf(1)))
	}
	return accountantRoute{
		name:  "Gaussian DP",
		delta: func(x float64) (float64, error) { return shifted(x), nil },
		epsilon: func(d float64) (float64, error) {
			x, err := accountant.Profile(shifted).Epsilon(d)
			if err == nil && !(shifted(x) <= d) { // where e^ε·tv has outgrown δ
				err = accountant.ErrNoRoute
			}
			return x, err
		},
	}
}
