package dpkit

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// relativeDescent is gradient descent on ridge regression,
//
//	g(θ) = Aθ − b,  A = (1/n) Σ x xᵀ + λI,  b = (1/n) Σ v x,  θ ← θ − τ(g + s N(0, I_p)),  s² = γ(‖g‖² + R²/η²),
//
// for T steps at τ = 1/((1 + pγ)(R̃² + λ)), projected on ‖θ‖ ≤ b/√ρ, where the minimiser is (Hendrikx, Mangold, Bellet 2025,
// Section 5, with the relative sensitivity, the test and the step size of which Propositions 1 and 2 and Theorem 2 are
// corrections: E‖s N(0, I_p)‖² = p s², and at 1/(L + γ) as printed it may fail to converge from p = 3 on).
//
// ρ ≤ λ_min(A) holds on all neighbouring rows: it is the ridge λ, or what was declared, tested or bounded privately. A private
// bound comes out before γ is known, and Rényi orders may not be chosen from it: the price is that of a reference ρ₀, fixed
// before, and a larger ρ̂ lowers γ so that no order of the curve rises (relativePlan.at). Below ρ₀ the release is refused.
type relativeDescent struct {
	*linearDomain
	st       Stage
	target   accountant.Budget
	strength Certificate
	descentChoice
	floor float64 // ρ without any query: the ridge, or what is declared or tested
	least float64 // ρ₀: what the price rests on
	wide  float64 // bound on iterates that are not this descent's own; 0: ball
	noise relativeNoise
	query expense // of the smallest eigenvalue; none where share is 0

	plan   relativePlan       // of all steps; see finish
	beside []accountant.Event // of the query
}

// descentChoice is what may be chosen from public facts.
type descentChoice struct {
	lambda float64 // ridge of a row
	steps  int     // T
	split  float64 // c of the relative sensitivity
}

const (
	maxDescentSteps = 1 << 16
	// scaleShare is the part of μ² that the change of the noise's scale may take where ρ₀ is chosen.
	scaleShare = 0.1
	// samplerDelta is the part of δ that is kept for the samplers' distance from the normal law.
	samplerDelta = 0x1p-20
)

