package accountant

import (
	"fmt"
	"math"
	"strings"
)

// NamedCurve is a curve and the argument that gives it.
type NamedCurve struct {
	Name  string
	Curve Curve
}

// Routes are curves that all bound the same release; so does their pointwise minimum.
type Routes []NamedCurve

// At returns the least bound at an order and the name of its route, the first of equals; +Inf and "" without one.
func (r Routes) At(alpha float64) (value float64, name string) {
	value = math.Inf(1)
	for _, c := range r {
		if v := c.Curve(alpha); v < value {
			value, name = v, c.Name
		}
	}
	return value, name
}

// Curve is the pointwise minimum.
func (r Routes) Curve() Curve {
	return func(alpha float64) float64 {
		value, _ := r.At(alpha)
		return value
	}
}

// MinCurve is the pointwise minimum of curves that all bound the same release.
func MinCurve(routes ...NamedCurve) Curve {
	return Routes(routes).Curve()
}

// SmoothRoutes are the ways to a curve of a mechanism on a pair with a free row and displaced ones. What is nil is not
// known.
type SmoothRoutes struct {
	Direct Curve // one hop: the free row and the displacement at once
	Free   Curve // the free rows alone, on the whole output domain
	Shift  Curve // the displacement alone: smooth RDP, with no free row
	// Group is the curve of one row that changes, Size how many rows are free or displaced.
	Group Curve
	Size  int
}

// Routes lists the routes that are open: "direct", "weak triangle" and "group of n". None is an error that wraps
// [ErrNoRoute]; a wrong size wraps [ErrParameter].
func (s SmoothRoutes) Routes() (Routes, error) {
	var rs Routes
	if s.Direct != nil {
		rs = append(rs, NamedCurve{"direct", s.Direct})
	}
	if s.Free != nil && s.Shift != nil {
		rs = append(rs, NamedCurve{"weak triangle", WeakTriangle(s.Free, s.Shift)})
	}
	if s.Group != nil {
		c, err := GroupCurve(s.Group, s.Size)
		if err != nil {
			return nil, err
		}
		rs = append(rs, NamedCurve{fmt.Sprintf("group of %d", s.Size), c})
	}
	if len(rs) == 0 {
		return nil, fmt.Errorf("accountant: smooth routes: none is known, want a direct curve, a free and a shift curve, or a group curve: %w", ErrNoRoute)
	}
	return rs, nil
}

// ByRoutes is the event of one release that is priced by the least of several curves under rel; its guarantees name
// the route that won.
func ByRoutes(name string, rel Neighbours, routes Routes) Event {
	return routed{name: name, rel: rel, routes: append(Routes(nil), routes...)}
}

type routed struct {
	name   string
	rel    Neighbours
	routes Routes
}

func (r routed) RDP(rel Neighbours) (Curve, error) {
	if err := r.rel.match(r.name, rel); err != nil {
		return nil, err
	}
	return r.routes.Curve(), nil
}

// routeAt names the route that gives the curve at an order.
func (r routed) routeAt(alpha float64) string {
	_, name := r.routes.At(alpha)
	return name
}

func (r routed) String() string {
	names := make([]string, len(r.routes))
	for i, c := range r.routes {
		names[i] = c.Name
	}
	return fmt.Sprintf("%s(%s, %v)", r.name, strings.Join(names, " or "), r.rel)
}
