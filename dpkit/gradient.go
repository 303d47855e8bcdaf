package dpkit

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// ByGradient fits a linear model with a convex loss ℓ by projected noisy gradient descent: T steps
//
//	w ← Π( w − η/n·( Σ_i clip_C(∇ℓ(w; x_i, y_i)) + noise ) + m·(w − w₋) ),  x̃ = (x, c),
//
// with the iterates of the last half averaged, w₋ the iterate before w. Π keeps ‖w‖ ≤ W, and ‖w_J‖ ≤ W_J on the coordinates J
// that earlier steps of the chain displaced: without a bound on w a gradient would not be Lipschitz in its row (priced after Hu,
// Sanyal, Schölkopf 2024, Theorem 13, corrected). Noise is Gaussian on a public grid; sums of gradients are exact in any order.
// It is calibrated to (ε, δ) for the solver's T steps by the tightest route that is known: exactly for [FullBatch], by the
// privacy-loss distribution for [PoissonSampling] and [WithoutReplacement], by their Rényi curve behind steps that displace
// rows, and by that of [ByIteration].
//
// Training ends after T steps, whatever the data are: a test of convergence on private rows would be a release of its own.
//
// Zero values other than ε and δ are public defaults, functions of n, d, the target and the public bounds;
// [Pipeline.SuggestGradient] explains them. Sizes are in units of R, the bound on a row's norm.
//
// Its fields:
//
//	Solver Solver // nil: FullBatch
//
//	Epsilon, Delta float64 // target; no defaults
//
//	// W, in units of 1/R; 0: the loss's, for LogLoss 24, and up to 4 times that where rows are as read and noise is small; for several margins 1000.
//	MaxNorm     float64
//	TaintedNorm float64 // W_J, likewise; 0: W·√(displaced columns and blocks / all), for several margins less
//	Clip        float64 // C, in units of R; 0: the loss's, for LogLoss 0.7, for several margins 0.7 down to 0.05 as coefficients grow in number
//	// T; 0: T₀/a within [10, 400], where T₀ are the steps that plain descent would need, by a public rule, and a = T₀/40 within
//	// [1, 8]. For several margins in full batches 10 to 120. ByIteration has one for each row.
//	Steps int
//	// η, in units of 1/R², of a mean gradient; 0: 2/β, β the loss's smoothness, with momentum m = 1 − 1/a, a = T₀/T within [1, 8].
//	// More than 2/β can diverge: coefficients then bounce between the ends of the ball, which costs no privacy; momentum at 2/β
//	// cannot (Polyak 1964). For several margins in full batches the first is at most 2/β, with momentum; steps then grow while noisy
//	// sums point the same way, and shrink where they bounce. A step that was asked for is taken without. ByIteration refuses one
//	// beyond 2/β.
//	StepSize float64
//	Rule     StepRule
//	Average  Averaging
//
//	NoIntercept bool // leave the constant feature c out: x̃ = x. The class boundary then passes through 0
type ByGradient = gradient.ByGradient

// FitConvex fits a linear model of the schema's label on all features with a convex loss; nil: by the label, [LogLoss] for two classes,
// [SoftmaxLoss] for more, [SquaredLoss] for numbers.
//
// Memory: up to 2^25 cells (256 MB) are held; a larger table is read anew for each step, in constant memory but for a bit
// a row of the draw. The time of a step with [PoissonSampling] depends on how many rows were drawn, which is private:
// where others can time steps, use another solver.
//
//go:noinline
func (p Pipeline) FitConvex(loss Loss, how ByGradient) Plan[GradientModel] {
	return newPlan[GradientModel](p, convexFit(loss, how))
}

func convexFit(loss Loss, how ByGradient) gradient.GradientFit {
	how.Solver = kind.PointedTo(how.Solver)
	return gradient.GradientFit{Loss: kind.PointedTo(loss), ByGradient: how}
}

