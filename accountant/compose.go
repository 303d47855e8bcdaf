package accountant

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// Compose is the event of all the given ones on the same data. Each may be chosen after the outputs
// of those before it, as long as its price is fixed when it is chosen and the list of prices is fixed
// in advance: Rényi curves add (Mironov 2017, Proposition 1), and so do μ² (Dong, Roth, Su 2022,
// Corollary 2) and total-variation distances. Prices that are themselves chosen adaptively need a filter.
//
// The composition of GDP events is GDP, with an exact profile; composed with others it has its curve
// alone. No events cost nothing. All must be priced under the same relation.
func Compose(events ...Event) Event {
	return composition{parts: append([]Event(nil), events...)}
}

type composition struct{ parts []Event }

func (c composition) RDP(rel Neighbours) (Curve, error) {
	curve, _, err := c.curve(rel, exactRDP)
	return curve, err
}

func (c composition) ApproxRDP(rel Neighbours) (curve Curve, delta0 float64, err error) {
	return c.curve(rel, approxRDP)
}

func (c composition) curve(rel Neighbours, of func(Event, Neighbours) (Curve, float64, error)) (curve Curve, delta0 float64, err error) {
	if err := rel.Validate(); err != nil {
		return nil, math.NaN(), err
	}
	curves := make([]Curve, len(c.parts))
	for i, e := range c.parts {
		if e == nil {
			return nil, math.NaN(), fmt.Errorf("accountant: Compose: event %d of %d: got nil, want an event: %w", i+1, len(c.parts), ErrParameter)
		}
		curve, failure, err := of(e, rel)
		if err != nil {
			return nil, math.NaN(), fmt.Errorf("accountant: Compose: event %d of %d: %w", i+1, len(c.parts), err)
		}
		curves[i] = curve
		delta0 = quad.AddUp(delta0, failure)
	}
	return sumCurves(curves), min(1, delta0), nil
}

// sumCurves adds curves, several at a time where they are many.
func sumCurves(curves []Curve) Curve {
	add := func(curves []Curve, alpha float64) float64 {
		sum := 0.0
		for _, curve := range curves {
			sum = quad.AddUp(sum, curve(alpha))
		}
		return sum
	}
	const chunk = 256
	if len(curves) <= chunk {
		return func(alpha float64) float64 { return add(curves, alpha) }
	}
	return func(alpha float64) float64 {
		// Fixed chunks: the sum does not depend on the number of processors.
		sums := make([]float64, (len(curves)+chunk-1)/chunk)
		var wg sync.WaitGroup
		var next atomic.Int64
		for range min(runtime.GOMAXPROCS(0), len(sums)) {
			wg.Go(func() {
				for i := int(next.Add(1)) - 1; i < len(sums); i = int(next.Add(1)) - 1 {
					sums[i] = add(curves[i*chunk:min(len(curves), (i+1)*chunk)], alpha)
				}
			})
		}
		wg.Wait()
		sum := 0.0
		for _, s := range sums {
			sum = quad.AddUp(sum, s)
		}
		return sum
	}
}

func (c composition) GDP(rel Neighbours) (mu, tv float64, err error) {
	if err := rel.Validate(); err != nil {
		return 0, 0, err
	}
	if len(c.parts) == 1 {
		return gdpOf(c.parts[0], rel) // without a detour over μ²
	}
	square := 0.0
	for i, e := range c.parts {
		m, v, err := gdpOf(e, rel)
		if err != nil {
			return 0, 0, fmt.Errorf("accountant: Compose: event %d of %d: %w", i+1, len(c.parts), err)
		}
		square = quad.AddUp(square, quad.MulUp(m, m))
		tv = quad.AddUp(tv, v)
	}
	return quad.SqrtUp(square), min(1, tv), nil
}

func (c composition) Profile(rel Neighbours) (Profile, error) {
	parts := c.costly()
	if len(parts) == 1 {
		return profileOf(parts[0], rel)
	}
	rest, delta0, err := splitFailures(parts, rel)
	if err != nil {
		return nil, err
	}
	if delta0 == 0 || len(rest) == 0 {
		return composedProfile(c, rel)
	}
	p, err := composition{rest}.Profile(rel)
	if err != nil {
		return nil, err
	}
	return func(epsilon float64) float64 { return min(1, quad.AddUp(p(epsilon), delta0)) }, nil
}

// composedProfile is the exact profile of equal leaves or of Gaussians.
func composedProfile(e interface {
	Event
	GDPer
}, rel Neighbours,
) (Profile, error) {
	exact, err := repeatedProfile(e, rel)
	if err == nil || optional(err) != nil {
		return exact, err
	}
	mu, tv, err := e.GDP(rel)
	if err != nil {
		return nil, err
	}
	return gaussianProfile(mu, tv), nil
}

// costly lists the parts without compositions of nothing.
func (c composition) costly() []Event {
	var parts []Event
	for _, e := range c.parts {
		if inner, ok := e.(composition); !ok || len(inner.costly()) > 0 {
			parts = append(parts, e)
		}
	}
	return parts
}

func (c composition) String() string {
	names := make([]string, len(c.parts))
	for i, e := range c.parts {
		names[i] = fmt.Sprint(e)
	}
	return "Compose(" + strings.Join(names, ", ") + ")"
}

// gdpOf reads an event as GDP; the error wraps [ErrNoRoute] where it is not.
func gdpOf(e Event, rel Neighbours) (mu, tv float64, err error) {
	g, ok := e.(GDPer)
	if !ok {
		return 0, 0, fmt.Errorf("accountant: %v: not dominated by a Gaussian: %w", e, ErrNoRoute)
	}
	return g.GDP(rel)
}

// profileOf reads an event's profile; the error wraps [ErrNoRoute] where it has none.
func profileOf(e Event, rel Neighbours) (Profile, error) {
	p, ok := e.(Profiler)
	if !ok {
		return nil, fmt.Errorf("accountant: %v: no profile: %w", e, ErrNoRoute)
	}
	return p.Profile(rel)
}

// optional drops an error that says only that a route does not exist.
func optional(err error) error {
	if errors.Is(err, ErrNoRoute) {
		return nil
	}
	return err
}
