package accountant

import (
	"fmt"
	"math"
	"math/bits"
)

// subsampledEvent is one step: σ is relative to the sensitivity of the entry's relation.
func (in goldenInputs) subsampledEvent() (Event, Neighbours) {
	e := SubsampledGaussian{C: 1, Sigma: in.Sigma, Sampling: PoissonSampling(*in.Q), Neighbours: AddRemove}
	switch {
	case in.Sampling == "without_replacement":
		e = fixedBatchStep(*in.Q, in.Sigma)
	case in.Neighbours == "replace": // σ relative to one gradient
		e.Neighbours = ReplaceOne
	}
	if in.Steps != nil && *in.Steps > 0 {
		return Repeat(e, *in.Steps), e.Neighbours
	}
	return e, e.Neighbours
}

// fixedBatchStep draws the rate q of so many rows that any q of the file is a whole batch.
func fixedBatchStep(q, sigma float64) SubsampledGaussian {
	rows := 1_000_000
	if batch := q * float64(rows); math.Abs(batch-math.Round(batch)) > 1e-9*batch {
		rows = 1 << min(52, bits.UintSize-2)
	}
	return SubsampledGaussian{C: 0.5, Sigma: sigma, Sampling: BatchSampling(int(math.Round(q*float64(rows))), rows), Neighbours: ReplaceOne}
}

func (in goldenInputs) subsampledCurve() (Curve, error) {
	e, rel := in.subsampledEvent()
	return e.RDP(rel)
}

func goldenSubsampledRDP(in goldenInputs) ([]float64, error) {
	orders, err := in.orders()
	if err != nil {
		return nil, err
	}
	c, err := in.subsampledCurve()
	if err != nil {
		return nil, err
	}
	var out []float64
	for _, a := range orders {
		out = append(out, c(a))
	}
	return out, nil
}

// goldenSubsampledAt converts at the listed orders, and requires that free orders give no more.
func goldenSubsampledAt(quantity string) goldenHandler {
	return func(in goldenInputs) ([]float64, error) {
		orders, err := in.orders()
		if err != nil {
			return nil, err
		}
		c, err := in.subsampledCurve()
		if err != nil {
			return nil, err
		}
		e, rel := in.subsampledEvent()
		best, free := math.Inf(1), 0.0
		for _, a := range orders {
			var v float64
			if quantity == "epsilon" {
				v, err = c.EpsilonAt(a, in.Delta)
			} else {
				v, err = c.DeltaAt(a, in.Epsilon)
			}
			if err != nil {
				return nil, err
			}
			best = min(best, v)
		}
		var g Guarantee
		if quantity == "epsilon" {
			g, err = EpsilonOf(e, rel, in.Delta)
			free = g.Epsilon
		} else {
			g, err = DeltaOf(e, rel, in.Epsilon)
			free = g.Delta
		}
		if err == nil && free > best*(1+1e-5) {
			err = fmt.Errorf("free orders give %g, the listed ones %g", free, best)
		}
		return []float64{best}, err
	}
}

// goldenSGDSigma calibrates with free orders, which may end a little below the listed ones, and returns the noise
// of the listed ones, as the entry wants.
func goldenSGDSigma(in goldenInputs) ([]float64, error) {
	if in.Accountant != "rdp" {
		return nil, fmt.Errorf("accountant %q: no such calibration here", in.Accountant)
	}
	b := Budget{Epsilon: in.Epsilon, Delta: in.Delta}
	plan := SGDPlan{C: 1, Sampling: PoissonSampling(*in.Q), Steps: *in.Steps, Neighbours: AddRemove}
	sigma, err := CalibrateSGD(b, plan)
	if err != nil {
		return nil, err
	}
	at := goldenSubsampledAt("epsilon")
	lo, hi := sigma*(1-1e-9), sigma*1.1
	for range 40 {
		in.Sigma = math.Sqrt(lo * hi)
		eps, err := at(in)
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

func goldenSubsampledHandlers() map[[3]string]goldenHandler {
	const poisson, wor = "poisson gaussian", "without_replacement gaussian"
	return map[[3]string]goldenHandler{
		{"rdp_subsampled", "rdp", poisson}: goldenSubsampledRDP,
		{"rdp_subsampled", "rdp", wor}:     goldenSubsampledRDP,
		{"edge", "rdp", poisson}:           goldenSubsampledRDP,
		{"conversion", "epsilon", poisson}: goldenSubsampledAt("epsilon"),
		{"conversion", "delta", poisson}:   goldenSubsampledAt("delta"),
		{"edge", "epsilon", poisson}:       goldenSubsampledAt("epsilon"),
		{"calibration", "sigma", poisson}:  goldenSGDSigma,
	}
}
