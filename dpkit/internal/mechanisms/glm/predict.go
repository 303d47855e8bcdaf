package glm

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/population"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Predicted is what the model is worth on the reference population.
func (pl *CalibratedObjective) predicted(st stage.Stage) mechanism.Prediction {
	if !pl.logistic || pl.Models > 1 {
		return mechanism.Prediction{}
	}
	rows, m := population.Classified(pl.D, st.Before.R, pl.C)
	return mechanism.OfClasses(m.Classes(pl.expected(st).Run(rows, m, population.Logistic)))
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
	rows, m := population.Classified(len(as.In.Features()), as.Before.R, constant)
	s := population.Sketch{Rows: float64(as.Before.N), Added: added, Freedom: freedom, Height: height, Scale: l.Scale()}
	return mechanism.OfClasses(m.Classes(s.Run(rows, m))), nil
}
