package dpkit

import (
	"fmt"
	"math"
	"sync"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/internal/linalg"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// maxSketchRows bounds k.
const maxSketchRows = 1 << 20

// mixture is a Gaussian mixture of the rows z (Lev et al. 2025): k rows S·Z + σ·ξ, of which the inner products are drawn
// from those of the rows alone (Bartlett 1933). The variance σ² is that of the exact mechanism and a share for arithmetic.
type mixture struct {
	k, m   int        // rows and columns of the sketch
	pair   pair.State // of the rows z
	target accountant.Budget
	// eigenvalue releases the smallest eigenvalue of the rows' Gram matrix and lowers σ² by it.
	eigenvalue bool

	idealMixture
	arithmetic
	lambda gaussianQuery // the release of the eigenvalue
}

// idealMixture is the mechanism in exact arithmetic, in units of R².
type idealMixture struct {
	noise float64 // σ²/R² without what an eigenvalue saves: γ − 1
	free  float64 // the same without preprocessing
	event accountant.Event
	mod   accountant.ModifiedGaussMix
}

// newMixture settles the mechanism up to the small share of the target that arithmetic takes; see finish.
func newMixture(target accountant.Budget, p pair.State, k, m int, eigenvalue bool) (*mixture, error) {
	x := &mixture{k: k, m: m, pair: p, target: target, eigenvalue: eigenvalue}
	if k < m+1 {
		return nil, fmt.Errorf("rows of the sketch k: got %d, want at least %d, one more than the columns and the label together: %w", k, m+1, ErrParameter)
	}
	if k > maxSketchRows {
		return nil, fmt.Errorf("rows of the sketch k: got %d, want at most %d: %w", k, maxSketchRows, ErrParameter)
	}
	if p.F > 1 {
		return nil, fmt.Errorf("%d rows are free, and a Gaussian mixture is priced for one; fit by AdaSSP, or put another step in the place of the one that frees them: %w", p.F, ErrOrder)
	}
	if eigenvalue && p.Displaced() {
		return nil, fmt.Errorf("ReleaseEigenvalue: steps before displace rows, and then the smallest eigenvalue has no price; leave it out, or fit by AdaSSP: %w", ErrOrder)
	}
	var err error
	x.idealMixture, err = x.ideal(target)
	return x, err
}

// finish sets aside what arithmetic takes of the target and calibrates to the rest.
func (x *mixture) finish() error {
	var err error
	if x.arithmetic, err = x.settleArithmetic(); err != nil {
		return err
	}
	if x.idealMixture, err = x.ideal(x.rest(x.target)); err != nil || !x.eigenvalue {
		return err
	}
	square := x.square()
	off := spectralRounding(x.pair.N, x.m) * float64(x.pair.N) * square // of a computed eigenvalue
	x.lambda = gaussianQuery{coordinates: 1, sensitivity: up(square + 2*off), max: up(float64(x.pair.N) * square)}
	if err := x.lambda.calibrate(1 / x.mod.Eta * (1 - 0x1p-50)); err != nil {
		return err
	}
	x.tv = up(x.tv + noise.GaussianTV(x.lambda.gridSD))
	return x.affords(x.tv)
}

// square is R², rounded up.
func (x *mixture) square() float64 { return up(x.pair.R * x.pair.R) }

// variance is σ² where no eigenvalue lowers it.
func (x *mixture) variance() float64 { return x.noise * x.square() }

// known holds calibrations, which are functions of public numbers: a plan is priced several times.
var known sync.Map // mixtureKey → idealMixture

type mixtureKey struct {
	k            int
	displacement float64 // tF/R
	free         int
	rel          accountant.Neighbours
	target       accountant.Budget
	eigenvalue   bool
}

// ideal calibrates the mechanism in exact arithmetic. It depends on the pair by tF/R alone.
func (x *mixture) ideal(target accountant.Budget) (idealMixture, error) {
	p := x.pair
	key := mixtureKey{x.k, 0, p.F, p.Neighbours, target, x.eigenvalue}
	if p.Displaced() {
		key.displacement = up(p.TF / p.R)
	}
	if v, ok := known.Load(key); ok {
		return v.(idealMixture), nil
	}
	i, err := calibrateMixture(key)
	if err == nil {
		known.Store(key, i)
	}
	return i, err
}

func calibrateMixture(key mixtureKey) (i idealMixture, err error) {
	if key.eigenvalue {
		if i.mod, err = accountant.OptimiseModifiedGaussMix(key.target, key.k, key.rel); err != nil {
			return i, err
		}
		i.noise = up(i.mod.Gamma - 1)
		i.free, i.event = i.noise, i.mod
		return i, nil
	}
	gamma, err := accountant.CalibrateGaussMix(key.target, key.k, key.rel)
	if err != nil {
		return i, err
	}
	i.free = up(gamma - 1)
	i.noise = i.free
	if key.displacement > 0 {
		if i.noise, err = key.displaced(i.free); err != nil {
			return i, err
		}
	}
	i.event, err = key.at(i.noise)
	return i, err
}

// at is the mechanism with that noise.
func (key mixtureKey) at(variance float64) (accountant.Event, error) {
	p := pair.State{Neighbours: key.rel, N: 1 << 30, R: 1, F: key.free, DFree: math.Inf(1)}
	if key.displacement > 0 {
		t := key.displacement
		p.M, p.TF, p.T1, p.TInf = 1<<29, t, t*0x1p15, t // the mechanism reads tF alone
	}
	return pair.GaussMixOn(p, pair.GaussMixOptions{K: key.k, Noise: variance})
}

// displaced finds the least noise, to a part in a thousand, with which displaced rows meet the target.
func (key mixtureKey) displaced(start float64) (float64, error) {
	fits := func(v float64) (bool, error) {
		e, err := key.at(v)
		if err != nil {
			return false, err
		}
		g, err := accountant.EpsilonOf(e, key.rel, key.target.Delta)
		return g.Epsilon <= key.target.Epsilon, err
	}
	lo, hi := start, start
	for range 120 {
		ok, err := fits(hi)
		if err != nil {
			return 0, err
		}
		if !ok {
			lo, hi = hi, 1.5*hi
			continue
		}
		for hi > lo*1.001 {
			mid := math.Sqrt(lo) * math.Sqrt(hi)
			ok, err := fits(mid)
			if err != nil {
				return 0, err
			}
			if ok {
				hi = mid
			} else {
				lo = mid
			}
		}
		return hi, nil
	}
	return 0, fmt.Errorf("a Gaussian mixture of rows that were displaced by %.3g in all: no noise meets the target; fit by AdaSSP, or put public steps in the place of fitted ones: %w", key.displacement, ErrOrder)
}

// factor returns the Cholesky factor of ZᵀZ + σ²I, σ² being that of the release.
func (x *mixture) factor(z *secondMoments, rng *noise.Source) ([]float64, error) {
	variance := x.variance()
	if x.eigenvalue {
		smallest := z.smallest(x.m, float64(x.pair.N)*x.square())
		variance = x.saved(x.lambda.draw(rng, []float64{smallest})[0])
	}
	return x.factorAt(z, variance)
}

// saved is the variance beside a noisy eigenvalue: outside an event of probability Φ(−τ) the noise on it is at most
// τ of its standard deviations (and the steps of its grid), so that the eigenvalue and σ² sum up to γR² or σ² is at its cap.
func (x *mixture) saved(noisy float64) float64 {
	square := x.square()
	off := spectralRounding(x.pair.N, x.m) * float64(x.pair.N) * square
	need := x.mod.Gamma*square + x.lambda.sigma*x.mod.Tau + 3*x.lambda.grid.Step() + off
	return min(max(up(need)-max(noisy, 0), 0), x.variance())
}

func (x *mixture) factorAt(z *secondMoments, variance float64) ([]float64, error) {
	a := make([]float64, x.m*x.m)
	copy(a, z.sum)
	for i := range x.m {
		a[i*x.m+i] += variance + x.share
	}
	return linalg.Cholesky(a, x.m)
}

// innerProducts draws the Gram matrix of the sketch: W = L·A·Aᵀ·Lᵀ, and noise that covers rounding.
func (x *mixture) innerProducts(l []float64, rng *noise.Source) (*secondMoments, error) {
	a := make([]float64, x.m*x.m)
	for i := range x.m {
		for j := range i {
			a[i*x.m+j] = normal(rng)
		}
		a[i*x.m+i] = x.norm(rng, x.k-i)
	}
	w, err := linalg.Wishart(l, a, x.m)
	if err != nil {
		return nil, err
	}
	upper := make([]float64, 0, x.m*(x.m+1)/2)
	for i := range x.m {
		upper = append(upper, w[i*x.m+i:(i+1)*x.m]...)
	}
	upper = x.blur.draw(rng, upper)
	out := &secondMoments{size: x.m, sum: w}
	for i := range x.m {
		for j := i; j < x.m; j++ {
			w[i*x.m+j], w[j*x.m+i], upper = upper[0], upper[0], upper[1:]
		}
	}
	return out, nil
}
