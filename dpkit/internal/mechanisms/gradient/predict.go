package gradient

import (
	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/population"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// predicted is what the model is worth on the reference population. Of one iterate of a pass, which rows leave one by one, nothing is.
func (f *calibratedGradient) predicted(st stage.Stage) mechanism.Prediction {
	if f.Pass != nil {
		return mechanism.Prediction{}
	}
	return f.Descent.predicted(st)
}

func (pl *Descent) predicted(st stage.Stage) mechanism.Prediction {
	run := pl.expected(float64(st.Before.N))
	if pl.label.half > 0 {
		rows, m := population.Regressed(pl.Coordinates, pl.Rx)
		curvature := 1.0
		if l, ok := pl.loss.(HuberLoss); ok {
			curvature = population.KneeShare(l.at())
		}
		run.Draw *= population.Signal
		return m.Regression(run.Run(rows, m, population.Quadratic(curvature)))
	}
	run.Draw /= 4 // no slope of the log loss has a larger mean square at its minimiser
	var worth func(population.Rows, population.Margins) mechanism.Classes
	switch pl.loss.(type) {
	case LogLoss:
		worth = func(rows population.Rows, m population.Margins) mechanism.Classes {
			return m.Classes(run.Run(rows, m, population.Logistic))
		}
	case SquaredHingeLoss:
		worth = func(rows population.Rows, m population.Margins) mechanism.Classes {
			s := m.Hinge(0)
			c := m.Classes(s.Back(run.Run(rows, s.Margins(m), population.Quadratic(s.Curvature))))
			c.Excess = 0
			return c
		}
	case SoftmaxLoss:
		worth = func(rows population.Rows, m population.Margins) mechanism.Classes {
			one := m.Against(pl.margins)
			return one.OfMany(pl.margins, run.Run(rows, one, population.Logistic))
		}
	default:
		return mechanism.Prediction{}
	}
	return population.Predict(pl.D, domain.Blocks(st.In), st.Before.R, pl.C, worth)
}

// expected is the descent as [population] runs it, on n rows: of one vector of coefficients, whose share of the ball is that of all.
func (pl *Descent) expected(n float64) population.Descent {
	batch := pl.batch(int(n))
	d := population.Descent{
		Steps: pl.Draws, Momentum: pl.M, Noise: pl.Sigma / batch, Ball: pl.W, Copies: float64(pl.margins),
		Size: func(t int) float64 { return pl.rule.At(pl.Eta, t) },
	}
	for d.From < pl.Draws-1 && !pl.average.Takes(d.From, pl.Draws) {
		d.From++
	}
	switch pl.Sampling.Kind {
	case accountant.Poisson:
		d.Draw = (1 - pl.Sampling.Rate) / batch
	case accountant.WithoutReplacement:
		d.Draw = (1 - batch/n) / batch
	}
	return d
}
