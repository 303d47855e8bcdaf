package dpkit

import (
	"math"

	"github.com/dpkit-go/dpnb/accountant"
)

// ridgeConstants are public, in absolute units.
type ridgeConstants struct {
	rz        float64 // norm bound of z, the constant included
	constant  float64
	lambda    float64
	n0        float64      // m0
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
	q := ridgeConstants{constant: rf, rz: up(math.Sqrt2 * rf), n0: float64(Mean{Pad: r.Pad}.floor(st.Before.N))}
	q.lambda, q.fixed = r.Lambda*q.rz*q.rz, q.n0 >= float64(st.Before.N)
	for _, name := range columnNames(zs, st.In) {
		q.displaced = q.displaced || st.Taint[name]
	}
	q.moving = q.displaced
	for _, name := range columnNames(us, st.In) {
		q.moving = q.moving || st.Taint[name]
	}
	for _, u := range us {
		t := ridgeBound{width: u.diameter(), b: up((u.hi - u.lo) / 2)}
		t.beta = up(t.b / (2 * math.Sqrt(q.lambda)))
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

// ridgeBounds are those of the fills in up to rows common rows.
//
// The objective is λ-strongly convex, and ‖β‖ ≤ sup_a √a/(a+λ)·b = b/(2√λ) = B. At the β of one side
// the gradient of the other side's objective is the difference of the two free rows' gradients over
// N, at most 2G/N. A row that is observed on one side only leaves (g + λβ)/N' where N counts it, or
// g/N where it does not. Hence ‖Δβ‖ ≤ max(2G, G + λB)/(λ·m0), and a fill moves by at most R_z times
// that, or by the width.
//
// A displaced row changes its gradient by (R_z·B + b) + R_z√(1+B²) times its displacement. The fill
// of a displaced row moves with ⟨β, z⟩ beside its own columns: K² = 1 + ΣB².
func ridgeBounds(p accountant.Pair, q ridgeConstants, rows int) accountant.StepBounds {
	a, h, k := 0.0, 0.0, 1.0
	for _, t := range q.targets {
		grads := 2 * t.grad
		if !q.fixed {
			grads = max(grads, t.grad+q.lambda*t.beta)
		}
		a = math.Hypot(a, min(q.rz*grads/(q.lambda*q.n0), t.width))
		if q.moving {
			lip := q.rz*t.beta + t.b + q.rz*math.Sqrt(1+t.beta*t.beta)
			h = math.Hypot(h, min(q.rz*lip*p.T1/(q.lambda*q.n0), t.width))
		}
		if q.displaced {
			k = math.Hypot(k, t.beta)
		}
	}
	n := float64(rows)
	return accountant.StepBounds{
		K: k, A1: n * a, AF: math.Sqrt(n) * a, AInf: a,
		H1: n * h, HF: math.Sqrt(n) * h, HInf: h, Affected: rows, ResetFree: true,
	}
}
