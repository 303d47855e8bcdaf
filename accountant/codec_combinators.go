package accountant

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
)

// Kinds of the combinators: these, too, must never change.
const (
	kindCompose      = "compose"
	kindRepeat       = "repeat"
	kindGroup        = "group"
	kindAsReplaceOne = "as_replace_one"
	kindByRoutes     = "by_routes"
	kindCovered      = "covered"
	kindStated       = "stated"
)

// combinatorReaders reads events made of others, and of curves.
func combinatorReaders() map[string]func(fields object, depth int) (Event, error) {
	return map[string]func(object, int) (Event, error){
		kindCompose:      unmarshalCompose,
		kindRepeat:       unmarshalRepeat,
		kindGroup:        unmarshalGroup,
		kindAsReplaceOne: unmarshalAsReplaceOne,
		kindByRoutes:     unmarshalByRoutes,
		kindCovered:      unmarshalCovered,
		kindStated:       unmarshalStated,
	}
}

// marshalCombinator writes an event that is made of others; ok is false for a leaf.
func marshalCombinator(e Event, depth int) (raw []byte, ok bool, err error) {
	switch e := e.(type) {
	case composition:
		var buf bytes.Buffer
		for i, part := range e.parts {
			if i > 0 {
				buf.WriteByte(',')
			}
			raw, err := marshalEvent(part, depth+1)
			if err != nil {
				return nil, true, err
			}
			buf.Write(raw)
		}
		return fmt.Appendf(nil, `{"kind":%q,"events":[%s]}`, kindCompose, buf.Bytes()), true, nil
	case repetition:
		raw, err := marshalEvent(e.of, depth+1)
		return fmt.Appendf(nil, `{"kind":%q,"event":%s,"count":%d}`, kindRepeat, raw, e.n), true, err
	case grouped:
		raw, err := marshalEvent(e.of, depth+1)
		return fmt.Appendf(nil, `{"kind":%q,"event":%s,"size":%d}`, kindGroup, raw, e.size), true, err
	case replaced:
		raw, err := marshalEvent(e.of, depth+1)
		return fmt.Appendf(nil, `{"kind":%q,"event":%s}`, kindAsReplaceOne, raw), true, err
	case gaussianCovered:
		raw, err := marshalCovered(e, depth)
		return raw, true, err
	case stated:
		raw, err := marshalStated(e, depth)
		return raw, true, err
	case routed:
		raw, err := appendStruct(fmt.Appendf(nil, `{"kind":%q,`, kindByRoutes), reflect.ValueOf(e.stored()))
		if err != nil {
			return nil, true, fmt.Errorf("accountant: codec: %s: %w", kindByRoutes, err)
		}
		return raw, true, nil
	}
	return nil, false, nil
}

func unmarshalCompose(fields object, depth int) (Event, error) {
	if err := fields.only("kind", "events"); err != nil {
		return nil, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(fields["events"], &list); err != nil || list == nil {
		return nil, fmt.Errorf("accountant: codec: compose: events: got %s, want a list: %w", clip(fields["events"]), ErrCodec)
	}
	parts := make([]Event, len(list))
	for i, raw := range list {
		part, err := unmarshalEvent(raw, depth+1)
		if err != nil {
			return nil, err
		}
		parts[i] = part
	}
	return Compose(parts...), nil
}

func unmarshalRepeat(fields object, depth int) (Event, error) {
	of, n, err := unmarshalCounted(kindRepeat, "count", fields, depth)
	if err != nil {
		return nil, err
	}
	return Repeat(of, n), nil
}

func unmarshalGroup(fields object, depth int) (Event, error) {
	of, n, err := unmarshalCounted(kindGroup, "size", fields, depth)
	if err != nil {
		return nil, err
	}
	return Group(of, n), nil
}

// unmarshalCounted reads an event and a whole number.
func unmarshalCounted(kind, name string, fields object, depth int) (of Event, n int, err error) {
	if err := fields.only("kind", "event", name); err != nil {
		return nil, 0, err
	}
	if of, err = unmarshalEvent(fields["event"], depth+1); err != nil {
		return nil, 0, err
	}
	if err := readValue(fields[name], reflect.ValueOf(&n).Elem()); err != nil {
		return nil, 0, fmt.Errorf("accountant: codec: %s: %s: %w", kind, name, err)
	}
	return of, n, nil
}

func unmarshalAsReplaceOne(fields object, depth int) (Event, error) {
	if err := fields.only("kind", "event"); err != nil {
		return nil, err
	}
	of, err := unmarshalEvent(fields["event"], depth+1)
	if err != nil {
		return nil, err
	}
	return AsReplaceOne(of), nil
}

// storedRoutes is how an event of [ByRoutes] is stored: functions cannot be, their values at fixed orders can. What is
// read back bounds every order between by convexity, hence costs what it did or up to about 1 % more, and is
// stored again as it was read.
type storedRoutes struct {
	Name       string
	Neighbours Neighbours
	Routes     []storedRoute
}

type storedRoute struct {
	Name           string
	Orders, Values []float64
}

// routeOrders are the orders of stored routes: 1 + 2^(i/4) from 1 + 2^-14 to 1 + 2^20, and +Inf.
func routeOrders() []float64 {
	const least, most, per = -14, 20, 4
	var orders []float64
	for i := least * per; i <= most*per; i++ {
		orders = append(orders, 1+math.Exp2(float64(i)/per))
	}
	return append(orders, math.Inf(1))
}

// stored samples the curves; orders at the end where they have no bound are left out.
func (r routed) stored() storedRoutes {
	s := storedRoutes{Name: r.name, Neighbours: r.rel}
	for _, c := range r.routes {
		route := storedRoute{Name: c.Name, Orders: routeOrders()}
		for _, alpha := range route.Orders {
			v := c.Curve(alpha)
			if math.IsNaN(v) {
				v = math.Inf(1)
			}
			route.Values = append(route.Values, max(0, v))
		}
		// A bound at an order holds below it.
		for i := len(route.Values) - 2; i >= 0; i-- {
			route.Values[i] = min(route.Values[i], route.Values[i+1])
		}
		n := len(route.Values)
		for n > 1 && math.IsInf(route.Values[n-1], 1) {
			n--
		}
		route.Orders, route.Values = route.Orders[:n], route.Values[:n]
		s.Routes = append(s.Routes, route)
	}
	return s
}

func unmarshalByRoutes(fields object, _ int) (Event, error) {
	delete(fields, "kind")
	var s storedRoutes
	if err := readStruct(fields, reflect.ValueOf(&s).Elem()); err != nil {
		return nil, fmt.Errorf("accountant: codec: %s: %w", kindByRoutes, err)
	}
	var routes Routes
	for _, r := range s.Routes {
		curve, err := RDPTable{Orders: r.Orders, Values: r.Values, Neighbours: s.Neighbours}.RDP(s.Neighbours)
		if err != nil {
			return nil, fmt.Errorf("accountant: codec: %s: route: %w: %w", kindByRoutes, ErrCodec, err)
		}
		routes = append(routes, NamedCurve{r.Name, curve})
	}
	return ByRoutes(s.Name, s.Neighbours, routes), nil
}
