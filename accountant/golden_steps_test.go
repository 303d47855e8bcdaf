package accountant

import (
	"fmt"
	"math"
)

// steps maps the names of the golden file to the bounds of its reference implementation,
// term by term, so that only the propagation differs.
func steps() map[string]func(Pair) (StepBounds, error) {
	return map[string]func(Pair) (StepBounds, error){
		"public_affine(op=2,shift=.5)":     func(p Pair) (StepBounds, error) { return StepBounds{K: 2, R: 2*p.R + .5}, nil },
		"clip_ball(.7)":                    clipBall(.7),
		"clip(1)":                          clipBall(1),
		"center":                           center,
		"std_scale(fl=.2)":                 stdScale(.2, .2),
		"std_scale(fl=.2,gain=1)":          stdScale(.2, 1),
		"rms_scale(fl=.2)":                 rmsScale(.2),
		"rms_scale(.2)":                    rmsScale(.2),
		"mean_impute(omega=1,N0=900,p=80)": meanImpute(1, 900, 80, 1),
		"mean_impute(omega=.5,N0=900,p=80)": meanImpute(
			.5, 900, 80, 1),
		"midmean_impute(kappa=4)": meanImpute(1, 900, 80, 4),
		"svt(.05)":                spectral(svt, .05),
		"tik(.05)":                spectral(tik, .05),
		"ramp(.02,.05)":           ramp(.02, .05),
		"hard_pca(k=3,gap=.1)":    hardPCA(3, .1),
		"center_svt(.05)":         centerSpectral(svt, .05),
		"center_tik(.05)":         centerSpectral(tik, .05),
		"center_hard(3,.1)":       centerHard(3, .1),
		"grid(eta=.01,d=4)": func(p Pair) (StepBounds, error) {
			j := .01 * math.Sqrt(4)
			return StepBounds{K: 1, Jump: j, R: p.R + j/2}, nil
		},
		"smooth_winsor(w2=2,w1=4,d=4,q=.05,h=.08)": smoothWinsor(winsor{w2: 2, w1: 4, d: 4, q: .05, h: .08, rOut: 2}),
		"target_encode(w=1,kappa=10)":              targetEncode(1, 10),
		"freq_encode": func(p Pair) (StepBounds, error) {
			b := ranks(p)
			b.K, b.R = 1, p.R
			return b, nil
		},
		"rank_transform(clean)": func(p Pair) (StepBounds, error) {
			if p.Displaced() {
				return StepBounds{}, fmt.Errorf("rank on a displaced column")
			}
			return ranks(p), nil
		},
	}
}

func clipBall(c float64) func(Pair) (StepBounds, error) {
	return func(p Pair) (StepBounds, error) { return StepBounds{K: 1, KF: 1, R: min(p.R, c)}, nil }
}

func center(p Pair) (StepBounds, error) {
	n, no, D := float64(p.N), float64(p.N-1), p.D()
	return StepBounds{
		K: 1, A1: no * D / n, AF: math.Sqrt(no) * D / n, AInf: D / n,
		H1: no * p.T1 / n, HInf: p.T1 / n, KF: 1, Affected: p.N - p.F, R: 2 * p.R,
	}, nil
}

func stdScale(fl, g float64) func(Pair) (StepBounds, error) {
	return func(p Pair) (StepBounds, error) {
		n, R, D, c := float64(p.N), p.R, p.D(), g/fl
		Q := min(4*R*R, 4*R*D)
		ds := min(p.TF/math.Sqrt(n), 2*R/(n*fl)*p.T1)
		return StepBounds{
			K:    c,
			A1:   c*(n-1)*D/n + g*(n-1)/n*Q/(2*fl*fl),
			AF:   c*math.Sqrt(n-1)*D/n + g*((n-1)/n)*Q/(2*fl*fl)/math.Sqrt(n),
			AInf: c*D/n + g*2*R*((n-1)/(n*n))*Q/(2*fl*fl*fl),
			H1:   c*(n-1)*p.T1/n + min(c*math.Sqrt(n)*p.TF, g*2*R/(fl*fl)*p.T1),
			HF:   c * p.TF,
			HInf: c*p.T1/n + g*2*R/(fl*fl)*ds,
			KF:   c, Affected: p.N - p.F, R: c * 2 * R,
		}, nil
	}
}

