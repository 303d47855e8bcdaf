package glm

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// Objective is F(w) = Σ_i ℓ(y_i, ⟨w, x̃_i⟩) + (Λ/2)‖w‖² + ⟨b, w⟩ over at most n rows, with public bounds for its
// minimiser and for what floating point does to its gradient.
type Objective struct {
	D, N   int
	R      float64 // rows are projected onto this ball
	C      float64 // the constant feature
	C2     float64 // C ≥ ‖x̃‖ as floating point attains it
	Lambda float64
	Loss   marginLoss
	lossBounds

	Which     int     // the model, of several
	MaxNorm   float64 // W ≥ ‖w‖ wherever F(w) ≤ F(0)
	Tolerance float64 // bound on the error of a computed gradient at ‖w‖ ≤ W
	Steps     int     // bound on the steps of Newton's method

	packed *linalg.PackedShape `dp:"-"` // of rows that logistic sums read packed; nil: none, as where the processor has no kernels for it
}

// NewObjective is the objective of at most n rows of d features and norm at most r, with the constant feature beside them; Λ
// and the bounds are still to be set, by Bound.
func NewObjective(d int, r float64, n int, loss marginLoss) Objective {
	c := domain.InterceptHeight * r
	return Objective{D: d, N: n, R: r, C: c, C2: stage.UpSum(math.Hypot(r, c), d+1), Loss: loss, lossBounds: loss.Bounds()}
}

// Bound sets the bounds for ‖b‖ ≤ bNorm.
//
// F(w) ≥ n·inf ℓ + (Λ/2)‖w‖² − ‖b‖‖w‖ and F(0) ≤ n(inf ℓ + gap) give W. The rounding u = 2^-53 of a row's margin is at most
// (d/4 + 8)u·C·W in four partial sums, and moves its gradient by that times C and the curvature of the loss; the derivative itself
// and its products are off by 16u and the loss's own, each of the d + 1 terms by at most 8.01u·C on the grid of [rows.TermSums], and a sum, when
// it is read, by 4u of Σ‖gradient‖ ≤ nC: together less than 136u·nC up to 270 features, which is counted for fewer too. The
// terms of Λ and b are off by 4u of their sizes. All of it is doubled.
//
// Steps: see Minimise.
func (f *Objective) Bound(bNorm float64) {
	n, k := float64(f.N), float64(f.D)
	f.MaxNorm = stage.Up((bNorm + math.Sqrt(bNorm*bNorm+2*f.Lambda*n*f.Gap)) / f.Lambda)
	margin := (k/4 + 8) * f.C2 * f.MaxNorm
	sums := max(136, 4+8.01*math.Sqrt(k+1))
	f.Tolerance = 0x1p-52 * (n*f.C2*(margin*f.Curvature+(16+sums)+f.rounding) + 4*(f.Lambda*f.MaxNorm+bNorm))
	gap := n*f.Gap + bNorm*bNorm/(2*f.Lambda)
	steps := 2.6 * gap * f.C2 * f.C2 / f.Lambda
	if !f.logistic {
		q := f.shortest()
		steps = 2 / (q * q) * math.Log1p(2*gap*f.Lambda/(q*f.Tolerance*f.Tolerance))
	}
	f.Steps = 200 + int(min(1e9, steps))
}

// shortest is Λ/(Λ + B), B = nC²·curvature: every Hessian is between Λ and Λ + B.
func (f *Objective) shortest() float64 {
	return f.Lambda / (f.Lambda + float64(f.N)*f.C2*f.C2*f.Curvature)
}

