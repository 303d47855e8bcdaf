package glm

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/population"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Predicted is what logistic regression is worth on the reference population of classifiers.
func (pl *CalibratedObjective) Predicted(st stage.Stage) mechanism.Prediction {
	run := pl.expected(st)
	return population.Predict(pl.D, domain.Blocks(st.In), st.Before.R, pl.C, func(rows population.Rows, m population.Margins) mechanism.Classes {
		if pl.Models > 1 {
			one := m.Against(pl.Models)
			return one.OfMany(pl.Models, run.Run(rows, one, population.Logistic))
		}
		return m.Classes(run.Run(rows, m, population.Logistic))
	})
}

// predicted is that of any loss of this package.
func (pl *CalibratedObjective) predicted(st stage.Stage) mechanism.Prediction {
	run := pl.expected(st)
	switch l := pl.Loss.(type) {
	case LogisticLoss:
		return pl.Predicted(st)
	case smoothedHinge:
		return population.Predict(pl.D, domain.Blocks(st.In), st.Before.R, pl.C, func(rows population.Rows, m population.Margins) mechanism.Classes {
			s := m.Hinge(l.width)
			c := m.Classes(s.Back(run.Run(rows, s.Margins(m), population.Quadratic(s.Curvature))))
			c.Excess = 0
			return c
		})
	case scaledHuber:
		rows, m := population.Regressed(pl.D+1, pl.C2)
		return m.Regression(run.Run(rows, m, population.Quadratic(population.KneeShare(l.knee)/l.knee)))
	case cappedPoisson:
		return pl.rates(st, l)
	}
	return mechanism.Prediction{}
}

// errorOfRates is what is off of a regression of rates.
const errorOfRates = "mean squared error of the logarithm of the rate by noise, on the reference population"

// logRates is the standard deviation of the logarithm of the rate about ρ on the reference population of Poisson regressions.
const logRates = 0.5

// rates predicts the error of the logarithm of rates that lie around ρ.
func (pl *CalibratedObjective) rates(st stage.Stage, l cappedPoisson) mechanism.Prediction {
	rows, m := population.Regressed(pl.D+1, pl.C2)
	m.Deviation = logRates
	p := m.Regression(pl.expected(st).Run(rows, m, population.Quadratic(l.rate/l.most)))
	if p.Known() {
		p.Of = errorOfRates
	}
	return p
}

// expected is the minimisation as [population] runs it.
func (pl *CalibratedObjective) expected(st stage.Stage) population.Objective {
	return population.Objective{Rows: float64(st.Before.N), Ridge: pl.Lambda, Noise: pl.Sigma, Output: pl.Out.Sigma}
}

// predicted is what the model is worth on the reference population.
func (l MixingFit) predicted(as stage.Stage) (mechanism.Prediction, error) {
	added, freedom, height, constant, err := l.linear().Sketched(as)
	if err != nil {
		return mechanism.Prediction{}, err
	}
	s := population.Sketch{Rows: float64(as.Before.N), Added: added, Freedom: freedom, Height: height, Scale: l.Scale()}
	return population.Predict(as.In.Width(), domain.Blocks(as.In), as.Before.R, constant, func(rows population.Rows, m population.Margins) mechanism.Classes {
		return m.Classes(s.Run(rows, m))
	}), nil
}
