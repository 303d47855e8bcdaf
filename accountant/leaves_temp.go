package accountant

import (
	"fmt"
	"math"
)

// Laplace is temporary here.
type Laplace struct {
	Sensitivity, Scale float64
	Neighbours         Neighbours
}

// RandomizedResponse is temporary here.
type RandomizedResponse struct {
	K          int
	Epsilon    float64
	Neighbours Neighbours
}

// PureDP is temporary here.
type PureDP struct {
	Epsilon    float64
	Neighbours Neighbours
}

// ApproxDP is temporary here.
type ApproxDP struct {
	Epsilon, Delta float64
	Neighbours     Neighbours
}

// SamplingKind is temporary here.
type SamplingKind uint8

// The kinds are temporary here.
const (
	Poisson SamplingKind = iota + 1
	WithoutReplacement
)

// Sampling is temporary here.
type Sampling struct {
	Kind        SamplingKind
	Rate        float64
	Batch, Rows int
}

// DisplacedRows is temporary here.
type DisplacedRows struct {
	Rows        int
	Each, Total float64
}

// SubsampledGaussian is temporary here.
type SubsampledGaussian struct {
	C, Sigma   float64
	Sampling   Sampling
	Neighbours Neighbours
	Shift      DisplacedRows
}

func noCurve(own, rel Neighbours) (Curve, error) {
	return func(float64) float64 { return math.Inf(1) }, own.match("leaf", rel)
}

func (e Laplace) RDP(rel Neighbours) (Curve, error)            { return noCurve(e.Neighbours, rel) }
func (e RandomizedResponse) RDP(rel Neighbours) (Curve, error) { return noCurve(e.Neighbours, rel) }
func (e PureDP) RDP(rel Neighbours) (Curve, error)             { return noCurve(e.Neighbours, rel) }
func (e ApproxDP) RDP(rel Neighbours) (Curve, error)           { return noCurve(e.Neighbours, rel) }
func (e SubsampledGaussian) RDP(rel Neighbours) (Curve, error) { return noCurve(e.Neighbours, rel) }

func (e Laplace) String() string            { return fmt.Sprintf("Laplace(%g)", e.Scale) }
func (e RandomizedResponse) String() string { return fmt.Sprintf("RandomizedResponse(%g)", e.Epsilon) }
func (e PureDP) String() string             { return fmt.Sprintf("PureDP(%g)", e.Epsilon) }
func (e ApproxDP) String() string           { return fmt.Sprintf("ApproxDP(%g)", e.Epsilon) }
func (e SubsampledGaussian) String() string { return fmt.Sprintf("SubsampledGaussian(%g)", e.Sigma) }
