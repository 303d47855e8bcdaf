package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/memo"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// GLMPerturbation is [ObjectivePerturbation] with a loss other than the logistic one, under the same conditions, but that the
// loss and the regulariser need no second derivatives: ℓ' is to be Lipschitz, as that of a Huber loss or a squared hinge is, r
// convex. It is priced more sharply than there, in both directions and by a transport of the noise along the row: for a row that is
// removed by
//
//	δ_G(ε − ln(1 + β/Λ), s),  s = C sup|ℓ'|/σ,  β = C² sup ℓ”,
//
// the profile of the Gaussian mechanism at a lower ε, and for one that is added by δ_G(ε, s) where ℓ' has one sign, and by little
// more elsewhere. Hence a Gaussian pair with a μ little above s dominates it, by which it adds up with Gaussian releases in
// compositions, filters and ledgers. For the logistic loss see [LogisticPerturbation], which knows more of it.
type GLMPerturbation struct {
	C      float64 // bound on the rows' norms
	Sigma  float64 // standard deviation of the linear term's coefficients; 0 costs +Inf
	Lambda float64 // Λ, above 0
	// Slope and Curvature bound |ℓ'| and how fast ℓ' changes, with respect to xᵀθ.
	Slope, Curvature float64
	// OneSign says that ℓ' has one sign for each label, as that of a hinge has.
	OneSign    bool
	Neighbours Neighbours
}

var _ = registerLeaf[GLMPerturbation]("glm_perturbation")

// GDP is the least μ, rounded up, of a Gaussian pair whose profile is nowhere below that of the release; the total
// variation is 0. Under [ReplaceOne] it is twice that of one row (Dong, Roth, Su 2022, Theorem 3: groups).
// Errors wrap [ErrNeighbours] or [ErrParameter].
func (p GLMPerturbation) GDP(rel Neighbours) (mu, tv float64, err error) {
	t, err := p.transport(rel)
	if err != nil {
		return math.NaN(), math.NaN(), err
	}
	if mu = t.cover(); rel == ReplaceOne {
		mu *= 2
	}
	return mu, 0, nil
}

// RDP is the Gaussian's. Errors wrap [ErrNeighbours] or [ErrParameter].
func (p GLMPerturbation) RDP(rel Neighbours) (Curve, error) {
	mu, _, err := p.GDP(rel)
	if err != nil {
		return nil, err
	}
	return gaussianCurve(mu), nil
}

// Profile is that of the release alone, which is below that of the Gaussian pair. Under [ReplaceOne] it goes by the dataset without
// the row: δ(ε₁) + e^ε₁ δ(ε₂) for the best ε₁ + ε₂ = ε. Errors wrap [ErrNeighbours] or [ErrParameter].
func (p GLMPerturbation) Profile(rel Neighbours) (Profile, error) {
	t, err := p.transport(rel)
	if err != nil {
		return nil, err
	}
	if rel == AddRemove {
		return t.delta, nil
	}
	return func(epsilon float64) float64 { return twoSteps(t.delta, epsilon) }, nil
}

func (p GLMPerturbation) profileName() string { return "bound on the transport of the noise" }

// String names the mechanism and its parameters.
func (p GLMPerturbation) String() string {
	sign := ""
	if p.OneSign {
		sign = ", one sign"
	}
	return fmt.Sprintf("GLMPerturbation(C %.6g, slope %.6g, curvature %.6g%s, sigma %.6g, lambda %.6g, %v)",
		p.C, p.Slope, p.Curvature, sign, p.Sigma, p.Lambda, p.Neighbours)
}

// objective is the same release as an event that checks parameters.
func (p GLMPerturbation) objective() ObjectivePerturbation {
	return ObjectivePerturbation{
		C: p.C, Sigma: p.Sigma, Lambda: p.Lambda, Slope: p.Slope, Curvature: p.Curvature, Loss: GLM, Neighbours: p.Neighbours,
	}
}

func (p GLMPerturbation) transport(rel Neighbours) (transport, error) {
	l, err := p.objective().loss(rel)
	if err != nil {
		return transport{}, fmt.Errorf("accountant: GLMPerturbation: %w", err)
	}
	return transport{s: l.s, r: math.Max(quad.MulUp(p.Curvature, l.bend), 0x1p-500), det: l.det, oneSign: p.OneSign}, nil
}

