package linear

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	reference "github.com/dpkit-go/dpnb/dpkit/internal/population"
)

// population is the reference on which methods are compared before any row is read: columns of equal, independent
// variance with ‖(x, c)‖² a quarter of its bound on average, and a label of which half the variance is linear in them. It is a
// convention, not an assumption of any guarantee: where the data are unlike it another method may be better.
type population struct {
	n       float64
	columns float64
	lambda  float64 // eigenvalue of the second moments of n rows
	signal  float64 // variance of the label that the best model explains, in units of the scaled label's bound, squared
	rest    float64 // variance that it leaves
	height  float64 // bound on the scaled label
}

func (g *LinearDomain) population() population {
	p := population{n: float64(g.N), columns: float64(g.Coefficients()), height: g.Height}
	p.lambda = p.n * g.Rx * g.Rx / (4 * p.columns)
	p.signal, p.rest = g.Height*g.Height/32, g.Height*g.Height/32
	return p
}

// risk is the excess error of coefficients that a ridge shrinks, each with an error of the given variance, in units of the
// label's bound; a model that says nothing has p.signal.
func (p population) risk(ridge, variance float64) float64 {
	shrink := ridge / (p.lambda + ridge)
	return (p.signal*shrink*shrink + p.columns*variance*p.lambda/p.n) / (p.height * p.height)
}

// norm2 is ‖w‖² of the best model.
func (p population) norm2() float64 { return p.signal * p.n / p.lambda }

// prediction is the error of a regression.
func (p population) prediction(fit interface{ predicted(p population) float64 }) mechanism.Prediction {
	return mechanism.Prediction{
		Of: reference.ErrorOfNumbers, Size: []float64{fit.predicted(p)}, Most: []float64{p.signal / (p.height * p.height)},
	}
}
