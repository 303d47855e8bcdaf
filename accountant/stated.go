package accountant

import (
	"fmt"
	"math"
	"reflect"
)

// Stated is an event that is (ε, δ)-DP by the guarantee as well, which its parts do not show: as of a release that was calibrated by a
// route of its own, while a ledger adds it up as the Gaussian that covers it. Alone it costs what was stated at that δ and above, or what its
// parts cost where that is less; in company it composes as its parts do, and a ledger charges them. That the guarantee holds is the
// caller's proof: of the same release, under the guarantee's relation. Its scope and unit are not part of an event. Parameters are checked
// when it is priced.
func Stated(of Event, g Guarantee) Event {
	return stated{of: of, storedStatement: storedStatement{Epsilon: g.Epsilon, Delta: g.Delta, Neighbours: g.Neighbours, Route: g.Route}}
}

type stated struct {
	of Event
	storedStatement
}

// storedStatement is how a statement is stored, beside its event.
type storedStatement struct {
	Epsilon, Delta float64
	Neighbours     Neighbours
	Route          string
}

func (s stated) RDP(rel Neighbours) (Curve, error) {
	if err := s.validate(rel); err != nil {
		return nil, err
	}
	return s.of.RDP(rel)
}

func (s stated) ApproxRDP(rel Neighbours) (Curve, float64, error) {
	if err := s.validate(rel); err != nil {
		return nil, math.NaN(), err
	}
	return approxRDP(s.of, rel)
}

func (s stated) GDP(rel Neighbours) (mu, tv float64, err error) {
	if err := s.validate(rel); err != nil {
		return math.NaN(), math.NaN(), err
	}
	return gdpOf(s.of, rel)
}

func (s stated) ZCDP(rel Neighbours) (float64, error) {
	if err := s.validate(rel); err != nil {
		return math.NaN(), err
	}
	return RhoOf(s.of, rel)
}

// Profile is that of the parts: what was stated is a route of its own.
func (s stated) Profile(rel Neighbours) (Profile, error) {
	if err := s.validate(rel); err != nil {
		return nil, err
	}
	return profileOf(s.of, rel)
}

// route is the way from what was stated to other budgets.
func (s stated) route(rel Neighbours) (route, error) {
	if err := s.validate(rel); err != nil {
		return route{}, err
	}
	profile, err := s.approx().Profile(rel)
	if err != nil {
		return route{}, err
	}
	return route{
		epsilon: func(delta float64) (float64, string, error) {
			if delta < s.Delta {
				return math.Inf(1), s.Route, nil
			}
			least, err := profile.Epsilon(delta)
			return min(s.Epsilon, least), s.Route, err
		},
		delta: func(epsilon float64) (float64, string, error) {
			if epsilon >= s.Epsilon {
				return s.Delta, s.Route, nil
			}
			return profile(epsilon), s.Route, nil
		},
	}, nil
}

func (s stated) approx() ApproxDP {
	return ApproxDP{Epsilon: s.Epsilon, Delta: s.Delta, Neighbours: s.Neighbours}
}

func (s stated) validate(rel Neighbours) error {
	if s.of == nil {
		return fmt.Errorf("accountant: Stated: event: got nil, want an event: %w", ErrParameter)
	}
	if !(s.Delta >= 0) || !(s.Delta < 1) {
		return fmt.Errorf("accountant: Stated: delta: got %g, want a number at least 0 and below 1: %w", s.Delta, ErrDelta)
	}
	if err := checkPure("Stated", s.Epsilon); err != nil {
		return err
	}
	return s.Neighbours.match("Stated", rel)
}

func (s stated) String() string {
	return fmt.Sprintf("Stated(%s, %s, %v)", FormatUp(s.Epsilon), FormatUp(s.Delta), s.of)
}

func (s stated) guide(rel Neighbours) (*guide, error) { return guideOf(s.of, rel) }

func (s stated) combines(rel Neighbours, _ float64) (string, []branch) {
	return fmt.Sprintf("Stated as (%s, %s)", FormatUp(s.Epsilon), FormatUp(s.Delta)), []branch{{of: s.of, count: 1, rel: rel, takes: everything}}
}

// unstated is the event without what was stated of it as a whole.
func unstated(e Event) Event {
	for {
		s, ok := e.(stated)
		if !ok {
			return e
		}
		e = s.of
	}
}

// statedRoutes are those of what was stated of a whole event, also of one that is composed with nothing.
func statedRoutes(e Event, rel Neighbours) (rs []route, err error) {
	for {
		switch of := e.(type) {
		case stated:
			r, err := of.route(rel)
			if err != nil {
				return nil, err
			}
			rs, e = append(rs, r), of.of
			continue
		case composition:
			if parts := of.costly(); len(parts) == 1 {
				e = parts[0]
				continue
			}
		}
		return rs, nil
	}
}

// openStated puts the parts of stated events in their place.
func openStated(parts []Event) []Event {
	var out []Event
	for i, e := range parts {
		if _, ok := e.(stated); !ok {
			if out != nil {
				out = append(out, e)
			}
			continue
		}
		if out == nil {
			out = append([]Event{}, parts[:i]...)
		}
		switch of := unstated(e).(type) {
		case composition:
			out = append(out, openStated(of.parts)...)
		default:
			out = append(out, of)
		}
	}
	if out == nil {
		return parts
	}
	return out
}

func marshalStated(s stated, depth int) ([]byte, error) {
	of, err := marshalEvent(s.of, depth+1)
	if err != nil {
		return nil, err
	}
	raw, err := appendStruct(fmt.Appendf(nil, `{"kind":%q,"event":%s,`, kindStated, of), reflect.ValueOf(s.storedStatement))
	if err != nil {
		return nil, fmt.Errorf("accountant: codec: %s: %w", kindStated, err)
	}
	return raw, nil
}

func unmarshalStated(fields object, depth int) (Event, error) {
	of, err := unmarshalEvent(fields["event"], depth+1)
	if err != nil {
		return nil, err
	}
	delete(fields, "kind")
	delete(fields, "event")
	s := stated{of: of}
	if err := readStruct(fields, reflect.ValueOf(&s.storedStatement).Elem()); err != nil {
		return nil, fmt.Errorf("accountant: codec: %s: %w", kindStated, err)
	}
	return s, nil
}
