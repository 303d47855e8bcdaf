package accountant

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/golden"
)

// goldenInputs are the inputs of an entry or of one part of a composition.
type goldenInputs struct {
	Mechanism   string
	Sigma       float64
	Sensitivity *float64
	Sampling    string
	Q           *float64
	Steps       *int
	Count       int
	Neighbours  string
	Epsilon     float64
	Delta       float64
	Rho         *float64
	Omega       float64  // a tCDP bound ends at this order
	PureEps     *float64 `json:"pure_eps"`
	Orders      json.RawMessage
	Conversion  string
	Accountant  string
	Parts       []goldenInputs
	Cases       []string
	Triples     [][3]golden.Number `json:"triples_alpha_rdp_delta"`

	// Of single leaves.
	B, Eps float64
	PTruth float64 `json:"p_truth"`
	NoiseP float64 `json:"noise_p"`
	K      int
}

// UnmarshalJSON refuses an input that it does not know: a handler could not heed it. A list of mechanisms is a composition: of
// inputs of their own, or of names, of which each has the parameters that stand beside them.
func (in *goldenInputs) UnmarshalJSON(raw []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	for _, key := range []string{"mechanism", "mechanisms"} {
		var list []json.RawMessage
		if json.Unmarshal(fields[key], &list) != nil || list == nil {
			continue
		}
		delete(fields, key)
		for i, part := range list {
			var name string
			if json.Unmarshal(part, &name) != nil {
				continue
			}
			own := map[string]json.RawMessage{"mechanism": part}
			for _, parameter := range []string{"sigma", "sensitivity", "sampling", "q", "b", "eps", "p_truth", "noise_p", "k", "rho", "omega", "pure_eps"} {
				if v, ok := fields[parameter]; ok {
					own[parameter] = v
				}
			}
			var err error
			if list[i], err = json.Marshal(own); err != nil {
				return err
			}
		}
		if fields["parts"] != nil {
			return fmt.Errorf("a list of mechanisms beside parts")
		}
		var err error
		if fields["parts"], err = json.Marshal(list); err != nil {
			return err
		}
		fields["mechanism"] = json.RawMessage(`"composition"`)
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	type plain goldenInputs
	return golden.Strictly(raw, (*plain)(in))
}

type goldenEntry struct {
	ID, Group, Quantity, Kind, Tool string
	Inputs                          goldenInputs
	Value, Lower, Upper             golden.Numbers
	RTol, ATol                      float64

	Note string // words
	Edge bool   // repeats the group
}

// mechanism names what is priced: subsampling that has an effect, and the parts of a composition, belong to it.
func (in goldenInputs) mechanism() string {
	switch {
	case len(in.Triples) > 0:
		return "divergences"
	case len(in.Parts) > 0:
		var names []string
		for _, p := range in.Parts {
			names = append(names, p.mechanism())
		}
		slices.Sort(names)
		return "composition of " + strings.Join(slices.Compact(names), ", ")
	case len(in.Cases) > 0:
		return "invalid arguments"
	case in.Rho != nil:
		return "zcdp"
	case in.Mechanism == "" && in.PureEps != nil:
		return "pure_dp"
	case in.Sampling != "" && in.Q != nil && *in.Q != 0 && *in.Q != 1 && (in.Steps == nil || *in.Steps > 0):
		name := in.Sampling + " " + in.Mechanism
		if in.Accountant == "pld" {
			name += " by PLD"
		}
		return name
	}
	return in.Mechanism
}

// event builds what this package can price. All relations give the same numbers here.
func (in goldenInputs) event() Event {
	if len(in.Parts) > 0 {
		var parts []Event
		for _, p := range in.Parts {
			parts = append(parts, Repeat(p.event(), max(p.Count, 1)))
		}
		return Compose(parts...)
	}
	if (in.Q != nil && *in.Q == 0) || (in.Steps != nil && *in.Steps == 0) {
		return Compose() // nothing is released
	}
	sens := 1.0
	if in.Sensitivity != nil {
		sens = *in.Sensitivity
	}
	var e Event = Gaussian{Sensitivity: sens, Sigma: in.Sigma, Neighbours: AddRemove}
	if leaf, err := in.leafEvent(); err == nil && leaf != nil {
		e = leaf
	}
	if in.Mechanism == "discrete_gaussian" {
		e = DiscreteGaussian{Sensitivity: sens, Sigma: in.Sigma, Neighbours: AddRemove, GridSigma: in.Sigma, Coordinates: 1}
	}
	if in.Steps != nil {
		return Repeat(e, *in.Steps)
	}
	return e
}

func (in goldenInputs) curve() (Curve, error) {
	return in.event().RDP(AddRemove)
}

// orders is the list of orders of an entry, which may be written "integers 2..256".
func (in goldenInputs) orders() (orders []float64, err error) {
	var text string
	if json.Unmarshal(in.Orders, &text) != nil {
		var list []golden.Number // one may be "+Inf"
		if err := json.Unmarshal(in.Orders, &list); err != nil {
			return nil, err
		}
		for _, a := range list {
			orders = append(orders, float64(a))
		}
		return orders, nil
	}
	var lo, hi int
	if _, err := fmt.Sscanf(text, "integers %d..%d", &lo, &hi); err != nil {
		return nil, fmt.Errorf("orders %q: %w", text, err)
	}
	for a := lo; a <= hi; a++ {
		orders = append(orders, float64(a))
	}
	return orders, nil
}

// atOrder is a curve at an order: at 1, the limit from above, which is the Kullback-Leibler divergence, by a polynomial through orders
// beside it.
func atOrder(c Curve, alpha float64) float64 {
	if alpha != 1 {
		return c(alpha)
	}
	const h, n = 1.0 / 512, 6
	sum, binomial := 0.0, 1.0
	for i := 1; i <= n; i++ {
		binomial *= float64(n-i+1) / float64(i)
		sum += math.Pow(-1, float64(i+1)) * binomial * c(1+h*float64(i))
	}
	return sum
}

func TestGolden(t *testing.T) {
	path := golden.Files(t, "accounting")[0]
	raw := golden.Read(t, path)
	if run := goldenFormat(t, raw); run != nil {
		run(t, raw)
		return
	}
	if checked := goldenReferences(t, raw); checked == 0 {
		t.Fatalf("%s: no entry was checked", path)
	}
}

// goldenReferences runs a list of references; an entry that is not understood fails alone.
func goldenReferences(t *testing.T, raw []byte) (checked int) {
	t.Helper()
	var file struct{ Refs []json.RawMessage }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	for i, raw := range file.Refs {
		var name struct{ ID string }
		if err := json.Unmarshal(raw, &name); err != nil || name.ID == "" {
			name.ID = fmt.Sprintf("entry %d", i+1)
		}
		t.Run(name.ID, func(t *testing.T) {
			got, e, err := goldenValue(raw)
			if err != nil {
				t.Fatalf("%.500s: %v", raw, err)
			}
			e.check(t, got)
			checked++
		})
	}
	t.Logf("%d entries, %d of them checked", len(file.Refs), checked)
	return checked
}

// goldenValue reads an entry and computes what it is about.
func goldenValue(raw []byte) (got []float64, e goldenEntry, err error) {
	if err := golden.Strictly(raw, &e); err != nil {
		return nil, e, err
	}
	mechanism := e.Inputs.mechanism()
	handler, ok := goldenHandlers()[[3]string{e.Group, e.Quantity, mechanism}]
	if !ok {
		handler = goldenAny(e.Group, e.Quantity)
	}
	if handler == nil {
		return nil, e, fmt.Errorf("no handler for (%s, %s, %s)", e.Group, e.Quantity, mechanism)
	}
	got, err = handler(e.Inputs)
	return got, e, err
}

// check applies the conventions of the file: the kind of the entry, and soundness, by which no price may
// be more than 1e-9 below a value of mpmath (1e-6: of a PLD), nor below a stated lower limit.
func (e goldenEntry) check(t *testing.T, got []float64) {
	t.Helper()
	if len(got) != len(e.Value) {
		t.Fatalf("got %d values, want %d", len(got), len(e.Value))
	}
	if !slices.Contains([]string{"exact", "bracket", "exact_or_upper"}, e.Kind) {
		t.Fatalf("unknown kind %q", e.Kind)
	}
	if e.Kind == "bracket" && (len(e.Lower) < len(got) || len(e.Upper) < len(got)) || e.Kind == "exact_or_upper" && len(e.Upper) < len(got) {
		t.Fatalf("kind %q: got %d lower and %d upper ends for %d values", e.Kind, len(e.Lower), len(e.Upper), len(got))
	}
	for i, x := range got {
		v := float64(e.Value[i])
		if x == v {
			continue
		}
		lo, hi := v-e.ATol-e.RTol*math.Abs(v), v+e.ATol+e.RTol*math.Abs(v)
		if v == 0 {
			hi = max(hi, math.SmallestNonzeroFloat64) // a price below all numbers, rounded up
		}
		switch e.Kind {
		case "bracket":
			hi = float64(e.Upper[i]) * (1 + e.RTol)
		case "exact_or_upper":
			hi = max(hi, float64(e.Upper[i])*(1+e.RTol))
		}
		switch {
		case e.Kind == "bracket":
			lo = float64(e.Lower[i]) * (1 - e.RTol)
		case e.Group == "pld":
			lo = max(lo, v*(1-1e-6))
		case strings.HasPrefix(e.Tool, "mpmath"):
			lo = max(lo, v*(1-1e-9))
		case len(e.Lower) > i:
			lo = max(lo, float64(e.Lower[i]))
		}
		if !(x >= lo && x <= hi) {
			t.Errorf("value %d: got %.17g, want %.17g in [%.17g, %.17g]", i, x, v, lo, hi)
		}
	}
}

// requireAtLeast fails unless got is in [want, want·(1+1e-9)]: equal to the reference, rounded up.
func requireAtLeast(t *testing.T, what string, got, want float64) {
	t.Helper()
	if got == want {
		return
	}
	if !(got >= want) || !(got <= want*(1+1e-9)) {
		t.Errorf("%s = %.17g, want %.17g or up to 1e-9 above it", what, got, want)
	}
}
