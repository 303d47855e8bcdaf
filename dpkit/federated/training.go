package federated

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/local"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// GradientNoise says how a node of [dpkit.Pipeline.TrainLocally] hides its gradients.
type GradientNoise = models.GradientNoise

const (
	// RelativeNoise is the relative Gaussian mechanism: noise that grows with the gradient's norm, and no clipping of
	// gradients (Hendrikx, Mangold, Bellet 2025, corrected as [dpkit.RelativeGaussianDescent]).
	RelativeNoise = models.RelativeNoise
	// ClippedNoise clips the gradient of every row to Clip and adds Gaussian noise (Abadi et al. 2016, on all rows).
	ClippedNoise = models.ClippedNoise
)

// Training is one node's part in training ridge regression on several nodes, each with rows and a ledger of its own, which
// exchange gradients that are private already: local differential privacy of datasets. Before the first round the node
// charges its ledger for all of them; then it answers Rounds questions, and no more.
//
// Rows and labels are scaled by public bounds: a row (x, c) with the constant feature, and v in [−b, b], b = R̃. All nodes have the
// same schema and chain of public steps, so that a point θ means the same to them. A node's objective is
// f(θ) = (1/2n) Σ (⟨x, θ⟩ − v)² + (λ/2)‖θ‖².
//
// Its fields:
//
//	Epsilon, Delta float64 // target of all rounds together; no defaults
//	Rounds         int     // T; no default
//	Noise          GradientNoise
//	Ridge          float64 // λ in units of R̃², above 0: the same on all nodes
//	// Clip of ClippedNoise is the bound on a row's gradient in units of R̃b, what a row has at most at θ = 0; no default.
//	Clip    float64
//	MaxNorm float64 // W: largest ‖θ‖ that is answered, b/R̃ being the unit; 0: 16
//	// Strength certifies the least eigenvalue for RelativeNoise, see dpkit.RelativeGaussianDescent.
//	Strength    dpkit.Certificate
//	NoIntercept bool
type Training = local.Training

// Facts are what a node tells of itself: public parameters, and what it has released.
//
// Its fields:
//
//	Dim       int     // length of θ
//	Rows      int     // n
//	Rounds    int     // T
//	Lipschitz float64 // L: public bound on the curvature of f
//	Gamma     float64 // noise variance relative to ‖gradient‖²; 0 for ClippedNoise
//	MaxNorm   float64 // W
type Facts = models.LocalFacts

// A Coordinator leads the training: it is asked for a point and told the answer.
type Coordinator = models.Coordinator

// Model is what a node releases: the model at the last point, and every answer that it gave.
//
// Its fields:
//
//	dpkit.LinearModel
//	Facts   Facts
//	Points  [][]float64 // T + 1 of them
//	Answers [][]float64 // T private gradients
//
// Its methods:
//
//	Replay(ctx context.Context, c Coordinator) error
//		Replay tells a coordinator the recorded answers again: after a release that was replayed.
type Model = models.LocalModel
