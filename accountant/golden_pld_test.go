package accountant

import (
	"fmt"
)

// lossEvent builds the events of the numerical accountant's entries and their relation.
func (in goldenInputs) lossEvent() (Event, Neighbours, error) {
	rel := AddRemove
	switch in.Neighbours {
	case "", "add_remove":
	case "replace":
		rel = ReplaceOne
	default:
		return nil, 0, fmt.Errorf("unknown relation %q", in.Neighbours)
	}
	if len(in.Parts) > 0 {
		var parts []Event
		for _, p := range in.Parts {
			p.Neighbours = in.Neighbours
			e, _, err := p.lossEvent()
			if err != nil {
				return nil, 0, err
			}
			parts = append(parts, Repeat(e, max(p.Count, 1)))
		}
		return Compose(parts...), rel, nil
	}
	switch {
	case in.Mechanism == "laplace":
		return Laplace{Sensitivity: 1, Scale: in.B, Neighbours: rel}, rel, nil
	case in.Mechanism == "pure_dp":
		return PureDP{Epsilon: in.Eps, Neighbours: rel}, rel, nil
	case in.Mechanism == "gaussian" && in.Sampling == "poisson":
		return poissonStep(*in.Q, in.Sigma, rel), rel, nil
	case in.Mechanism == "gaussian":
		return Gaussian{Sensitivity: 1, Sigma: in.Sigma, Neighbours: rel}, rel, nil
	case in.Mechanism == "discrete_gaussian":
		return DiscreteGaussian{Sensitivity: 1, Sigma: in.Sigma, Neighbours: rel, GridSigma: in.Sigma, Coordinates: 1}, rel, nil
	}
	return nil, 0, fmt.Errorf("unknown mechanism %q", in.Mechanism)
}

func poissonStep(q, sigma float64, rel Neighbours) SubsampledGaussian {
	return SubsampledGaussian{C: 1, Sigma: sigma, Sampling: Sampling{Kind: Poisson, Rate: q}, Neighbours: rel}
}

// goldenPLD checks the two bounds against each other and returns the upper one.
func goldenPLD(in goldenInputs) ([]float64, error) {
	e, rel, err := in.lossEvent()
	if err != nil {
		return nil, err
	}
	upper, lower, err := EpsilonPLD(e, rel, in.Delta)
	if err == nil && !(lower <= upper && upper-lower <= 1e-4*upper) {
		err = fmt.Errorf("bounds %g and %g", lower, upper)
	}
	return []float64{upper}, err
}

func goldenPLDDelta(in goldenInputs) ([]float64, error) {
	e, rel, err := in.lossEvent()
	if err != nil {
		return nil, err
	}
	d, err := PLD(e, rel)
	if err != nil {
		return nil, err
	}
	upper, _, err := d.Delta(in.Epsilon)
	return []float64{upper}, err
}

// goldenPLDHandlers are the entries of the numerical accountant.
func goldenPLDHandlers() map[[3]string]goldenHandler {
	h := map[[3]string]goldenHandler{
		{"calibration", "sigma", "poisson gaussian by PLD"}: goldenSigmaPLD,
		{"discrete", "delta", "discrete_gaussian"}:          goldenPLDDelta,
		{"edge", "epsilon", "composition of laplace"}:       goldenPLD,
	}
	for _, parts := range []string{
		"laplace", "poisson gaussian", "gaussian, laplace, poisson gaussian", "gaussian, laplace",
		"discrete_gaussian", "pure_dp",
	} {
		h[[3]string{"pld", "epsilon", "composition of " + parts}] = goldenPLD
	}
	return h
}

// goldenSigmaPLD finds the tight noise of DP-SGD.
func goldenSigmaPLD(in goldenInputs) ([]float64, error) {
	sigma, err := CalibratePLD(Budget{Epsilon: in.Epsilon, Delta: in.Delta}, AddRemove, func(sigma float64) Event {
		return Repeat(poissonStep(*in.Q, sigma, AddRemove), *in.Steps)
	}, CalibratePLDOptions{})
	return []float64{sigma}, err
}