func rmsScale(fl float64) func(Pair) (StepBounds, error) {
	return func(p Pair) (StepBounds, error) {
		g, c, n, R := fl, 1., float64(p.N), p.R
		Q0 := min(math.Sqrt2*R*R, 2*R*p.D())
		a1 := g * Q0 / (2 * fl * fl)
		ds := min(p.TF/math.Sqrt(n), R/(n*fl)*p.T1)
		return StepBounds{
			K: c, A1: a1, AF: a1 / math.Sqrt(n), AInf: g * R * Q0 / n / (2 * fl * fl * fl),
			H1: min(c*math.Sqrt(n)*p.TF, g*R/(fl*fl)*p.T1), HF: c * p.TF, HInf: g * R / (fl * fl) * ds,
			KF: c, Affected: p.N - p.F, R: c * R,
		}, nil
	}
}

func meanImpute(omega, n0, rows, kappa float64) func(Pair) (StepBounds, error) {
	return func(p Pair) (StepBounds, error) {
		d, h := kappa*omega/n0, kappa*p.T1/n0
		b := StepBounds{
			K: 1, A1: rows * d, AF: math.Sqrt(rows) * d, AInf: d,
			H1: rows * h, HF: math.Sqrt(rows) * h, HInf: h,
			Affected: int(rows), R: 1.2, ResetFree: true,
		}
		if kappa == 1 {
			b.KF = math.Sqrt(1 + rows/n0)
		}
		return b, nil
	}
}

// A filter is a spectral function with its constants (Lipschitz constants of f, of the row norms and of X → X f(X'X/n)).
type filter struct{ lf, lip, lh func(lam float64) float64 }

var (
	halfRoot = func(lam float64) float64 { return 1 / (2 * math.Sqrt(lam)) }
	svt      = filter{halfRoot, func(lam float64) float64 { return 1 / (2 * lam) }, func(float64) float64 { return 1 }}
	tik      = filter{halfRoot, func(lam float64) float64 { return 1 / lam }, func(float64) float64 { return 9. / 8 }}
)

func spectral(f filter, lam float64) func(Pair) (StepBounds, error) {
	return func(p Pair) (StepBounds, error) {
		n, R := float64(p.N), p.R
		L, lip := f.lf(lam), f.lip(lam)
		E := min(math.Sqrt2*R*R, 2*R*p.D()) / n
		K, ai := max(1-math.Sqrt(lam)/R, 0), R*lip*E
		if f.lh(lam) > 1 { // TIK: the resolvent identity allows the operator norm
			K, ai = R*R/(R*R+lam), R*(lip*(min(R*R, 2*R*p.D())/n))
		}
		ES := min(2*R*p.T1/n, 2*R*p.TF/math.Sqrt(n))
		return StepBounds{
			K: K, A1: n * L * E, AF: math.Sqrt(n) * L * E, AInf: ai,
			H1: n * L * ES, HF: math.Sqrt(n) * L * ES, HInf: R * lip * ES,
			KF: f.lh(lam), Affected: p.N - p.F, R: K * R,
		}, nil
	}
}

func ramp(a0, w float64) func(Pair) (StepBounds, error) {
	return func(p Pair) (StepBounds, error) {
		n, R := float64(p.N), p.R
		L, lip := math.Sqrt(a0+w)/w, 1/w
		E := min(math.Sqrt2*R*R, 2*R*p.D()) / n
		ES := min(2*R*p.T1/n, 2*R*p.TF/math.Sqrt(n))
		return StepBounds{
			K: 1, A1: n * L * E, AF: math.Sqrt(n) * L * E, AInf: R * lip * E,
			H1: n * L * ES, HF: math.Sqrt(n) * L * ES, HInf: R * lip * ES,
			Affected: p.N - p.F, R: R,
		}, nil
	}
}

