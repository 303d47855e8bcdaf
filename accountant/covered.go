package accountant

import (
	"fmt"
	"math"
	"reflect"

	"github.com/dpkit-go/dpnb/accountant/pld"
	"github.com/dpkit-go/dpnb/internal/memo"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// CoverBy names the bound on an event's profile that [Covered] lays a Gaussian over.
type CoverBy string

const (
	// CoverByPrice is [DeltaOf] on the grid of [GaussianCover].
	CoverByPrice CoverBy = "price"
	// CoverByOrders is [DeltaOf] at few points, and chords between them: for a Rényi curve that costs much.
	CoverByOrders CoverBy = "orders"
	// CoverByLosses is the upper end of [PLD] at few points, and chords between them.
	CoverByLosses CoverBy = "losses"
)

// Covered is an event without a μ of its own for a currency that adds up Gaussian DP: [GDPOf] reads it as the Gaussian that
// covers it outside a failure of probability delta0 ([GaussianCover]) up to tv, the distance of its sampler from its law. The failure
// is not part of it: compose it with ApproxDP{Delta: delta0}. Its Rényi curve and its privacy loss are those of the event.
// Parameters are checked when it is priced.
func Covered(of Event, delta0, tv float64, by CoverBy) Event {
	return gaussianCovered{of: of, delta0: delta0, tv: tv, by: by}
}

type gaussianCovered struct {
	of         Event
	delta0, tv float64
	by         CoverBy
}

func (c gaussianCovered) RDP(rel Neighbours) (Curve, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	return c.of.RDP(rel)
}

// Profile is that of the event, and what the distance of the sampler adds.
func (c gaussianCovered) Profile(rel Neighbours) (Profile, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	p, err := profileOf(c.of, rel)
	if err != nil || c.tv == 0 {
		return p, err
	}
	return func(epsilon float64) float64 { return min(1, quad.AddUp(p(epsilon), tvCost(epsilon, c.tv))) }, nil
}

// gaussianCovers keeps what covers of single mechanisms cost: a ledger asks once for the price and once for the charge. Combinators
// and tables are computed anew: they do not compare.
var gaussianCovers memo.Memo[coverKey, coverFound]

type coverKey struct {
	of  gaussianCovered
	rel Neighbours
}

type coverFound struct {
	mu  float64
	err error
}

// gdp computes the cover when [GDPOf] asks: that is not free. It is no route of [EpsilonOf], which knows nothing of the failure.
func (c gaussianCovered) gdp(rel Neighbours) (mu, tv float64, err error) {
	if err := c.validate(); err != nil {
		return math.NaN(), math.NaN(), err
	}
	if !isLeaf(c.of) {
		mu, err = c.cover(rel)
		return mu, c.tv, err
	}
	found := gaussianCovers.Of(coverKey{of: c, rel: rel}, func() coverFound {
		mu, err := c.cover(rel)
		return coverFound{mu: mu, err: err}
	})
	return found.mu, c.tv, found.err
}

func (c gaussianCovered) cover(rel Neighbours) (mu float64, err error) {
	e := c.of
	if c.by != CoverByPrice {
		profile, err := chords(c.deltaAt(rel), c.delta0)
		if err != nil {
			return math.NaN(), err
		}
		e = profiled{c.of, profile}
	}
	return GaussianCover(e, rel, c.delta0)
}

func (c gaussianCovered) String() string { return fmt.Sprint(c.of) }

func (c gaussianCovered) guide(rel Neighbours) (*guide, error) { return guideOf(c.of, rel) }

func (c gaussianCovered) combines(rel Neighbours, _ float64) (string, []branch) {
	return "Covered", []branch{{of: c.of, count: 1, rel: rel, takes: everything}}
}

func (c gaussianCovered) validate() error {
	if c.of == nil {
		return fmt.Errorf("accountant: Covered: event: got nil, want an event: %w", ErrParameter)
	}
	if !(c.delta0 > 0 && c.delta0 < 1) || !(c.tv >= 0 && c.tv <= 1) {
		return fmt.Errorf("accountant: Covered: got a failure of %g and a distance of %g, want them in (0, 1) and [0, 1]: %w", c.delta0, c.tv, ErrParameter)
	}
	if c.by != CoverByPrice && c.by != CoverByOrders && c.by != CoverByLosses {
		return fmt.Errorf("accountant: Covered: by: got %q, want %q, %q or %q: %w", c.by, CoverByPrice, CoverByOrders, CoverByLosses, ErrParameter)
	}
	return nil
}

// deltaAt is an upper bound on the profile, at hundredths of a second a point.
func (c gaussianCovered) deltaAt(rel Neighbours) func(epsilon float64) (float64, error) {
	return func(epsilon float64) (float64, error) {
		if c.by == CoverByOrders {
			g, err := DeltaOf(c.of, rel, epsilon)
			return g.Delta, err
		}
		d, err := PLD(c.of, rel)
		if err != nil {
			return math.NaN(), err
		}
		delta, _, err := d.With(pld.Options{RelTol: 0x1p-10, UpperOnly: true}).Delta(epsilon)
		return delta, err
	}
}

// chords is a profile that was asked at few points down to δ₀: as a profile is convex in e^ε, the chord between two bounds is a
// bound. A cover asks at hundreds.
func chords(delta func(epsilon float64) (float64, error), delta0 float64) (Profile, error) {
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
			return nil, fmt.Errorf("accountant: Covered: δ is above the failure %g up to ε = %d: %w", delta0, largest, ErrNoRoute)
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
		i := int(min(points, max(0, epsilon/last*points)))
		if i == points || !(epsilon > at(i)) { // a rounding may lead to the next cell
			return deltas[i]
		}
		share := math.Expm1(epsilon-at(i)) / math.Expm1(at(i+1)-at(i)) * (1 - 0x1p-40)
		return quad.Inflate(deltas[i]+(deltas[i+1]-deltas[i])*min(1, max(0, share)), 0x1p-40)
	}, nil
}

// profiled is an event that is priced by that profile alone.
type profiled struct {
	Event
	profile Profile
}

func (p profiled) RDP(Neighbours) (Curve, error) {
	return nil, fmt.Errorf("accountant: Covered: %v: by its profile alone: %w", p.Event, ErrNoRoute)
}

func (p profiled) Profile(Neighbours) (Profile, error) { return p.profile, nil }

// storedCover is how a cover is stored, beside its event.
type storedCover struct {
	Failure, Distance float64
	By                string
}

func marshalCovered(c gaussianCovered, depth int) ([]byte, error) {
	of, err := marshalEvent(c.of, depth+1)
	if err != nil {
		return nil, err
	}
	raw, err := appendStruct(fmt.Appendf(nil, `{"kind":%q,"event":%s,`, kindCovered, of), reflect.ValueOf(storedCover{c.delta0, c.tv, string(c.by)}))
	if err != nil {
		return nil, fmt.Errorf("accountant: codec: %s: %w", kindCovered, err)
	}
	return raw, nil
}

func unmarshalCovered(fields object, depth int) (Event, error) {
	of, err := unmarshalEvent(fields["event"], depth+1)
	if err != nil {
		return nil, err
	}
	delete(fields, "kind")
	delete(fields, "event")
	var s storedCover
	if err := readStruct(fields, reflect.ValueOf(&s).Elem()); err != nil {
		return nil, fmt.Errorf("accountant: codec: %s: %w", kindCovered, err)
	}
	return Covered(of, s.Failure, s.Distance, CoverBy(s.By)), nil
}
