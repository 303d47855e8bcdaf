package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// Profile is the exact profile of the worst pair. The log-likelihood ratio depends on a sum of squares only: with
// t = 1/γ and W of the χ² law with k degrees of freedom it is
//
//	(k/2) ln(1−t) + W t/(2(1−t))  from the dataset with the row to the one without,
//	−(k/2) ln(1−t) − W t/2        back,
//
// and under ReplaceOne the sum of one of each, independent. Displaced rows have no exact profile:
// the error wraps [ErrNoRoute]. Others wrap [ErrNeighbours] or [ErrParameter].
func (g GaussMix) Profile(rel Neighbours) (Profile, error) {
	s, err := g.signal(rel)
	if err != nil {
		return nil, err
	}
	if g.Displacement > 0 || g.ShiftOnly {
		return nil, fmt.Errorf("accountant: GaussMix: no exact profile on a displaced pair: %w", ErrNoRoute)
	}
	return mixProfile(g.K, s, rel), nil
}

// repeated is the exact profile of n releases at the same γ: that of one release of n·K rows.
func (g GaussMix) repeated(rel Neighbours, n int) (Profile, error) {
	if n < 1 || g.K > math.MaxInt32/n {
		return nil, fmt.Errorf("accountant: GaussMix: %d releases of %d rows: %w", n, g.K, ErrNoRoute)
	}
	g.K *= n
	return g.Profile(rel)
}

func mixProfile(k int, s float64, rel Neighbours) Profile {
	if s == 0 {
		return func(float64) float64 { return 1 }
	}
	if rel == ReplaceOne {
		return func(epsilon float64) float64 { return mixReplaceDelta(epsilon, k, s) }
	}
	return func(epsilon float64) float64 {
		return max(mixForwardDelta(epsilon, k, s), mixBackwardDelta(epsilon, k, s))
	}
}

// mixOffset returns (k/2) ln(1 + 1/s) = −(k/2) ln(1−t), and ε lowered by more than the rounding of their
// sum: a profile falls with ε.
func mixOffset(epsilon float64, k int, s float64) (ell, lowered float64) {
	ell = float64(k) / 2 * math.Log1p(1/s)
	return ell, epsilon - 0x1p-49*(math.Abs(epsilon)+ell)
}

// mixMargin inflates a product of densities and tails by the error of their logarithms.
func mixMargin(delta float64, logs ...float64) float64 {
	size := 16.0
	for _, l := range logs {
		size += math.Abs(l)
	}
	return min(1, quad.Inflate(max(0, delta), 0x1p-50*size))
}

// mixForwardDelta is the profile from the dataset with the row to the one without, for every real ε:
//
//	δ = P(χ² > w) − e^ε P(χ² > w/(1−t)),  w = 2 (1−t)/t (ε − (k/2) ln(1−t)),
//
// rounded up. Where the two terms are close it is the integral of the positive function
// χ_k(y) (1 − exp(−(y² − w) t/(2(1−t)))) over y ≥ √w.
func mixForwardDelta(epsilon float64, k int, s float64) float64 {
	if math.IsNaN(epsilon) {
		return 1
	}
	ell, e := mixOffset(epsilon, k, s)
	return mixForwardAt(2*s*(e+ell), e, k, s)
}

// mixForwardAt is mixForwardDelta at the ε = e that belongs to w.
func mixForwardAt(w, e float64, k int, s float64) float64 {
	if !(w > 0) {
		return mixMargin(-math.Expm1(e))
	}
	var tail quad.ChiTail
	a, above := tail.LogSF(w, k)
	b := e + quad.LogChiSquareSF(w/s*(1+s), k)
	if math.IsInf(a, -1) {
		return math.SmallestNonzeroFloat64
	}
	if b < a-math.Ln2 {
		return mixMargin(-math.Exp(a)*math.Expm1(b-a), a, b, e)
	}
	y := math.Sqrt(w)
	fall := func(u float64) float64 { return -u * (2*y + u) / (2 * s) } // to √w + u
	mode := math.Sqrt(float64(k - 1))
	if y >= mode {
		if !above {
			tail = quad.ChiAbove(w, k, math.Inf(1))
		}
		peak := quad.LogChiPDF(w, k)
		return mixMargin(math.Exp(peak)*tail.Gain(fall), peak)
	}
	peak := quad.LogChiPDF(float64(k-1), k)
	tail = quad.ChiBelow(float64(k-1), k, mode-y)
	low := tail.Gain(func(u float64) float64 { return fall(mode - u - y) })
	tail = quad.ChiAbove(float64(k-1), k, math.Inf(1))
	high := tail.Gain(func(u float64) float64 { return fall(mode + u - y) })
	return mixMargin(math.Exp(peak)*(low+high), peak)
}

