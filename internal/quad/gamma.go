package quad

import "math"

// XMinusLog1p returns x − ln(1+x) ≥ 0 for x > -1 without cancellation: relative error below 1e-15.
// It is +Inf at -1 and NaN below.
func XMinusLog1p(x float64) float64 {
	if !(math.Abs(x) < 0.5) {
		if math.IsInf(x, 1) {
			return x
		}
		return x - math.Log1p(x)
	}
	// ln(1+x) = 2 artanh r with r = x/(2+x), and x − 2r = r x.
	r := x / (2 + x)
	q := r * r
	s := 0.0
	for _, c := range &artanh {
		s = s*q + c
	}
	return r * (x - 2*q*s)
}

// artanh are the coefficients 1/n of (artanh r − r)/r³ in r², from the last that counts for |r| ≤ 1/3 to the first.
var artanh = [...]float64{
	1. / 43, 1. / 41, 1. / 39, 1. / 37, 1. / 35, 1. / 33, 1. / 31, 1. / 29, 1. / 27, 1. / 25, 1. / 23,
	1. / 21, 1. / 19, 1. / 17, 1. / 15, 1. / 13, 1. / 11, 1. / 9, 1. / 7, 1. / 5, 1. / 3,
}

// stirling returns ln Γ(a+1) − (a+½) ln a + a − ½ ln 2π for a ≥ ½, the remainder of Stirling's formula.
func stirling(a float64) float64 {
	const halfLog2Pi = 0.918938533204672741780329736405617639861
	if a <= 16 {
		lg, _ := math.Lgamma(a + 1)
		return lg - (a+0.5)*math.Log(a) + a - halfLog2Pi
	}
	q := 1 / (a * a)
	return (1./12 - q*(1./360-q*(1./1260-q*(1./1680-q*(1./1188-q*691/360360))))) / a
}

// logPoisson returns ln(x^a e^-x / Γ(a+1)) for a ≥ ½ and x > 0 in the saddle-point form of Loader
// (2000, "Fast and Accurate Computation of Binomial Probabilities"): a logarithm of size v is wrong
// by about 1e-15 (1+|v|), however large a and x are.
func logPoisson(a, x float64) float64 {
	deviance := a * XMinusLog1p((x-a)/a)
	if x < a/2 { // (x−a)/a would forget x
		deviance = x - a - a*math.Log(x/a)
	}
	return -stirling(a) - deviance - math.Log(2*math.Pi*a)/2
}

// LogChiPDF returns the logarithm of the density of the χ law with k ≥ 1 degrees of freedom (the norm
// of k independent standard normal variables) at √w, for w ≥ 0: wrong by about 1e-15 (1+|value|).
func LogChiPDF(w float64, k int) float64 {
	if k < 1 || !(w >= 0) {
		return math.NaN()
	}
	if k == 1 {
		const log2OverPi = -0.451582705289454864726195229894882143571
		return (log2OverPi - w) / 2
	}
	if w == 0 {
		return math.Inf(-1)
	}
	a := float64(k) / 2
	return math.Log(2*a/math.Sqrt(w)) + logPoisson(a, w/2)
}

// chiDepth is how far the logarithm of a density may fall before the rest of the integral is left
// out: e^-50 of the part that is kept.
const chiDepth = 50

// A ChiTail is a stretch of the χ law beyond a point, ready for integrals.
type ChiTail struct {
	end       float64
	u, weight [2][Nodes]float64 // of both halves of [0, end]
}

// ChiAbove is the stretch from √w up to √w + limit of the χ law with k degrees of freedom: w ≥ 0, and √w is at or above the mode √(k−1).
func ChiAbove(w float64, k int, limit float64) (t ChiTail) {
	y := math.Sqrt(w)
	power := float64(k - 1)
	// The logarithm of the density falls by at least b u + u²/2.
	b := y
	if power > 0 {
		b = max(0, y-power/y)
	}
	t.halve(min(limit, 2*chiDepth/(b+math.Sqrt(b*b+2*chiDepth))))
	for i := range t.u {
		for j, u := range &t.u[i] {
			lift := 0.0
			if power > 0 {
				lift = power * math.Log1p(u/y)
			}
			t.weight[i][j] = lift - u*(y+u/2)
		}
		Exps(t.weight[i][:])
	}
	return t
}

