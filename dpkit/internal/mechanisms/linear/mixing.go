package linear

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/linalg"
	"github.com/dpkit-go/dpnb/internal/noise"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// SketchFit regresses on a Gaussian mixture of the rows (x, c, v). Given the rows the sketch is k draws of
// N(0, Σ), Σ = ZᵀZ + σ²I, so that its least-squares coefficients have a multivariate t law about the ridge solution of
// the rows, and its residuals estimate the scale (Lev et al. 2025, Algorithm 2, with corrected calibration; docs/theory/mechanisms.md#sampling-a-mixture).
type SketchFit struct {
	*LinearDomain
	*mixture
	st    stage.Stage
	only  bool                // the coefficients alone
	cover query.GaussianQuery // the noise that covers rounding
}

// defaultSketchRows is k for each coefficient of the model: the best of a sweep on simulated populations of many rows.
const defaultSketchRows = 8

// fewerRows are smaller k for each coefficient: noise is in proportion to √k, which counts where there are few rows for the columns.
var fewerRows = []float64{1.25, 1.5, 2, 2.5, 3, 4, 6}

// leastFreedom are the rows of the sketch beyond its columns that a sweep leaves: with fewer the scale of the residuals is left to chance,
// and rounding takes much noise to cover.
const leastFreedom = 10

// sweepMargin is how far below the predicted error of the default k that of a smaller one must be.
const sweepMargin = 0.9

// sweep takes fewer rows of the sketch where they are predicted to be better, in the geometric mean over both references, and the scale
// of the label that goes with them. Behind displaced rows, where each k takes long to calibrate, it takes none.
func (l LeastSquares) sweep(fit *SketchFit, st stage.Stage) LinearFit {
	if fit.pair.Displaced() {
		return fit
	}
	best, least := fit, sweepMargin*fit.onBoth(fit)
	for _, times := range fewerRows {
		l.Rows = max(fit.M+leastFreedom, int(math.Ceil(times*float64(fit.M))))
		for _, scale := range l.scales() {
			dom, err := LinearDomainOf(st, scale, !l.NoIntercept)
			if err != nil {
				return fit
			}
			x, err := newLinearMixing(l, dom, st)
			if err != nil {
				continue
			}
			if e := dom.onBoth(x); e < least {
				best, least = x, e
			}
		}
	}
	return best
}

func newLinearMixing(l LeastSquares, dom *LinearDomain, st stage.Stage) (*SketchFit, error) {
	if l.CoefficientsOnly && l.ReleaseEigenvalue {
		return nil, fmt.Errorf("CoefficientsOnly and ReleaseEigenvalue: want one of them: without added noise nothing bounds the rounding of the coefficients: %w", kind.ErrParameter)
	}
	k := l.Rows
	if k == 0 {
		k = defaultSketchRows * (dom.Coefficients() + 1)
	}
	x, err := newMixture(l.Target(), dom.Rows, k, dom.Size(), l.ReleaseEigenvalue)
	return &SketchFit{LinearDomain: dom, mixture: x, st: st, only: l.CoefficientsOnly}, err
}

func (x *SketchFit) Bill(name string) (query.Bill, error) {
	b, err := x.mixture.Bill(cost.Release{
		Name: name,
		Constants: []stage.Constant{
			{Symbol: "b", Value: x.Height, Origin: stage.FromParameter, Meaning: "bound on the scaled label"},
		},
		Reference: "Lev et al. 2025, Algorithm 2, with the exact profile of the χ² pair and noise (γ − 1)C²",
	}, x.cover)
	if !x.eigenvalue { // which lowers σ², and has no price where rows are displaced
		b.Behind = func(p pair.State) (accountant.Event, error) {
			p, err := x.rowsBehind(p)
			if err != nil {
				return nil, err
			}
			e, err := x.behind(p)
			if err != nil {
				return nil, err
			}
			// What arithmetic costs is the same on every pair.
			return accountant.Compose(e, accountant.PureDP{Epsilon: x.pure, Neighbours: p.Neighbours}, x.cover.Event(p.Neighbours, x.cover.S)), nil
		}
	}
	return b, err
}

func (x *SketchFit) Finish() (err error) {
	//dp:refuses mixing/after-queries it would take the target that queries had a part of
	if len(x.st.Spent.Events) > 0 {
		return fmt.Errorf("steps of the chain ask private queries, and a Gaussian mixture cannot share its target with them; fit by AdaSSP: %w", stage.ErrOrder)
	}
	if err := x.mixture.Finish(); err != nil {
		return err
	}
	if x.cover = x.blur; x.only {
		x.cover, err = x.coefficientBlur()
	}
	return err
}

func (x *SketchFit) Fit(m *NormalEquations, rng *noise.Source) (Coefficients, error) {
	l, err := x.Factor(m, rng)
	if err != nil {
		return Coefficients{}, err
	}
	if x.only {
		g := make([]float64, x.Coefficients())
		for j := range g {
			g[j] = normal(rng)
		}
		root := chi(rng, x.freedom()+1)
		w, err := linalg.StudentT(l, g, root*root, x.M)
		if err != nil {
			return Coefficients{}, err
		}
		return Coefficients{Method: models.LinearMixing, W: x.cover.Draw(rng, w), law: x.onlyLaw()}, nil
	}
	return x.regress(l, rng, models.LinearMixing)
}

