package accountant

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// TestSphericalPairOnTheLine: on the line the loss exceeds ε between or beyond the roots of a parabola, and the moment is
// an integral.
func TestSphericalPairOnTheLine(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 92))
	for range 60 {
		p := SphericalPair{Distance: 2 * rng.Float64(), From: math.Exp(rng.NormFloat64()), To: math.Exp(rng.NormFloat64()), Coordinates: 1}
		for _, eps := range []float64{-1, 0, 0.5, 2} {
			// The loss at x is a x² + b x + c.
			a, b := 1/(2*p.To)-1/(2*p.From), -p.Distance/p.To
			c := p.Distance*p.Distance/(2*p.To) + math.Log(p.To/p.From)/2 - eps
			inside := func(mean, variance float64) float64 { // of the interval between the roots
				root := math.Sqrt(max(0, b*b-4*a*c)) / (2 * math.Abs(a))
				lo, hi := (-b/(2*a)-root-mean)/math.Sqrt(variance), (-b/(2*a)+root-mean)/math.Sqrt(variance)
				return quad.NormalCDF(hi) - quad.NormalCDF(lo)
			}
			want := inside(0, p.From) - math.Exp(eps)*inside(p.Distance, p.To)
			if a > 0 {
				want = 1 - inside(0, p.From) - math.Exp(eps)*(1-inside(p.Distance, p.To))
			}
			got := must[float64](t)(p.Delta(eps))
			if !(got >= want-1e-14) || got > want*(1+1e-10)+1e-14 {
				t.Errorf("%+v at ε = %g: got %.15g, want %.15g", p, eps, got, want)
			}
		}
		for _, alpha := range []float64{1.5, 2, 4} {
			want := 0.0
			reach := 40 * math.Sqrt(max(p.From, p.To))
			mixed := alpha*p.To + (1-alpha)*p.From
			got := must[float64](t)(p.Divergence(alpha))
			if mixed <= 0.05*p.To {
				if mixed <= 0 && !math.IsInf(got, 1) {
					t.Errorf("%+v at order %g: got %g, want +Inf", p, alpha, got)
				}
				continue
			}
			reach = max(reach, 40*math.Sqrt(p.From*p.To/mixed)) + 40*p.Distance*p.From/mixed
			for x := -reach; x < reach; x += reach / 100 {
				v, _ := quad.Adaptive(func(x float64) float64 {
					a := -x*x/(2*p.From) - math.Log(p.From)/2
					b := -(x-p.Distance)*(x-p.Distance)/(2*p.To) - math.Log(p.To)/2
					return math.Exp(alpha*a+(1-alpha)*b) / math.Sqrt(2*math.Pi)
				}, x, x+reach/100, 1e-12)
				want += v
			}
			if want = math.Log(want) / (alpha - 1); math.Abs(got-want) > 1e-9*(1+want) {
				t.Errorf("%+v at order %g: got %.12g, want %.12g", p, alpha, got, want)
			}
		}
	}
}

// TestSphericalPairSimulated draws losses in several dimensions: E(1 − e^(ε−L))₊ is off by more than 0.0071 with
// probability below 1e-11 each (Hoeffding 1963), 1e-10 in all.
func TestSphericalPairSimulated(t *testing.T) {
	const n = 250_000
	tol := math.Sqrt(math.Log(2/1e-11) / (2 * n))
	rng := rand.New(rand.NewPCG(93, 94))
	for _, p := range []SphericalPair{{1, 4, 3, 3}, {0.5, 0.9, 1, 10}, {0.3, 2, 1, 6}} {
		excess := [2]float64{}
		for range n {
			loss := float64(p.Coordinates) / 2 * math.Log(p.To/p.From)
			for j := range p.Coordinates {
				y := math.Sqrt(p.From) * rng.NormFloat64()
				shift := 0.0
				if j == 0 {
					shift = p.Distance
				}
				loss += (y-shift)*(y-shift)/(2*p.To) - y*y/(2*p.From)
			}
			for i, eps := range [2]float64{0, 0.6} {
				excess[i] += max(0, -math.Expm1(eps-loss)) / n
			}
		}
		for i, eps := range [2]float64{0, 0.6} {
			if got := must[float64](t)(p.Delta(eps)); math.Abs(got-excess[i]) > tol {
				t.Errorf("%+v at ε = %g: got %g, losses have %g ± %g", p, eps, got, excess[i], tol)
			}
		}
	}
}

// TestRelativeGaussianCoversPairs: the (ε, δ) of a relative Gaussian is never below the exact divergence of a pair
// that its sensitivity allows.
func TestRelativeGaussianCoversPairs(t *testing.T) {
	r := RelativeGaussian{Eta: 0.1, Gamma: 0.5, Dim: 4, Matched: 1, Neighbours: ReplaceOne}
	for _, eps := range []float64{0.1, 1} {
		g, err := DeltaOf(r, ReplaceOne, eps)
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for i := range 6 {
			b := 1 / (1 + 0.1*float64(i)/5) // norms 1 and b, at the largest distance
			d := 0.1 * b
			for _, p := range []SphericalPair{{d, r.Gamma, r.Gamma * b * b, 4}, {d, r.Gamma * b * b, r.Gamma, 4}} {
				worst = max(worst, must[float64](t)(p.Delta(eps)))
			}
		}
		if worst > g.Delta || worst < 1e-3*g.Delta {
			t.Errorf("ε = %g: a pair has δ = %g, the price is %g", eps, worst, g.Delta)
		}
	}
}

