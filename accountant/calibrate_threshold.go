package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/memo"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// FoundWith is how many deviations of the noise above the threshold a number of people is that is found with probability 0.95.
const FoundWith = 1.6448536269514722

// FoundFrom is the number of people from which a key is found with probability 0.95; with probability ½ it is from Threshold on.
func (g GaussianThreshold) FoundFrom() float64 { return g.Threshold + FoundWith*g.Sigma }

// CalibrateThreshold chooses noise and threshold of g together: of all that give the budget those at which the number of people from which a
// key is found with probability 0.95 is least. σ and T of g are not read; the grid is taken to be as fine as it needs to be where GridSigma is
// +Inf. At one σ the price falls with T, so that the least T is found by bisection; at one T it does not fall with σ
// (docs/theory/tables.md#keys-that-are-found). Errors wrap [ErrEpsilon], [ErrDelta], [ErrNeighbours] or [ErrParameter].
func CalibrateThreshold(b Budget, g GaussianThreshold) (GaussianThreshold, error) {
	if err := b.Validate(); err != nil {
		return g, err
	}
	g.Sigma, g.Threshold = 1, 1
	if err := g.validate(g.Neighbours); err != nil {
		return g, err
	}
	c := thresholdCalibrations.Of(thresholdTask{b, g}, func() calibrated[GaussianThreshold] {
		g, err := calibrateThreshold(b, g)
		return calibrated[GaussianThreshold]{g, err}
	})
	return c.event, c.err
}

type thresholdTask struct {
	budget Budget
	of     GaussianThreshold
}

var thresholdCalibrations memo.Memo[thresholdTask, calibrated[GaussianThreshold]]

func calibrateThreshold(b Budget, g GaussianThreshold) (GaussianThreshold, error) {
	mu, err := CalibrateGaussian(b)
	if err != nil {
		return g, err
	}
	other := g.Groups
	if g.Neighbours == AddRemove {
		other = 0
	}
	least := math.Sqrt(g.moves(g.Groups, other)) / mu // of a table whose keys are public
	at := func(u, tolerance float64) float64 {
		h := g
		h.Sigma = least * math.Exp(u)
		h, ok := h.leastThreshold(b, tolerance)
		if !ok {
			return math.Inf(1)
		}
		return h.FoundFrom()
	}
	// At the noise of public keys no threshold is left to choose; above, T falls at first.
	const points, widest = 24, 1.5
	node := func(k int) float64 { return widest * math.Pow((float64(k)+0.5)/points, 2) }
	best, found := 0, math.Inf(1)
	for k := range points {
		if v := at(node(k), 1e-2); v < found {
			best, found = k, v
		}
	}
	if math.IsInf(found, 1) {
		return g, fmt.Errorf("accountant: calibrate: no threshold gives %v: %w", b, ErrDelta)
	}
	u := node(best)
	if finer, v := quad.MinimizeTo(func(u float64) float64 { return at(u, 1e-5) }, node(max(best-1, 0)), node(best+1), 1e-3); v < found+1e-2*least*math.Exp(u) {
		u = finer
	}
	g.Sigma = least * math.Exp(u)
	g, _ = g.LeastThreshold(b)
	return g, nil
}

// LeastThreshold is g at the least threshold, rounded up, at which it gives the budget at its noise; false where none does.
func (g GaussianThreshold) LeastThreshold(b Budget) (GaussianThreshold, bool) {
	return g.leastThreshold(b, 1e-9)
}

// leastThreshold is that to a tolerance, in deviations.
func (g GaussianThreshold) leastThreshold(b Budget, tolerance float64) (GaussianThreshold, bool) {
	fits := func(x float64) bool {
		h := g
		h.Threshold = 1 + x*g.Sigma
		return h.within(b)
	}
	lo, hi := 0.0, 40.0
	if !fits(hi) {
		return g, false
	}
	for hi-lo > tolerance { // hi fits at every step
		if mid := (lo + hi) / 2; fits(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	g.Threshold = 1 + hi*g.Sigma
	return g, true
}