// regress draws the sketch's inner products and regresses on them.
func (x *SketchFit) regress(l []float64, rng *noise.Source, method string) (Coefficients, error) {
	sketch, err := x.InnerProducts(l, rng)
	if err != nil {
		return Coefficients{}, err
	}
	s, err := sketch.Solve(0)
	if err != nil {
		return Coefficients{}, err
	}
	return Coefficients{Method: method, W: s.W, se: sketchErrors(sketch, s, x.freedom()), freedom: x.freedom()}, nil
}

// freedom is that of the residuals of a regression on the sketch.
func (x *SketchFit) freedom() int { return x.k - x.Coefficients() }

// sketchErrors are the classical standard errors of a regression on the sketch, whose rows are independent normal
// draws: √(RSS/(k−p)·(W_xx⁻¹)_jj).
func sketchErrors(w *NormalEquations, s ridgeSolution, freedom int) []float64 {
	p := w.Size - 1
	var rest rows.Neumaier
	rest.Add(w.Sum[p*w.Size+p])
	for j, v := range s.W {
		rest.Add(-v * w.Sum[p*w.Size+j])
	}
	scale := math.Max(rest.Sum(), 0) / float64(freedom)
	se := make([]float64, p)
	for j := range se {
		se[j] = math.Sqrt(scale * s.inverse[j*p+j])
	}
	return se
}

// coefficientBlur is the noise that covers rounding where the coefficients alone are drawn,
//
//	w = L_xx⁻ᵀ (l + L_yy g/√χ),  ‖L_xx⁻¹‖ ≤ 1/σ,  ‖L‖_F² ≤ T,
//
// outside an event that p of [arithmetic] pays for: there ‖g‖² and 1/χ are bounded, so that the right side
// is at most Q = √T(1 + ‖g‖/√χ) long and off by a few roundings of Q; the substitution is backward stable, off by p roundings of
// ‖L‖_F‖w‖/σ (Higham 2002, Theorem 8.5). Variates are t = normalError off exact ones: g by t√p, and √χ, of ν of them, by t√ν, which
// is up to ρ of itself. With ρ ≤ ½ that moves the right side by √T(2t√p + 2ρ‖g‖)/√χ at most.
func (x *SketchFit) coefficientBlur() (query.GaussianQuery, error) {
	p := x.Coefficients()
	s := x.tail + 2*math.Ln2
	norm := math.Sqrt(float64(p) + 2*math.Sqrt(float64(p)*s) + 2*s)
	least, ok := smallChiSquare(x.freedom()+1, -s)
	if !ok {
		return query.GaussianQuery{}, x.tooFew()
	}
	sigma, root := math.Sqrt(x.Variance()), math.Sqrt(x.trace)
	q := root * (1 + norm/math.Sqrt(least))
	rho := normalError*math.Sqrt(float64(x.freedom()+1)/least) + 0x1p-50
	if !(rho <= 0.5) {
		return query.GaussianQuery{}, x.tooFew()
	}
	variates := root / math.Sqrt(least) * (2*normalError*math.Sqrt(float64(p)) + 2*rho*norm)
	e := (float64(p+2)*0x1p-52*root*q/sigma + 0x1p-48*q + variates) / sigma
	g := query.GaussianQuery{Coordinates: p, Sensitivity: stage.Up(2 * e), Max: stage.Up(q / sigma)}
	if err := g.Calibrate(x.mu); err != nil {
		return g, err
	}
	g.RefineCoarse()
	return g, nil
}

func (x *SketchFit) tooFew() error {
	return fmt.Errorf("a sketch of %d rows more than coefficients: too few to bound the rounding of the coefficients; choose more Rows: %w", x.freedom(), kind.ErrParameter)
}

// smallChiSquare returns a number that a χ² variate falls below with a probability of at most e^logP, and whether it found one.
func smallChiSquare(freedom int, logP float64) (float64, bool) {
	w := float64(freedom)
	for range 4000 {
		if quad.LogChiSquareCDF(w, freedom) <= logP {
			return w, true
		}
		w /= 2
	}
	return 0, false
}

// predicted is by the law of the coefficients: about the ridge solution with noise σ² on every column, with the covariance
// v·Σ_xx⁻¹/(k − p − 1), where v is the residual variance of the noisy columns.
func (x *SketchFit) predicted(p population) float64 {
	added := x.Variance()
	v := p.n*p.rest + added
	for _, of := range p.groups {
		v += p.n * of.square * added / (of.lambda + added)
	}
	return p.risk(added, func(lambda float64) float64 {
		return v / ((lambda + added) * math.Max(float64(x.freedom()-1), 0.5))
	})
}

// Sketched is what predicts a regression on the sketch of these settings: the variance that the noise adds to every column, the degrees of
// freedom of its residuals, the bound on the scaled label, and the constant feature. They are known once the mechanism is settled.
func (f Fit) Sketched(st stage.Stage) (added, freedom, height, constant float64, err error) {
	fit, err := f.squares().Choose(st)
	if err != nil {
		return 0, 0, 0, 0, err
	}
	x, ok := fit.(*SketchFit)
	if !ok {
		return 0, 0, 0, 0, fmt.Errorf("got a fit by %v, want one on a sketch: %w", f.squares().Method, kind.ErrParameter)
	}
	return x.Variance(), float64(x.freedom()), x.Height, x.constant, nil
}
