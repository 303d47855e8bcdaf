package dpkit

import (
	"math"

	"github.com/dpkit-go/dpnb/accountant/pair"
)

// ridgeConstants are public, in absolute units.
type ridgeConstants struct {
	rz        float64 // norm bound of z, the constant included
	constant  float64
	lambda    float64
	m0        float64      // floor on N
	eigen     float64      // certified lower bound on the eigenvalues of Σ zzᵀ over the observed rows; 0
	strong    float64      // lower bound on those of Σ zzᵀ + NλI
	average   float64      // the same of Σ zzᵀ/N + λI
	fixed     bool         // N is m0 whatever is observed
	targets   []ridgeBound // one for each imputed column
	displaced bool         // a regressor differs in common rows
	moving    bool         // a regressor or an imputed column does
}

// ridgeBound is one regression.
type ridgeBound struct {
	width float64 // of the column
	b     float64 // bound on |y − mid|
	beta  float64 // B, bound on ‖β‖
	grad  float64 // G, bound on a row's gradient ‖z(⟨β,z⟩ − y)‖
}

func (r ridgeImpute) constants(st Stage, us, zs []unit) ridgeConstants {
	_, rf := normsOf(zs)
	rf = min(rf, st.Before.R)
	n := float64(st.Before.N)
	q := ridgeConstants{constant: rf, rz: up(math.Sqrt2 * rf), m0: float64(Mean{Pad: r.Pad}.floor(st.Before.N))}
	q.lambda, q.fixed = r.Lambda*q.rz*q.rz, q.m0 >= n
	if r.MinEigen.known() {
		q.eigen = r.MinEigen.value * q.rz * q.rz * (1 - 0x1p-50)
	}
	observed, _ := r.masks().counts(st)
	q.strong = (q.eigen + max(q.m0, observed)*q.lambda) * (1 - 0x1p-50)
	most := max(q.m0, n) // of N
	q.average = (q.eigen/most + q.lambda) * (1 - 0x1p-50)
	// sup over N ≤ most and g ≥ eigen of √(Ng)/(g + Nλ), which grows with N and falls with g where g > Nλ.
	shrink := 1 / (2 * math.Sqrt(q.lambda))
	if q.eigen > most*q.lambda {
		shrink = math.Sqrt(most*q.eigen) / (q.eigen + most*q.lambda)
	}
	for _, name := range columnNames(zs, st.In) {
		q.displaced = q.displaced || st.Taint[name]
	}
	q.moving = q.displaced
	for _, name := range columnNames(us, st.In) {
		q.moving = q.moving || st.Taint[name]
	}
	for _, u := range us {
		t := ridgeBound{width: u.diameter(), b: up((u.hi - u.lo) / 2)}
		t.beta = up(t.b * shrink)
		t.grad = up(q.rz * (t.b + q.rz*t.beta))
		// y is a coordinate of the row beside z, whose norm is at most R without the constant.
		joint := jointGradient(math.Hypot(st.Before.R, q.constant), t.beta) + q.rz*math.Abs(midpoint(u))
		t.grad = min(t.grad, up(joint))
		q.targets = append(q.targets, t)
	}
	return q
}

// jointGradient is sup ‖z‖(|y| + ‖z‖W) over ‖z‖² + y² ≤ ρ²: ρ²(W + √(1+W²))/2, at the angle 2θ with
// cot 2θ = W (Hu, Sanyal, Schölkopf 2024, Cor. 4, corrected).
func jointGradient(rho, w float64) float64 { return rho * rho * (w + math.Sqrt(1+w*w)) / 2 }

// ridgeBounds are those of the fills in up to rows common rows (docs/theory/calculus.md#ridge-imputation).
//
// N times the objective is h-strongly convex, h = e + N0·λ, where N ≥ N0 and e bounds the eigenvalues of
// Σ zzᵀ from below (MinEigen; 0 without). β = (Zᵀ Z + NλI)⁻¹Zᵀy with ‖y‖ ≤ √N·b, so that
// ‖β‖ ≤ sup_{g ≥ e} √(Ng)/(g + Nλ)·b = B, which is b/(2√λ) where e ≤ Nλ. At the β of one side the gradient
// of the other side's objective is the difference of the two free rows' gradients, at most 2G. A row that is
// observed on one side only leaves g + λβ where N counts it, or g where it does not. Hence ‖Δβ‖ ≤ max(2G, G + λB)/h, and
// a fill moves by at most R_z times that, or by the width.
//
// The proof uses the two ends of the pair alone: f free rows and the displaced ones add up in the one
// gradient, so that a certified e and N0 need not hold between them. (In the form that goes through the common
// rows, e is known of them up to R_z² only, and e − R_z² takes its place: docs/theory/preprocessing.md#regression.)
//
// A displaced row changes its gradient by (R_z·B + b) + R_z√(1+B²) times its displacement. The fill
// of a displaced row moves with ⟨β, z⟩ beside its own columns: K² = 1 + ΣB².
func ridgeBounds(p pair.State, q ridgeConstants, rows int) pair.StepBounds {
	a, h, k := 0.0, 0.0, 1.0
	for _, t := range q.targets {
		grads := 2 * t.grad
		if !q.fixed {
			grads = max(grads, t.grad+q.lambda*t.beta)
		}
		a = math.Hypot(a, min(q.rz*grads/q.strong, t.width))
		if q.moving {
			lip := q.rz*t.beta + t.b + q.rz*math.Sqrt(1+t.beta*t.beta)
			h = math.Hypot(h, min(q.rz*lip*p.T1/q.strong, t.width))
		}
		if q.displaced {
			k = math.Hypot(k, t.beta)
		}
	}
	n := float64(rows)
	return pair.StepBounds{
		K: k, A1: n * a, AF: math.Sqrt(n) * a, AInf: a,
		H1: n * h, HF: math.Sqrt(n) * h, HInf: h, Affected: rows, ResetFree: true,
	}
}