func TestSphericalPairEdges(t *testing.T) {
	equal := SphericalPair{Distance: 1, From: 4, To: 4, Coordinates: 7}
	if got, want := must[float64](t)(equal.Delta(0.3)), gaussianDelta(0.3, 0.5); got < want || got > want*(1+1e-12) {
		t.Errorf("equal variances: δ = %g, want %g", got, want)
	}
	if got := must[float64](t)(equal.Divergence(3)); math.Abs(got-3./8) > 1e-12 {
		t.Errorf("equal variances: D = %g, want 3/8", got)
	}
	near := SphericalPair{Distance: 1, From: 4, To: 4 * (1 + 1e-9), Coordinates: 7}
	if got, want := must[float64](t)(near.Delta(0.3)), gaussianDelta(0.3, 0.5); got < want*(1-1e-7) || got > want*(1+1e-3) {
		t.Errorf("nearly equal variances: δ = %g, want %g", got, want)
	}
	if got := must[float64](t)(SphericalPair{From: 1, To: 1, Coordinates: 1}.Divergence(math.Inf(1))); got != 0 {
		t.Errorf("equal laws: D = %g", got)
	}
	narrow := SphericalPair{Distance: 1, From: 1, To: 2, Coordinates: 3}
	if got, want := must[float64](t)(narrow.Divergence(math.Inf(1))), 0.5+1.5*math.Ln2; math.Abs(got-want) > 1e-12 {
		t.Errorf("max-divergence: got %g, want %g", got, want)
	}
	if far, most := must[float64](t)(narrow.Divergence(1e9)), must[float64](t)(narrow.Divergence(math.Inf(1))); far > most || far < 0.99*most {
		t.Errorf("D at order 1e9 is %g, the max-divergence %g", far, most)
	}
	if got := must[float64](t)(narrow.Delta(0.5 + 1.5*math.Ln2 + 1e-9)); got > 1e-12 {
		t.Errorf("beyond the largest loss: δ = %g", got)
	}
	for name, p := range map[string]SphericalPair{
		"distance":      {-1, 1, 1, 1},
		"NaN distance":  {math.NaN(), 1, 1, 1},
		"variance from": {1, 0, 1, 1},
		"variance to":   {1, 1, math.NaN(), 1},
		"coordinates":   {1, 1, 1, 0},
	} {
		_, err1 := p.Delta(1)
		_, err2 := p.Divergence(2)
		if !errors.Is(err1, ErrParameter) || !errors.Is(err2, ErrParameter) {
			t.Errorf("%s: got %v and %v, want ErrParameter", name, err1, err2)
		}
	}
	if _, err := equal.Delta(math.NaN()); !errors.Is(err, ErrEpsilon) {
		t.Errorf("NaN ε: got %v", err)
	}
	if _, err := equal.Divergence(1); !errors.Is(err, ErrOrder) {
		t.Errorf("order 1: got %v", err)
	}
}

// FuzzSphericalPair: whatever the pair, its divergences are errors or sound: within range, falling with ε, rising with the
// order, and not below what the single coordinate along the difference of the means shows.
func FuzzSphericalPair(f *testing.F) {
	f.Add(1.0, 4.0, 3.0, 3, 0.3)
	f.Add(0.0, 1.0, 1.0000001, 40, 0.0)
	f.Add(1e-9, 1e-3, 1e3, 1, 5.0)
	f.Fuzz(func(t *testing.T, distance, from, to float64, coordinates int, eps float64) {
		p := SphericalPair{distance, from, to, coordinates % 200}
		d, err := p.Delta(eps)
		if err != nil {
			return
		}
		if !(d >= max(0, -math.Expm1(eps))*(1-1e-12) && d <= 1) {
			t.Fatalf("%+v: δ(%g) = %g", p, eps, d)
		}
		if more, err := p.Delta(eps + 0.1 + math.Abs(eps)); err != nil || more > d*(1+1e-9)+1e-300 {
			t.Fatalf("%+v: δ rises from %g at %g to %g, %v", p, d, eps, more, err)
		}
		if p.Coordinates > 1 && math.Abs(math.Log(from/to)) < 20 {
			line := p
			line.Coordinates = 1
			if one, err := line.Delta(eps); err != nil || one > d*(1+1e-9)+1e-300 {
				t.Fatalf("%+v at %g: δ = %g, of one coordinate %g, %v", p, eps, d, one, err)
			}
		}
		last := 0.0
		for _, alpha := range []float64{1.1, 2, 9, math.Inf(1)} {
			v, err := p.Divergence(alpha)
			if err != nil || !(v >= last*(1-1e-9)) {
				t.Fatalf("%+v: D_%g = %g after %g, %v", p, alpha, v, last, err)
			}
			last = v
		}
	})
}