// ChiBelow is the stretch from √w down to √w − limit, limit ≤ √w: w > 0, and √w is at or below the mode √(k−1).
func ChiBelow(w float64, k int, limit float64) (t ChiTail) {
	y := math.Sqrt(w)
	power := float64(k - 1)
	b := max(0, power/y-y)
	t.halve(min(limit, 2*chiDepth/(b+math.Sqrt(b*b+2*chiDepth*(1+power/w)))))
	for i := range t.u {
		for j, u := range &t.u[i] {
			t.weight[i][j] = power*math.Log1p(-u/y) + u*(y-u/2)
		}
		Exps(t.weight[i][:])
	}
	return t
}

func (t *ChiTail) halve(end float64) {
	t.end = end
	Place(&t.u[0], 0, end/2)
	Place(&t.u[1], end/2, end)
}

// Mass is the integral of the density over the stretch, divided by the density at √w.
func (t *ChiTail) Mass() float64 { return t.integral(&t.weight) }

// Gain is the integral of 1 − e^fall times the density, divided by the density at √w; fall is a smooth function of the distance from √w.
func (t *ChiTail) Gain(fall func(u float64) float64) float64 {
	v := t.u
	for i := range v {
		for j, u := range &v[i] {
			v[i][j] = fall(u)
		}
		Expm1s(v[i][:])
		for j, w := range &t.weight[i] {
			v[i][j] = -v[i][j] * w
		}
	}
	return t.integral(&v)
}

func (t *ChiTail) integral(f *[2][Nodes]float64) float64 {
	return Integral(&f[0], 0, t.end/2) + Integral(&f[1], t.end/2, t.end)
}

// LogChiSquareSF returns ln P(χ²_k > w), the upper tail of the χ² law with k ≥ 1 degrees of freedom: 0 for
// w ≤ 0, wrong by about 1e-15 (1+|value|) in both tails, for any k.
func LogChiSquareSF(w float64, k int) float64 {
	log, _ := new(ChiTail).LogSF(w, k)
	return log
}

// LogSF is [LogChiSquareSF]. Where that is an integral over the stretch above √w it leaves [ChiAbove] of it in t, and says so.
func (t *ChiTail) LogSF(w float64, k int) (log float64, above bool) {
	switch {
	case k < 1 || math.IsNaN(w):
		return math.NaN(), false
	case w <= 0:
		return 0, false
	case math.IsInf(w, 1):
		return math.Inf(-1), false
	case w < float64(k-1), k <= 2 && w < 1:
		return math.Log1p(-math.Exp(LogChiSquareCDF(w, k))), false
	}
	*t = ChiAbove(w, k, math.Inf(1))
	return min(0, LogChiPDF(w, k)+math.Log(t.Mass())), true
}

// LogChiSquareCDF returns ln P(χ²_k ≤ w): -Inf for w ≤ 0; see [LogChiSquareSF].
func LogChiSquareCDF(w float64, k int) float64 {
	log, _ := new(ChiTail).LogCDF(w, k)
	return log
}

// LogCDF is [LogChiSquareCDF]. Where that is an integral over the stretch below √w it leaves [ChiBelow] of it in t, and says so.
func (t *ChiTail) LogCDF(w float64, k int) (log float64, below bool) {
	switch {
	case k < 1 || math.IsNaN(w):
		return math.NaN(), false
	case w <= 0:
		return math.Inf(-1), false
	case math.IsInf(w, 1):
		return 0, false
	case w < float64(k-1):
		*t = ChiBelow(w, k, math.Sqrt(w))
		return min(0, LogChiPDF(w, k)+math.Log(t.Mass())), true
	case k <= 2 && w < 1:
		// The density is at its mode or above it: the series about 0 has positive terms after e^-x.
		return LogChiPDF(w, k) + math.Log(smallChi(w, k)), false
	}
	return Log1mExp(LogChiSquareSF(w, k)), false
}

// smallChi is P(χ²_k ≤ w) / χ_k(√w) = (√w/k) Σ w^n / ((k+2)(k+4)…(k+2n)) (Abramowitz, Stegun 26.4.6).
func smallChi(w float64, k int) float64 {
	term, sum := 1.0, 1.0
	for n := 1; n < 60 && term > 1e-18*sum; n++ {
		term *= w / float64(k+2*n)
		sum += term
	}
	return math.Sqrt(w) / float64(k) * sum
}
