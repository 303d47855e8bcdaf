package accountant

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

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
	rate := func(q float64) error {
		_, err := SubsampledGaussian{C: 1, Sigma: 1, Sampling: PoissonSampling(q), Neighbours: AddRemove}.RDP(AddRemove)
		return err
	}
	cases := map[string]func() error{
		"q=-0.1":      func() error { return rate(-0.1) },
		"q=1.5":       func() error { return rate(1.5) },
		"q=NaN":       func() error { return rate(math.NaN()) },
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
	maps.Copy(cases, invalidLeaves())
	// Arguments of events that do not exist yet.
	pending := []string{}
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
	all := map[[3]string]goldenHandler{
		{"rdp", "rdp", "gaussian"}:                   goldenRDP,
		{"rdp", "rdp", "discrete_gaussian"}:          goldenRDP,
		{"conversion", "epsilon", "gaussian"}:        epsilonAt,
		{"conversion", "delta", "gaussian"}:          deltaAt,
		{"analytic_gaussian", "epsilon", "gaussian"}: goldenEpsilon,
		{"analytic_gaussian", "delta", "gaussian"}:   goldenDelta,
		{"analytic_gaussian", "epsilon", composed}:   goldenEpsilon,
		{"pld", "epsilon", composed}:                 goldenEpsilon,
		{"calibration", "sigma", "gaussian"}:         goldenSigma,
		{"edge", "rdp", "gaussian"}:                  goldenRDP,
		{"edge", "epsilon", "gaussian"}:              goldenEpsilon,
		{"edge", "delta", "gaussian"}:                goldenDelta,
		{"edge", "sigma", "gaussian"}:                goldenSigma,
		{"edge", "error", "invalid arguments"}:       goldenInvalid,
	}
	maps.Copy(all, goldenLeaves())
	maps.Copy(all, goldenSubsampledHandlers())
	maps.Copy(all, goldenPLDHandlers())
	return all
}

// goldenPending lists the (group, mechanism) pairs that no code of this package prices yet.
func goldenPending() [][2]string {
	return [][2]string{}
}
