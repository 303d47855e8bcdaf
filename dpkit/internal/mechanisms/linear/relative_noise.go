package linear

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// relativeNoise draws the relative Gaussian mechanism (Hendrikx, Mangold, Bellet 2025) on a public grid h·Z^d: a vector q
// with ‖q − q'‖² ≤ η² min(‖q‖², ‖q'‖²) + R² gets the noise s² = γ(‖q‖² + R²/η²) on each coordinate, which is as secret as q. What
// is drawn differs from that in three ways, all of them paid for:
//
// (1) q is computed in floating point and rounded to the grid: q̂, with ‖q̂ − q‖ ≤ e = √d h/2 + off on either side. Hence
// ‖q̂ − q̂'‖ ≤ ‖(η‖q̂‖, R)‖ + (2+η)e, and by (a + c)² ≤ (1 + t)a² + (1 + 1/t)c² at t = c/R it has the relative sensitivity
// η̂ = η√(1 + c/R), R̂ = R + c, c = (2+η)e. All that follows is a function of q̂.
//
// (2) The noise is discrete, of σ = a whole number of steps: given q̂ its law is in a ratio of that of continuous noise of deviation
// √(σ² − 64), rounded, for each coordinate, whatever q̂ is ([noise.RatioTau]); that costs no δ that counts ([noise.Negligible]).
//
// (3) That deviation is between s and (1 + excess)s, where excess covers the step, at most 2/s_min with s_min ≥ √γ R̂/η̂, which is public, and the
// rounding of the square root. [accountant.RelativeGaussian.Widened] prices any such deviation. As √(σ² − 64) ≥ σ − 33/σ, half of what is
// added for rounding is enough from σ = 2^28 on, and 2^-10 of a step below.
//
// The grid and every bound here are public; what leaves is an integer multiple of h.
type relativeNoise struct {
	dim  int
	Max  float64 // public bound on ‖q‖, floating point included
	off  float64 // bound on the ℓ2 distance of q from the exact query, on either side
	grid noise.Grid
}

// relativeSpread is the least number of steps of the grid in max, as a power of two: deviations may be 2^8 times max.
const relativeSpread = 48

// NewRelativeNoise makes the grid for vectors of dim coordinates, of norm at most max and computed to within off in ℓ2: its
// step is max, rounded up to a power of two, times 2^-48. Errors wrap [kind.ErrParameter]: a norm beyond [2^-500, 2^500].
func NewRelativeNoise(dim int, max, off float64) (relativeNoise, error) {
	g := relativeNoise{dim: dim, Max: max, off: off}
	if !(max > 0x1p-500 && max < 0x1p500) || !(off >= 0) {
		return g, fmt.Errorf("noise grid: got a vector of norm %g, computed to within %g; want a norm in [1e-150, 1e150]: %w", max, off, kind.ErrParameter)
	}
	_, e := math.Frexp(max)
	g.grid = noise.Grid{Exp: e - relativeSpread}
	return g, nil
}

// sensitivity is that of the vector on the grid, see (1).
func (g relativeNoise) sensitivity(eta, absolute float64) (float64, float64, error) {
	if !(eta > 0) || !(absolute >= 0) || eta > 0x1p100 || math.IsInf(absolute, 1) {
		return 0, 0, fmt.Errorf("relative sensitivity: got η = %g and R = %g, want finite numbers, η above 0 and R at least 0: %w", eta, absolute, kind.ErrParameter)
	}
	c := stage.Up((2 + eta) * (math.Sqrt(float64(g.dim))*g.grid.Step()/2 + g.off))
	t := 0x1p-28 // where R = 0
	if absolute > 0 {
		t = c / absolute
	}
	return stage.Up(eta * math.Sqrt(1+t)), stage.Up(math.Sqrt((1+t)*absolute*absolute + (1+1/t)*c*c)), nil
}

// rounding is the relative error of a computed deviation, far above what d squares and a few roundings make.
func (g relativeNoise) rounding() float64 { return float64(g.dim+16) * 0x1p-51 }

// least is a lower bound on the deviation in steps of the grid; scale is √γ/η̂.
func (g relativeNoise) least(scale, absolute float64) float64 {
	return math.Floor(scale * absolute / g.grid.Step() * (1 - 0x1p-40))
}

// excess bounds the deviation that is drawn with over the exact one, less 1.
func (g relativeNoise) excess(least float64) (float64, error) {
	if !(least >= 1<<16) {
		return 0, fmt.Errorf("noise grid: the least noise is %.3g steps of a grid that holds vectors of norm %.3g: float64 cannot tell them apart; ask for less privacy or bound the vector: %w", least, g.Max, kind.ErrParameter)
	}
	steps := 1.0
	if least < 1<<28 {
		steps = 2
	}
	return stage.Up(4*g.rounding() + steps/least), nil
}

