package models

import (
	"fmt"
)

// LinearMethod says how dpkit.Pipeline.FitLinear spends its budget.
type LinearMethod string

const (
	// BestLinear is AdaSSP, unless LinearMixing or OutputPerturbation is predicted to have less than three quarters of its
	// error on a reference population: from n, d, the public bounds and the target alone. Data unlike that population may
	// want another.
	BestLinear LinearMethod = ""
	// LinearMixing regresses on a Gaussian sketch of the rows (Lev et al. 2025, calibrated by the exact profile).
	// Its law is known, so that the model comes with exact intervals. No Gaussian dominates a sketch: a ledger charges it
	// as one outside a failure of δ/2, for which it needs a Reserve (dpkit.Options).
	LinearMixing LinearMethod = "mixing"
	// AdaSSP releases XᵀX and Xᵀy by one Gaussian mechanism and regresses on them with a ridge (Wang 2018).
	AdaSSP LinearMethod = "adassp"
	// OutputPerturbation adds Gaussian noise to the coefficients of a ridge regression in a ball
	// (Chaudhuri, Monteleoni, Sarwate 2011).
	OutputPerturbation LinearMethod = "output perturbation"
	// RelativeGaussianDescent is gradient descent with noise that grows with the gradient's norm (Hendrikx, Mangold, Bellet
	// 2025), corrected. It rests on a lower bound of the rows' least eigenvalue, Strength. It needs many rows for its
	// privacy to cost little: for a public bound on rows and labels AdaSSP is better. A ledger charges it as LinearMixing.
	RelativeGaussianDescent LinearMethod = "relative Gaussian descent"
	// Sheffet2017 is a baseline: a sketch without noise if a private test finds that the data need none,
	// else one with noise, at the paper's constants (Sheffet 2017, Algorithm 1, units corrected).
	Sheffet2017 LinearMethod = "sheffet 2017"
	// Sheffet2017Exact is Sheffet2017 with the sketch calibrated by its exact profile.
	Sheffet2017Exact LinearMethod = "sheffet 2017, exact"
)

func KnownLinearMethod(m LinearMethod) error {
	switch m {
	case BestLinear, LinearMixing, AdaSSP, OutputPerturbation, RelativeGaussianDescent, Sheffet2017, Sheffet2017Exact:
		return nil
	}
	return fmt.Errorf("method: got %q, want BestLinear, LinearMixing, AdaSSP, OutputPerturbation or RelativeGaussianDescent, or Sheffet2017 or Sheffet2017Exact of package baseline", string(m))
}

// Names of other fits in their models, which no parameter takes.
const (
	HuberMethod   = LinearMethod("huber, objective perturbation")
	localClipped  = LinearMethod("local training, clipped noise")
	localRelative = LinearMethod("local training, relative noise")
)

// GradientNoise says how a node of dpkit.Pipeline.TrainLocally hides its gradients.
type GradientNoise string

const (
	// RelativeNoise is the relative Gaussian mechanism: noise that grows with the gradient's norm, and no clipping of
	// gradients (Hendrikx, Mangold, Bellet 2025, corrected as [RelativeGaussianDescent]).
	RelativeNoise GradientNoise = "relative"
	// ClippedNoise clips the gradient of every row to Clip and adds Gaussian noise (Abadi et al. 2016, on all rows).
	ClippedNoise GradientNoise = "clipped"
)

// LocalMethod names the fit in its model.
func LocalMethod(noise GradientNoise) LinearMethod {
	if noise == ClippedNoise {
		return localClipped
	}
	return localRelative
}
