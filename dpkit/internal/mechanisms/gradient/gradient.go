package gradient

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// GradientFit is the fit of a linear model with a convex loss by noisy gradients.
type GradientFit struct {
	Loss Loss // nil: by the label, LogLoss for two classes, SoftmaxLoss for more, SquaredLoss for numbers
	ByGradient
}

// Kind: version 1 of the law had a ball of 24 for the log loss wherever no row is displaced, and version 2 a higher constant feature and a
// larger clipping bound for several margins; both are of more error alone.
func (GradientFit) Kind() kind.Kind {
	return kind.Kind{Name: "fit/gradient", Law: 3, Replays: 1, Call: "FitConvex", Was: "dpkit.gradient"}
}

// Budget is a target that steps of the chain can take shares of: that of a Gaussian mechanism.
func (g GradientFit) Budget() accountant.Budget {
	if _, ok := g.solver().(FullBatch); ok {
		return g.target()
	}
	return accountant.Budget{}
}

func (g GradientFit) solver() Solver {
	if g.Solver == nil {
		return FullBatch{}
	}
	return g.Solver
}

// loss is the one that was asked for, or that of the label.
func (g GradientFit) loss(label frames.Column) Loss {
	switch {
	case g.Loss != nil:
		return g.Loss
	case len(label.Levels) == 0:
		return SquaredLoss{}
	case len(label.Levels) == 2:
		return LogLoss{}
	}
	return SoftmaxLoss{}
}

// check reports what is wrong with the parameters and the schema.
func (g GradientFit) check(in frames.Schema) error {
	if err := errors.Join(kind.Closed("loss Loss", g.Loss), kind.Closed("solver Solver", g.Solver)); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		v    float64
	}{{"MaxNorm", g.MaxNorm}, {"TaintedNorm", g.TaintedNorm}, {"Clip", g.Clip}, {"StepSize", g.StepSize}} {
		if err := num.SizedOr0(f.name, f.v); err != nil {
			return err
		}
	}
	if g.Steps < 0 || g.Steps > mostSteps {
		return fmt.Errorf("number of steps Steps: got %d, want 1 to %d, or 0 for the default: %w", g.Steps, mostSteps, kind.ErrParameter)
	}
	switch g.Rule {
	case StepConstant, StepInverseSqrt, StepInverse:
	default:
		return fmt.Errorf("step rule Rule: got %q, want StepConstant, StepInverseSqrt or StepInverse: %w", string(g.Rule), kind.ErrParameter)
	}
	switch g.Average {
	case AverageLastHalf, AverageAll, AverageLast:
	default:
		return fmt.Errorf("averaging Average: got %q, want AverageLastHalf, AverageAll or AverageLast: %w", string(g.Average), kind.ErrParameter)
	}
	label, ok := in.Label()
	if !ok {
		return fmt.Errorf("the schema has no label; declare one with frames.Label or frames.NumericLabel: %w", stage.ErrColumn)
	}
	if err := g.loss(label).Reads(label); err != nil {
		return err
	}
	return domain.EncodedFeatures(in, "")
}

// mostSteps bounds T: with more, each has too little of the budget to be worth its noise.
const mostSteps = 1 << 20

// read holds the rows where it can, and returns what draws the coefficients.
func (f *calibratedGradient) read(ctx context.Context, in rows.Driver) (mechanism.Draws[[]float64], error) {
	if f.Pass != nil {
		return func(ctx context.Context, rng *noise.Source) ([]float64, error) { return f.Iterate(ctx, in, rng) }, nil
	}
	return f.Descent.read(ctx, in)
}

// Exact fits the model without noise: the logistic loss by Newton's method, others by L-BFGS.
func (g GradientFit) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (models.GradientModel, error) {
	if err := g.check(st.In); err != nil {
		return models.GradientModel{}, err
	}
	label, _ := st.In.Label()
	loss := g.loss(label)
	c := g.constant(st.Before.R)
	if _, ok := loss.(LogLoss); ok {
		w, err := fitLogLossPublicly(ctx, in, st, c)
		if err != nil {
			return models.GradientModel{}, err
		}
		return models.WithLaw(newGradientModel(st.In, loss, w, c), exactLaw()), nil
	}
	w, err := FitPublicly(ctx, in, PublicFit{Loss: loss, Margins: loss.Margins(label), Label: LabelScaleOf(label), D: st.In.Width(), C: c})
	if err != nil {
		return models.GradientModel{}, err
	}
	return models.WithLaw(newGradientModel(st.In, loss, w, c), exactLaw()), nil
}

// betaOf is the smoothness of a row's loss, rounded up.
func (pl *Descent) betaOf() float64 { return stage.Up(pl.loss.Bend() * pl.Rx * pl.Rx) }

// largestStep is 2/β, rounded down: the largest step that does not expand.
func (pl *Descent) largestStep() float64 { return 2 / pl.betaOf() * (1 - 0x1p-40) }

// isConvex reports whether clipped gradients are those of convex functions.
func (pl *Descent) isConvex() bool {
	return pl.margins == 1 || pl.Clip >= pl.loss.Steepest(math.Inf(1))*pl.Rx
}
