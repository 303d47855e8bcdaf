package linear

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/internal/noise"
)

func relativeNoisesOf(t *testing.T, d int, size, eta, absolute float64) relativeNoises {
	t.Helper()
	g := must(NewRelativeNoise(d, size, size*0x1p-48))
	return must(CalibrateRelative(g, accountant.Budget{Epsilon: 1, Delta: 1e-6}, accountant.ReplaceOne, 5, eta, absolute, absolute))
}

// TestAttackRelativeNoise: whatever two vectors with the declared relative sensitivity are, displaced in floating point and
// rounded to the grid, the noise that is drawn for them is within the curve that is charged, at every order; and the
// closest pairs nearly attain it.
func TestAttackRelativeNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	for _, c := range []struct {
		d             int
		eta, absolute float64
	}{{1, 0.01, 1e-3}, {3, 1e-3, 1e-4}, {8, 0.005, 0}, {2, 1e-4, 3e-8}} {
		const size = 10
		p := relativeNoisesOf(t, c.d, size, c.eta, c.absolute)
		draw := must(p.At(c.eta, c.absolute))
		curve, err := p.mechanism.RDP(accountant.ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		h := p.grid.Step()
		closest := 0.0
		for range 4000 {
			// A vector of any size, and one as far away as allowed, mostly straight towards 0 or away from it.
			a := math.Exp(math.Log(size*0.9) - 14*rng.Float64())
			if rng.IntN(10) == 0 {
				a = 0
			}
			q := make([]float64, c.d)
			q[0] = a
			to := make([]float64, c.d)
			for j := range to {
				to[j] = rng.NormFloat64() * math.Exp(-8*rng.Float64())
			}
			to[0] = math.Copysign(1, rng.NormFloat64())
			if rng.IntN(3) == 0 && c.d > 1 {
				to[0], to[1] = 0, 1
			}
			far := num.Norm2(to)
			// ‖q − q'‖² = η² min² + R²: by bisection over the distance.
			other := make([]float64, c.d)
			at := func(s float64) bool {
				for j := range other {
					other[j] = q[j] + s*to[j]/far
				}
				least := min(a, num.Norm2(other))
				return s*s <= c.eta*c.eta*least*least+c.absolute*c.absolute
			}
			lo, hi := 0.0, c.eta*a+c.absolute+1e-300
			for range 80 {
				if mid := lo + (hi-lo)/2; at(mid) {
					lo = mid
				} else {
					hi = mid
				}
			}
			at(lo)
			// What floating point may do, and the grid does.
			var square [2]float64
			var gap float64
			for j := range q {
				x := math.RoundToEven((q[j] + p.off/math.Sqrt(float64(c.d))*rng.Float64()) / h)
				y := math.RoundToEven((other[j] - p.off/math.Sqrt(float64(c.d))*rng.Float64()) / h)
				square[0] += x * x
				square[1] += y * y
				gap += (x - y) * (x - y)
			}
			var v [2]float64
			for i := range v {
				v[i] = p.deviation(square[i], draw)
				v[i] *= v[i]
			}
			for _, share := range []float64{0.02, 0.3, 0.9} {
				alpha := 1 + share/(p.mechanism.Eta*(2+p.mechanism.Eta))
				for _, pair := range [][2]float64{v, {v[1], v[0]}} {
					got, err := accountant.SphericalPair{Distance: math.Sqrt(gap), From: pair[0], To: pair[1], Coordinates: c.d}.Divergence(alpha)
					if err != nil {
						t.Fatal(err)
					}
					ratio := got / curve(alpha)
					if !(ratio <= 1+1e-9) {
						t.Fatalf("%+v, order %g, norms %g and %g: divergence is %.12g of the curve", c, alpha, math.Sqrt(square[0])*h, math.Sqrt(square[1])*h, ratio)
					}
					closest = max(closest, ratio)
				}
			}
		}
		t.Logf("%+v: worst %.6f of the curve", c, closest)
		if closest < 0.95 {
			t.Errorf("%+v: no pair comes closer than %.3f", c, closest)
		}
	}
}

// TestRelativeNoiseLaw: the second moment of the noise is s², on the grid. With 40000 draws it is off by more than 0.05 with
// probability below 1e-11 (χ² tails, for d = 2).
func TestRelativeNoiseLaw(t *testing.T) {
	p := relativeNoisesOf(t, 2, 10, 0.01, 1e-3)
	draw := must(p.At(0.01, 1e-3))
	rng := noise.New()
	for _, q := range [][]float64{{0, 0}, {3, -4}} {
		const n = 20000
		s := math.Sqrt(draw.Gamma) * math.Hypot(num.Norm2(q), draw.Absolute/draw.Eta)
		var squares float64
		for range n {
			got := must(p.Draw(rng, q, draw))
			for j, x := range got {
				squares += (x - q[j]) * (x - q[j]) / (s * s)
				if k := x / p.grid.Step(); k != math.Trunc(k) {
					t.Fatalf("%v is off the grid", x)
				}
			}
		}
		if r := squares / (2 * n); math.Abs(r-1) > 0.05 {
			t.Errorf("at %v: variance %.4f of the stated", q, r)
		}
	}
}

func TestRelativePlanLowersNoise(t *testing.T) {
	p := relativeNoisesOf(t, 3, 10, 0.01, 1e-3)
	full, half := must(p.At(0.01, 1e-3)), must(p.At(0.005, 5e-4))
	if !(half.Gamma < full.Gamma/3.9) || !(half.Absolute < full.Absolute) {
		t.Errorf("half the sensitivity: %+v, full %+v", half, full)
	}
	// Its curve is nowhere above that of the plan.
	r := p.mechanism
	r.Eta, r.Gamma = half.Eta, half.Gamma
	r = must(r.Widened(p.widening))
	low, high := must(r.RDP(accountant.ReplaceOne)), must(p.mechanism.RDP(accountant.ReplaceOne))
	for i := range 200 {
		alpha := 1 + math.Exp(float64(i)/20-6)
		if low(alpha) > high(alpha)*(1+1e-12) {
			t.Errorf("order %g: %g above %g", alpha, low(alpha), high(alpha))
		}
	}
	if _, err := p.At(0.011, 1e-3); err == nil {
		t.Error("a larger sensitivity than was paid for: no error")
	}
}

func TestRelativeNoiseErrors(t *testing.T) {
	b := accountant.Budget{Epsilon: 1, Delta: 1e-6}
	for _, c := range []struct {
		name          string
		max           float64
		eta, absolute float64
		n             int
		says          string
	}{
		{"no size", 0, 0.1, 1, 1, "norm"},
		{"NaN size", math.NaN(), 0.1, 1, 1, "norm"},
		{"η = 0", 1, 0, 1, 1, "η"},
		{"NaN η", 1, math.NaN(), 1, 1, "η"},
		{"negative R", 1, 0.1, -1, 1, "R = -1"},
		{"NaN R", 1, 0.1, math.NaN(), 1, "R = NaN"},
		{"no draw", 1, 0.01, 1, 0, ""},
		{"R below the grid", 1, 0.01, 1e-30, 1, "float64"},
		{"η too large", 1, 0.9, 1, 50, "smallest feasible"},
	} {
		g, err := NewRelativeNoise(10, c.max, 0)
		if err == nil {
			_, err = CalibrateRelative(g, b, accountant.ReplaceOne, c.n, c.eta, c.absolute, c.absolute)
		}
		if !errors.Is(err, kind.ErrParameter) && !errors.Is(err, accountant.ErrParameter) && !errors.Is(err, accountant.ErrEpsilon) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
}
