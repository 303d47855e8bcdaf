package accountant

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// strictEvent builds the event of an entry from all that it says, and refuses a name that it does not know.
func (in goldenInputs) strictEvent() (Event, Neighbours, error) {
	rel := AddRemove
	switch in.Neighbours {
	case "", "add_remove":
	case "replace", "replace_one":
		rel = ReplaceOne
	default:
		return nil, 0, fmt.Errorf("unknown relation %q", in.Neighbours)
	}
	if in.Sampling == "without_replacement" {
		rel = ReplaceOne
	}
	var e Event
	switch sens := 1.0; {
	case len(in.Parts) > 0:
		var parts []Event
		for _, p := range in.Parts {
			if p.Neighbours == "" {
				p.Neighbours = in.Neighbours
			}
			part, r, err := p.strictEvent()
			if err != nil {
				return nil, 0, err
			}
			rel = r
			parts = append(parts, Repeat(part, max(p.Count, 1)))
		}
		e = Compose(parts...)
	case in.Sampling != "" && (in.Mechanism != "gaussian" || in.Q == nil):
		return nil, 0, fmt.Errorf("sampling %q of %q: no such mechanism", in.Sampling, in.Mechanism)
	case in.Sampling == "poisson":
		e = poissonStep(*in.Q, in.Sigma, rel)
	case in.Sampling == "without_replacement":
		e = fixedBatchStep(*in.Q, in.Sigma)
	case in.Sampling != "":
		return nil, 0, fmt.Errorf("unknown sampling %q", in.Sampling)
	default:
		if in.Sensitivity != nil {
			sens = *in.Sensitivity
		}
		switch in.Mechanism {
		case "gaussian":
			e = Gaussian{Sensitivity: sens, Sigma: in.Sigma, Neighbours: rel}
		case "laplace":
			e = Laplace{Sensitivity: sens, Scale: in.B, Neighbours: rel}
		case "discrete_gaussian":
			e = DiscreteGaussian{Sensitivity: sens, Sigma: in.Sigma, Neighbours: rel, GridSigma: in.Sigma, Coordinates: 1}
		default:
			leaf, err := in.leafEvent()
			if err != nil || leaf == nil {
				return nil, 0, fmt.Errorf("mechanism %q: unknown, or %v", in.Mechanism, err)
			}
			e, rel = leaf, AddRemove
		}
	}
	switch {
	case in.Steps == nil:
	case *in.Steps == 0:
		e = Compose()
	default:
		e = Repeat(e, *in.Steps)
	}
	return e, rel, nil
}