// Draw releases the vector.
func (g relativeNoise) Draw(rng *noise.Source, q []float64, d relativeDraw) ([]float64, error) {
	h := g.grid.Step()
	steps := make([]int64, len(q))
	var square float64
	for j, x := range q {
		if math.IsNaN(x) {
			x = 0 // of no dataset, as is one beyond the bound
		}
		k := math.RoundToEven(num.Clamp(x, -g.Max, g.Max) / h)
		steps[j] = int64(k)
		square += k * k
	}
	sd := g.deviation(square, d)
	if !(sd < noise.MaxSigma) { // where it may be is public: the largest norm has no more than this
		return nil, fmt.Errorf("noise: a relative noise of γ = %g is beyond the grid: %w", d.Gamma, kind.ErrParameter)
	}
	noise.AddGaussian(rng, steps, uint64(sd))
	out := make([]float64, len(q))
	for j, k := range steps {
		out[j] = g.grid.Value(k)
	}
	return out, nil
}

// deviation is s in whole steps, of a vector with that squared norm in steps.
func (g relativeNoise) deviation(square float64, d relativeDraw) float64 {
	steps := math.Sqrt(d.Gamma) * math.Hypot(math.Sqrt(square), d.Absolute/d.Eta/g.grid.Step()) * (1 + g.rounding())
	if steps < 1<<28 {
		steps += 0x1p-10
	}
	return math.Ceil(steps)
}

// fits reports whether every deviation stays within the sampler's range: a public matter, settled before any row is read.
func (g relativeNoise) fits(gamma, eta, absolute float64) error {
	h := g.grid.Step()
	most := math.Sqrt(gamma) * math.Hypot(math.Sqrt(float64(g.dim))*g.Max/h, absolute/eta/h) * 1.001
	if !(most < noise.MaxSigma/2) {
		return fmt.Errorf("noise: at γ = %.3g the noise may be %.3g times what it hides: want more privacy budget or fewer steps: %w", gamma, most*h/g.Max, kind.ErrParameter)
	}
	return nil
}

// relativeNoises is n releases of a vector of relative sensitivity, calibrated beside other events.
type relativeNoises struct {
	relativeNoise
	n         int
	widening  float64                     // excess
	mechanism accountant.RelativeGaussian // as it is priced: η̂ widened
}

// CalibrateRelative settles γ for the budget at the relative sensitivity (eta, absolute) of the exact vector; leastAbsolute is
// the least absolute part with which a vector may be drawn.
func CalibrateRelative(g relativeNoise, b accountant.Budget, rel accountant.Neighbours, n int, eta, absolute, leastAbsolute float64, beside ...accountant.Event) (relativeNoises, error) {
	p := relativeNoises{relativeNoise: g, n: n}
	etaHat, absoluteHat, err := g.sensitivity(eta, absolute)
	if err != nil {
		return p, err
	}
	mu, err := accountant.CalibrateGaussian(b)
	if err != nil {
		return p, err
	}
	// No mechanism within the budget has a noise below √γ/η = √n/μ: half of that is checked below.
	scale := math.Sqrt(float64(n)) / mu / 2
	if leastAbsolute == 0 { // see sensitivity at R = 0
		leastAbsolute = 0x1p14 * math.Sqrt(float64(g.dim)) * g.grid.Step()
	}
	least := g.least(scale, leastAbsolute)
	if p.widening, err = g.excess(least); err != nil {
		return p, err
	}
	r := accountant.RelativeGaussian{Eta: etaHat, Gamma: 1, Dim: g.dim, Matched: 1, Neighbours: rel}
	if r, err = r.Widened(p.widening); err != nil {
		return p, err
	}
	if p.mechanism, err = accountant.CalibrateRelativeGaussian(b, r, n, beside...); err != nil {
		return p, err
	}
	if !(math.Sqrt(p.mechanism.Gamma)/p.mechanism.Eta >= scale) {
		return p, fmt.Errorf("noise: calibrated to γ = %g, below what any mechanism of this budget needs", p.mechanism.Gamma)
	}
	return p, g.fits(p.mechanism.Gamma, etaHat, absoluteHat)
}

// relativeDraw is the noise of one vector.
type relativeDraw struct{ Gamma, Eta, Absolute float64 } // on the grid

// At is the noise for a relative sensitivity of the exact vector that is not above that of the plan. γ/η² stays, η being the
// widened one, so that the price is at most that of the plan at every order: both terms of its curve fall.
func (p relativeNoises) At(eta, absolute float64) (d relativeDraw, err error) {
	if d.Eta, d.Absolute, err = p.sensitivity(eta, absolute); err != nil {
		return d, err
	}
	r := p.mechanism
	r.Eta = d.Eta
	if r, err = r.Widened(p.widening); err != nil {
		return d, err
	}
	if !(r.Eta <= p.mechanism.Eta) {
		return d, fmt.Errorf("relative sensitivity: got η = %g, above the calibrated one", eta)
	}
	d.Gamma = p.mechanism.Gamma
	if r.Eta < p.mechanism.Eta {
		ratio := r.Eta / p.mechanism.Eta
		d.Gamma = stage.Up(d.Gamma * ratio * ratio)
	}
	return d, nil
}
