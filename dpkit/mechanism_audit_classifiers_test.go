package dpkit

import (
	"cmp"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/baseline"
	"github.com/dpkit-go/dpnb/frames"
)

// auditedGradients train from a known start on rows whose gradients are clipped, so that the last iterate is a sufficient
// statistic of the noisy sums.
func auditedGradients() (out []auditCase) {
	for _, c := range []struct {
		name   string
		g      convexOptions
		rel    accountant.Neighbours
		draws  int
		caught float64
		why    string
	}{
		{"full batch", convexOptions{Loss: LogLoss{}, Solver: FullBatch{}, Steps: 3}, ReplaceOne, 2000, 0, ""},
		{"full batch, row not there", convexOptions{Loss: LogLoss{}, Steps: 2}, AddRemove, 2000, 0, ""},
		{"squared hinge", convexOptions{Loss: SquaredHingeLoss{}, Steps: 2}, ReplaceOne, 2000, 0, ""},
		{"squared", convexOptions{Loss: SquaredLoss{}, Steps: 1}, ReplaceOne, 2000, 0, ""},
		{"Huber", convexOptions{Loss: HuberLoss{}, Steps: 1}, ReplaceOne, 2000, 0, ""},
		{"softmax", convexOptions{Loss: SoftmaxLoss{}, Steps: 1, Clip: 0.8}, ReplaceOne, 2000, 0, ""},
		{"Poisson", convexOptions{Loss: LogLoss{}, Solver: PoissonSampling{Rate: 0.5}, Steps: 2}, ReplaceOne, 16000, 0, ""},
		{"Poisson, row not there", convexOptions{Loss: LogLoss{}, Solver: PoissonSampling{Rate: 0.5}, Steps: 1}, AddRemove, 16000, 0, ""},
		{"without replacement", convexOptions{Loss: LogLoss{}, Solver: WithoutReplacement{Batch: 2}, Steps: 1}, ReplaceOne, 16000, 0, ""},
		{"by iteration", convexOptions{Loss: LogLoss{}, Solver: ByIteration{}}, ReplaceOne, 2000, 6, "the price is a Rényi curve that bounds a mixture over the secret row by its worst order"},
	} {
		g := c.g
		g.Epsilon, g.Delta, g.MaxNorm, g.StepSize, g.Average, g.NoIntercept = 8, 0.01, 1, 1e-4, AverageLast, true
		g.Clip = cmp.Or(g.Clip, 0.1)
		pure := false
		switch g.Solver.(type) {
		case PoissonSampling, WithoutReplacement, ByIteration:
			pure, g.Epsilon, g.Delta = true, 3, 0.05
		}
		label := labelFor(g.Loss)
		lo, hi := 0.0, 1.0
		if len(label.Levels) == 0 {
			lo, hi = label.Lo, label.Hi
		}
		common := times(3, 0, lo)
		switch g.Solver.(type) {
		case ByIteration:
			common = common[:1]
		case WithoutReplacement: // where the first row is drawn it takes the place of one that pulls the other way
			common = times(3, 1, lo)
		}
		sides := pairOf([]float64{1, hi}, []float64{1, lo}, common...)
		if c.rel == AddRemove {
			sides[1][0] = nil
		}
		out = append(out, auditCase{
			name: "gradient, " + c.name, schema: must(frames.NewSchema(frames.Numeric("x", -1, 1), label)), rel: c.rel, sides: sides,
			plan: func(p Pipeline) *plan { return p.FitConvex(g.apart()).plan() },
			told: tells(func(m GradientModel) float64 {
				if len(m.Coef) > 1 {
					return m.Coef[1][0] - m.Coef[0][0]
				}
				return m.Coef[0][0]
			}), pure: pure, draws: c.draws, caught: c.caught, why: c.why,
		})
	}
	l := ByGradient{Epsilon: 8, Delta: 0.01, MaxNorm: 1, Clip: 0.1, Steps: 3, StepSize: 1e-4, NoIntercept: true}
	return append(out, auditCase{
		name: "logistic", schema: must(frames.NewSchema(frames.Numeric("x", -1, 1), frames.Label("y", "no", "yes"))), rel: ReplaceOne,
		sides: pairOf([]float64{1, 1}, []float64{1, 0}, []float64{1, 1}, []float64{1, 0}, []float64{1, 1}),
		plan:  func(p Pipeline) *plan { return p.FitLogistic(l).plan() },
		told:  tells(func(m LogisticModel) float64 { return m.Coef[0] }), draws: 2000,
	})
}

