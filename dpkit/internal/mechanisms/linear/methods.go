package linear

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
)

// A Method says how dpkit.Pipeline.FitLinear spends its budget: [BestLinear], [AdaSSP], [LinearMixing], [OutputPerturbation] or
// [RelativeGaussianDescent]. Package baseline has another, for comparison.
//
// Zero values other than ε and δ are public defaults: functions of n, d, the target and the public bounds.
type Method interface {
	// Settings are what the method's solver reads.
	Settings() Settings
}

// BestLinear is [AdaSSP], unless [LinearMixing] or [OutputPerturbation] is predicted to have less than three quarters of its
// error on a reference population: from n, d, the public bounds and the target alone. Data unlike that population may
// want another. Its AdaSSP shrinks to the label's mean where the sums tell that from noise, and elsewhere to the middle of the label's
// bounds, as one that is asked for by name always does. Where the mean of the label by itself is predicted to have less than three quarters of the error of them all, on that
// population and one as tables are, it is a model of coefficients 0 and that mean, whose Method is "mean of the label"; what noise could
// have said of the mean is left in the middle of the label's bounds.
type BestLinear struct {
	Epsilon, Delta float64 // target; no defaults
	NoIntercept    bool    // leave the constant feature out
	LabelScale     float64 // bound on the scaled label beside the features, in units of R̃; 0: chosen for the predicted error
}

// AdaSSP releases XᵀX and Xᵀy by one Gaussian mechanism and regresses on them with a ridge (Wang 2018).
type AdaSSP struct {
	Epsilon, Delta float64 // target; no defaults
	NoIntercept    bool    // leave the constant feature out
	LabelScale     float64 // bound on the scaled label beside the features, in units of R̃; 0: chosen for the predicted error
}

// LinearMixing regresses on a Gaussian sketch of the rows (Lev et al. 2025, calibrated by the exact profile).
// Its law is known, so that the model comes with exact intervals. No Gaussian dominates a sketch: a ledger charges it
// as one outside a failure, for which it needs a Reserve (dpkit.Options).
type LinearMixing struct {
	Epsilon, Delta float64 // target; no defaults
	NoIntercept    bool    // leave the constant feature out
	LabelScale     float64 // bound on the scaled label beside the features, in units of R̃; 0: chosen for the predicted error
	Rows           int     // k: rows of the sketch; 0: up to 8 for each coefficient and the label, for the predicted error
	// ReleaseEigenvalue spends a part of the budget on the smallest eigenvalue of the rows' Gram matrix and adds less noise
	// where that is large (ModifiedGaussMix).
	ReleaseEigenvalue bool
	// CoefficientsOnly draws the coefficients by their multivariate t law, without the sketch behind them: as many normal
	// variates as rows of the sketch and columns, but no intervals.
	CoefficientsOnly bool
}

// OutputPerturbation adds Gaussian noise to the coefficients of a ridge regression in a ball
// (Chaudhuri, Monteleoni, Sarwate 2011).
type OutputPerturbation struct {
	Epsilon, Delta float64 // target; no defaults
	NoIntercept    bool    // leave the constant feature out
	LabelScale     float64 // bound on the scaled label beside the features, in units of R̃; 0: chosen for the predicted error
	Ridge          float64 // λ: n·λ/2·‖w‖², in units of R̃²; 0: chosen for the predicted error
	MaxNorm        float64 // W: bound on ‖w‖, in units of the label's bound over R̃; 0: 2
}