// GradientModel is a fitted linear model: scores ⟨Coef[k], x⟩ + Intercept[k], one for a label of two classes or a number and one for
// each class otherwise. Coefficients are in the units of the encoded and scaled rows; the public maps that lead there are part
// of the model, so that it reads raw rows.
//
// Its fields:
//
//	Label     string
//	Loss      string
//	Classes   []string // of two, the second is the positive one; none for a number
//	Lo        float64  // public bounds of a numeric label
//	Hi        float64
//	Columns   []string // encoded features, in the order of each vector of Coef
//	Coef      [][]float64
//	Intercept []float64
//	// Law is what bounds the noise in the coefficients; nil of a model that an earlier version stored. See Uncertainty.
//	Law *coefficient.Law
//	// Schema is that of the training rows: a row to predict has its features, in order, with the same levels.
//	Schema frames.Schema
//	Maps   stage.RowMap
//	Provenance
//
// Its methods:
//
//	Accuracy(ctx context.Context, test *frames.PublicFrame) (float64, error)
//		Accuracy is the share of rows whose class the model predicts.
//	Gota() dataframe.DataFrame
//		Gota is the coefficients of every score as a gota frame: "of" (the class, or the label where there is one score),
//		"name", "value", "low", "high", and what the release promises, as LinearModel.Gota has it.
//	Inputs() frames.Schema
//		Inputs is the schema of the columns that prediction reads, without the label and without features that the chain drops.
//	Predict(ctx context.Context, src *frames.PublicFrame) ([]float64, error)
//		Predict returns the predicted label of every row of src, in order: a number within the label's public bounds, or the
//		place of a class in Classes.
//	PredictGota(ctx context.Context, df dataframe.DataFrame) (dataframe.DataFrame, error)
//		PredictGota is LinearModel.PredictGota of what FitConvex fitted: a number, or the place of a class in Classes.
//	PredictRow(row any) (float64, error)
//		PredictRow is LinearModel.PredictRow of a model by noisy gradients: a number, or the place of a class in Classes.
//	PredictRows(ctx context.Context, rows any) ([]float64, error)
//		PredictRows is LinearModel.PredictRows of a model by noisy gradients.
//	RMSE(ctx context.Context, test *frames.PublicFrame) (float64, error)
//		RMSE is the root of the mean squared error of the predictions of a numeric label, on data that its owner declared
//		public.
//	Scores(ctx context.Context, rows any) ([][]float64, error)
//		Scores returns the scores of every row, Scores[k][i] that of row i for the k-th vector of coefficients.
//	Uncertainty(level float64) (coefficient.Uncertainty, error)
//		Uncertainty is LinearModel.Uncertainty of what FitConvex fitted.
type GradientModel = models.GradientModel

// A Loss is a convex loss ℓ(m, y) of the margin m = ⟨w, x̃⟩ and the label, or of K margins, one for each class. Its gradient
// in w is ∇ℓ(m, y)·x̃ᵀ, so that clipping a row's gradient to the norm C is clipping the derivative in the margins to
// C/‖x̃‖. For one margin the result is still the derivative of a convex function, with no more curvature.
//
// Losses are [LogLoss], [SquaredHingeLoss] and [SoftmaxLoss] for classes, [SquaredLoss] and [HuberLoss] for numbers.
type Loss = gradient.Loss

// LogLoss is that of logistic regression for two classes: log(1 + e^{−ym}), y = ±1.
type LogLoss = gradient.LogLoss

// SquaredHingeLoss is ½·max(0, 1 − ym)² for two classes, y = ±1: a support vector machine's, smoothed.
type SquaredHingeLoss = gradient.SquaredHingeLoss

// SquaredLoss is ½(m − v)² for a numeric label, v scaled by the label's public bounds to [−1, 1].
type SquaredLoss = gradient.SquaredLoss

// HuberLoss is quadratic up to an error κ and linear beyond (Huber 1964): e²/2 for |e| ≤ κ, κ·|e| − κ²/2 else, e = m − v. The label is
// scaled by its public bounds to v in [−1, 1]. Rows with a label that is far off pull no more than others.
//
// Its fields:
//
//	// Knee is κ in units of half the label's range: the more, the closer to least squares. In (0, 2] for ByGradient, 0: 0.25.
//	Knee float64
type HuberLoss = gradient.HuberLoss

