package gradient

import (
	"math"
	"sync"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/population"
)

// widen takes a larger ball where no row was displaced, so that it is not in the price of a step, and where no population of the panel is
// predicted to lose by it: for the log loss, with which that was measured. A ball is of use where noise fills it; where noise is less it is only in the way of the best model.
func (pl *Descent) widen(p pair.State) error {
	if _, logistic := pl.loss.(LogLoss); !logistic || p.Displaced() {
		return nil
	}
	c := population.Contest{Columns: pl.D, R: p.R, Constant: pl.C}
	was := population.Descent{
		Steps: pl.Draws, Momentum: pl.M, Noise: pl.S * math.Sqrt(float64(pl.Draws)) / pl.Mu / float64(p.N), Ball: pl.W, Copies: 1,
		Size: func(int) float64 { return pl.Eta }, From: pl.Draws / 2,
	}
	key := ballKey{c.Columns, pl.Draws, c.R, c.Constant, pl.Eta, was.Noise, pl.W, pl.M}
	by, ok := balls.Load(key)
	if !ok {
		by = 1.0
		for _, larger := range []float64{4, 2} {
			wide := was
			if wide.Ball *= larger; c.Better(wide, was) {
				by = larger
				break
			}
		}
		balls.Store(key, by)
	}
	if by == 1.0 {
		return nil
	}
	pl.W *= by.(float64)
	pl.bind()
	return pl.State(p)
}

// ballKey is what the ball follows from: public facts alone.
type ballKey struct {
	columns, steps                          int
	r, constant, eta, noise, ball, momentum float64
}

// balls holds by how much balls are larger: a plan is priced several times.
var balls sync.Map // ballKey → float64
