package viz

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/dpkit-go/dpnb/accountant"
)

// NamedEvent is an event to draw, and what the legend calls it; "" for what it calls itself.
type NamedEvent struct {
	Name  string
	Event accountant.Event

	err error // why a plan has none; see EventOf
}

// missing says why there is nothing to draw.
func (e NamedEvent) missing() error {
	switch {
	case e.err != nil:
		return e.err
	case e.Event == nil:
		return errNoEvent
	}
	return nil
}

// curve is the event's, and what the legend calls it: with the failure outside which it holds, where there is one.
func (e NamedEvent) curve(rel accountant.Neighbours) (accountant.NamedCurve, error) {
	if err := e.missing(); err != nil {
		return accountant.NamedCurve{}, err
	}
	c, err := e.Event.RDP(rel)
	if a, ok := e.Event.(accountant.ApproxRDPer); ok && err != nil {
		if c, outside, err := a.ApproxRDP(rel); err == nil {
			return accountant.NamedCurve{Name: e.name() + ", outside a failure of probability " + up(outside), Curve: c}, nil
		}
	}
	return accountant.NamedCurve{Name: e.name(), Curve: c}, err
}

func (e NamedEvent) name() string {
	if e.Name != "" || e.Event == nil {
		return clean(e.Name)
	}
	return clean(e.Event.String())
}

var errNoEvent = errors.New("got no event")

// RDP plots the Rényi curves of events under a relation; [EventOf] makes an event of a plan.
func RDP(rel accountant.Neighbours, events ...NamedEvent) View {
	var curves []accountant.NamedCurve
	var alarms []string
	for _, e := range events {
		c, err := e.curve(rel)
		if err != nil {
			alarms = append(alarms, fmt.Sprintf("%s is not drawn: %s", strconv.Quote(e.name()), clean(err.Error())))
			continue
		}
		curves = append(curves, c)
	}
	return curvesView("Rényi curves, "+rel.String()+" neighbours", alarms, curves)
}

// RDPCurves plots Rényi curves, such as the routes of a release on a displaced pair
// (accountant.SmoothRoutes): RDPCurves(routes...).
func RDPCurves(curves ...accountant.NamedCurve) View {
	return curvesView("Rényi curves", nil, curves)
}

// Orders that are drawn: from just above 1, where the divergence is that of Kullback and Leibler, to
// where most curves are far above what anyone would pay.
const (
	leastOrder    = 1.01
	greatestOrder = 1000
	orderPoints   = 80
)

func curvesView(title string, alarms []string, curves []accountant.NamedCurve) View {
	c := LineChart{
		X: Axis{Name: "order α", Log: true}, Y: Axis{Name: "Rényi divergence of order α", Unit: "nats", Log: true, Loss: true},
		warnings: alarms,
	}
	ends := ""
	for _, named := range curves {
		if named.Curve == nil {
			c.warnings = append(c.warnings, strconv.Quote(clean(named.Name))+" is not drawn: got no curve")
			continue
		}
		s := Series{Name: named.Name, X: geometric(leastOrder, greatestOrder, orderPoints), gaps: true}
		end := math.Inf(1)
		for _, a := range s.X {
			v := named.Curve(a)
			if s.Y = append(s.Y, v); math.IsInf(v, 1) {
				end = min(end, a)
			}
		}
		if !math.IsInf(end, 1) {
			ends += fmt.Sprintf(" No bound from order %s on: %s.", near(end), clean(named.Name))
		}
		c.Series = append(c.Series, s)
	}
	return alone(c, title, "Losses add up along composition at every order."+ends)
}

// geometric are n numbers from lo to hi, at equal ratios.
func geometric(lo, hi float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = lo * math.Pow(hi/lo, float64(i)/float64(n-1))
	}
	return out
}

// evenly are n numbers from lo to hi, at equal distances.
func evenly(lo, hi float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = lo + (hi-lo)*float64(i)/float64(n-1)
	}
	return out
}