// mixBackwardDelta is the profile from the dataset without the row to the one with it:
//
//	δ = P(χ² ≤ v) − e^ε P(χ² ≤ v (1−t)),  v = (2/t) (−ε − (k/2) ln(1−t)),
//
// 0 where v ≤ 0, rounded up; see [mixForwardDelta].
func mixBackwardDelta(epsilon float64, k int, s float64) float64 {
	if math.IsNaN(epsilon) {
		return 1
	}
	ell, e := mixOffset(epsilon, k, s)
	v := 2 * (1 + s) * (ell - e)
	if !(v > 0) {
		return 0
	}
	var tail quad.ChiTail
	a, below := tail.LogCDF(v, k)
	b := e + quad.LogChiSquareCDF(v/(1+s)*s, k)
	if math.IsInf(a, -1) {
		return math.SmallestNonzeroFloat64
	}
	if b < a-math.Ln2 {
		return mixMargin(-math.Exp(a)*math.Expm1(b-a), a, b, e)
	}
	y := math.Sqrt(v)
	fall := func(u float64) float64 { return -u * (2*y - u) / (2 * (1 + s)) } // to √v − u
	mode := math.Sqrt(float64(k - 1))
	if y <= mode {
		if !below {
			tail = quad.ChiBelow(v, k, y)
		}
		peak := quad.LogChiPDF(v, k)
		return mixMargin(math.Exp(peak)*tail.Gain(fall), peak)
	}
	peak := quad.LogChiPDF(float64(k-1), k)
	low := 0.0
	if mode > 0 {
		tail = quad.ChiBelow(float64(k-1), k, mode)
		low = tail.Gain(func(u float64) float64 { return fall(y - mode + u) })
	}
	tail = quad.ChiAbove(float64(k-1), k, y-mode)
	high := tail.Gain(func(u float64) float64 { return fall(y - mode - u) })
	return mixMargin(math.Exp(peak)*(low+high), peak)
}

// mixReplaceDelta is the profile of both at once: the mean over W of the χ² law of the forward profile at
// ε − L(W), L the ratio back.
func mixReplaceDelta(epsilon float64, k int, s float64) float64 {
	if math.IsNaN(epsilon) {
		return 1
	}
	ell, e := mixOffset(epsilon, k, s)
	return chiMean(k, 1e-12, func(w float64) float64 {
		rest := w / (2 * (1 + s))
		return mixForwardAt(2*s*(e+rest), e+rest-ell, k, s)
	})
}

// chiMean is the mean of f(W), 0 ≤ f ≤ 1, over W of the χ² law with k degrees of freedom, with the error of its
// quadrature added, to the relative tolerance tol; not below 1e-300. f(W) times the density must have one peak.
func chiMean(k int, tol float64, f func(w float64) float64) float64 {
	const step, depth, least = 0.75, 50, 1e-300
	floored := 0.0
	height := func(y float64) float64 {
		v := f(y * y)
		if !(v > least) {
			floored = least // that is what is left out at most
			return math.Inf(-1)
		}
		return quad.LogChiPDF(y*y, k) + math.Log(v)
	}
	// Walk out from the mode of the density to where the integrand has fallen by e^-depth from its top. Over the whole
	// reach the density falls by more than e^-1000.
	const reach = 60
	mode := math.Sqrt(float64(k - 1))
	top := height(mode)
	walk := func(by float64) float64 {
		y := mode
		for range reach {
			if y += by; y <= 0 {
				return 0
			}
			h := height(y)
			top = max(top, h)
			if !math.IsInf(h, -1) && h < top-depth {
				break
			}
		}
		return y
	}
	from, to := walk(-step), walk(step)
	if math.IsInf(top, -1) {
		return least
	}
	// The scale keeps the sum in range where the mean is small.
	value, err := quad.Adaptive(func(y float64) float64 { return math.Exp(height(y) - top) }, from, to, tol)
	return min(1, quad.AddUp(mixMargin(math.Exp(top)*(value+2*err), top, float64(k)), floored))
}