func hardPCA(k, gap float64) func(Pair) (StepBounds, error) {
	return func(p Pair) (StepBounds, error) {
		n, R, f := float64(p.N), p.R, float64(p.F)
		ES := min(2*R*p.T1/n, 2*R*p.TF/math.Sqrt(n))
		Eop := f*min(R*R, 2*R*p.D())/n + ES
		EF := f*min(math.Sqrt2*R*R, 2*R*p.D())/n + ES
		dP := min(1, Eop/gap)
		per, F := R*dP, math.Sqrt(n)*R*dP
		if gap > Eop {
			be := gap - Eop
			F = min(F, math.Sqrt(n)*EF*math.Sqrt(R*R/(k+1)+be)/be)
		}
		return StepBounds{
			K: 1, H1: min(n*per, math.Sqrt(n)*F), HF: F, HInf: per, Affected: p.N - p.F, R: R,
		}, nil
	}
}

func centerSpectral(f filter, lam float64) func(Pair) (StepBounds, error) {
	return func(p Pair) (StepBounds, error) {
		n, no, R, D := float64(p.N), float64(p.N-1), p.R, p.D()
		L, lip := f.lf(lam), f.lip(lam)
		E := min(4*R*R, 4*R*D) * (n - 1) / (n * n)
		ES := min(4*R*p.T1/n, 2*R*p.TF/math.Sqrt(n))
		return StepBounds{
			K:  1,
			A1: n*L*E + no*D/n, AF: math.Sqrt(n)*L*E + math.Sqrt(no)*D/n, AInf: 2*R*lip*E + D/n,
			H1: n*L*ES + no*p.T1/n, HF: math.Sqrt(n)*L*ES + p.TF, HInf: 2*R*lip*ES + p.T1/n,
			KF: f.lh(lam), Affected: p.N - p.F, R: 2 * R,
		}, nil
	}
}

func centerHard(k, gap float64) func(Pair) (StepBounds, error) {
	return func(p Pair) (StepBounds, error) {
		n, R, D, f := float64(p.N), p.R, p.D(), float64(p.F)
		E := f*min(4*R*R, 4*R*D)*(n-1)/(n*n) + min(4*R*p.T1/n, 2*R*p.TF/math.Sqrt(n))
		dP, mu := min(1, E/gap), (f*D+p.T1)/n
		F := math.Sqrt(n) * R * dP
		if gap > E {
			be := gap - E
			F = min(F, math.Sqrt(n)*E*math.Sqrt(R*R/(k+1)+be)/be)
		}
		return StepBounds{
			K: 1, H1: min(n*2*R*dP, math.Sqrt(n)*F) + (n-1)*mu, HF: F + math.Sqrt(n-1)*mu, HInf: 2*R*dP + mu,
			Affected: p.N - p.F, R: 2 * R,
		}, nil
	}
}

// winsor has the parameters of smoothed winsorisation: ℓ2 and ℓ1 widths, columns, quantile, kernel, box norm.
type winsor struct{ w2, w1, d, q, h, rOut float64 }

func smoothWinsor(w winsor) func(Pair) (StepBounds, error) {
	return func(p Pair) (StepBounds, error) {
		n, D := float64(p.N), p.D()
		N := n*(w.q+w.h/2) + 1
		d1, d2 := min(w.w1, math.Sqrt(w.d)*D)/(w.h*n), min(w.w2, D)/(w.h*n)
		return StepBounds{
			K: 1, A1: 2 * N * d1, AF: math.Sqrt(2*N) * d2, AInf: d2,
			H1: 2 * N * math.Sqrt(w.d) * p.T1 / (w.h * n), HF: math.Sqrt(2*N) * p.T1 / (w.h * n), HInf: p.T1 / (w.h * n),
			Affected: p.N - p.F, R: w.rOut,
		}, nil
	}
}

func targetEncode(w, kappa float64) func(Pair) (StepBounds, error) {
	return func(p Pair) (StepBounds, error) {
		n := float64(p.N)
		return StepBounds{
			K: 1, A1: 2 * w * (n - 1) / (n + 1 + 2*kappa), AF: w / math.Sqrt(2*(1+kappa)), AInf: w / (2 + kappa),
			H1: p.T1, HF: p.T1, HInf: p.T1, Affected: p.N - p.F, R: p.R, ResetFree: true,
		}, nil
	}
}

// ranks are the bounds of the rank transform: a clean column becomes ranks in [0, 1].
func ranks(p Pair) StepBounds {
	n := float64(p.N)
	return StepBounds{
		A1: (n - 1) / n, AF: math.Sqrt(n-1) / n, AInf: 1 / n,
		Affected: p.N - p.F, R: 1, ResetFree: true,
	}
}
