package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// LinearMethod says how [Pipeline.FitLinear] spends its budget.
type LinearMethod = models.LinearMethod

const (
	// BestLinear is AdaSSP, unless LinearMixing or OutputPerturbation is predicted to have less than three quarters of its
	// error on a reference population: from n, d, the public bounds and the target alone. Data unlike that population may
	// want another.
	BestLinear = models.BestLinear
	// LinearMixing regresses on a Gaussian sketch of the rows (Lev et al. 2025, calibrated by the exact profile).
	// Its law is known, so that the model comes with exact intervals. No Gaussian dominates a sketch: a ledger charges it
	// as one outside a failure of δ/2, for which it needs a Reserve ([Options]).
	LinearMixing = models.LinearMixing
	// AdaSSP releases XᵀX and Xᵀy by one Gaussian mechanism and regresses on them with a ridge (Wang 2018).
	AdaSSP = models.AdaSSP
	// OutputPerturbation adds Gaussian noise to the coefficients of a ridge regression in a ball
	// (Chaudhuri, Monteleoni, Sarwate 2011).
	OutputPerturbation = models.OutputPerturbation
	// RelativeGaussianDescent is gradient descent with noise that grows with the gradient's norm (Hendrikx, Mangold, Bellet
	// 2025), corrected. It rests on a lower bound of the rows' least eigenvalue, Strength. It needs many rows for its
	// privacy to cost little: for a public bound on rows and labels AdaSSP is better. A ledger charges it as LinearMixing.
	RelativeGaussianDescent = models.RelativeGaussianDescent
	// Sheffet2017 is a baseline: a sketch without noise if a private test finds that the data need none,
	// else one with noise, at the paper's constants (Sheffet 2017, Algorithm 1, units corrected).
	Sheffet2017 = models.Sheffet2017
	// Sheffet2017Exact is Sheffet2017 with the sketch calibrated by its exact profile.
	Sheffet2017Exact = models.Sheffet2017Exact
)
