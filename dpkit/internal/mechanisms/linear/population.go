package linear

import (
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	reference "github.com/dpkit-go/dpnb/dpkit/internal/population"
)

// population is a reference on which methods are compared before any row is read: eigenvalues of the rows' second moments, and a label
// with a variance that is linear in the columns, and as much that is not. It is a convention, not an assumption of any guarantee: where
// the data are unlike it another method may be better.
type population struct {
	n       float64
	columns float64
	lambda  float64 // least eigenvalue of the second moments of n rows
	groups  []group // of all columns of (x, c)
	signal  float64 // variance of the label that the best model explains, in units of the scaled label's bound, squared
	rest    float64 // variance that it leaves
	height  float64 // bound on the scaled label
	// shrunk says that ‖w‖ is that of the model that a ridge leaves, which it is in directions that hardly vary.
	shrunk bool
}

// group is a number of directions in which rows vary alike.
type group struct {
	lambda float64 // eigenvalue of the second moments of n rows
	count  float64
	square float64 // of the part of the best model's predictions that lies there, its mean
}

// population is the even reference: columns of equal, independent variance with ‖(x, c)‖² a quarter of its bound on average, and a label
// that is centred in its bounds.
func (g *LinearDomain) population() population {
	p := population{n: float64(g.N), columns: float64(g.Coefficients()), height: g.Height}
	p.lambda = p.n * g.Rx * g.Rx / (4 * p.columns)
	p.signal, p.rest = g.Height*g.Height*reference.Signal, g.Height*g.Height*reference.Signal
	p.groups = []group{{p.lambda, p.columns, p.signal}}
	return p
}

// unevenRows are rows as tables have them: a tenth of the bound is filled, by eigenvalues that fall as j^−3/2, and the label's mean is
// off the middle of its bounds by a third of half their width.
var unevenRows = reference.Shape{Fill: 0.1, Decay: 1.5, Tilt: 1}

// offCentre is the square of the label's mean on the uneven reference, in units of the label's bound. On the even one it is 0: between
// them a label's mean has half of it.
const offCentre = 0.1

// uneven is the reference with a label off its centre.
func (g *LinearDomain) uneven() population {
	p := g.population()
	p.shrunk, p.lambda, p.groups = true, math.Inf(1), nil
	for _, of := range unevenRows.Rows(g.D, g.r, 0).Groups {
		p.groups = append(p.groups, group{p.n * of.Value, of.Count, p.signal * of.Share})
		p.lambda = min(p.lambda, p.n*of.Value)
	}
	p.groups = append(p.groups, group{p.n * g.constant * g.constant, 1, offCentre * g.Height * g.Height})
	return p
}

// risk is the excess error of coefficients that a ridge shrinks, each with an error of a variance that depends on its direction, in
// units of the label's bound; a model that says nothing has p.signal on the even reference.
func (p population) risk(ridge float64, variance func(lambda float64) float64) float64 {
	sum := 0.0
	for _, of := range p.groups {
		shrink := ridge / (of.lambda + ridge)
		sum += of.square*shrink*shrink + of.count*variance(of.lambda)*of.lambda/p.n
	}
	return sum / (p.height * p.height)
}

// norm2 is ‖w‖² of the best model, or of what the ridge leaves of it.
func (p population) norm2(ridge float64) float64 {
	if !p.shrunk {
		ridge = 0
	}
	sum := 0.0
	for _, of := range p.groups {
		kept := of.lambda / (of.lambda + ridge)
		sum += of.square * p.n / of.lambda * kept * kept
	}
	return sum
}

// onBoth is the geometric mean of a fit's errors on the even and on the uneven reference: rows of tables are between them.
func (g *LinearDomain) onBoth(fit interface{ predicted(p population) float64 }) float64 {
	return math.Sqrt(fit.predicted(g.population()) * fit.predicted(g.uneven()))
}

// prediction is the error of a regression.
func (p population) prediction(fit interface{ predicted(p population) float64 }) mechanism.Prediction {
	return mechanism.Prediction{
		Of: reference.ErrorOfNumbers, Size: []float64{fit.predicted(p)}, Most: []float64{p.signal / (p.height * p.height)},
	}
}
