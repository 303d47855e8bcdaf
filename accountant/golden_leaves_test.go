package accountant

import "fmt"

// leafEvent builds one release of a leaf of the golden file; nil where it names no such leaf.
func (in goldenInputs) leafEvent() (Event, error) {
	sens := 1.0
	if in.Sensitivity != nil {
		sens = *in.Sensitivity
	}
	switch in.mechanism() {
	case "laplace":
		return Laplace{Sensitivity: sens, Scale: in.B, Neighbours: AddRemove}, nil
	case "discrete_laplace":
		// At sensitivity 1 the loss is ±1/b, as that of binary randomized response (its ratios are e^{±1/b}).
		if sens != 1 || !(in.B > 0) {
			return nil, fmt.Errorf("discrete Laplace: got sensitivity %g and scale %g, want 1 and a positive one", sens, in.B)
		}
		return RandomizedResponse{K: 2, Epsilon: 1 / in.B, Neighbours: AddRemove}, nil
	case "randomized_response":
		return TruthfulResponse(2, in.PTruth, AddRemove)
	case "kary_randomized_response":
		return TruthfulResponse(in.K, 1-in.NoiseP+in.NoiseP/float64(in.K), AddRemove)
	case "pure_dp":
		eps := in.Eps
		if in.PureEps != nil {
			eps = *in.PureEps
		}
		return PureDP{Epsilon: eps, Neighbours: AddRemove}, nil
	case "zcdp":
		if in.Omega > 0 {
			return TCDP{Rho: *in.Rho, Omega: in.Omega, Neighbours: AddRemove}, nil
		}
		return ZCDP{Rho: *in.Rho, Neighbours: AddRemove}, nil
	}
	return nil, nil
}

// goldenLeafRDP differs from goldenRDP in that a leaf may be refused.
func goldenLeafRDP(in goldenInputs) ([]float64, error) {
	e, err := in.leafEvent()
	if err != nil {
		return nil, err
	}
	orders, err := in.orders()
	if err != nil {
		return nil, err
	}
	c, err := e.RDP(AddRemove)
	if err != nil {
		return nil, err
	}
	var out []float64
	for _, a := range orders {
		out = append(out, atOrder(c, a))
	}
	return out, nil
}

func goldenRho(in goldenInputs) ([]float64, error) {
	e, err := in.leafEvent()
	if err != nil {
		return nil, err
	}
	rho, err := RhoOf(e, AddRemove)
	return []float64{rho}, err
}

func goldenLeaves() map[[3]string]goldenHandler {
	return map[[3]string]goldenHandler{
		{"rdp", "rdp", "laplace"}:                              goldenLeafRDP,
		{"rdp", "rdp", "randomized_response"}:                  goldenLeafRDP,
		{"rdp", "rdp", "kary_randomized_response"}:             goldenLeafRDP,
		{"edge", "rdp", "laplace"}:                             goldenLeafRDP,
		{"edge", "rdp", "randomized_response"}:                 goldenLeafRDP,
		{"zcdp", "rho", "pure_dp"}:                             goldenRho,
		{"zcdp", "epsilon", "zcdp"}:                            goldenEpsilon,
		{"zcdp", "delta", "zcdp"}:                              goldenDelta,
		{"edge", "epsilon", "zcdp"}:                            goldenEpsilon,
		{"edge", "epsilon", "composition of laplace"}:          goldenEpsilon,
		{"pld", "epsilon", "composition of pure_dp"}:           goldenEpsilon,
		{"discrete", "delta", "discrete_gaussian"}:             goldenDelta,
		{"pld", "epsilon", "composition of discrete_gaussian"}: goldenEpsilon,
	}
}
