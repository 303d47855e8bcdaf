package linear

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// RelativeDescent is gradient descent on ridge regression,
//
//	g(θ) = Aθ − b,  A = (1/n) Σ x xᵀ + λI,  b = (1/n) Σ v x,  θ ← θ − τ(g + s N(0, I_p)),  s² = γ(‖g‖² + R²/η²),
//
// for T steps at τ = 1/((1 + pγ)(R̃² + λ)), projected on ‖θ‖ ≤ b/√ρ, where the minimiser is (Hendrikx, Mangold, Bellet 2025,
// Section 5, with the relative sensitivity, the test and the step size of which Propositions 1 and 2 and Theorem 2 are
// corrections: E‖s N(0, I_p)‖² = p s², and at 1/(L + γ) as printed it may fail to converge from p = 3 on).
//
// ρ ≤ λ_min(A) holds on all neighbouring rows: it is the ridge λ, or what was declared, tested or bounded privately. A private
// bound comes out before γ is known, and Rényi orders may not be chosen from it: the price is that of a reference ρ₀, fixed
// before, and a larger ρ̂ lowers γ so that no order of the curve rises (relativeNoises.at). Below ρ₀ the release is refused.
type RelativeDescent struct {
	*LinearDomain
	st       stage.Stage
	target   accountant.Budget
	strength query.Certificate
	descentChoice
	Floor float64 // ρ without any query: the ridge, or what is declared or tested
	least float64 // ρ₀: what the price rests on
	wide  float64 // bound on iterates that are not this descent's own; 0: ball
	Noise relativeNoise
	Query query.Expense // of the smallest eigenvalue; none where share is 0

	Noises relativeNoises     // of all steps; see Finish
	beside []accountant.Event // of the query
}

// descentChoice is what may be chosen from public facts.
type descentChoice struct {
	Lambda float64 // ridge of a row
	steps  int     // T
	split  float64 // c of the relative sensitivity
}

const (
	// MaxDescentSteps is the largest T that may be asked for.
	MaxDescentSteps = 1 << 16
	// scaleShare is the part of μ² that the change of the noise's scale may take where ρ₀ is chosen.
	scaleShare = 0.1
	// samplerDelta is the part of δ that is kept for what samplers and rounding of prices may cost.
	samplerDelta = 0x1p-20
)

// NewRelativeDescent settles the descent; wide is a bound on the norm of points that others choose, or 0.
func NewRelativeDescent(l LeastSquares, dom *LinearDomain, st stage.Stage, wide float64) (*RelativeDescent, error) {
	//dp:refuses relative/displaced its sensitivity is of one row
	if p := st.Before; p.Displaced() || p.F > 1 {
		return nil, fmt.Errorf("steps before displace or free rows, and the relative sensitivity of a gradient is known for one changed row; put public steps in their place, or fit by AdaSSP: %w", stage.ErrOrder)
	}
	mu, err := accountant.CalibrateGaussian(l.Target())
	if err != nil {
		return nil, err
	}
	r := &RelativeDescent{LinearDomain: dom, st: st, target: l.Target(), strength: l.Strength, wide: wide}
	unit := dom.Rx * dom.Rx
	ridges, steps := []float64{l.Ridge * unit}, []int{l.Steps}
	if l.Ridge == 0 {
		ridges = ridges[:0]
		for e := -12; e <= 2; e++ {
			ridges = append(ridges, math.Ldexp(unit, e))
		}
	}
	if l.Steps == 0 {
		steps = steps[:0]
		for t := 1; t <= 4096; t *= 2 {
			steps = append(steps, t)
		}
	}
	var best, fallback descentChoice
	lowest, smallest := math.Inf(1), math.Inf(1)
	for _, lambda := range ridges {
		for _, t := range steps {
			for _, c := range []float64{1.0 / 16, 1.0 / 4, 1, 4, 16} {
				r.descentChoice = descentChoice{lambda, t, c}
				e, scale := r.predict(mu)
				if e < lowest {
					best, lowest = r.descentChoice, e
				}
				if scale < smallest {
					fallback, smallest = r.descentChoice, scale
				}
			}
		}
	}
	r.descentChoice = best
	if math.IsInf(lowest, 1) {
		r.descentChoice = fallback // and let its price say why
	}
	return r, r.settleStrength(mu)
}

