package gradient

import (
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/population"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// predicted is what the model is worth on the reference population; nothing is predicted of one iterate of a pass, nor of losses of
// several margins.
func (f *calibratedGradient) predicted(st stage.Stage) mechanism.Prediction {
	if f.Pass != nil || f.margins > 1 {
		return mechanism.Prediction{}
	}
	return f.Descent.predicted(st)
}

func (pl *Descent) predicted(st stage.Stage) mechanism.Prediction {
	switch pl.loss.(type) {
	case LogLoss:
		rows, m := population.Classified(pl.D, st.Before.R, pl.C)
		return mechanism.OfClasses(m.Classes(pl.expected(float64(st.Before.N)).Run(rows, m, population.Logistic)))
	}
	return mechanism.Prediction{}
}

// expected is the descent as [population] runs it, on n rows.
func (pl *Descent) expected(n float64) population.Descent {
	batch := pl.batch(int(n))
	d := population.Descent{
		Steps: pl.Draws, Momentum: pl.M, Noise: pl.Sigma / batch, Ball: pl.W,
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
	// A slope of the log loss has a mean square of at most a quarter.
	d.Draw *= math.Min(0.25, 1)
	return d
}
