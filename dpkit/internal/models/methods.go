package models

// Methods of linear regression, as models tell them.
const (
	BestLinear              = "" // of no model: the method that was chosen
	LinearMixing            = "mixing"
	AdaSSP                  = "adassp"
	LabelMean               = "mean of the label"
	OutputPerturbation      = "output perturbation"
	RelativeGaussianDescent = "relative Gaussian descent"
	Sheffet2017             = "sheffet 2017"
	Sheffet2017Exact        = "sheffet 2017, exact"
	HuberByObjective        = "huber, objective perturbation"
	localClipped            = "local training, clipped noise"
	localRelative           = "local training, relative noise"
)

// GradientNoise says how a node of dpkit.Pipeline.TrainLocally hides its gradients.
type GradientNoise string

const (
	// RelativeNoise is the relative Gaussian mechanism: noise that grows with the gradient's norm, and no clipping of
	// gradients (Hendrikx, Mangold, Bellet 2025, corrected as linear.RelativeGaussianDescent).
	RelativeNoise GradientNoise = "relative"
	// ClippedNoise clips the gradient of every row to Clip and adds Gaussian noise (Abadi et al. 2016, on all rows).
	ClippedNoise GradientNoise = "clipped"
)

// LocalMethod names the fit in its model.
func LocalMethod(noise GradientNoise) string {
	if noise == ClippedNoise {
		return localClipped
	}
	return localRelative
}
