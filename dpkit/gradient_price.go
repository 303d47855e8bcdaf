package dpkit

import (
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
)

func (g gradient) Settle(st Stage) (settled[GradientModel], error) {
	f, err := g.plan(st)
	if err != nil {
		return settled[GradientModel]{}, err
	}
	b, err := g.price(f, st)
	model := func(w []float64) GradientModel { return newGradientModel(st.In, f.loss, w, f.c) }
	return settled[GradientModel]{bill: b, read: drawnAs(f.read, model)}, err
}

func (g gradient) price(f *gradientPlan, st Stage) (bill, error) {
	c := ReleaseCost{Name: describe(g), Constants: f.constants()}
	switch {
	case f.pass != nil:
		c.Reference = "privacy amplification by iteration; Feldman, Mironov, Talwar, Thakurta 2018, Thm 22, for any displacement"
		return f.passBill(g.target(), c)
	case f.sampled != nil:
		c.Reference = "DP-SGD on the pair state; Abadi et al. 2016, Mironov, Talwar, Zhang 2019; displaced rows by the noise split or drawn alike"
		return f.sampledBill(g.target(), c)
	}
	c.Reference = "DP-GD on the pair state: S = 2Cf + min(μτ, 2Cm); Hu, Sanyal, Schölkopf 2024, Thm 13, corrected and in one hop"
	return f.price(g.target(), st, c)
}

// constants lists what the price rests on.
func (f *gradientPlan) constants() []Constant {
	pl := f.descent
	step := "step size, of a mean gradient"
	if pl.eta > pl.largestStep()*(1+1e-9) {
		step = fmt.Sprintf("step size, ABOVE 2/β = %.4g: steps can diverge until the projection holds them; the price stands", pl.largestStep())
	}
	out := []Constant{
		{"W", pl.w, FromParameter, "bound on ‖w‖, by projection"},
		{"W_J", pl.wj, FromParameter, "bound on ‖w‖ over displaced coordinates, by projection"},
		{"C", pl.clip, FromParameter, "bound on a row's gradient, by clipping"},
		{"μ", pl.lip, FromConstruction, "Lipschitz constant of a clipped gradient in its row, for " + pl.loss.String()},
		{"β", pl.betaOf(), FromConstruction, "smoothness of a row's loss"},
	}
	switch {
	case f.pass != nil:
		out = append(out, Constant{"m", float64(f.pass.event.Steps), FromSchema, "steps, one for each row"})
	default:
		out = append(out, Constant{"T", float64(pl.draws), FromParameter, "steps"})
	}
	switch pl.sampling.Kind {
	case accountant.Poisson:
		out = append(out, Constant{"q", pl.sampling.Rate, FromParameter, "rate at which a row is drawn in a step"})
	case accountant.WithoutReplacement:
		out = append(out, Constant{"B", float64(pl.sampling.Batch), FromParameter, "rows of a step, drawn without replacement"})
	}
	out = append(out, Constant{"η", pl.eta, FromParameter, step})
	if f.pass == nil {
		out = append(out, Constant{"m", pl.m, FromParameter, "momentum"})
	}
	what := "noise on each coordinate of a gradient sum"
	if f.pass != nil {
		what = "noise on each coordinate of a row's gradient"
	}
	return append(out, Constant{"σ", pl.sigma, FromParameter, what})
}
