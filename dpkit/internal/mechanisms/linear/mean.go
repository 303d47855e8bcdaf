package linear

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/coefficient"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// MeanFit is what [BestLinear] releases where the columns are predicted to be worth less than the noise on them: a model that says the
// same number for every row, by Gaussian noise on Σ c·v, c the constant feature. The number is shrunk to the middle of the label's bounds
// by as much as the noise has of it and a mean off the middle together.
type MeanFit struct {
	*LinearDomain
	query.GaussianQuery
	st     stage.Stage
	target accountant.Budget
	free   float64
	// instead is the noise of the fit that would be released, in multiples of that of a chain of free steps.
	instead float64
}

// newMean settles the mean at any scale of the label, which changes nothing but units. The rows behind it are counted: steps that remove
// some leave a number that is not public.
func newMean(l LeastSquares, dom *LinearDomain, st stage.Stage) (*MeanFit, error) {
	if dom.constant == 0 || st.Empty {
		return nil, fmt.Errorf("mean of the label: a model has no intercept, or steps remove rows: %w", kind.ErrParameter)
	}
	m := &MeanFit{LinearDomain: dom, st: st, target: l.Target()}
	m.Coordinates, m.Max = 1, stage.Up(float64(dom.N)*m.summand())
	raw, err := pair.Start(dom.N, dom.Rx, st.Before.Neighbours)
	if err != nil {
		return nil, err
	}
	if m.free, err = m.moves(raw); err != nil {
		return nil, err
	}
	if m.Sensitivity, err = m.moves(st.Before); err != nil {
		return nil, err
	}
	mu, err := st.Spent.Mu(m.target)
	if err != nil {
		return nil, err
	}
	return m, m.CalibrateFine(mu)
}

// summand bounds |c·v| of a row.
func (m *MeanFit) summand() float64 { return stage.Up(m.constantCell() * m.Height) }

// moves is how far Σ c·v moves on a pair: as the free rows make it, since displaced ones keep their label, which [LeastSquares.Choose]
// asks for, and c (docs/theory/mechanisms.md#a-mean-in-place-of-a-model). The sum is exact.
func (m *MeanFit) moves(p pair.State) (float64, error) {
	_, free, err := pair.Query{C: m.summand()}.Sensitivity(p)
	return free, err
}

func (*MeanFit) Finish() error { return nil }

func (m *MeanFit) Bill(name string) (query.Bill, error) {
	return m.GaussianQuery.Price(m.target, m.st, m.free, m.moves, cost.Release{
		Name: name,
		Constants: []stage.Constant{
			{Symbol: "b", Value: m.Height, Origin: stage.FromParameter, Meaning: "bound on the scaled label"},
			{Symbol: "c", Value: m.constantCell(), Origin: stage.FromConstruction, Meaning: "constant feature"},
			{Symbol: "σ", Value: m.Sigma, Origin: stage.FromParameter, Meaning: "noise on the sum of labels, times c; no column is predicted to be worth its noise"},
		},
		Reference: "mean of the label, by the Gaussian mechanism; coefficients are 0",
	})
}

// noise is the standard deviation of the noise on the mean, in units of the label's bound.
func (m *MeanFit) noise() float64 { return m.Sigma / (float64(m.N) * m.constantCell() * m.Height) }

func (m *MeanFit) Fit(e *NormalEquations, rng *noise.Source) (Coefficients, error) {
	p := m.Coefficients()
	sum := m.Draw(rng, []float64{e.Sum[(p-1)*e.Size+p]})[0]
	w := make([]float64, p)
	mean := sum / (float64(m.N) * m.constantCell() * m.Height)
	w[p-1] = expectedMean(mean, m.noise(), m.N) * m.Height / m.constant // v = w·c
	return Coefficients{Method: models.LabelMean, W: w, law: &coefficient.Law{Law: coefficient.OfMean}}, nil
}

// predicted is the error of a model that says nothing of the columns: on the even reference the label's mean is in the middle, and what
// noise makes of it is left out, so that the numbers of methods that say nothing agree.
func (m *MeanFit) predicted(p population) float64 { return p.signal / (p.height * p.height) }

// excess is the error with that of the mean, in units of the label's bound: of one that is shrunk in proportion, for
// a label as far off the middle as between both references.
func (m *MeanFit) excess(p population) float64 {
	const prior = offCentre / 2
	sd, square := m.noise(), 0.0
	if p.shrunk {
		square = offCentre
	}
	kept := prior / (prior + sd*sd)
	return m.predicted(p) + (1-kept)*(1-kept)*square + kept*kept*sd*sd
}

// floor is the mean of the label in place of a fit, where it is predicted to have less than three quarters of its error, as
// [bestMargin]: in the geometric mean over both references.
func (l LeastSquares) floor(fit LinearFit, st stage.Stage) LinearFit {
	m, err := newMean(l, fit.Domain(), st)
	if err != nil {
		return fit
	}
	even, uneven := m.population(), m.uneven()
	if !(math.Sqrt(m.excess(even)*m.excess(uneven)) < bestMargin*m.onBoth(fit)) {
		return fit
	}
	if err := fit.Finish(); err == nil {
		if b, err := fit.Bill(""); err == nil {
			m.instead = b.Cost.Amplification()
		}
	}
	return m
}