// auditedObjectives have a row whose gradient the others saturate: they pull the model to where its label is most wrong.
func auditedObjectives() (out []auditCase) {
	two := must(frames.NewSchema(frames.Numeric("a", -1, 1), frames.Label("y", "no", "yes")))
	three := must(frames.NewSchema(frames.Numeric("a", -1, 1), frames.Label("y", "a", "b", "c")))
	number := must(frames.NewSchema(frames.Numeric("a", -1, 1), frames.NumericLabel("y", -1, 1)))
	count := must(frames.NewSchema(frames.Numeric("a", -1, 1), frames.NumericLabel("y", 0, 10)))
	const eps, delta, back = 16, 0.01, 12
	margin := func(m LogisticModel) float64 { return m.Coef[0] + m.Intercept }
	class := func(m ClassModel) float64 { return m.Coef[0] + m.Intercept }
	line := func(m LinearModel) float64 { return m.Coef[0] + m.Intercept }
	o := ByObjective{Epsilon: eps, Delta: delta}
	alone, kifer := o, baseline.Kifer2012{Epsilon: eps, Delta: delta}
	alone.Epsilon, alone.Alone = 8, true
	add := func(name string, schema frames.Schema, rel accountant.Neighbours, row, other, base float64, end func(Pipeline) *plan, told func(any) float64) *auditCase {
		c := auditCase{name: name + "/" + rel.String(), schema: schema, rel: rel, draws: 1500, plan: end, told: told}
		c.sides = pairOf([]float64{1, row}, []float64{1, other}, times(back, 1, base)...)
		if rel == AddRemove {
			c.sides[1][0] = nil
		}
		out = append(out, c)
		return &out[len(out)-1]
	}
	add("objective", two, AddRemove, 1, 0, 0, func(p Pipeline) *plan { return p.FitLogistic(o).plan() }, tells(margin))
	loose := func(c *auditCase, caught float64, why string) { c.caught, c.why = caught, why }
	loose(add("objective", two, ReplaceOne, 1, 0, 0, func(p Pipeline) *plan { return p.FitLogistic(o).plan() }, tells(margin)), 5, twoRows)
	add("objective alone", two, AddRemove, 1, 0, 0, func(p Pipeline) *plan { return p.FitLogistic(alone).plan() }, tells(margin))
	loose(add("objective by Kifer", two, AddRemove, 1, 0, 0, func(p Pipeline) *plan { return p.FitLogistic(kifer).plan() }, tells(margin)),
		5, "the constants of the paper are not tight")
	report := func(m ReportedLogistic) float64 { return m.Coef[0] + m.Intercept }
	add("report", two, AddRemove, 1, 0, 0, func(p Pipeline) *plan {
		return p.FitLogisticWithReport(o, PrivacyReport{Rho: 0.1}).plan()
	}, tells(report))
	add("report with statistics", two, AddRemove, 1, 0, 0, func(p Pipeline) *plan {
		return p.FitLogisticWithReport(o, PrivacyReport{Rho: 0.1, Share: 0.2}).plan()
	}, tells(report))
	add("hinge", two, AddRemove, 1, 0, 0, func(p Pipeline) *plan { return p.FitHinge(HingeLoss{}, ByObjective{Epsilon: eps, Delta: delta}).plan() }, tells(class))
	loose(add("hinge", two, ReplaceOne, 1, 0, 0, func(p Pipeline) *plan { return p.FitHinge(HingeLoss{}, ByObjective{Epsilon: eps, Delta: delta}).plan() }, tells(class)), 5, twoRows)
	loose(add("hinge alone", two, AddRemove, 1, 0, 0, func(p Pipeline) *plan {
		return p.FitHinge(HingeLoss{}, ByObjective{Epsilon: 8, Delta: delta, Alone: true}).plan()
	}, tells(class)), 4, ownLaw)
	add("Huber", number, AddRemove, 1, -1, -1, func(p Pipeline) *plan { return p.FitHuber(HuberLoss{}, ByObjective{Epsilon: eps, Delta: delta}).plan() }, tells(line))
	add("Huber", number, ReplaceOne, 1, -1, 0, func(p Pipeline) *plan { return p.FitHuber(HuberLoss{}, ByObjective{Epsilon: eps, Delta: delta}).plan() }, tells(line))
	loose(add("Huber alone", number, AddRemove, 1, -1, -1, func(p Pipeline) *plan {
		return p.FitHuber(HuberLoss{}, ByObjective{Epsilon: 8, Delta: delta, Alone: true}).plan()
	}, tells(line)), 4, ownLaw)
	rate := tells(func(m RateModel) float64 { return m.Coef[0] + m.Intercept })
	add("rate", count, AddRemove, 10, 0, 0, func(p Pipeline) *plan {
		return p.FitPoisson(PoissonLoss{}, ByObjective{Epsilon: eps, Delta: delta}).plan()
	}, rate)
	loose(add("rate alone", count, AddRemove, 10, 0, 0, func(p Pipeline) *plan {
		return p.FitPoisson(PoissonLoss{}, ByObjective{Epsilon: 8, Delta: delta, Alone: true}).plan()
	}, rate), 4, ownLaw)
	loose(add("multinomial", three, AddRemove, 0, 1, 1, func(p Pipeline) *plan {
		return p.FitMultinomial(ByObjective{Epsilon: 24, Delta: delta}).plan()
	}, tells(func(m MultinomialModel) float64 {
		return m.Coef[0][0] + m.Intercepts[0] - m.Coef[1][0] - m.Intercepts[1]
	})), 2.5, "a row pulls two of the three regressions, whose noise is that of all three")
	mixing := add("logistic by mixing", two, ReplaceOne, 1, 0, 0, func(p Pipeline) *plan {
		return p.FitLogistic(ByMixing{Epsilon: 4, Delta: 0.05, Rows: 60, LabelScale: 1, NoIntercept: true}).plan()
	}, tells(func(m LogisticModel) float64 { return m.Coef[0] }))
	mixing.sides, mixing.draws, mixing.pure = pairOf([]float64{1, 1}, []float64{1, 0}, times(3, 0, 0)...), 6000, true
	loose(mixing, 4, wholeSketch)
	for i := range out {
		if strings.Contains(out[i].name, "alone") && !strings.Contains(out[i].name, "objective") {
			out[i].draws = 600 // their price takes long
		}
	}
	return out
}
