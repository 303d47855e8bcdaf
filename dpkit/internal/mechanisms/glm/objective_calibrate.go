package glm

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// Calibrate settles Λ, the noise and the solver's bounds on the whole budget. Errors wrap [kind.ErrParameter], or are those of the
// target or of the noise's grid.
func (o ObjectiveTask) Calibrate(st stage.Stage) (*CalibratedObjective, error) {
	return o.CalibrateBeside(st, 0)
}

// CalibrateBeside leaves that share of μ² to other statistics.
func (o ObjectiveTask) CalibrateBeside(st stage.Stage, share float64) (*CalibratedObjective, error) {
	r, d := st.Before.R, st.In.Width()
	if err := o.check(st); err != nil {
		return nil, err
	}
	pl := &CalibratedObjective{Objective: NewObjective(d, r, st.Before.N, o.Losses[0]), Models: len(o.Losses), alone: o.Alone || o.Kifer, approaches: o.approaches, reported: o.Reported}
	pl.pack(st.In)
	mu, err := st.Spent.Mu(o.Budget())
	if err != nil {
		return nil, err
	}
	rest := mu * math.Sqrt(outputShare) * (1 - 0x1p-50)
	if err := pl.calibrate(o, st, mu*math.Sqrt(1-outputShare-share), rest); err != nil {
		return nil, err
	}
	// P(‖b‖ > σ(√k + √(2t))) ≤ e^−t (Laurent, Massart 2000), t = 600. At the same minimiser the other dataset's b is 2C further off at
	// most: see outputEvent.
	k := float64(d + 1)
	pl.BNorm = stage.Up(pl.Sigma*(math.Sqrt(k)+35) + 2*pl.C2)
	pl.Bound(pl.BNorm)
	// The ideal b is continuous: the drawn one was moved to the grid by [noise.RatioReach] steps at most, and rounded to a float64.
	pl.Radius = stage.Up((2*pl.Tolerance + noise.RatioReach*math.Sqrt(k)*pl.Grid.Step() + 0x1p-52*pl.BNorm) / pl.Lambda)
	all := float64(pl.Models)
	pl.Out = query.GaussianQuery{Coordinates: pl.Models * (d + 1), Sensitivity: stage.Up(2 * pl.Radius * math.Sqrt(all)), Max: pl.MaxNorm}
	return pl, pl.Out.Calibrate(rest)
}

// calibrate sets the noise on b, Λ and the event of both, μ-GDP for all models beside output noise that is rest-GDP.
func (pl *CalibratedObjective) calibrate(o ObjectiveTask, st stage.Stage, mu, rest float64) error {
	rel := st.Before.Neighbours
	lambda := o.Lambda * st.Before.R * st.Before.R
	if !pl.alone {
		// K models of μ₁ each are √K·μ₁-GDP.
		each := mu / math.Sqrt(float64(pl.Models)) * (1 - 0x1p-49)
		if pl.logistic {
			return pl.calibrateLogistic(st, each, lambda)
		}
		p, err := accountant.CalibrateGLMPerturbation(each, pl.glm(lambda, rel))
		return pl.settle(p, err)
	}
	//dp:refuses objective/alone-after-queries it does not compose as a Gaussian
	if st.Spent.Share > 0 {
		return fmt.Errorf("calibration Alone: private steps of the chain share the target, which takes a release that composes as a Gaussian; leave Alone out: %w", stage.ErrOrder)
	}
	if pl.Models > 1 {
		return fmt.Errorf("calibration Alone: %d models share the target, which takes releases that compose as Gaussians; leave Alone out: %w", pl.Models, kind.ErrParameter)
	}
	// (ε, δ) is parted into that of the output noise, kμ_o and less than a millionth of δ, and the rest.
	target := o.Budget()
	k := math.Ceil(math.Sqrt(-2*math.Log(target.Delta*0x1p-21)) + rest)
	pl.outEpsilon = k * rest * (1 + 0x1p-30)
	target.Epsilon = (target.Epsilon - pl.outEpsilon) * (1 - 0x1p-40)
	target.Delta *= 1 - accountant.SamplerShare
	if !(target.Epsilon > 0) {
		return fmt.Errorf("epsilon: got %g, too small beside δ = %g for Alone; leave it out: %w", o.Epsilon, o.Delta, kind.ErrParameter)
	}
	if o.Kifer {
		return pl.kifer(target, lambda, rel)
	}
	if !pl.logistic {
		p, err := accountant.CalibrateGLMPerturbationAlone(target, pl.glm(lambda, rel))
		return pl.settle(p, err)
	}
	p, err := accountant.CalibrateObjectivePerturbation(target, accountant.ObjectivePerturbation{C: pl.C2, Lambda: lambda, Neighbours: rel})
	if err == nil {
		err = pl.onGrid(p.Sigma)
	}
	p.Sigma, pl.Lambda = pl.Sigma, p.Lambda
	pl.event = p
	return err
}