// goldenAny handles an entry of a known group by its quantity alone; nil where that is unknown.
func goldenAny(group, quantity string) goldenHandler {
	groups := []string{"rdp", "rdp_subsampled", "conversion", "zcdp", "analytic_gaussian", "discrete", "pld", "edge"}
	if !slices.Contains(groups, group) || !slices.Contains([]string{"rdp", "epsilon", "delta", "rho"}, quantity) {
		return nil
	}
	return func(in goldenInputs) ([]float64, error) {
		if len(in.Triples) > 0 {
			return in.converted(quantity)
		}
		e, rel, err := in.strictEvent()
		if err != nil {
			return nil, err
		}
		if quantity == "rho" {
			rho, err := RhoOf(e, rel)
			return []float64{rho}, err
		}
		if in.Orders == nil && quantity != "rdp" {
			return goldenBest(e, rel, group, quantity, in)
		}
		c, err := e.RDP(rel)
		if err != nil {
			return nil, err
		}
		orders, err := in.orders()
		if err != nil {
			return nil, err
		}
		var out []float64
		for _, a := range orders {
			v := atOrder(c, a)
			switch quantity {
			case "epsilon":
				v, err = c.EpsilonAt(a, in.Delta)
			case "delta":
				v, err = c.DeltaAt(a, in.Epsilon)
			}
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		if quantity != "rdp" {
			out = []float64{slices.Min(out)}
		}
		return out, nil
	}
}

// converted is the ε of each divergence at its order and δ.
func (in goldenInputs) converted(quantity string) (out []float64, err error) {
	if quantity != "epsilon" || in.Mechanism != "" || in.Orders != nil || in.Steps != nil {
		return nil, fmt.Errorf("divergences at orders: got the quantity %q of the mechanism %q, want epsilon of no mechanism", quantity, in.Mechanism)
	}
	for _, v := range in.Triples {
		eps, err := constant(float64(v[1])).EpsilonAt(float64(v[0]), float64(v[2]))
		if err != nil {
			return nil, err
		}
		out = append(out, eps)
	}
	return out, nil
}

// goldenBest is the exact price where there is one: group pld wants the bounds of that accountant.
func goldenBest(e Event, rel Neighbours, group, quantity string, in goldenInputs) ([]float64, error) {
	if group == "pld" {
		d, err := PLD(e, rel)
		if err != nil {
			return nil, err
		}
		at, arg := d.Epsilon, in.Delta
		if quantity == "delta" {
			at, arg = d.Delta, in.Epsilon
		}
		upper, lower, err := at(arg)
		if err == nil && !(lower <= upper) {
			err = fmt.Errorf("bounds %g and %g", lower, upper)
		}
		return []float64{upper}, err
	}
	if quantity == "delta" {
		g, err := BestDelta(e, rel, in.Epsilon, BestOptions{})
		return []float64{g.Delta}, err
	}
	g, err := Best(e, rel, in.Delta, BestOptions{})
	return []float64{g.Epsilon}, err
}

// TestGoldenRefuses: what an entry says in unknown words must not be read as something else.
func TestGoldenRefuses(t *testing.T) {
	for _, key := range [][2]string{{"no such group", "epsilon"}, {"rdp", "no such quantity"}, {"calibration", "sigma"}, {"", ""}} {
		if goldenAny(key[0], key[1]) != nil {
			t.Errorf("%q: has a handler", key)
		}
	}
	for _, raw := range []string{
		`{"mechanism":"no such mechanism","sigma":1,"orders":[2]}`,
		`{"sigma":1,"orders":[2]}`,
		`{"mechanism":"composition","orders":[2]}`,
		`{"mechanism":"composition","parts":[{"mechanism":"no such mechanism","sigma":1}],"orders":[2]}`,
		`{"mechanism":"gaussian","sampling":"no such sampling","q":0.1,"sigma":1,"orders":[2]}`,
		`{"mechanism":"gaussian","sampling":"poisson","sigma":1,"orders":[2]}`,
		`{"mechanism":"laplace","sampling":"poisson","q":0.1,"b":1,"orders":[2]}`,
		`{"mechanism":"gaussian","neighbours":"no such relation","sigma":1,"orders":[2]}`,
		`{"mechanism":"gaussian","sigma":1,"orders":"no such orders"}`,
		`{"mechanism":"gaussian","sigma":1}`,
	} {
		var in goldenInputs
		if err := json.Unmarshal([]byte(raw), &in); err != nil {
			t.Fatal(err)
		}
		if got, err := goldenAny("edge", "rdp")(in); err == nil {
			t.Errorf("%s: read as %v", raw, got)
		}
	}
	if json.Unmarshal([]byte(`{"mechanism":"gaussian","no such input":1}`), new(goldenInputs)) == nil {
		t.Error("an unknown input is read")
	}
	for _, name := range []string{"no such argument=1", "sigma", "sigma=", "k=2.5", ""} {
		if err := invalidCase(name); !errors.Is(err, errNoCheck) {
			t.Errorf("case %q: %v", name, err)
		}
	}
	if _, err := goldenInvalid(goldenInputs{Cases: []string{"sigma=1"}}); err == nil {
		t.Error("a valid argument passes as an invalid one")
	}
}