// RelativeGaussianDescent is gradient descent with noise that grows with the gradient's norm (Hendrikx, Mangold, Bellet
// 2025), corrected. It rests on a lower bound of the rows' least eigenvalue, Strength. It needs many rows for its
// privacy to cost little: for a public bound on rows and labels AdaSSP is better. A ledger charges it as LinearMixing.
type RelativeGaussianDescent struct {
	Epsilon, Delta float64 // target; no defaults
	NoIntercept    bool    // leave the constant feature out
	LabelScale     float64 // bound on the scaled label beside the features, in units of R̃; 0: chosen for the predicted error
	Ridge          float64 // λ: n·λ/2·‖w‖², in units of R̃²; 0: chosen for the predicted error
	Steps          int     // T; 0: chosen for the predicted error
	// Strength certifies ρ: that the least eigenvalue of (1/n) Σ x xᵀ + λI is at least ρR̃², x being rows with the constant
	// feature, clipped to R̃. [query.Declare], [query.Test] or [query.Bound] it; none: ρ = λ, which always holds.
	Strength query.Certificate
}

// Sheffet2017 is a baseline: a sketch without noise if a private test finds that the data need none,
// else one with noise, at the paper's constants (Sheffet 2017, Algorithm 1, units corrected). For add/remove only.
type Sheffet2017 struct {
	Epsilon, Delta float64 // target; no defaults
	NoIntercept    bool    // leave the constant feature out
	LabelScale     float64 // bound on the scaled label beside the features, in units of R̃; 0: chosen for the predicted error
	Rows           int     // k: rows of the sketch; 0: 8 for each coefficient and the label
	Exact          bool    // calibrate the sketch by its exact profile, for either relation
}

// Settings of the method.
func (m BestLinear) Settings() Settings {
	return Settings{Epsilon: m.Epsilon, Delta: m.Delta, Method: models.BestLinear, NoIntercept: m.NoIntercept, LabelScale: m.LabelScale}
}

// Settings of the method.
func (m AdaSSP) Settings() Settings {
	return Settings{Epsilon: m.Epsilon, Delta: m.Delta, Method: models.AdaSSP, NoIntercept: m.NoIntercept, LabelScale: m.LabelScale}
}

// Settings of the method.
func (m LinearMixing) Settings() Settings {
	return Settings{
		Epsilon: m.Epsilon, Delta: m.Delta, Method: models.LinearMixing, NoIntercept: m.NoIntercept, LabelScale: m.LabelScale,
		Rows: m.Rows, ReleaseEigenvalue: m.ReleaseEigenvalue, CoefficientsOnly: m.CoefficientsOnly,
		Sweep: m.sweeps(),
	}
}

// sweeps says whether k is chosen: not where an eigenvalue is released, as each k takes long to calibrate there.
func (m LinearMixing) sweeps() bool { return m.Rows == 0 && !m.ReleaseEigenvalue }

// Sketched is [LinearMixing] for other mechanisms: its default k is 8 for each coefficient and the label.
type Sketched struct {
	LinearMixing
}

// Settings of the method.
func (m Sketched) Settings() Settings {
	s := m.LinearMixing.Settings()
	s.Sweep = false
	return s
}

// Settings of the method.
func (m OutputPerturbation) Settings() Settings {
	return Settings{
		Epsilon: m.Epsilon, Delta: m.Delta, Method: models.OutputPerturbation, NoIntercept: m.NoIntercept, LabelScale: m.LabelScale,
		Ridge: m.Ridge, MaxNorm: m.MaxNorm,
	}
}

// Settings of the method.
func (m RelativeGaussianDescent) Settings() Settings {
	return Settings{
		Epsilon: m.Epsilon, Delta: m.Delta, Method: models.RelativeGaussianDescent, NoIntercept: m.NoIntercept, LabelScale: m.LabelScale,
		Ridge: m.Ridge, Steps: m.Steps, Strength: m.Strength,
	}
}

// Settings of the method.
func (m Sheffet2017) Settings() Settings {
	s := Settings{Epsilon: m.Epsilon, Delta: m.Delta, Method: models.Sheffet2017, NoIntercept: m.NoIntercept, LabelScale: m.LabelScale, Rows: m.Rows}
	if m.Exact {
		s.Method = models.Sheffet2017Exact
	}
	return s
}
