package gradient

import (
	"cmp"
	"math"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
)

// Public defaults of losses of several margins in full batches, in the units of [ByGradient]. They come from simulated
// populations of 3 to 26 classes in 5 to 600 columns, and from the digits of MNIST, which are public.
const (
	growingMaxNorm = 1000 // coefficients of rows far below their bound are long
	growingTravel  = 2.1  // c·C/R, how far steps may go against the noise
	growingUp      = 1.3
	growingDown    = 0.7
	mostGrowing    = 200 // steps
)

// grows reports whether steps start at 2/β and follow [growth]: where nothing about them was asked for.
func (g GradientFit) grows(margins int) bool {
	_, full := g.solver().(FullBatch)
	return full && margins > 1 && g.StepSize == 0 && g.Rule == StepConstant
}

// growingClip is C in units of R: the more coefficients there are, the more of what clipping would keep is noise. Displaced rows move
// gradients by more where C is small against the constant feature, and it stays larger.
func growingClip(coordinates int, displaced bool) float64 {
	power, least := 0.35, 0.05
	if displaced {
		power, least = 0.25, 0.1
	}
	return min(max(0.7*math.Pow(20/float64(coordinates), power), least), 0.7)
}

// growingHeight is c in units of its usual height: many coefficients are clipped at little, of which the constant feature is to leave
// something to rows that are far below their bound.
func growingHeight(coordinates int) float64 {
	ratio := growingClip(coordinates, false) / 0.7
	return max(ratio*ratio, 0.3)
}

// growingGain is 1/(1 − m): more for many coefficients, whose directions differ more in curvature.
func growingGain(coordinates int) float64 {
	return min(max(6.7*math.Pow(float64(coordinates)/100, 0.1), 6.7), 12)
}

// growingTainted is W_J by default: that of small balls, or the longest with which displaced rows cost a tenth of C at most.
func (f *calibratedGradient) growingTainted(p pair.State, share float64) float64 {
	pl := f.Descent
	least := domain.DefaultMaxNorm / p.R * math.Sqrt(share)
	if !p.Displaced() || !(p.T1 > 0) {
		return pl.W
	}
	steep := pl.loss.Steepest(math.Inf(1))
	if pl.C > 0 {
		steep = min(steep, pl.Clip/pl.C)
	}
	return min(pl.W, max(least, (pl.Clip/10/p.T1-steep)/(softmaxBend*pl.Clip)))
}

// settleGrowing chooses T, the first and the largest step, and momentum. With steps of η/(1 − m) in the end, noise moves a
// coefficient by about c/√3 where ηT/(1 − m) = c·μn/S.
func (f *calibratedGradient) settleGrowing(g GradientFit, p pair.State) {
	pl, r := f.Descent, p.R
	reach := pl.Mu * float64(p.N) * r / pl.S // in units of 1/C
	pl.Draws = g.Steps
	if pl.Draws == 0 {
		pl.Draws = int(min(max(60*math.Pow(reach*pl.Clip/r/300, 0.25), domain.MinSteps), mostGrowing))
	}
	pl.M = 1 - 1/growingGain(pl.Coordinates)
	travel := min(max(growingTravel*r/pl.Clip, 3), 7)
	// Where noise hides the gradient, far is not better: n·C, the most that a sum can be, against the noise of all sums, √k·S/μ.
	travel = min(travel, 2*max(1, reach*pl.Clip/r/math.Sqrt(float64(pl.Coordinates))/15))
	pl.Most = travel * reach / (r * r) * (1 - pl.M) / float64(pl.Draws)
	pl.Eta = min(pl.largestStep(), pl.Most)
}

// growth is the size of steps that follows from noisy sums, which are released values: reading them costs nothing. Where a sum
// points along the one before it, by more than their noise tells, the step grows, up to a bound from the noise; where it points
// against it, as it does when steps bounce between the walls of a valley, it shrinks, but not below the first.
type growth struct {
	eta, least, most float64
	floor            float64 // standard deviation of ⟨noise, noise'⟩
	last             []float64
}

func newGrowth(pl *Descent) *growth {
	return &growth{eta: pl.Eta, least: pl.Eta, most: pl.Most, floor: pl.Sigma * pl.Sigma * math.Sqrt(float64(pl.Coordinates))}
}

// next is the size of the step along a noisy sum.
func (s *growth) next(sum []float64) float64 {
	if s.last == nil {
		s.last = append(s.last, sum...)
		return s.eta
	}
	along := 0.0
	for j, v := range sum {
		along += v * s.last[j]
		s.last[j] = v
	}
	switch {
	case along > s.floor:
		s.eta = min(s.eta*growingUp, s.most)
	case along < -s.floor:
		s.eta = max(s.eta*growingDown, s.least)
	}
	return s.eta
}

// growingBounds are the defaults of W and C for a loss of several margins, in units of R.
func (pl *Descent) growingBounds(g GradientFit, displaced bool) (maxNorm, clip float64) {
	return cmp.Or(g.MaxNorm, growingMaxNorm), cmp.Or(g.Clip, growingClip(pl.Coordinates, displaced))
}