// calibrateLogistic sets the noise, Λ and the event of one model of the logistic loss, μ-GDP; a Λ of 0 is chosen.
func (pl *CalibratedObjective) calibrateLogistic(st stage.Stage, mu, lambda float64) error {
	of := accountant.LogisticPerturbation{C: pl.C2, Lambda: lambda, Neighbours: st.Before.Neighbours}
	p, err := accountant.CalibrateLogisticPerturbation(mu, of)
	if err == nil && lambda == 0 {
		pl.Sigma = p.Sigma
		if of.Lambda = pl.ridge(st, p.Lambda); of.Lambda > p.Lambda { // at less noise
			p, err = accountant.CalibrateLogisticPerturbation(mu, of)
		}
	}
	if err == nil {
		err = pl.onGrid(p.Sigma)
	}
	p.Sigma, pl.Lambda = pl.Sigma, p.Lambda
	pl.event = p
	return err
}

// ridge is the multiple of the least Λ with which the release is predicted to be worth most at its noise: few rows are in need of more
// than privacy asks for. Where the losses of rows are reported it is the largest. It is of public facts alone.
func (pl *CalibratedObjective) ridge(st stage.Stage, least float64) float64 {
	if pl.reported {
		return ridges[len(ridges)-1] * least
	}
	best, worth := least, math.Inf(-1)
	for _, times := range ridges {
		pl.Lambda = times * least
		p := pl.Predicted(st)
		if p.Classes == nil {
			return least
		}
		if p.Classes.Accuracy > worth+gainOfRidge {
			best, worth = pl.Lambda, p.Classes.Accuracy
		}
	}
	return best
}

// ridges are the multiples of the least Λ that are looked at.
var ridges = [...]float64{1, 2, 5}

// gainOfRidge is the accuracy that a larger ridge has to gain.
const gainOfRidge = 1e-4

// kifer takes the constants of Kifer, Smith, Thakurta 2012. They are priced as any others: guarantee checks that they keep the target.
func (pl *CalibratedObjective) kifer(target accountant.Budget, lambda float64, rel accountant.Neighbours) error {
	if rel != accountant.AddRemove {
		return fmt.Errorf("constants of Kifer: they hold for a row added or removed, got %v; use Alone: %w", rel, kind.ErrParameter)
	}
	sigma, least, err := accountant.KiferObjectivePerturbation(target, pl.C2, stage.Up(pl.C2*pl.C2*pl.Curvature))
	if err != nil {
		return err
	}
	if lambda != 0 && lambda < least {
		return fmt.Errorf("ridge Lambda: got %g, want at least %g, which Kifer's theorem asks for, or 0 for it: %w", lambda, least, kind.ErrParameter)
	}
	if err := pl.onGrid(sigma); err != nil {
		return err
	}
	pl.Lambda = max(lambda, least)
	pl.event = accountant.ObjectivePerturbation{C: pl.C2, Sigma: pl.Sigma, Lambda: pl.Lambda, Neighbours: rel}
	return nil
}

// onGrid sets the noise on b.
func (pl *CalibratedObjective) onGrid(sigma float64) (err error) {
	pl.Grid, pl.GridSD, err = noise.NewGrid(sigma, 0)
	pl.Sigma = float64(pl.GridSD) * pl.Grid.Step()
	return err
}

// glm is the event of one model with a loss that is not logistic.
func (pl *CalibratedObjective) glm(lambda float64, rel accountant.Neighbours) accountant.GLMPerturbation {
	return accountant.GLMPerturbation{
		C: pl.C2, Lambda: lambda, Slope: 1, Curvature: stage.Up(pl.Curvature), OneSign: pl.OneSign, Neighbours: rel,
	}
}

func (pl *CalibratedObjective) settle(p accountant.GLMPerturbation, err error) error {
	if err == nil {
		err = pl.onGrid(p.Sigma)
	}
	p.Sigma, pl.Lambda = pl.Sigma, p.Lambda
	pl.event = p
	return err
}