// Gradient is the model of the relative sensitivity at that ρ.
func (r *RelativeDescent) Gradient(rho float64) accountant.LeastSquaresGradient {
	return accountant.LeastSquaresGradient{
		Rows: r.N, Strength: rho, MinEigen: 1, MaxEigen: 1, Leverage: stage.Up(r.Rx * r.Rx), Norm: r.Rx,
		Moment: stage.Up(r.Rx * r.Height), Label: r.Height, Split: r.split,
	}
}

// Lipschitz is L ≥ λ_max(A).
func (r *RelativeDescent) Lipschitz() float64 { return stage.Up(r.Rx*r.Rx + r.Lambda) }

// Ball is a bound on the minimiser's norm: θ*ᵀAθ* = bᵀA⁻¹b is at most the mean of v².
func (r *RelativeDescent) Ball(rho float64) float64 { return stage.Up(r.Height / math.Sqrt(rho)) }

// reference is ρ₀ for a private bound: at it the change of the noise's scale takes scaleShare of the Gaussian budget, by the
// leading terms α(η²/2γ + pη²) of T curves.
func (r *RelativeDescent) reference(mu float64) float64 {
	eta := mu * math.Sqrt(scaleShare/2/float64(r.steps)/float64(r.Coefficients()))
	return max(r.Lambda, math.Sqrt(1+r.split)*r.Rx*r.Rx/(float64(r.N)*eta))
}

// settled is ρ without a query: the ridge, or what was declared or is tested. A test asks of rows on the grid; a declaration is
// about rows as they are, of which each moves by up to √p·h/2, and the root of XᵀX/n's smallest eigenvalue by no more.
func (r *RelativeDescent) settled() float64 {
	if !r.strength.Given() || query.IsOpen(r.strength) {
		return r.Lambda
	}
	rho := r.strength.Value() * r.Rx * r.Rx
	if r.strength.Ground() == stage.FromDeclaration {
		root := math.Sqrt(max(0, rho-r.Lambda)) - math.Sqrt(float64(r.Coefficients()))*r.H/2
		rho = (r.Lambda + max(0, root)*max(0, root)) * (1 - 0x1p-45)
	}
	return max(r.Lambda, rho)
}

// predict returns the excess error on the reference population, +Inf where the budget does not allow the steps, and the part
// of μ² that the change of the noise's scale takes.
func (r *RelativeDescent) predict(mu float64) (risk, scale float64) {
	p := r.population()
	d, t := p.columns, float64(r.steps)
	rho := r.settled()
	left := mu * mu
	if r.strength.Ground() == stage.FromTest {
		part := mu * math.Sqrt(r.strength.Tested().Share)
		left -= part * part
		if query.IsOpen(r.strength) {
			rho = max(r.Lambda, p.lambda/p.n+r.Lambda-r.Rx*r.Rx/p.n*(1+6/part))
		}
	}
	eta, absolute, err := r.Gradient(rho).Sensitivity(r.st.Before.Neighbours)
	if err != nil {
		return math.Inf(1), math.Inf(1)
	}
	scale = 2 * t * d * eta * eta / left
	if query.IsOpen(r.strength) {
		if rho < r.reference(mu) {
			return math.Inf(1), scale
		}
		left *= 1 - scaleShare
	} else {
		left *= 1 - scale
	}
	if !(scale < 0.5) {
		return math.Inf(1), scale
	}
	noise := t / left // s² = noise·(η²‖g‖² + R²)
	a := p.lambda/p.n + r.Lambda
	gamma := eta * eta * noise
	tau := 1 / ((1 + d*gamma) * r.Lipschitz())
	keep := (1-tau*a)*(1-tau*a) + tau*tau*d*gamma*a*a
	far := math.Pow(keep, t)
	e := far*p.norm2(0) + (1-far)/(1-keep)*tau*tau*d*noise*absolute*absolute
	return p.risk(p.n*r.Lambda, func(float64) float64 { return e / d }), scale
}

// settleStrength makes the query of the smallest eigenvalue of A, and the noise's grid.
func (r *RelativeDescent) settleStrength(mu float64) error {
	r.Floor = r.settled()
	r.least = r.Floor
	if c := r.strength; c.Ground() == stage.FromTest {
		s, err := r.Gradient(r.Floor).StrengthSensitivity()
		if err != nil {
			return err
		}
		s = stage.Up(s + 2*rows.SpectralRounding(r.N, r.Coefficients())*r.Rx*r.Rx)
		r.Query = query.ExpenseOf(c, "λ_min of the rows' second moments, ridge included", r.Floor, query.GaussianQuery{
			Coordinates: 1, Sensitivity: s, Max: stage.Up(2 * r.Lipschitz()),
		})
		if err := r.Query.Calibrate(mu * math.Sqrt(c.Tested().Share) * (1 - 0x1p-50)); err != nil {
			return err
		}
		if query.IsOpen(c) {
			r.least = r.reference(mu)
		}
	}
	p := r.Coefficients()
	most := (r.Lipschitz()*max(r.wide, r.Ball(min(r.Lambda, r.Floor))) + r.Rx*r.Height) * (1 + 0x1p-20)
	off := math.Sqrt(float64(p)) * float64(p+8) * 0x1p-50 * most
	var err error
	r.Noise, err = NewRelativeNoise(p, stage.Up(most+off), off)
	return err
}