// SoftmaxLoss is that of multinomial logistic regression: log Σ_k e^{m_k} − m_y, one margin for each class.
type SoftmaxLoss = gradient.SoftmaxLoss

// A Solver is how [ByGradient] uses the rows: [FullBatch], [PoissonSampling], [WithoutReplacement] or [ByIteration].
type Solver = gradient.Solver

// FullBatch takes all rows in every step (DP-GD). For equal privacy it has the least noise; a step costs n gradients.
type FullBatch = gradient.FullBatch

// PoissonSampling draws every row with probability Rate, independently and anew in each step (DP-SGD; Abadi et al. 2016). The sum is
// divided by the expected number of rows, as the real one is private.
//
// Its fields:
//
//	Rate float64 // q in (0, 1]; 0: see Pipeline.SuggestGradient
type PoissonSampling = gradient.PoissonSampling

// WithoutReplacement draws Batch rows out of all n, anew in each step. It needs the relation [ReplaceOne], as n must be public,
// and more noise than [PoissonSampling] at the same rate.
//
// Its fields:
//
//	Batch int // in [1, n]; 0: the default rate of Poisson
type WithoutReplacement = gradient.WithoutReplacement

// ByIteration passes over the rows once, in their order and one at a time, with noise on each gradient, and releases the iterate
// behind a row that was drawn uniformly and stays secret: the steps behind a row hide it (privacy amplification by
// iteration; Feldman, Mironov, Talwar, Thakurta 2018, with the corrected bound of accountant.SGDIteration). It holds for convex losses whose clipped
// gradients are those of convex functions, constant steps η ≤ 2/β, and the one iterate: averages are refused.
type ByIteration = gradient.ByIteration

// StepRule is how the size η_t of step t = 1…T follows from η.
type StepRule = gradient.StepRule

const (
	// StepConstant is η_t = η.
	StepConstant = gradient.StepConstant
	// StepInverseSqrt is η_t = η/√t, for a convex loss (Zinkevich 2003).
	StepInverseSqrt = gradient.StepInverseSqrt
	// StepInverse is η_t = η/t, for a strongly convex loss.
	StepInverse = gradient.StepInverse
)

// Averaging says which iterates the released coefficients are the mean of. All of them are functions of the noisy sums, so
// that it costs nothing, except in [ByIteration].
type Averaging = gradient.Averaging

const (
	// AverageLastHalf takes the last half of the iterates.
	AverageLastHalf = gradient.AverageLastHalf
	// AverageAll takes all of them (Polyak, Juditsky 1992).
	AverageAll = gradient.AverageAll
	// AverageLast takes the last one alone.
	AverageLast = gradient.AverageLast
)

// Suggestion is a choice of the parameters that were left open, and why.
//
// Its fields:
//
//	Loss     Loss
//	Gradient ByGradient // every parameter set, but for a step size that comes with momentum
//	Why      []string
type Suggestion = gradient.Suggestion

// SuggestGradient settles the parameters that are 0 as [Pipeline.FitConvex] does, from public facts alone: n, d, the
// bounds and the target. No row is read, and nothing is charged. The rules were chosen on simulated populations.
func (p Pipeline) SuggestGradient(loss Loss, how ByGradient) (Suggestion, error) {
	fit := convexFit(loss, how)
	q, err := p.FitConvex(loss, how).plan().quote()
	if err != nil {
		return Suggestion{}, err
	}
	if p.s.mode == modePublic {
		return Suggestion{}, fmt.Errorf("dpkit: suggest: the data was declared public: there is nothing to choose: %w", ErrParameter)
	}
	f, err := fit.Calibrate(q.end)
	if err != nil {
		return Suggestion{}, fmt.Errorf("dpkit: suggest: %w", err)
	}
	return f.Suggestion(fit, q.end), nil
}
