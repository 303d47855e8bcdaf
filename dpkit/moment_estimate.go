package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/unbounded"
)

// Moments are released second moments of rows without bounds: positive semidefinite, in the units of the columns.
type Moments = unbounded.Moments

// SecondMoment releases E xxᵀ of all features, which may be unbounded. Each round is one pass over the rows, in constant memory.
func (p Pipeline) SecondMoment(o Unbounded) Plan[Moments] {
	return newPlan[Moments](p, unbounded.SecondMoment{Unbounded: o, Central: false})
}

// Covariance releases mean and covariance of all features, which may be unbounded, from one joint second moment of
// (1, x): a mean far from 0 costs what a large condition number costs, its logarithm.
func (p Pipeline) Covariance(o Unbounded) Plan[Moments] {
	return newPlan[Moments](p, unbounded.SecondMoment{Unbounded: o, Central: true})
}
