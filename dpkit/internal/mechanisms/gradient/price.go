package gradient

import (
	"cmp"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

func (g GradientFit) Settle(st stage.Stage) (mechanism.Settled[models.GradientModel], error) {
	f, err := g.Calibrate(st)
	if err != nil {
		return mechanism.Settled[models.GradientModel]{}, err
	}
	b, err := g.price(f, st)
	model := func(w []float64) models.GradientModel { return f.Model(st, w) }
	return mechanism.Settled[models.GradientModel]{Bill: b, Read: mechanism.DrawnAs(f.read, model), Predicted: f.predicted(st), Packs: f.all()}, err
}

// Model makes the model of coefficients that were drawn, with the law of their noise.
func (f *calibratedGradient) Model(st stage.Stage, w []float64) models.GradientModel {
	return models.WithLaw(newGradientModel(st.In, f.loss, w, f.C), f.noiseLaw(st.Before.N, cmp.Or(f.label.half, 1)))
}

// all says whether every step takes all rows.
func (f *calibratedGradient) all() bool { return f.Pass == nil && f.sampled == nil }

func (g GradientFit) price(f *calibratedGradient, st stage.Stage) (query.Bill, error) {
	c := cost.Release{Name: kind.Describe(g), Constants: f.constants()}
	switch {
	case f.Pass != nil:
		c.Reference = "privacy amplification by iteration; Feldman, Mironov, Talwar, Thakurta 2018, Thm 22, for any displacement"
		return f.passBill(g.target(), st, c)
	case f.sampled != nil:
		c.Reference = "DP-SGD on the pair state; Abadi et al. 2016, Mironov, Talwar, Zhang 2019; displaced rows by the noise split or drawn alike"
		return f.sampledBill(g.target(), st, c)
	}
	c.Reference = "DP-GD on the pair state: S = 2Cf + min(μτ, 2Cm); Hu, Sanyal, Schölkopf 2024, Thm 13, corrected and in one hop"
	return f.Price(g.target(), st, c)
}

// constants lists what the price rests on.
func (f *calibratedGradient) constants() []stage.Constant {
	pl := f.Descent
	step := "step size, of a mean gradient"
	if pl.Eta > pl.largestStep()*(1+1e-9) {
		step = fmt.Sprintf("step size, ABOVE 2/β = %.4g: steps can diverge until the projection holds them; the price stands", pl.largestStep())
	}
	out := []stage.Constant{
		{Symbol: "W", Value: pl.W, Origin: stage.FromParameter, Meaning: "bound on ‖w‖, by projection"},
		{Symbol: "W_J", Value: pl.Wj, Origin: stage.FromParameter, Meaning: "bound on ‖w‖ over displaced coordinates, by projection"},
		{Symbol: "C", Value: pl.Clip, Origin: stage.FromParameter, Meaning: "bound on a row's gradient, by clipping"},
		{Symbol: "μ", Value: pl.Lip, Origin: stage.FromConstruction, Meaning: "Lipschitz constant of a clipped gradient in its row, for " + pl.loss.String()},
		{Symbol: "β", Value: pl.betaOf(), Origin: stage.FromConstruction, Meaning: "smoothness of a row's loss"},
	}
	switch {
	case f.Pass != nil:
		out = append(out, stage.Constant{Symbol: "m", Value: float64(f.Pass.event.Steps), Origin: stage.FromSchema, Meaning: "steps, one for each row"})
	default:
		out = append(out, stage.Constant{Symbol: "T", Value: float64(pl.Draws), Origin: stage.FromParameter, Meaning: "steps"})
	}
	switch pl.Sampling.Kind {
	case accountant.Poisson:
		out = append(out, stage.Constant{Symbol: "q", Value: pl.Sampling.Rate, Origin: stage.FromParameter, Meaning: "rate at which a row is drawn in a step"})
	case accountant.WithoutReplacement:
		out = append(out, stage.Constant{Symbol: "B", Value: float64(pl.Sampling.Batch), Origin: stage.FromParameter, Meaning: "rows of a step, drawn without replacement"})
	}
	if pl.Most > 0 {
		step = "first and least step size, of a mean gradient; it grows by released values alone"
	}
	out = append(out, stage.Constant{Symbol: "η", Value: pl.Eta, Origin: stage.FromParameter, Meaning: step})
	if pl.Most > 0 {
		out = append(out, stage.Constant{Symbol: "η₁", Value: pl.Most, Origin: stage.FromParameter, Meaning: "largest step size"})
	}
	if f.Pass == nil {
		out = append(out, stage.Constant{Symbol: "m", Value: pl.M, Origin: stage.FromParameter, Meaning: "momentum"})
	}
	what := "noise on each coordinate of a gradient sum"
	if f.Pass != nil {
		what = "noise on each coordinate of a row's gradient"
	}
	return append(out, stage.Constant{Symbol: "σ", Value: pl.Sigma, Origin: stage.FromParameter, Meaning: what})
}
