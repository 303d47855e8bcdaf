package accountant

import (
	"math"
)

// DisplacedAlone is the step on pairs that differ by displaced rows alone, without a row that is free: its curve is the smooth
// Rényi curve of Hu, Sanyal, Schölkopf 2024, at the displacement g.Shift (docs/theory/preprocessing.md#displacement-of-a-batch). Errors
// wrap [ErrNeighbours] or [ErrParameter].
func (g SubsampledGaussian) DisplacedAlone() (Event, error) {
	rel := g.Neighbours
	if err := g.validate(rel); err != nil {
		return nil, err
	}
	shift := g.Shift.scaled(g.C, g.Sigma)
	var moment func(alpha float64) float64
	s := g.Sampling
	switch {
	case s.none() || shift.Rows == 0:
		return ByRoutes("DisplacedAlone", rel, Routes{{"nothing moves", gaussianCurve(0)}}), nil
	case s.all() || g.Sigma == 0:
		return ByRoutes("DisplacedAlone", rel, Routes{{"Gaussian, all rows", gaussianCurve(shift.Total)}}), nil
	case s.Kind == WithoutReplacement:
		worst := min(shift.Total, shift.Each*float64(min(s.Batch, shift.Rows))*(1+4*eps))
		moment = displacedDraw(hypergeometricCount(s.Rows, min(shift.fewest, s.Rows), s.Batch), shift.Each, worst)
	default:
		moment = displacedDraw(binomialCount(shift.fewest, s.Rate), shift.Each, shift.Total)
	}
	curve := func(alpha float64) float64 {
		if !(alpha > 1) {
			return math.Inf(1)
		}
		return perOrder(moment)(alpha)
	}
	return ByRoutes("DisplacedAlone", rel, Routes{{"rows drawn alike", curve}}), nil
}