// CalibrateGLMPerturbation returns p with the least noise, rounded up, at which it is μ-GDP under p.Neighbours; p.Sigma is ignored.
// With p.Lambda = 0 it is σ = (8/7)·C·Slope/μ, and Λ the least that allows it, rounded up. The result was priced again. Above μ ≈ 9 profiles
// are too near 1 for that, and the noise is that of a smaller μ.
// Errors wrap [ErrNeighbours] or [ErrParameter].
func CalibrateGLMPerturbation(mu float64, p GLMPerturbation) (GLMPerturbation, error) {
	p.Sigma = 0 // not read
	c := glmCalibrations.Of(calibration[GLMPerturbation]{mu, p}, func() calibrated[GLMPerturbation] {
		e, err := calibrateGLMPerturbation(mu, p)
		// Of a larger μ than 4 no noise may be certified, as profiles near 1 cannot be told apart; what has a smaller μ has this one too.
		for less := mu * 0.9; err != nil && less > 4 && less < math.Inf(1); less *= 0.9 {
			if least, failed := calibrateGLMPerturbation(less, p); failed == nil {
				return calibrated[GLMPerturbation]{least, nil}
			}
		}
		return calibrated[GLMPerturbation]{e, err}
	})
	return c.event, c.err
}

var glmCalibrations memo.Memo[calibration[GLMPerturbation], calibrated[GLMPerturbation]]

func calibrateGLMPerturbation(mu float64, p GLMPerturbation) (GLMPerturbation, error) {
	set := func(sigma, lambda float64) GLMPerturbation {
		at := p
		at.Sigma, at.Lambda = sigma, lambda
		return at
	}
	within := func(row, sigma, lambda float64) bool {
		t, err := set(sigma, lambda).transport(p.Neighbours)
		return err == nil && t.s <= row && t.dominatedBy(row)
	}
	// At β/Λ = s/16 the cover is below 8/7·s for any s that is of use.
	beta := p.C * p.C * p.Curvature
	c := composable{
		name: "GLMPerturbation", neighbours: p.Neighbours, reach: p.C * p.Slope, given: p.Lambda,
		least: beta / 1024, most: 256 * beta * (1 + 1/mu), within: within,
	}
	sigma, lambda, err := c.calibrate(mu, func(sigma, lambda float64) error {
		_, err := set(sigma, lambda).transport(p.Neighbours)
		return err
	})
	if err != nil {
		return p, err
	}
	p.Sigma, p.Lambda = sigma, lambda
	return p, c.certify(mu, p)
}

// CalibrateGLMPerturbationAlone returns p with the least noise for the budget under p.Neighbours, by the profile of a single release;
// p.Sigma is ignored. With p.Lambda = 0 it is σ = (8/7)·C·Slope/μ for the μ of the Gaussian mechanism, and Λ the least that allows it.
// Such a release must not be composed as μ-GDP. Errors wrap [ErrEpsilon], [ErrDelta], [ErrNeighbours] or [ErrParameter].
func CalibrateGLMPerturbationAlone(b Budget, p GLMPerturbation) (GLMPerturbation, error) {
	mu, err := CalibrateGaussian(b)
	if err != nil {
		return p, err
	}
	if p.Neighbours == ReplaceOne { // as for a row added or removed at half of ε
		if !(b.Delta/(1+math.Exp(b.Epsilon/2)) > 0) {
			return p, fmt.Errorf("accountant: GLMPerturbation: calibrate: epsilon: got %g, so large that δ·e^(−ε/2) is 0 in float64: ask for less: %w", b.Epsilon, ErrEpsilon)
		}
		if mu, err = CalibrateGaussian(Budget{Epsilon: b.Epsilon / 2, Delta: b.Delta / (1 + math.Exp(b.Epsilon/2))}); err != nil {
			return p, err
		}
	}
	delta := func(sigma, lambda float64) float64 {
		at := p
		at.Sigma, at.Lambda = sigma, lambda
		profile, err := at.Profile(p.Neighbours)
		if err != nil {
			return math.NaN()
		}
		return profile(b.Epsilon)
	}
	check := p
	check.Sigma = 1
	if check.Lambda == 0 {
		check.Lambda = 1
	}
	t, err := check.transport(p.Neighbours)
	if err != nil {
		return p, err
	}
	unit := quad.DivUp(p.C*p.Slope, mu)
	if p.Lambda == 0 {
		p.Sigma = noiseForLambda * unit
		beta := p.C * p.C * p.Curvature
		p.Lambda = leastOf(beta/1024, 256*beta*(1+1/mu), func(lambda float64) bool { return delta(p.Sigma, lambda) <= b.Delta })
		if !(p.Lambda > 0) {
			return p, fmt.Errorf("accountant: GLMPerturbation: calibrate: budget %+v: no Λ near %g: %w", b, beta/mu, ErrDelta)
		}
		return p, nil
	}
	epsilon := b.Epsilon
	if p.Neighbours == ReplaceOne {
		epsilon /= 2
	}
	if floor := delta(1e100*unit, p.Lambda); !(floor < b.Delta) || !(epsilon > t.det) { // below, all of δ is total variation
		return p, fmt.Errorf("accountant: GLMPerturbation: calibrate: lambda: got %g, at which no noise gives epsilon %g; regularise more: %w",
			p.Lambda, b.Epsilon, ErrParameter)
	}
	p.Sigma, err = leastNoise("GLMPerturbation", b.Delta, 0, unit, func(sigma float64) float64 { return delta(sigma, p.Lambda) })
	return p, err
}
