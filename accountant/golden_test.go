package accountant

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var goldenFile = flag.String("golden", "testdata/golden/accounting.json",
	"golden file of TestGolden, absolute or relative to the root of the repository")

// A goldenNumber is a JSON number or the string "+Inf".
type goldenNumber float64

func (n *goldenNumber) UnmarshalJSON(raw []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	*n = goldenNumber(v)
	return err
}

// goldenNumbers is one number or a list.
type goldenNumbers []goldenNumber

func (n *goldenNumbers) UnmarshalJSON(raw []byte) error {
	if raw[0] == '[' {
		return json.Unmarshal(raw, (*[]goldenNumber)(n))
	}
	*n = make(goldenNumbers, 1)
	return json.Unmarshal(raw, &(*n)[0])
}

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

	// Of events that are pending.
	B, Eps float64
	PTruth float64 `json:"p_truth"`
	NoiseP float64 `json:"noise_p"`
	K      int
}

// UnmarshalJSON refuses an input that it does not know: a handler could not heed it.
func (in *goldenInputs) UnmarshalJSON(raw []byte) error {
	type plain goldenInputs
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode((*plain)(in))
}

type goldenEntry struct {
	ID, Group, Quantity, Kind, Tool string
	Inputs                          goldenInputs
	Value, Lower, Upper             goldenNumbers
	RTol, ATol                      float64
}

