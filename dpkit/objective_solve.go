package dpkit

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// objective is F(w) = Σ_i log(1 + e^{−y⟨w, x̃⟩}) + (Λ/2)‖w‖² + ⟨b, w⟩ over at most n rows, with public bounds for its
// minimiser and for what floating point does to its gradient.
type objective struct {
	d, n   int
	r      float64 // rows are projected onto this ball
	c      float64 // the constant feature
	c2     float64 // C ≥ ‖x̃‖ as floating point attains it
	lambda float64

	maxNorm   float64 // W ≥ ‖w‖ wherever F(w) ≤ F(0)
	tolerance float64 // bound on the error of a computed gradient at ‖w‖ ≤ W
	steps     int     // bound on the steps of Newton's method
}

func newObjective(d int, r float64, n int) objective {
	c := interceptHeight * r
	return objective{d: d, n: n, r: r, c: c, c2: upSum(math.Hypot(r, c), d+1)}
}

// bound sets the bounds for ‖b‖ ≤ bNorm.
//
// F(w) ≥ (Λ/2)‖w‖² − ‖b‖‖w‖ and F(0) = n ln 2 give W. The rounding u = 2^-53 of a row's margin is at most
// (d/4 + 8)u·C·W in four partial sums, and moves its gradient by a quarter of that times C; the derivative itself and its
// products are off by 16u, sums of 128 rows by 128u, and the compensated sum over those by less than 8u of
// Σ‖gradient‖ ≤ nC. The terms of Λ and b are off by 4u of their sizes. All of it is doubled.
//
// Steps: see minimise.
func (f *objective) bound(bNorm float64) {
	n, k := float64(f.n), float64(f.d)
	f.maxNorm = up((bNorm + math.Sqrt(bNorm*bNorm+2*f.lambda*n*math.Ln2)) / f.lambda)
	margin := (k/4 + 8) * f.c2 * f.maxNorm
	f.tolerance = 0x1p-52 * (n*f.c2*(margin/4+152) + 4*(f.lambda*f.maxNorm+bNorm))
	gap := n*math.Ln2 + bNorm*bNorm/(2*f.lambda)
	f.steps = 200 + int(min(1e9, 2.6*gap*f.c2*f.c2/f.lambda))
}

// minimise returns w with a computed gradient of norm at most tolerance, so that the exact one is at most 2·tolerance and
// w within 2·tolerance/Λ of the minimiser (F is Λ-strongly convex).
//
// It is Newton's method, which cannot fail on any rows. Along a step Δ, β = C‖Δ‖, the second derivative grows by e^{Ct‖Δ‖}
// at most, as |ℓ‴| ≤ ℓ″ (Bach 2010). So for τ = ln(1 + β)/β the step τΔ lowers F by λ²((1+β)ln(1+β) − β)/β² or
// more, λ² = ∇FᵀH⁻¹∇F ≥ Λβ²/C² (Sun, Tran-Dinh 2019, Theorem 2): while β > 1 by 0.386·Λ/C², of n ln 2 + ‖b‖²/2Λ in
// all, which bounds the number of steps. A step t > τ is taken where F still falls at its end, and hence at least as far.
// Once β ≤ 1 the full step multiplies the gradient's norm in H⁻¹ by (e^β − 1 − β)/β < 0.72 at most, and soon
// squares it. A failure that cannot be is answered with zeros, not with an error, which would tell of it.
func (f *objective) minimise(ctx context.Context, rows frames.Source, b []float64) ([]float64, error) {
	w := make([]float64, f.d+1)
	at, err := f.derivatives(ctx, rows, w, b)
	for range f.steps {
		if err != nil {
			return nil, err
		}
		if norm2(at.gradient) <= f.tolerance && norm2(w) <= f.maxNorm {
			return w, nil
		}
		step := f.newtonStep(at.hessian, at.gradient)
		if step == nil {
			break
		}
		beta := f.c2 * norm2(step)
		for t, least := 1.0, math.Log1p(beta)/beta; ; t = max(t/2, least) {
			next := make([]float64, len(w))
			for j := range w {
				next[j] = w[j] - t*step[j]
			}
			at, err = f.derivatives(ctx, rows, next, b)
			slope := 0.0
			for j, g := range at.gradient {
				slope += g * step[j]
			}
			if err != nil || beta <= 1 || slope >= 0 || !(t > least) {
				w = next
				break
			}
		}
	}
	return make([]float64, len(w)), err
}

// derivatives of F at one point.
type derivatives struct {
	gradient []float64
	hessian  []float64 // of the losses, on and above the diagonal
}

func (f *objective) derivatives(ctx context.Context, rows frames.Source, w, b []float64) (derivatives, error) {
	d, err := f.lossSums(ctx, rows, w)
	for j := range w {
		d.gradient[j] += f.lambda*w[j] + b[j]
	}
	return d, err
}

// lossSums are the derivatives of the losses alone.
func (f *objective) lossSums(ctx context.Context, rows frames.Source, w []float64) (derivatives, error) {
	s, err := accumulate(ctx, rows, func() *newtonSums { return newNewtonSums(f, w) })
	d := derivatives{gradient: make([]float64, len(w))}
	if err != nil {
		return d, err
	}
	for j := range w {
		d.gradient[j] = s.grad[j].sum()
	}
	d.hessian, err = s.hessian.total(len(w))
	return d, err
}

// newtonStep solves (h + Λ)Δ = grad, for h on and above the diagonal; nil where that fails.
func (f *objective) newtonStep(h, grad []float64) []float64 {
	k := len(grad)
	a := make([]float64, k*k)
	for i := range k {
		for j := i; j < k; j++ {
			a[j*k+i] = h[i*k+j]
		}
		a[i*k+i] += f.lambda
	}
	l, err := linalg.Cholesky(a, k)
	if err != nil {
		return nil
	}
	half, err := linalg.SolveLower(l, grad, k)
	if err != nil {
		return nil
	}
	step, err := linalg.SolveLowerTransposed(l, half, k)
	if err != nil {
		return nil
	}
	return step
}
