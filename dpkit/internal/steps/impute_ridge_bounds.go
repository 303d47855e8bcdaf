package steps

import (
	"math"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// RidgeConstants are public, in absolute units.
type RidgeConstants struct {
	Rz        float64 // norm bound of z, the constant included
	constant  float64
	Lambda    float64
	M0        float64      // floor on N
	eigen     float64      // certified lower bound on the eigenvalues of Σ zzᵀ over the observed rows; 0
	Strong    float64      // lower bound on those of Σ zzᵀ + NλI
	Average   float64      // the same of Σ zzᵀ/N + λI
	Fixed     bool         // N is m0 whatever is observed
	Targets   []RidgeBound // one for each imputed column
	Displaced bool         // a regressor differs in common rows
	Moving    bool         // a regressor or an imputed column does
}

// RidgeBound is one regression.
type RidgeBound struct {
	Width float64 // of the column
	B     float64 // bound on |y − mid|
	Beta  float64 // B, bound on ‖β‖
	Grad  float64 // G, bound on a row's gradient ‖z(⟨β,z⟩ − y)‖
}

func (r RidgeImpute) constants(st stage.Stage, us, zs []domain.Unit) RidgeConstants {
	_, rf := normsOf(zs)
	rf = min(rf, st.Before.R)
	n := float64(st.Before.N)
	q := RidgeConstants{constant: rf, Rz: stage.Up(math.Sqrt2 * rf), M0: float64(Mean{Pad: r.Pad}.floor(st.Before.N))}
	q.Lambda, q.Fixed = r.Lambda*q.Rz*q.Rz, q.M0 >= n
	if r.MinEigen.Known() {
		q.eigen = r.MinEigen.Value() * q.Rz * q.Rz * (1 - 0x1p-50)
	}
	observed, _ := r.masks().counts(st)
	q.Strong = (q.eigen + max(q.M0, observed)*q.Lambda) * (1 - 0x1p-50)
	most := max(q.M0, n) // of N
	q.Average = (q.eigen/most + q.Lambda) * (1 - 0x1p-50)
	// sup over N ≤ most and g ≥ eigen of √(Ng)/(g + Nλ), which grows with N and falls with g where g > Nλ.
	shrink := 1 / (2 * math.Sqrt(q.Lambda))
	if q.eigen > most*q.Lambda {
		shrink = math.Sqrt(most*q.eigen) / (q.eigen + most*q.Lambda)
	}
	for _, name := range domain.ColumnNames(zs, st.In) {
		q.Displaced = q.Displaced || st.Taint[name]
	}
	q.Moving = q.Displaced
	for _, name := range domain.ColumnNames(us, st.In) {
		q.Moving = q.Moving || st.Taint[name]
	}
	for _, u := range us {
		t := RidgeBound{Width: u.Diameter(), B: stage.Up((u.Hi - u.Lo) / 2)}
		t.Beta = stage.Up(t.B * shrink)
		t.Grad = stage.Up(q.Rz * (t.B + q.Rz*t.Beta))
		// y is a coordinate of the row beside z, whose norm is at most R without the constant.
		joint := JointGradient(math.Hypot(st.Before.R, q.constant), t.Beta) + q.Rz*math.Abs(midpoint(u))
		t.Grad = min(t.Grad, stage.Up(joint))
		q.Targets = append(q.Targets, t)
	}
	return q
}

// JointGradient is sup ‖z‖(|y| + ‖z‖W) over ‖z‖² + y² ≤ ρ²: ρ²(W + √(1+W²))/2, at the angle 2θ with
// cot 2θ = W (Hu, Sanyal, Schölkopf 2024, Cor. 4, corrected).
func JointGradient(rho, w float64) float64 { return rho * rho * (w + math.Sqrt(1+w*w)) / 2 }

// RidgeBounds are those of the fills in up to rows common rows (docs/theory/calculus.md#ridge-imputation).
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
func RidgeBounds(p pair.State, q RidgeConstants, rows int) pair.StepBounds {
	a, h, k := 0.0, 0.0, 1.0
	for _, t := range q.Targets {
		grads := 2 * t.Grad
		if !q.Fixed {
			grads = max(grads, t.Grad+q.Lambda*t.Beta)
		}
		a = math.Hypot(a, min(q.Rz*grads/q.Strong, t.Width))
		if q.Moving {
			lip := q.Rz*t.Beta + t.B + q.Rz*math.Sqrt(1+t.Beta*t.Beta)
			h = math.Hypot(h, min(q.Rz*lip*p.T1/q.Strong, t.Width))
		}
		if q.Displaced {
			k = math.Hypot(k, t.Beta)
		}
	}
	n := float64(rows)
	return pair.StepBounds{
		K: k, A1: n * a, AF: math.Sqrt(n) * a, AInf: a,
		H1: n * h, HF: math.Sqrt(n) * h, HInf: h, Affected: rows, ResetFree: true,
	}
}
