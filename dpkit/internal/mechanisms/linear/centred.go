package linear

import (
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// CentredFit is [AdaSSP]'s release with a regression that shrinks to the label's mean in place of the middle of its bounds: (XᵀX, Xᵀv)
// holds Σ cv, and with it what is expected of the mean ([expectedMean]). The ridge is on w − w₀, w₀ that mean in the constant's place,
//
//	w = w₀ + (A + ridge·I)⁻¹ (b − A w₀),
//
// with nc² where A has it, which is public. It is a function of what AdaSSP draws, and costs what that costs.
type CentredFit struct {
	*AdaSSPFit
}

// Where a label lies in the middle of its bounds its mean is noise alone, and centring may only cost. So it must be predicted to cost less
// than centredCost of the error on the even reference, and the error must be below centredMargin of what it was in the geometric mean over
// both (docs/theory/mechanisms.md#a-mean-in-place-of-a-model).
const (
	centredCost   = 0.005
	centredMargin = 0.9
)

// centred is the fit about the label's mean where that is predicted to be better. The rows behind the mean are counted: steps that remove
// some leave a number that is not public.
func (a *AdaSSPFit) centred() LinearFit {
	if a.constant == 0 || a.st.Empty {
		return a
	}
	c, even := &CentredFit{a}, a.population()
	if c.predicted(even) <= (1+centredCost)*a.predicted(even) && a.onBoth(c) < centredMargin*a.onBoth(a) {
		return c
	}
	return a
}

func (c *CentredFit) Bill(name string) (query.Bill, error) {
	b, err := c.AdaSSPFit.Bill(name)
	b.Cost.Reference += "; the ridge shrinks to the mean of the label that is part of it"
	return b, err
}

// cell is n·c·b, the largest |Σ cv|.
func (c *CentredFit) cell() float64 { return float64(c.N) * c.constantCell() * c.Height }

// noise is the standard deviation of the noise on the mean, in units of the label's bound.
func (c *CentredFit) noise() float64 { return c.Sigma / c.cell() }

func (c *CentredFit) Fit(m *NormalEquations, rng *noise.Source) (Coefficients, error) {
	noisy := c.noisy(m, rng)
	return c.about(noisy, c.Ridge(noisy.Smallest(c.Coefficients(), 0)))
}

// about regresses on the noisy moments, which it changes.
func (c *CentredFit) about(noisy *NormalEquations, ridge float64) (Coefficients, error) {
	p, size := c.Coefficients(), noisy.Size
	at := p - 1
	mean := noisy.Sum[at*size+p] / c.cell()
	to := c.Height / c.constantCell() // from the mean to its coefficient
	w0 := expectedMean(mean, c.noise(), c.N) * to
	noisy.Sum[at*size+at] = float64(c.N) * c.constantCell() * c.constantCell()
	for i := range p {
		rest := noisy.Sum[i*size+p] - noisy.Sum[i*size+at]*w0
		noisy.Sum[i*size+p], noisy.Sum[p*size+i] = rest, rest
	}
	s, err := noisy.Solve(ridge)
	if err != nil {
		return Coefficients{}, err
	}
	s.W[at] += w0
	// To first order the noise e on Σ cv moves w₀ by slope·e/(nc²) and so w by M⁻¹ ridge·w₀; and nc², by which w_c is multiplied, has none.
	h := c.noise() / 8
	slope := (expectedMean(mean+h, c.noise(), c.N) - expectedMean(mean-h, c.noise(), c.N)) / (2 * h)
	more := slope * s.ridge / noisy.Sum[at*size+at]
	se := c.errors(s)
	for i, e := range se {
		along := c.Sigma * s.inverse[i*p+at]
		se[i] = math.Sqrt(max(e*e+along*along*(more*(2+more)-s.W[at]*s.W[at]), 0))
	}
	return Coefficients{Method: models.AdaSSP, W: s.W, se: se}, nil
}

// predicted is that of AdaSSP with the constant's coefficient whole in the noise that follows ‖w‖, and of the mean what is not known of it,
// as much as the ridge leaves, beside the noise on it that the regression adds, which is the same.
func (c *CentredFit) predicted(p population) float64 {
	ridge, lambda := c.Ridge(p.lambda), float64(c.N)*c.constant*c.constant
	kept := lambda / (lambda + ridge)
	mean, square := 0.0, p.norm2(ridge)
	if p.shrunk { // where the last group is the constant's
		last := len(p.groups) - 1
		mean = math.Sqrt(p.groups[last].square) / c.Height
		square += p.groups[last].square * p.n / lambda * (1 - kept*kept)
		p.groups = slices.Clone(p.groups)
		p.groups[last].square = 0
	}
	off := (1 - kept) * math.Sqrt(meanError(mean, c.noise(), c.N))
	return p.risk(ridge, c.variance(p, ridge, square)) + off*off + 2*off*kept*c.noise()
}
