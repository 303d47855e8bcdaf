package accountant

import (
	"maps"
	"math"
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
		out = append(out, atOrder(c, a))
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

// goldenHandlers is keyed by group, quantity and mechanism, for entries whose group or mechanism says how they are meant;
// goldenAny handles the others.
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
