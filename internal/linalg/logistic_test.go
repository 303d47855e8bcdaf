package linalg

import (
	"math"
	"math/big"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

// exp is e^x with 120 bits, by halving x until the series is short.
func exp(x float64) *big.Float {
	const prec, halvings = 200, 20
	r := new(big.Float).SetPrec(prec).SetFloat64(x)
	r.SetMantExp(r, -halvings)
	sum, term := big.NewFloat(1).SetPrec(prec), big.NewFloat(1).SetPrec(prec)
	for i := 1; i < 16; i++ {
		term.Mul(term, r)
		term.Quo(term, big.NewFloat(float64(i)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// TestLogisticFactors: the error of the sigmoid against 120 bits over the range of margins, and the clipping.
func TestLogisticFactors(t *testing.T) {
	everyISA(t, func(t *testing.T, s isa) {
		single.Goroutine(t)
		rng := shapeRNG(31)
		worst := 0.0
		for n := 1; n < 70; n++ {
			m, sq, y, f := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
			for i := range m {
				m[i] = rng.NormFloat64() * math.Ldexp(1, rng.IntN(30)-20)
				if m[i] = max(min(m[i], 700), -700); rng.IntN(9) == 0 {
					m[i] = (rng.Float64() - 0.5) * 1400
				}
				sq[i] = 1 + 9*rng.Float64()
				y[i] = float64(rng.IntN(2))
			}
			clip, scale := 0.7, 1000.0
			if n%2 == 0 {
				clip = math.Inf(1)
			}
			if err := LogisticFactors(f, guarded(m), guarded(sq), guarded(y), clip, scale); err != nil {
				t.Fatal(err)
			}
			for i, got := range f {
				q := 1 - 2*y[i]
				one := big.NewFloat(1).SetPrec(200)
				sigma := exp(-q * m[i])
				sigma.Quo(one, sigma.Add(sigma, one))
				want := sigma
				if root := new(big.Float).SetPrec(200).SetFloat64(sq[i]); !math.IsInf(clip, 1) {
					root.Sqrt(root)
					root.Quo(big.NewFloat(clip).SetPrec(200), root)
					if root.Cmp(want) < 0 {
						want = root
					}
				}
				want.Mul(want, big.NewFloat(q*scale))
				e := new(big.Float).Sub(new(big.Float).SetFloat64(got), want)
				e.Quo(e, want)
				off, _ := e.Float64()
				worst = max(worst, math.Abs(off))
				if !(math.Abs(off) <= 0x1p-49) {
					t.Fatalf("margin %g, label %g: %.17g is off by %g", m[i], y[i], got, off)
				}
				if norm := math.Abs(got) * math.Sqrt(sq[i]); !(norm <= clip*scale*(1+0x1p-49)) {
					t.Fatalf("a gradient of norm %g, clipped at %g", norm, clip*scale)
				}
			}
		}
		t.Logf("largest relative error %.3g ulp", worst*0x1p53)
	})
}

// TestLogisticEdges: margins and squares at and beyond the ends of their ranges.
func TestLogisticEdges(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	everyISA(t, func(t *testing.T, _ isa) {
		for _, c := range []struct {
			name             string
			m, sq, y, lo, hi float64
		}{
			{"0", 0, 1, 0, 0.5, 0.5},
			{"-0", math.Copysign(0, -1), 1, 0, 0.5, 0.5},
			{"0, class 1", 0, 1, 1, -0.5, -0.5},
			{"no row", 0, 0, 1, -0.5, -0.5},
			{"certain", inf, 1, 0, 1, 1},
			{"certain, class 1", inf, 1, 1, -1e-300, 0},
			{"the other way", -inf, 1, 0, 0, 1e-300},
			{"largest margin", math.MaxFloat64, 1, 1, -1e-300, 0},
			{"tiny margin", 5e-324, 1, 0, 0.5, 0.5},
			{"clipped", inf, 16, 0, 0.5, 0.5},
			{"largest square", inf, math.MaxFloat64, 0, 1e-155, 2e-154},
			{"infinite row", 1, inf, 0, 0, 0},
			{"NaN row", nan, nan, 0, 0, 0},
			{"NaN margin", nan, 1, 0, 0, 0},
			{"NaN square", 0, nan, 0, 0, 0},
			{"NaN label", 0, 1, nan, 0, 0},
		} {
			for n := 1; n <= 17; n += 4 {
				f, m, sq, y := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
				m[n-1], sq[n-1], y[n-1] = c.m, c.sq, c.y
				if err := LogisticFactors(f, m, sq, y, 2, 1); err != nil {
					t.Fatal(err)
				}
				if got := f[n-1]; !(got >= c.lo && got <= c.hi) {
					t.Errorf("%s: got %g, want %g to %g", c.name, got, c.lo, c.hi)
				}
			}
		}
	})
}
