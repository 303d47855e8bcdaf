package accountant

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// fallCells is the number of cells in which M is taken at its highest: twice as many gain less than a hundredth of Λ.
const fallCells = 96

// fall bounds the profile of a row that goes, where ℓ' has one sign, for ε > 0, rounded up, by the noise that must fall along it
// (docs/theory/mechanisms.md#a-row-that-goes): with w = e^ε
//
//	δ(ε) ≤ ∫ M(g) dg over g in [0, s],   M(g) = max over b ≤ z of φ(b − g) − (w φ(b) − φ(b − g))/r(g),  z = ε/g + g/2,
//
// where M(g) = φ(z − g) for g² ≥ 2ε, as in δ_G(ε, s), below which it is not: so that it bounds a row that comes as well. For smaller g M
// rises with g at the same r, and with r: in each cell it is at most that of the right end with the largest r, which steepest returns.
func fall(epsilon, s float64, steepest func(lo, hi float64) float64) float64 {
	if !(epsilon > 0) || !(epsilon < 600) || !(s > 0x1p-500 && s < 0x1p500) {
		return 1
	}
	w := math.Exp(epsilon)
	rises := min(s, math.Sqrt(2*epsilon)*(1-0x1p-50))
	sum, root := 0.0, 0.0
	for i := fallCells; i > 0; i-- { // from the right: the best b rises
		lo, hi := rises*float64(i-1)/fallCells, rises*float64(i)/fallCells*(1+0x1p-50)
		var m float64
		m, root = highest(hi, steepest(lo, hi), epsilon, w, root)
		sum += m
	}
	delta := quad.Inflate(sum*rises/fallCells, 0x1p-44)
	if rises < s {
		whole := gaussianDelta(epsilon, s)
		delta += whole - gaussianDelta(epsilon, rises) + 0x1p-44*whole
	}
	return min(1, quad.Inflate(max(0, delta), 0x1p-50)+0x1p-1000) // where numbers are subnormal roundings are not small beside them
}

// fall is that of the logistic loss, along which r(g) = p(1−p)C²/Λ where g = ps.
func (l objectiveLoss) fall(epsilon float64) float64 {
	return fall(epsilon, l.s, func(lo, hi float64) float64 {
		p := min(max(lo/l.s, 0.5), hi/l.s)
		return l.bend * p * max(0, 1-p+0x1p-50) * (1 + 0x1p-48)
	})
}

// highest is M(g) for one r, rounded up, and the b near which it is taken, looked for from near on; 0 < g² ≤ 2ε. That b is where
//
//	F(b) = ln(1 − g/b) + bg − g²/2 − ε + ln(1 + r)
//
// rises through 0, or z. F is concave on b > g, of slope at least g: Newton's steps are left of the root from the second on, and
// the root is at most −F/g away. Between the two what M is the maximum of rises by w b φ(b)(1 − e^F)/r at most.
func highest(g, r, epsilon, w, near float64) (m, at float64) {
	const most = 0.3989422804014328 // φ(0), which M is never above
	z := epsilon/g + g/2
	if !(z > g) || !(r > 0) {
		return most, near
	}
	b, logR := z, math.Log1p(r)
	if g*(1+r) < z*r && near > g { // F(z) > 0
		b = min(near, z)
	}
	rounding := 0x1p-45 * (1 + z*g + epsilon + logR)
	for range 60 {
		f := math.Log((b-g)/b) + (b*g - g*g/2 - epsilon) + logR
		if math.Abs(f) < 0x1p-24 || b == z && f <= 0 {
			// What may be missed: the root is in [b − off/g, b + off/g], but no more than z.
			off := rounding
			if b < z || f > 0 {
				off += math.Abs(f)
			}
			first := max(1, b-off/g) // x φ(x) falls from 1 on
			part := first * math.Expm1(off) * (off / g) / r
			missed := most * part * math.Exp(epsilon-first*first/2)
			with := quad.NormalPDF(b-g, 0)
			m = with*(1-math.Expm1(max(0, epsilon+g*g/2-b*g-rounding))/r) + missed
			if m *= 1 + 0x1p-44; !(m <= most) {
				m = most
			}
			return m, b
		}
		next := b - f*b*(b-g)/(g*(1+b*(b-g)))
		if !(next > g) {
			next = g + (b-g)/8
		}
		b = min(next, z)
	}
	return most, near
}