// certified asks for ρ where it is to be tested or bounded.
func (r *RelativeDescent) certified(m *NormalEquations, rng *noise.Source) (float64, error) {
	if r.Query.Share == 0 {
		return r.Floor, nil
	}
	smallest := m.Smallest(r.Coefficients(), float64(r.N)*r.Rx*r.Rx)
	noisy := r.Query.Query.Draw(rng, []float64{smallest/float64(r.N) + r.Lambda})[0]
	if r.Query.Test {
		if !(noisy >= r.Query.Threshold()) {
			return 0, Refusal{r.Query.What}
		}
		return r.Floor, nil
	}
	rho := min(max(r.Query.Certified(noisy), r.Lambda), r.Lipschitz())
	if !(rho >= r.least) {
		return 0, Refusal{fmt.Sprintf("%s: the private bound is %.3g R̃², and the steps can be paid for from %.3g R̃² on", r.Query.What, rho/(r.Rx*r.Rx), r.least/(r.Rx*r.Rx))}
	}
	return rho, nil
}

// Begin certifies ρ and settles the noise of every step.
func (r *RelativeDescent) Begin(m *NormalEquations, rng *noise.Source) (rho float64, d relativeDraw, err error) {
	if rho, err = r.certified(m, rng); err != nil {
		return rho, d, err
	}
	eta, absolute, err := r.Gradient(rho).Sensitivity(r.st.Before.Neighbours)
	if err != nil {
		return rho, d, err
	}
	d, err = r.Noises.At(eta, absolute)
	return rho, d, err
}

// Fit takes the steps, from θ = 0. A refusal of its test is a [Refusal]; any other error is one of parameters.
func (r *RelativeDescent) Fit(m *NormalEquations, rng *noise.Source) (Coefficients, error) {
	rho, draw, err := r.Begin(m, rng)
	if err != nil {
		return Coefficients{}, err
	}
	d := r.Coefficients()
	theta := make([]float64, d)
	tau := 1 / ((1 + float64(d)*draw.Gamma) * r.Lipschitz())
	for range r.steps {
		g, err := r.Noises.Draw(rng, r.At(m, theta), draw)
		if err != nil {
			return Coefficients{}, err
		}
		for j := range theta {
			theta[j] -= tau * g[j]
		}
		Project(theta, r.Ball(rho))
	}
	out := Coefficients{Method: models.RelativeGaussianDescent, W: theta, law: r.law(draw, tau, rho)}
	if query.IsOpen(r.strength) {
		out.strength = rho / (r.Rx * r.Rx)
	}
	return out, nil
}

// At is the exact gradient Aθ − b, to within off.
func (r *RelativeDescent) At(m *NormalEquations, theta []float64) []float64 {
	d, n := r.Coefficients(), float64(r.N)
	g := make([]float64, d)
	for i := range g {
		row := m.Sum[i*m.Size : (i+1)*m.Size]
		var s float64
		for j, v := range theta {
			s += row[j] * v
		}
		g[i] = (s-row[d])/n + r.Lambda*theta[i]
	}
	return g
}

// Project shortens a vector to the norm bound.
func Project(v []float64, bound float64) {
	if size := num.Norm2(v); size > bound {
		for j := range v {
			v[j] *= bound / size
		}
	}
}

func (r *RelativeDescent) predicted(population) float64 {
	mu, err := accountant.CalibrateGaussian(r.target)
	if err != nil {
		return math.Inf(1)
	}
	risk, _ := r.predict(mu)
	return risk
}

// Refusal says that a private test of a mechanism did not pass: what may be known.
type Refusal struct{ What string }

// Error says which test, and that it did not pass: the message of [query.ErrTestFailed].
func (r Refusal) Error() string { return r.What + ": " + query.ErrTestFailed.Error() }

// Steps is T.
func (r *RelativeDescent) Steps() int { return r.steps }
