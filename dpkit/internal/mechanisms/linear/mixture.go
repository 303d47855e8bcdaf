package linear

import (
	"fmt"
	"math"
	"sync"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/linalg"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// MaxSketchRows bounds k.
const MaxSketchRows = 1 << 20

// mixture is a Gaussian mixture of the rows z (Lev et al. 2025): k rows S·Z + σ·ξ, of which the inner products are drawn
// from those of the rows alone (Bartlett 1933). The variance σ² is that of the exact mechanism and a share for arithmetic.
type mixture struct {
	k, M   int        // rows and columns of the sketch
	pair   pair.State // of the rows z
	target accountant.Budget
	// eigenvalue releases the smallest eigenvalue of the rows' Gram matrix and lowers σ² by it.
	eigenvalue bool

	idealMixture
	arithmetic
	far    float64             // what arithmetic costs of δ at every ε at once
	Lambda query.GaussianQuery // the release of the eigenvalue
}

// idealMixture is the mechanism in exact arithmetic, in units of R².
type idealMixture struct {
	noise float64 // σ²/R² without what an eigenvalue saves: γ − 1
	free  float64 // the same without preprocessing
	event accountant.Event
	mod   accountant.ModifiedGaussMix
}

// newMixture settles the mechanism up to the small share of the target that arithmetic takes; see Finish.
func newMixture(target accountant.Budget, p pair.State, k, m int, eigenvalue bool) (*mixture, error) {
	x := &mixture{k: k, M: m, pair: p, target: target, eigenvalue: eigenvalue}
	if k < m+1 {
		return nil, fmt.Errorf("rows of the sketch k: got %d, want at least %d, one more than the columns and the label together: %w", k, m+1, kind.ErrParameter)
	}
	if k > MaxSketchRows {
		return nil, fmt.Errorf("rows of the sketch k: got %d, want at most %d: %w", k, MaxSketchRows, kind.ErrParameter)
	}
	//dp:refuses mixture/freed-rows its price is for one row
	if p.F > 1 {
		return nil, fmt.Errorf("%d rows are free, and a Gaussian mixture is priced for one; fit by AdaSSP, or put another step in the place of the one that frees them: %w", p.F, stage.ErrOrder)
	}
	//dp:refuses mixture/eigenvalue-displaced displaced rows move an eigenvalue further than one row
	if eigenvalue && p.Displaced() {
		return nil, fmt.Errorf("ReleaseEigenvalue: steps before displace rows, and then the smallest eigenvalue has no price; leave it out, or fit by AdaSSP: %w", stage.ErrOrder)
	}
	var err error
	x.idealMixture, err = x.ideal(target)
	return x, err
}

// Finish sets aside what arithmetic takes of the target and calibrates to the rest.
func (x *mixture) Finish() error {
	var err error
	if x.arithmetic, err = x.settleArithmetic(); err != nil {
		return err
	}
	if x.idealMixture, err = x.ideal(x.rest(x.target)); err != nil {
		return err
	}
	if x.far, err = x.farOf(x.event); err != nil || !x.eigenvalue {
		return err
	}
	square := x.Square()
	off := rows.SpectralRounding(x.pair.N, x.M) * float64(x.pair.N) * square // of a computed eigenvalue
	x.Lambda = query.GaussianQuery{Coordinates: 1, Sensitivity: stage.Up(square + 2*off), Max: stage.Up(float64(x.pair.N) * square)}
	if err := x.Lambda.Calibrate(1 / x.mod.Eta * (1 - 0x1p-50)); err != nil {
		return err
	}
	x.Lambda.RefineCoarse() // what it counts for more than continuous noise is below 2^-50 of η
	return nil
}

// Square is R², rounded up.
func (x *mixture) Square() float64 { return stage.Up(x.pair.R * x.pair.R) }

// Variance is σ² where no eigenvalue lowers it.
func (x *mixture) Variance() float64 { return x.noise * x.Square() }

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
		key.displacement = stage.Up(p.TF / p.R)
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
		i.noise = stage.Up(i.mod.Gamma - 1)
		i.free, i.event = i.noise, i.mod
		return i, nil
	}
	gamma, err := accountant.CalibrateGaussMix(key.target, key.k, key.rel)
	if err != nil {
		return i, err
	}
	i.free = stage.Up(gamma - 1)
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
	//dp:advises the search for a noise ends: what it found would be priced all the same
	return 0, fmt.Errorf("a Gaussian mixture of rows that were displaced by %.3g in all: no noise meets the target; fit by AdaSSP, or put public steps in the place of fitted ones: %w", key.displacement, stage.ErrOrder)
}

// Factor returns the Cholesky factor of ZᵀZ + σ²I, σ² being that of the release.
func (x *mixture) Factor(z *NormalEquations, rng *noise.Source) ([]float64, error) {
	return x.factorAt(z, x.drawnVariance(z, rng))
}

// drawnVariance is σ² of the release. It may be published: it is a function of the noisy eigenvalue, which is paid for.
func (x *mixture) drawnVariance(z *NormalEquations, rng *noise.Source) float64 {
	if !x.eigenvalue {
		return x.Variance()
	}
	smallest := z.Smallest(x.M, float64(x.pair.N)*x.Square())
	return x.saved(x.Lambda.Draw(rng, []float64{smallest})[0])
}

// saved is the variance beside a noisy eigenvalue: outside an event of probability Φ(−τ) the noise on it is at most
// τ of its standard deviations (and the steps of its grid), so that the eigenvalue and σ² sum up to γR² or σ² is at its cap.
func (x *mixture) saved(noisy float64) float64 {
	square := x.Square()
	off := rows.SpectralRounding(x.pair.N, x.M) * float64(x.pair.N) * square
	need := x.mod.Gamma*square + x.Lambda.Sigma*x.mod.Tau + 3*x.Lambda.Grid.Step() + off
	return min(max(stage.Up(need)-max(noisy, 0), 0), x.Variance())
}

func (x *mixture) factorAt(z *NormalEquations, variance float64) ([]float64, error) {
	a := make([]float64, x.M*x.M)
	copy(a, z.Sum)
	for i := range x.M {
		a[i*x.M+i] += variance + x.Share
	}
	return linalg.Cholesky(a, x.M)
}

// InnerProducts draws the Gram matrix of the sketch: W = L·A·Aᵀ·Lᵀ, and noise that covers rounding.
func (x *mixture) InnerProducts(l []float64, rng *noise.Source) (*NormalEquations, error) {
	a := make([]float64, x.M*x.M)
	for i := range x.M {
		for j := range i {
			a[i*x.M+j] = normal(rng)
		}
		a[i*x.M+i] = x.norm(rng, x.k-i)
	}
	w, err := linalg.Wishart(l, a, x.M)
	if err != nil {
		return nil, err
	}
	upper := make([]float64, 0, x.M*(x.M+1)/2)
	for i := range x.M {
		upper = append(upper, w[i*x.M+i:(i+1)*x.M]...)
	}
	upper = x.blur.Draw(rng, upper)
	out := &NormalEquations{Size: x.M, Sum: w}
	for i := range x.M {
		for j := i; j < x.M; j++ {
			w[i*x.M+j], w[j*x.M+i], upper = upper[0], upper[0], upper[1:]
		}
	}
	return out, nil
}