// mechanism names what is priced: subsampling that has an effect, and the parts of a composition, belong to it.
func (in goldenInputs) mechanism() string {
	switch {
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
	case in.Sampling != "" && *in.Q != 0 && *in.Q != 1 && (in.Steps == nil || *in.Steps > 0):
		return in.Sampling + " " + in.Mechanism
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
	if in.Mechanism == "discrete_gaussian" {
		e = DiscreteGaussian{Sensitivity: sens, Sigma: in.Sigma, Neighbours: AddRemove, GridSigma: in.Sigma, Coordinates: 1}
	}
	if in.Steps != nil {
		return Repeat(e, *in.Steps)
	}
	return e
}

func (in goldenInputs) curve() (Curve, error) {
	if in.Rho != nil {
		rho := *in.Rho
		return func(alpha float64) float64 {
			if in.Omega > 0 && alpha > in.Omega {
				return math.Inf(1)
			}
			return rho * alpha
		}, nil
	}
	return in.event().RDP(AddRemove)
}

// orders is the list of orders of an entry, which may be written "integers 2..256".
func (in goldenInputs) orders() (orders []float64, err error) {
	var text string
	if json.Unmarshal(in.Orders, &text) != nil {
		return orders, json.Unmarshal(in.Orders, &orders)
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

type goldenHandler func(goldenInputs) ([]float64, error)

func goldenRDP(in goldenInputs) ([]float64, error) {
	orders, err := in.orders()
	if err != nil {
		return nil, err
	}
	c, err := in.curve()
	if err != nil {
		return nil, err
	}
	var out []float64
	for _, a := range orders {
		out = append(out, c(a))
	}
	return out, nil
}

func goldenEpsilon(in goldenInputs) ([]float64, error) {
	g, err := EpsilonOf(in.event(), AddRemove, in.Delta)
	return []float64{g.Epsilon}, err
}

func goldenDelta(in goldenInputs) ([]float64, error) {
	g, err := DeltaOf(in.event(), AddRemove, in.Epsilon)
	return []float64{g.Delta}, err
}

func goldenCurveEpsilon(in goldenInputs) ([]float64, error) {
	c, err := in.curve()
	if err != nil {
		return nil, err
	}
	eps, _, err := c.Epsilon(in.Delta)
	return []float64{eps}, err
}

func goldenCurveDelta(in goldenInputs) ([]float64, error) {
	c, err := in.curve()
	if err != nil {
		return nil, err
	}
	delta, _, err := c.Delta(in.Epsilon)
	return []float64{delta}, err
}

// goldenAtOrders converts at the listed orders alone.
func goldenAtOrders(at func(Curve, float64, goldenInputs) (float64, error)) goldenHandler {
	return func(in goldenInputs) ([]float64, error) {
		orders, err := in.orders()
		if err != nil {
			return nil, err
		}
		c, err := in.curve()
		if err != nil {
			return nil, err
		}
		best := math.Inf(1)
		for _, a := range orders {
			v, err := at(c, a, in)
			if err != nil {
				return nil, err
			}
			best = min(best, v)
		}
		return []float64{best}, nil
	}
}

func goldenSigma(in goldenInputs) ([]float64, error) {
	steps := 1
	if in.Steps != nil {
		steps = *in.Steps
	}
	if in.Accountant == "rdp" {
		return goldenSigmaRDP(in)
	}
	mu, err := CalibrateGaussian(Budget{Epsilon: in.Epsilon, Delta: in.Delta})
	return []float64{math.Sqrt(float64(steps)) / mu}, err
}

// goldenSigmaRDP finds the noise at which the listed orders give the target.
func goldenSigmaRDP(in goldenInputs) ([]float64, error) {
	price := goldenAtOrders(func(c Curve, a float64, in goldenInputs) (float64, error) { return c.EpsilonAt(a, in.Delta) })
	lo, hi := 1e-3, 1e6
	for range 80 {
		in.Sigma = math.Sqrt(lo * hi)
		eps, err := price(in)
		if err != nil {
			return nil, err
		}
		if eps[0] <= in.Epsilon {
			hi = in.Sigma
		} else {
			lo = in.Sigma
		}
	}
	return []float64{hi}, nil
}

// goldenInvalid returns an error for each case that was accepted.
func goldenInvalid(in goldenInputs) ([]float64, error) {
	gauss := func(sigma float64) error {
		_, err := Gaussian{Sensitivity: 1, Sigma: sigma, Neighbours: AddRemove}.RDP(AddRemove)
		return err
	}
	one := Gaussian{Sensitivity: 1, Sigma: 1, Neighbours: AddRemove}
	delta := func(d float64) error {
		_, err := EpsilonOf(one, AddRemove, d)
		return err
	}
	order := func(a float64) error {
		_, err := Curve(func(float64) float64 { return 1 }).EpsilonAt(a, 1e-6)
		return err
	}
	cases := map[string]func() error{
		"sigma=-1":    func() error { return gauss(-1) },
		"sigma=NaN":   func() error { return gauss(math.NaN()) },
		"delta=-1e-9": func() error { return delta(-1e-9) },
		"delta=1.5":   func() error { return delta(1.5) },
		"delta=NaN":   func() error { return delta(math.NaN()) },
		"eps=-1": func() error {
			_, err := DeltaOf(one, AddRemove, -1)
			return err
		},
		"order=0.5":                    func() error { return order(0.5) },
		"order<=1 except the KL limit": func() error { return order(1) },
		"steps=-1": func() error {
			_, err := EpsilonOf(Repeat(one, -1), AddRemove, 1e-6)
			return err
		},
		"sigma=0 -> Inf not panic": func() error {
			g, err := EpsilonOf(Gaussian{Sensitivity: 1, Neighbours: AddRemove}, AddRemove, 1e-6)
			if err != nil || !math.IsInf(g.Epsilon, 1) {
				return nil
			}
			return ErrParameter // as it should be
		},
	}
	// Arguments of events that do not exist yet.
	pending := []string{
		"q=-0.1", "q=1.5", "q=NaN", "b=0", "b=+Inf", "p_truth=1.2", "rho=-1", "empty order list", "mismatched orders/rdp length",
	}
	sentinels := []error{ErrParameter, ErrDelta, ErrEpsilon, ErrOrder}
	for _, name := range in.Cases {
		check, ok := cases[name]
		if !ok {
			if !slices.Contains(pending, name) {
				return nil, fmt.Errorf("no check for %q", name)
			}
			continue
		}
		if err := check(); !slices.ContainsFunc(sentinels, func(s error) bool { return errors.Is(err, s) }) {
			return nil, fmt.Errorf("%s: got %v, want an error with a sentinel", name, err)
		}
	}
	return nil, nil
}

// goldenHandlers is keyed by group, quantity and mechanism.
func goldenHandlers() map[[3]string]goldenHandler {
	epsilonAt := goldenAtOrders(func(c Curve, a float64, in goldenInputs) (float64, error) { return c.EpsilonAt(a, in.Delta) })
	deltaAt := goldenAtOrders(func(c Curve, a float64, in goldenInputs) (float64, error) { return c.DeltaAt(a, in.Epsilon) })
	const composed = "composition of gaussian"
	return map[[3]string]goldenHandler{
		{"rdp", "rdp", "gaussian"}:                   goldenRDP,
		{"rdp", "rdp", "discrete_gaussian"}:          goldenRDP,
		{"conversion", "epsilon", "gaussian"}:        epsilonAt,
		{"conversion", "delta", "gaussian"}:          deltaAt,
		{"zcdp", "epsilon", "zcdp"}:                  goldenCurveEpsilon,
		{"zcdp", "delta", "zcdp"}:                    goldenCurveDelta,
		{"analytic_gaussian", "epsilon", "gaussian"}: goldenEpsilon,
		{"analytic_gaussian", "delta", "gaussian"}:   goldenDelta,
		{"analytic_gaussian", "epsilon", composed}:   goldenEpsilon,
		{"pld", "epsilon", composed}:                 goldenEpsilon,
		{"calibration", "sigma", "gaussian"}:         goldenSigma,
		{"edge", "rdp", "gaussian"}:                  goldenRDP,
		{"edge", "epsilon", "gaussian"}:              goldenEpsilon,
		{"edge", "delta", "gaussian"}:                goldenDelta,
		{"edge", "sigma", "gaussian"}:                goldenSigma,
		{"edge", "epsilon", "zcdp"}:                  goldenCurveEpsilon,
		{"edge", "error", "invalid arguments"}:       goldenInvalid,
	}
}

// goldenPending lists the (group, mechanism) pairs that no code of this package prices yet.
func goldenPending() [][2]string {
	return [][2]string{
		{"rdp", "laplace"},
		{"rdp", "randomized_response"},
		{"rdp", "kary_randomized_response"},
		{"rdp_subsampled", "poisson gaussian"},
		{"rdp_subsampled", "without_replacement gaussian"},
		{"conversion", "poisson gaussian"},
		{"calibration", "poisson gaussian"},
		{"zcdp", "pure_dp"},
		{"discrete", "discrete_gaussian"}, // the exact lattice profile
		{"pld", "composition of laplace"},
		{"pld", "composition of poisson gaussian"},
		{"pld", "composition of gaussian, laplace, poisson gaussian"},
		{"pld", "composition of gaussian, laplace"},
		{"pld", "composition of discrete_gaussian"},
		{"pld", "composition of pure_dp"},
		{"edge", "laplace"},
		{"edge", "randomized_response"},
		{"edge", "poisson gaussian"},
		{"edge", "composition of laplace"},
	}
}

func TestGolden(t *testing.T) {
	path := *goldenFile
	if !filepath.IsAbs(path) {
		path = filepath.Join("..", path)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var golden struct{ Refs []goldenEntry }
	if err := json.Unmarshal(raw, &golden); err != nil {
		t.Fatal(err)
	}
	handlers, pending := goldenHandlers(), goldenPending()
	matched, waiting := 0, map[[2]string]int{}
	for _, e := range golden.Refs {
		mechanism := e.Inputs.mechanism()
		handler, ok := handlers[[3]string{e.Group, e.Quantity, mechanism}]
		if !ok {
			pair := [2]string{e.Group, mechanism}
			if !slices.Contains(pending, pair) {
				t.Errorf("%s: no handler for (%s, %s, %s), and (%s, %s) is not listed as pending",
					e.ID, e.Group, e.Quantity, mechanism, e.Group, mechanism)
			}
			waiting[pair]++
			continue
		}
		matched++
		t.Run(e.ID, func(t *testing.T) {
			got, err := handler(e.Inputs)
			if err != nil {
				t.Fatal(err)
			}
			e.check(t, got)
		})
	}
	if matched == 0 {
		t.Fatalf("%s: no entry of %d was checked", *goldenFile, len(golden.Refs))
	}
	pendingCount := 0
	for _, n := range waiting {
		pendingCount += n
	}
	t.Logf("%s: %d entries checked, %d pending: %v", *goldenFile, matched, pendingCount, waiting)
}

// check applies the conventions of the file: the kind of the entry, and soundness, by which no price may
// be more than 1e-9 below a value of mpmath (1e-6: of a PLD), nor below a stated lower limit.
func (e goldenEntry) check(t *testing.T, got []float64) {
	t.Helper()
	if len(got) != len(e.Value) {
		t.Fatalf("got %d values, want %d", len(got), len(e.Value))
	}
	for i, x := range got {
		v := float64(e.Value[i])
		if x == v {
			continue
		}
		lo, hi := v-e.ATol-e.RTol*math.Abs(v), v+e.ATol+e.RTol*math.Abs(v)
		switch e.Kind {
		case "exact":
		case "bracket":
			hi = float64(e.Upper[i]) * (1 + e.RTol)
		case "exact_or_upper":
			hi = max(hi, float64(e.Upper[i])*(1+e.RTol))
		default:
			t.Fatalf("unknown kind %q", e.Kind)
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
