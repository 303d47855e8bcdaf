package linear

import (
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// AdaSSPFit is one Gaussian mechanism on (XᵀX, Xᵀv), in the geometry of the Frobenius norm: off-diagonal entries get half
// the variance of diagonal ones, so that the noise on XᵀX is of the Gaussian orthogonal ensemble. The smallest
// eigenvalue, for which the paper spends a third of its budget, is read off the release (Wang 2018, Algorithm 2, with one
// exact budget instead of three bounds).
type AdaSSPFit struct {
	*LinearDomain
	query.GaussianQuery
	st     stage.Stage
	target accountant.Budget
	free   float64 // sensitivity without preprocessing
	fp     float64 // of the statistic in floating point
}

func newAdaSSP(l LeastSquares, dom *LinearDomain, st stage.Stage) (*AdaSSPFit, error) {
	a := &AdaSSPFit{LinearDomain: dom, st: st, target: l.Target()}
	p := dom.Coefficients()
	a.Coordinates = p*(p+1)/2 + p
	a.Max = stage.Up(math.Sqrt2 * float64(dom.N) * dom.Rx * max(dom.Rx, dom.Height))
	// √2 times an exact entry is rounded once, on either side.
	fp := 2 * math.Sqrt(float64(a.Coordinates)) * 0x1p-52 * a.Max
	raw, err := pair.Start(dom.N, dom.Rx, st.Before.Neighbours)
	if err != nil {
		return nil, err
	}
	a.fp = fp
	a.free = stage.Up(NormalSensitivity(raw, dom.Height) + fp)
	a.Sensitivity = stage.Up(NormalSensitivity(dom.Features, dom.Height) + fp)
	mu, err := st.Spent.Mu(a.target)
	if err != nil {
		return nil, err
	}
	return a, a.CalibrateFine(mu)
}

// NormalSensitivity (docs/theory/calculus.md#gram-matrices) bounds how far ψ = Σ (svec(xxᵀ), v·x) moves on a pair of rows x of norm at most C = p.R with |v| ≤ b.
// One row has ‖ψ‖ = ‖x‖√(‖x‖² + v²) ≤ A = C√(C² + b²). Two have, with s = ⟨x, x'⟩,
//
//	‖ψ − ψ'‖² = ‖ψ‖² + ‖ψ'‖² − 2s² − 2vv's ≤ 2A² + b⁴/2,
//
// as −2s² − 2vv's is largest at s = −vv'/2; and it is at most (2A)². A displaced row moves ψ by at most
// (‖x‖ + ‖x'‖)‖d‖ in the first part and b‖d‖ in the second; all together by (‖X‖ + ‖X'‖)‖D‖ and ‖v‖‖D‖ in the norms of
// the matrices, ‖X‖ ≤ √n C.
func NormalSensitivity(p pair.State, b float64) float64 {
	c := p.R
	one := c * math.Hypot(c, b)
	two := math.Min(2*one, math.Hypot(math.Sqrt2*one, b*b/math.Sqrt2)) // no fourth power is formed
	s := float64(p.F) * two
	if p.Neighbours == accountant.AddRemove && p.F > 0 {
		s = one + float64(p.F-1)*two
	}
	if p.Displaced() {
		lip := math.Hypot(2*c, b)
		s += math.Min(float64(p.M)*two, lip*math.Min(p.T1, math.Sqrt(float64(p.N))*p.TF))
	}
	return stage.Up(s)
}

func (*AdaSSPFit) Finish() error { return nil }

// moves is Sensitivity on any pair state.
func (a *AdaSSPFit) moves(p pair.State) (float64, error) {
	p, err := a.FeaturesBehind(p)
	return stage.Up(NormalSensitivity(p, a.Height) + a.fp), err
}

func (a *AdaSSPFit) Bill(name string) (query.Bill, error) {
	return a.GaussianQuery.Price(a.target, a.st, a.free, a.moves, cost.Release{
		Name: name,
		Constants: []stage.Constant{
			{Symbol: "R̃", Value: a.Rx, Origin: stage.FromSchema, Meaning: "bound on a row's norm, the constant feature included"},
			{Symbol: "b", Value: a.Height, Origin: stage.FromParameter, Meaning: "bound on the scaled label"},
			{Symbol: "σ", Value: a.Sigma, Origin: stage.FromParameter, Meaning: "noise on each diagonal entry of XᵀX and each entry of Xᵀy; off the diagonal σ/√2"},
		},
		Reference: "Wang 2018, Algorithm 2 (AdaSSP), as one Gaussian mechanism with noise of the orthogonal ensemble",
	})
}

// ridgeFailure is the probability with which the noise may exceed the ridge that is to cover it. It is no
// matter of privacy.
const ridgeFailure = 0.05

// Statistic is ψ: the upper triangle of XᵀX, √2 times off the diagonal, each row followed by its entry of Xᵀv.
func (a *AdaSSPFit) Statistic(m *NormalEquations) []float64 {
	p := a.Coefficients()
	psi := make([]float64, 0, a.Coordinates)
	for i := range p {
		for j := i; j <= p; j++ {
			v := m.Sum[i*m.Size+j]
			if j > i && j < p {
				v *= math.Sqrt2
			}
			psi = append(psi, v)
		}
	}
	return psi
}

// noisy draws the sums.
func (a *AdaSSPFit) noisy(m *NormalEquations, rng *noise.Source) *NormalEquations {
	p := a.Coefficients()
	at := a.Draw(rng, a.Statistic(m))
	noisy := &NormalEquations{Size: m.Size, Sum: make([]float64, m.Size*m.Size)}
	for i := range p {
		for j := i; j <= p; j++ {
			v := at[0]
			if j > i && j < p {
				v /= math.Sqrt2
			}
			noisy.Sum[i*m.Size+j], noisy.Sum[j*m.Size+i], at = v, v, at[1:]
		}
	}
	return noisy
}

func (a *AdaSSPFit) Fit(m *NormalEquations, rng *noise.Source) (Coefficients, error) {
	return a.solve(a.noisy(m, rng))
}

// solve regresses on noisy sums.
func (a *AdaSSPFit) solve(noisy *NormalEquations) (Coefficients, error) {
	smallest := noisy.Smallest(a.Coefficients(), 0)
	s, err := noisy.Solve(a.Ridge(smallest))
	if err != nil {
		return Coefficients{}, err
	}
	return Coefficients{Method: models.AdaSSP, W: s.W, se: a.errors(s), law: a.law(s, smallest), Ridge: s.ridge}, nil
}

// ridgeMargin is what the ridge adds to its cover of the noise, as a part of it: without, an eigenvalue that the noise
// all but cancels makes coefficients without bound, which at small ε dominates the error. A quarter was chosen on the
// public sets of notebooks/studies/linear.
const ridgeMargin = 0.25

// Ridge makes up for the noise where the rows' own smallest eigenvalue does not: the largest eigenvalue of the noise
// is below cover but for ridgeFailure, and the smallest one of the noisy moments is that of the rows to within it.
func (a *AdaSSPFit) Ridge(smallest float64) float64 {
	cover := a.cover()
	return max(0, (1+ridgeMargin)*cover-max(0, smallest-cover))
}

// cover bounds the largest eigenvalue of the noise, but for ridgeFailure.
func (a *AdaSSPFit) cover() float64 {
	return rows.SymmetricCover(a.Coefficients(), a.Sigma, ridgeFailure)
}

// errors are the standard deviations of w to first order: with M the noisy moments and the ridge, noise E on XᵀX and e
// on Xᵀv, w moves by M⁻¹(e − E w), whose middle has the covariance σ²I + σ²/2 (‖w‖²I + wwᵀ).
func (a *AdaSSPFit) errors(s ridgeSolution) []float64 {
	p := len(s.W)
	var square float64
	for _, v := range s.W {
		square += v * v
	}
	se := make([]float64, p)
	for i := range p {
		row := s.inverse[i*p : (i+1)*p]
		var rows, along float64
		for j, v := range row {
			rows += v * v
			along += v * s.W[j]
		}
		se[i] = a.Sigma * math.Sqrt(rows*(1+square/2)+along*along/2)
	}
	return se
}

func (a *AdaSSPFit) predicted(p population) float64 {
	ridge := a.Ridge(p.lambda)
	square := p.norm2(ridge)
	return p.risk(ridge, func(lambda float64) float64 {
		d := lambda + ridge
		return a.Sigma * a.Sigma * (1 + square/2*(1+1/p.columns)) / (d * d)
	})
}
