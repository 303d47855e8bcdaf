package quad

import (
	"math"
	"sync"
)

// GOETail (docs/theory/mechanisms.md#largest-eigenvalue-of-symmetric-noise) bounds the probability that the largest eigenvalue of the Gaussian Orthogonal Ensemble exceeds lam, from
// above: the matrix (Z + Zᵀ)/√2 of a d × d matrix Z of independent standard normal entries has off-diagonal
// variance 1 and diagonal variance 2. The bound is the expected number of eigenvalues above lam: it
// may exceed 1, and is tight in the tail (relative excess 1e-3 at 0.05, 1e-6 at 1e-4). d must be at least 1.
//
// The number has the density (Mehta 2004, "Random Matrices", chapter 7; x = lam/√2)
//
//	S(x) = Σ_{j<d} ψ_j² + √(d/2) ψ_{d−1} (Ψ_d(x) − Ψ_d(∞)/2) + [d odd] ψ_{d−1}/Ψ_{d−1}(∞)
//
// for the orthonormal Hermite functions ψ_j and their antiderivatives Ψ_j.
func GOETail(d int, lam float64) float64 {
	if d < 1 || math.IsNaN(lam) {
		return math.NaN()
	}
	// All eigenvalues lie in ±(√(2d) + 12), up to e^-100.
	edge := math.Sqrt(2*float64(d)) + 12
	lo := max(lam/math.Sqrt2, -edge)
	hi := max(lo+12, edge) // beyond, the density falls faster than e^(-x²)
	// Half a unit holds few waves of ψ: their length is 2π/√(2d).
	width := min(0.5, 8/math.Sqrt(float64(d)))
	panels := max(1, int(math.Ceil((hi-lo)/width)))
	sum := 0.0
	for i := range panels {
		a := lo + (hi-lo)*float64(i)/float64(panels)
		b := lo + (hi-lo)*float64(i+1)/float64(panels)
		sum += Legendre(func(x float64) float64 { return goeDensity(d, x) }, a, b)
	}
	return Inflate(max(0, sum), 1e-11)
}

// goeDensity is S_d(x).
func goeDensity(d int, x float64) float64 {
	const rootPi4 = 1.331335363800389712797534917950285543718 // π^¼
	// ψ_j = p e^scale; both are renewed before they leave the range of float64.
	scale := -x * x / 2
	prev, p := 0.0, 1/rootPi4
	// g = Ψ_j(x) − Ψ_j(∞)/2 obeys the recurrence of Ψ, as Ψ_{j+1}(∞) = √(j/(j+1)) Ψ_{j−1}(∞).
	gPrev := 0.0
	g := math.Sqrt(2*math.Pi) / rootPi4 * math.Erf(x/math.Sqrt2) / 2
	inf := math.Sqrt(2*math.Pi) / rootPi4 // Ψ_j(∞) for even j
	sum := 0.0
	for j := range d {
		psi := p * math.Exp(scale)
		sum += psi * psi
		n := float64(j)
		gNext := -math.Sqrt(2/(n+1)) * psi
		if j > 0 {
			gNext += math.Sqrt(n/(n+1)) * gPrev
		}
		gPrev, g = g, gNext
		if j == d-1 {
			s := sum + math.Sqrt(float64(d)/2)*psi*g
			if d%2 == 1 {
				s += psi / inf
			}
			return s
		}
		prev, p = p, math.Sqrt(2/(n+1))*x*p-math.Sqrt(n/(n+1))*prev
		if j%2 == 1 {
			inf *= math.Sqrt(n / (n + 1))
		}
		if size := math.Abs(p) + math.Abs(prev); size > 0x1p400 {
			prev, p, scale = prev*0x1p-400, p*0x1p-400, scale+400*math.Ln2
		}
	}
	return sum
}

// GOEQuantile returns a λ that the largest eigenvalue of the d × d ensemble of [GOETail] exceeds with a
// probability of at most q, 0 < q < 1: the least by the bound of GOETail, for q above 0.1, where that is loose, by
// [GOEExceeds], or the closed one 2 E‖N(0, I_d)‖ + 2√ln(1/q) (Gordon's inequality and concentration) where that is lower or
// d is above 2000. It is rounded up, and NaN outside these ranges. By symmetry the largest absolute eigenvalue exceeds it
// with a probability of at most 2q. Quantiles take milliseconds and are remembered.
func GOEQuantile(d int, q float64) float64 {
	if d < 1 || !(q > 0 && q < 1) {
		return math.NaN()
	}
	key := goeKey{d, q}
	if v, ok := goeQuantiles.Load(key); ok {
		return v.(float64)
	}
	v := goeQuantile(d, q)
	goeQuantiles.Store(key, v)
	return v
}

type goeKey struct {
	d int
	q float64
}

var goeQuantiles sync.Map // goeKey → quantile

func goeQuantile(d int, q float64) float64 {
	const largest = 2000
	// E‖g‖ ≤ √d.
	closed := Inflate(2*math.Sqrt(float64(d))+2*math.Sqrt(-Log(q)), 0x1p-50)
	if d > largest {
		return closed
	}
	tail := GOETail
	if q > 0.1 && d <= goeExactLargest {
		tail = GOEExceeds
	}
	logQ := Log(q)
	f := func(lam float64) float64 { return Log(tail(d, lam)) - logQ }
	lo := -2 * math.Sqrt(float64(d))
	if f(lo) < 0 {
		return closed
	}
	b, err := Brent(f, Bracket{Lo: lo, Hi: closed + 1, FLo: f(lo), FHi: f(closed + 1)})
	if err != nil {
		return closed
	}
	lam := b.Hi
	for step := 0x1p-50; tail(d, lam) > q && step < 1e-6; step *= 2 {
		lam += step * (1 + math.Abs(lam))
	}
	if tail(d, lam) > q {
		return closed
	}
	return min(lam, closed)
}
