package accountant

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// guided events have curves that cost much to evaluate.
type guided interface {
	// guide returns nil where there is no need of one.
	guide(rel Neighbours) (*guide, error)
}

// A guide says how to find the best order of a curve with few evaluations. Every order is a valid one, so
// that it can only cost tightness.
type guide struct {
	// curve has its best order near that of the priced curve, and a single minimum over the orders. It need not
	// bound anything.
	curve Curve
	whole bool    // curve is the priced one
	rough bool    // curve may mislead: an order is believed where the priced curve nearly agrees
	edge  float64 // 0, or an order past which the priced curve jumps up
	tol   float64 // of ln(α−1), where the priced curve is searched
}

// guideOf returns the guide of an event, or nil.
func guideOf(e Event, rel Neighbours) (*guide, error) {
	if s, ok := e.(guided); ok {
		return s.guide(rel)
	}
	return nil, nil
}

const (
	searchStart = 2.1 // of ln(α−1): order 9
	searchStep  = 1.2
)

// bestOrder minimises a conversion over the orders: on the whole range where there is no guide, else near the
// best order of the guide.
func (c Curve) bestOrder(s *guide, at func(c Curve, alpha float64) float64) (alpha, value float64) {
	on := func(c Curve) func(u float64) float64 {
		return func(u float64) float64 { return at(c, 1+math.Exp(u)) }
	}
	full := func(alpha float64) float64 { return at(c, alpha) }
	if s == nil {
		return minimizeOrder(full)
	}
	var u float64
	if s.whole {
		u, value = minimizeUnimodal(on(c), searchStart, searchStep, s.tol)
	} else {
		guess, found := minimizeUnimodal(on(s.curve), searchStart, searchStep, 1e-3)
		if !s.rough {
			u, value = near(on(c), guess)
		} else {
			u, value = s.check(on(c), on(s.curve), guess, found)
		}
	}
	if math.IsInf(value, 1) {
		return minimizeOrder(full)
	}
	return 1 + math.Exp(u), value
}

// check looks for the lowest point of f near that of a rough guide g. Where the guide rises steeply beside it, or
// f does not agree, f is searched as a whole, and the edge is tried.
func (s *guide) check(f, g func(u float64) float64, guess, found float64) (u, value float64) {
	const beside, agree = 0.05, 0.25
	edge := math.Log(s.edge - 1)
	value = math.Inf(1)
	if off := agree * math.Abs(found); !(guess > edge) && g(guess+beside)-found < 0.1*off {
		if u, value = minimizeUnimodal(f, guess, 0.06, s.tol); math.Abs(value-found) <= off {
			return u, value
		}
	}
	if v, fv := minimizeUnimodal(f, searchStart, searchStep, s.tol/4); fv < value {
		u, value = v, fv
	}
	if fv := f(edge); fv < value {
		u, value = edge, fv
	}
	return u, value
}

// near finds the lowest point of f near a good guess: among the integer orders beside it, which are cheap, the
// guess itself, and the vertex of their parabola.
func near(f func(u float64) float64, guess float64) (u, value float64) {
	const step, tol = 0.04, 0.02
	alpha := 1 + math.Exp(guess)
	lo := math.Log(math.Floor(alpha) - 1)
	hi := math.Log(math.Floor(alpha))
	if !(alpha > 3 && alpha < 64) {
		lo, hi = guess-step, guess+step
	}
	value = f(guess)
	fl, fh := f(lo), f(hi)
	if !(value <= fl && value <= fh) {
		return minimizeUnimodal(f, guess, step, tol)
	}
	a, b := (guess-lo)*(value-fh), (guess-hi)*(value-fl)
	u = guess - ((guess-lo)*a-(guess-hi)*b)/(2*(a-b))
	if !(u > lo && u < hi) || math.Abs(u-guess) < tol/4 {
		return guess, value
	}
	if v := f(u); v < value {
		return u, v
	}
	return guess, value
}

// guide of a step: its curve is one. For displaced rows that costs more than the curves of the free row and of the
// displacement, which add by their roots: a/s + b/(1−s) at the best share s of the noise.
func (g SubsampledGaussian) guide(rel Neighbours) (*guide, error) {
	displaced := g.Shift.Rows > 0 && g.Sampling.Kind == Poisson && g.C > 0 && g.Sigma > 0
	shift := g.Shift
	if displaced {
		g.Shift = DisplacedRows{}
	}
	c, err := g.RDP(rel)
	switch {
	case err != nil:
		return nil, err
	case displaced:
		shift := shift.scaled(g.C, g.Sigma)
		law := binomialCount(shift.fewest, g.Sampling.Rate)
		return &guide{curve: func(alpha float64) float64 {
			moved := law.logExpectSquare(alpha*(alpha-1)*shift.Each*shift.Each/2) / (alpha - 1)
			root := math.Sqrt(c(alpha)) + math.Sqrt(moved)
			return root * root
		}, rough: true, edge: convexOrder(quad.DivUp(g.C, g.Sigma)), tol: 1e-2}, nil
	case g.Sampling.Kind != Poisson:
		return &guide{curve: c, whole: true, tol: 1e-2}, nil
	}
	return &guide{curve: c, whole: true, tol: 1e-6}, nil
}

func (r repetition) guide(rel Neighbours) (*guide, error) {
	s, err := guideOf(r.of, rel)
	if s == nil || err != nil {
		return nil, err
	}
	n := float64(r.n)
	return &guide{curve: func(alpha float64) float64 { return n * s.curve(alpha) }, whole: s.whole, rough: s.rough, edge: s.edge, tol: s.tol}, nil
}

// guide of a composition samples its parts where they are many.
func (c composition) guide(rel Neighbours) (*guide, error) {
	const parts = 64
	stride := 1
	if len(c.parts) >= 4*parts {
		stride = len(c.parts) / parts
	}
	var curves []Curve
	needed := false
	for _, e := range c.parts {
		_, ok := e.(guided)
		needed = needed || ok
	}
	if !needed {
		return nil, nil
	}
	needed = false
	out := guide{whole: stride == 1, tol: 1e-6}
	if len(c.parts) > 16 {
		out.tol = 1e-3
	}
	for i := 0; i < len(c.parts); i += stride {
		s, err := guideOf(c.parts[i], rel)
		if err != nil {
			return nil, err
		}
		if s != nil {
			needed = true
			out.whole = out.whole && s.whole
			out.tol = max(out.tol, s.tol)
			if s.rough && (!out.rough || s.edge < out.edge) {
				out.rough, out.edge = true, s.edge
			}
			curves = append(curves, s.curve)
			continue
		}
		curve, _, err := approxRDP(c.parts[i], rel)
		if err != nil {
			return nil, err
		}
		curves = append(curves, curve)
	}
	if !needed {
		return nil, nil
	}
	scale := float64(len(c.parts)) / float64(len(curves))
	out.curve = func(alpha float64) float64 {
		sum := 0.0
		for _, curve := range curves {
			sum += curve(alpha)
		}
		return scale * sum
	}
	return &out, nil
}