// Minimise returns w with a computed gradient of norm at most tolerance, so that the exact one is at most 2·tolerance and
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
// Steps are solved with a matrix A ⪰ ∇²F, larger by 3e at most, see newtonStep: gᵀΔ = ΔᵀAΔ is at least ΔᵀHΔ, so that what a step lowers F by is as
// said with λ² = gᵀA⁻¹g, and near the end the gradient falls to 3e/(Λ + 3e) of itself at least.
//
// A failure that cannot be is answered with zeros, not with an error, which would tell of it.
func (f *Objective) Minimise(ctx context.Context, table rows.Driver, b []float64) ([]float64, error) {
	w := make([]float64, f.D+1)
	at, err := f.derivatives(ctx, table, w, b)
	for range f.Steps {
		if err != nil {
			return nil, err
		}
		if num.Norm2(at.Gradient) <= f.Tolerance && num.Norm2(w) <= f.MaxNorm {
			return w, nil
		}
		step := f.newtonStep(at.Hessian, at.Gradient)
		if step == nil {
			break
		}
		beta := f.C2 * num.Norm2(step)
		least, whole := f.shortest(), false
		if f.logistic {
			least, whole = math.Log1p(beta)/beta, beta <= 1
		}
		falls := Dot(at.Gradient, step) // how fast at the start
		for t := 1.0; ; {
			next := make([]float64, len(w))
			for j := range w {
				next[j] = w[j] - t*step[j]
			}
			at, err = f.derivatives(ctx, table, next, b)
			slope := Dot(at.Gradient, step)
			if err != nil || whole || slope >= 0 || !(t > least) || !f.logistic && num.Norm2(at.Gradient) <= f.Tolerance {
				w = next
				break
			}
			shorter := t / 2
			if !f.logistic { // the root of the chord: slopes are nearly linear in t
				shorter = num.Clamp(t*falls/(falls-slope), t/10, t*0.9)
			}
			t = max(shorter, least)
		}
	}
	return make([]float64, len(w)), err
}

// MinimisePublicly is Minimise without b on rows that are public, where a failure may be told.
func (f *Objective) MinimisePublicly(ctx context.Context, table rows.Driver) ([]float64, error) {
	b := make([]float64, f.D+1)
	w, err := f.Minimise(ctx, table, b)
	if err != nil {
		return nil, err
	}
	at, err := f.derivatives(ctx, table, w, b)
	if err == nil && !(num.Norm2(at.Gradient) <= f.Tolerance) {
		err = fmt.Errorf("fit on public data: Newton's method did not end: look for columns of very different sizes, and Scale them")
	}
	return w, err
}

// derivatives of F at one point.
type derivatives struct {
	Gradient []float64
	Hessian  []float64 // of the losses, on and above the diagonal
}

func (f *Objective) derivatives(ctx context.Context, table rows.Driver, w, b []float64) (derivatives, error) {
	d, err := f.LossSums(ctx, table, w)
	for j := range w {
		d.Gradient[j] += f.Lambda*w[j] + b[j]
	}
	return d, err
}

// LossSums are the derivatives of the losses alone.
func (f *Objective) LossSums(ctx context.Context, table rows.Driver, w []float64) (derivatives, error) {
	ctx = rows.AtPoint(ctx, append([]float64{float64(f.Which)}, w...)...)
	s, err := rows.Drive(ctx, table, func() *newtonSums { return NewNewtonSums(f, w) })
	d := derivatives{Gradient: make([]float64, len(w))}
	if err != nil {
		return d, err
	}
	for j := range w {
		d.Gradient[j] = s.grad.Sum(j)
	}
	d.Hessian, err = s.hessian.Total(len(w))
	return d, err
}

// steering bounds by how much in the Frobenius norm the computed Hessian of the losses is off: e of newtonStep.
func (f *Objective) steering() float64 {
	return (linalg.GridGramRounding(f.D+1) + 0x1p-48) * (1 + 0x1p-28) * float64(f.N) * f.C2 * f.C2 * f.Curvature
}

// newtonStep solves (h + Λ + 2e)Δ = grad, for h on and above the diagonal, which is off by e in the Frobenius norm; nil where that fails. What it
// solves with is at least the Hessian, whatever rounding did, and more than factorisation rounds: no step of small Λ goes too far, or fails. See
// Minimise.
func (f *Objective) newtonStep(h, grad []float64) []float64 {
	l := f.factored(h, len(grad))
	if l == nil {
		return nil
	}
	return solved(l, grad)
}

// factored is Cholesky's factor of what newtonStep solves with, or nil.
func (f *Objective) factored(h []float64, k int) []float64 {
	a := make([]float64, k*k)
	for i := range k {
		for j := i; j < k; j++ {
			a[j*k+i] = h[i*k+j]
		}
		a[i*k+i] += f.Lambda + 2*f.steering()
	}
	l, err := linalg.Cholesky(a, k)
	if err != nil {
		return nil
	}
	return l
}

// solved is the solution of LLᵀΔ = grad, or nil.
func solved(l, grad []float64) []float64 {
	half, err := linalg.SolveLower(l, grad, len(grad))
	if err != nil {
		return nil
	}
	step, err := linalg.SolveLowerTransposed(l, half, len(grad))
	if err != nil {
		return nil
	}
	return step
}

// Dot is ⟨a, b⟩, summed from the first to the last without compensation.
func Dot(a, b []float64) float64 {
	var s float64
	for j := range a {
		s += a[j] * b[j]
	}
	return s
}