// newRelativeDescent settles the descent; wide is a bound on the norm of points that others choose, or 0.
func newRelativeDescent(l linear, dom *linearDomain, st Stage, wide float64) (*relativeDescent, error) {
	if p := st.Before; p.Displaced() || p.F > 1 {
		return nil, fmt.Errorf("steps before displace or free rows, and the relative sensitivity of a gradient is known for one changed row; put public steps in their place, or fit by AdaSSP: %w", ErrOrder)
	}
	mu, err := accountant.CalibrateGaussian(l.target())
	if err != nil {
		return nil, err
	}
	r := &relativeDescent{linearDomain: dom, st: st, target: l.target(), strength: l.Strength, wide: wide}
	unit := dom.rx * dom.rx
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

// gradient is the model of the relative sensitivity at that ρ.
func (r *relativeDescent) gradient(rho float64) accountant.LeastSquaresGradient {
	return accountant.LeastSquaresGradient{
		Rows: r.n, Strength: rho, MinEigen: 1, MaxEigen: 1, Leverage: up(r.rx * r.rx), Norm: r.rx,
		Moment: up(r.rx * r.height), Label: r.height, Split: r.split,
	}
}

// lipschitz is L ≥ λ_max(A).
func (r *relativeDescent) lipschitz() float64 { return up(r.rx*r.rx + r.lambda) }

// ball is a bound on the minimiser's norm: θ*ᵀAθ* = bᵀA⁻¹b is at most the mean of v².
func (r *relativeDescent) ball(rho float64) float64 { return up(r.height / math.Sqrt(rho)) }

// reference is ρ₀ for a private bound: at it the change of the noise's scale takes scaleShare of the Gaussian budget, by the
// leading terms α(η²/2γ + pη²) of T curves.
func (r *relativeDescent) reference(mu float64) float64 {
	eta := mu * math.Sqrt(scaleShare/2/float64(r.steps)/float64(r.coefficients()))
	return max(r.lambda, math.Sqrt(1+r.split)*r.rx*r.rx/(float64(r.n)*eta))
}

// settled is ρ without a query: the ridge, or what was declared or is tested. A test asks of rows on the grid; a declaration is
// about rows as they are, of which each moves by up to √p·h/2, and the root of XᵀX/n's smallest eigenvalue by no more.
func (r *relativeDescent) settled() float64 {
	if !r.strength.given() || r.strength.open {
		return r.lambda
	}
	rho := r.strength.value * r.rx * r.rx
	if r.strength.ground == FromDeclaration {
		root := math.Sqrt(max(0, rho-r.lambda)) - math.Sqrt(float64(r.coefficients()))*r.h/2
		rho = (r.lambda + max(0, root)*max(0, root)) * (1 - 0x1p-45)
	}
	return max(r.lambda, rho)
}

// predict returns the excess error on the reference population, +Inf where the budget does not allow the steps, and the part
// of μ² that the change of the noise's scale takes.
func (r *relativeDescent) predict(mu float64) (risk, scale float64) {
	p := r.population()
	d, t := p.columns, float64(r.steps)
	rho := r.settled()
	left := mu * mu
	if r.strength.ground == FromTest {
		part := mu * math.Sqrt(r.strength.tested.Share)
		left -= part * part
		if r.strength.open {
			rho = max(r.lambda, p.lambda/p.n+r.lambda-r.rx*r.rx/p.n*(1+6/part))
		}
	}
	eta, absolute, err := r.gradient(rho).Sensitivity(r.st.Before.Neighbours)
	if err != nil {
		return math.Inf(1), math.Inf(1)
	}
	scale = 2 * t * d * eta * eta / left
	if r.strength.open {
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
	a := p.lambda/p.n + r.lambda
	gamma := eta * eta * noise
	tau := 1 / ((1 + d*gamma) * r.lipschitz())
	keep := (1-tau*a)*(1-tau*a) + tau*tau*d*gamma*a*a
	far := math.Pow(keep, t)
	e := far*p.norm2() + (1-far)/(1-keep)*tau*tau*d*noise*absolute*absolute
	return p.risk(p.n*r.lambda, e/d), scale
}

// settleStrength makes the query of the smallest eigenvalue of A, and the noise's grid.
func (r *relativeDescent) settleStrength(mu float64) error {
	r.floor = r.settled()
	r.least = r.floor
	if c := r.strength; c.ground == FromTest {
		s, err := r.gradient(r.floor).StrengthSensitivity()
		if err != nil {
			return err
		}
		s = up(s + 2*spectralRounding(r.n, r.coefficients())*r.rx*r.rx)
		r.query = expenseOf(c, "λ_min of the rows' second moments, ridge included", r.floor, gaussianQuery{
			coordinates: 1, sensitivity: s, max: up(2 * r.lipschitz()),
		})
		if err := r.query.calibrate(mu * math.Sqrt(c.tested.Share) * (1 - 0x1p-50)); err != nil {
			return err
		}
		if c.open {
			r.least = r.reference(mu)
		}
	}
	p := r.coefficients()
	most := (r.lipschitz()*max(r.wide, r.ball(min(r.lambda, r.floor))) + r.rx*r.height) * (1 + 0x1p-20)
	off := math.Sqrt(float64(p)) * float64(p+8) * 0x1p-50 * most
	var err error
	r.noise, err = newRelativeNoise(p, up(most+off), off)
	return err
}

// certified asks for ρ where it is to be tested or bounded.
func (r *relativeDescent) certified(m *secondMoments, rng *noise.Source) (float64, error) {
	if r.query.share == 0 {
		return r.floor, nil
	}
	smallest := m.smallest(r.coefficients(), float64(r.n)*r.rx*r.rx)
	noisy := r.query.query.draw(rng, []float64{smallest/float64(r.n) + r.lambda})[0]
	if r.query.test {
		if !(noisy >= r.query.threshold()) {
			return 0, refusal{r.query.what}
		}
		return r.floor, nil
	}
	rho := min(max(r.query.certified(noisy), r.lambda), r.lipschitz())
	if !(rho >= r.least) {
		return 0, refusal{fmt.Sprintf("%s: the private bound is %.3g R̃², and the steps can be paid for from %.3g R̃² on", r.query.what, rho/(r.rx*r.rx), r.least/(r.rx*r.rx))}
	}
	return rho, nil
}

// begin certifies ρ and settles the noise of every step.
func (r *relativeDescent) begin(m *secondMoments, rng *noise.Source) (rho float64, d relativeDraw, err error) {
	if rho, err = r.certified(m, rng); err != nil {
		return rho, d, err
	}
	eta, absolute, err := r.gradient(rho).Sensitivity(r.st.Before.Neighbours)
	if err != nil {
		return rho, d, err
	}
	d, err = r.plan.at(eta, absolute)
	return rho, d, err
}

func (r *relativeDescent) fit(m *secondMoments, rng *noise.Source) (coefficients, error) {
	rho, draw, err := r.begin(m, rng)
	if err != nil {
		return coefficients{}, err
	}
	d := r.coefficients()
	theta := make([]float64, d)
	tau := 1 / ((1 + float64(d)*draw.gamma) * r.lipschitz())
	for range r.steps {
		g, err := r.plan.draw(rng, r.at(m, theta), draw)
		if err != nil {
			return coefficients{}, err
		}
		for j := range theta {
			theta[j] -= tau * g[j]
		}
		project(theta, r.ball(rho))
	}
	out := coefficients{method: RelativeGaussianDescent, w: theta}
	if r.strength.open {
		out.strength = rho / (r.rx * r.rx)
	}
	return out, nil
}

// at is the exact gradient Aθ − b, to within off.
func (r *relativeDescent) at(m *secondMoments, theta []float64) []float64 {
	d, n := r.coefficients(), float64(r.n)
	g := make([]float64, d)
	for i := range g {
		row := m.sum[i*m.size : (i+1)*m.size]
		var s float64
		for j, v := range theta {
			s += row[j] * v
		}
		g[i] = (s-row[d])/n + r.lambda*theta[i]
	}
	return g
}

// project shortens a vector to the norm bound.
func project(v []float64, bound float64) {
	if size := norm2(v); size > bound {
		for j := range v {
			v[j] *= bound / size
		}
	}
}

func (r *relativeDescent) predicted(population) float64 {
	mu, err := accountant.CalibrateGaussian(r.target)
	if err != nil {
		return math.Inf(1)
	}
	risk, _ := r.predict(mu)
	return risk
}

// refusal says that a private test of a mechanism did not pass: what may be known.
type refusal struct{ what string }

func (r refusal) Error() string { return r.what + ": " + ErrTestFailed.Error() }
