package dpkit

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/linalg"
)

// objective is F(w) = Σ_i ℓ(y_i, ⟨w, x̃_i⟩) + (Λ/2)‖w‖² + ⟨b, w⟩ over at most n rows, with public bounds for its
// minimiser and for what floating point does to its gradient.
type objective struct {
	d, n   int
	r      float64 // rows are projected onto this ball
	c      float64 // the constant feature
	c2     float64 // C ≥ ‖x̃‖ as floating point attains it
	lambda float64
	loss   marginLoss
	lossBounds

	maxNorm   float64 // W ≥ ‖w‖ wherever F(w) ≤ F(0)
	tolerance float64 // bound on the error of a computed gradient at ‖w‖ ≤ W
	steps     int     // bound on the steps of Newton's method
}

func newObjective(d int, r float64, n int, loss marginLoss) objective {
	c := interceptHeight * r
	return objective{d: d, n: n, r: r, c: c, c2: upSum(math.Hypot(r, c), d+1), loss: loss, lossBounds: loss.bounds()}
}

// bound sets the bounds for ‖b‖ ≤ bNorm.
//
// F(w) ≥ n·inf ℓ + (Λ/2)‖w‖² − ‖b‖‖w‖ and F(0) ≤ n(inf ℓ + gap) give W. The rounding u = 2^-53 of a row's margin is at most
// (d/4 + 8)u·C·W in four partial sums, and moves its gradient by that times C and the curvature of the loss; the derivative itself
// and its products are off by 16u and the loss's own, sums of 128 rows by 128u, and the compensated sum over those by less
// than 8u of Σ‖gradient‖ ≤ nC. The terms of Λ and b are off by 4u of their sizes. All of it is doubled.
//
// Steps: see minimise.
func (f *objective) bound(bNorm float64) {
	n, k := float64(f.n), float64(f.d)
	f.maxNorm = up((bNorm + math.Sqrt(bNorm*bNorm+2*f.lambda*n*f.gap)) / f.lambda)
	margin := (k/4 + 8) * f.c2 * f.maxNorm
	f.tolerance = 0x1p-52 * (n*f.c2*(margin*f.curvature+152+f.rounding) + 4*(f.lambda*f.maxNorm+bNorm))
	gap := n*f.gap + bNorm*bNorm/(2*f.lambda)
	steps := 2.6 * gap * f.c2 * f.c2 / f.lambda
	if !f.logistic {
		q := f.shortest()
		steps = 2 / (q * q) * math.Log1p(2*gap*f.lambda/(q*f.tolerance*f.tolerance))
	}
	f.steps = 200 + int(min(1e9, steps))
}

// shortest is Λ/(Λ + B), B = nC²·curvature: every Hessian is between Λ and Λ + B.
func (f *objective) shortest() float64 {
	return f.lambda / (f.lambda + float64(f.n)*f.c2*f.c2*f.curvature)
}

// minimise returns w with a computed gradient of norm at most tolerance, so that the exact one is at most 2·tolerance and
// w within 2·tolerance/Λ of the minimiser (F is Λ-strongly convex; docs/theory/mechanisms.md#approximate-minimisers).
//
// It is Newton's method, which cannot fail on any rows. A step Δ is shortened to a length t > τ only where F rises at its end, and
// one that is longer than τ therefore lowers F at least as far as τΔ does.
//
// For the logistic loss, with β = C‖Δ‖, the second derivative grows by e^{Ct‖Δ‖} at most, as |ℓ‴| ≤ ℓ″ (Bach 2010). So for
// τ = ln(1 + β)/β the step τΔ lowers F by λ²((1+β)ln(1+β) − β)/β² or more, λ² = ∇FᵀH⁻¹∇F ≥ Λβ²/C² (Sun, Tran-Dinh
// 2019, Theorem 2): while β > 1 by 0.386·Λ/C², of n ln 2 + ‖b‖²/2Λ in all, which bounds the number of steps. Once β ≤ 1 the full
// step multiplies the gradient's norm in H⁻¹ by (e^β − 1 − β)/β < 0.72 at most, and soon squares it.
//
// For another loss ∇F need not be differentiable where ℓ′ bends; any slope at a bend gives a Hessian H between Λ and Λ + B, and
// F is (Λ+B)-smooth: τ = q = Λ/(Λ+B) lowers F by qλ²/2 ≥ q²(F − F*), as λ² ≥ ‖∇F‖²/(Λ+B) ≥ 2q(F − F*). So F − F* falls to below
// q·tolerance²/2Λ = tolerance²/2(Λ+B), where ‖∇F‖ ≤ tolerance, in the steps that bound allows; in practice in few, as the
// margins settle on pieces of ℓ′ on which a full step is exact or squares the error.
//
// A failure that cannot be is answered with zeros, not with an error, which would tell of it.
func (f *objective) minimise(ctx context.Context, rows driver, b []float64) ([]float64, error) {
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
		least, whole := f.shortest(), false
		if f.logistic {
			least, whole = math.Log1p(beta)/beta, beta <= 1
		}
		falls := dot(at.gradient, step) // how fast at the start
		for t := 1.0; ; {
			next := make([]float64, len(w))
			for j := range w {
				next[j] = w[j] - t*step[j]
			}
			at, err = f.derivatives(ctx, rows, next, b)
			slope := dot(at.gradient, step)
			if err != nil || whole || slope >= 0 || !(t > least) || !f.logistic && norm2(at.gradient) <= f.tolerance {
				w = next
				break
			}
			shorter := t / 2
			if !f.logistic { // the root of the chord: slopes are nearly linear in t
				shorter = clamp(t*falls/(falls-slope), t/10, t*0.9)
			}
			t = max(shorter, least)
		}
	}
	return make([]float64, len(w)), err
}

// minimisePublicly is minimise without b on rows that are public, where a failure may be told.
func (f *objective) minimisePublicly(ctx context.Context, rows driver) ([]float64, error) {
	b := make([]float64, f.d+1)
	w, err := f.minimise(ctx, rows, b)
	if err != nil {
		return nil, err
	}
	at, err := f.derivatives(ctx, rows, w, b)
	if err == nil && !(norm2(at.gradient) <= f.tolerance) {
		err = fmt.Errorf("fit on public data: Newton's method did not end: look for columns of very different sizes, and Scale them")
	}
	return w, err
}

// derivatives of F at one point.
type derivatives struct {
	gradient []float64
	hessian  []float64 // of the losses, on and above the diagonal
}

func (f *objective) derivatives(ctx context.Context, rows driver, w, b []float64) (derivatives, error) {
	d, err := f.lossSums(ctx, rows, w)
	for j := range w {
		d.gradient[j] += f.lambda*w[j] + b[j]
	}
	return d, err
}

// lossSums are the derivatives of the losses alone.
func (f *objective) lossSums(ctx context.Context, rows driver, w []float64) (derivatives, error) {
	s, err := drive(ctx, rows, func() *newtonSums { return newNewtonSums(f, w) })
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

func dot(a, b []float64) float64 {
	var s float64
	for j := range a {
		s += a[j] * b[j]
	}
	return s
}
