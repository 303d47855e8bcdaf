package accountant

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// bentLoss is a loss of slope 1 on the line: ℓ' rises from lo to 1 with the given curvature, from the margin at on. It is a Huber
// loss for lo = −1, a squared hinge that ends in a line for lo = −1 and one-sided use, and has no second derivative at its bends.
type bentLoss struct{ at, curvature, lo float64 }

func (l bentLoss) slope(m float64) float64 {
	return min(1, max(l.lo, l.lo+l.curvature*(m-l.at)))
}

func (l bentLoss) bends() [2]float64 { return [2]float64{l.at, l.at + (1-l.lo)/l.curvature} }

// bentPair is a one-dimensional problem: background rows, and a row x that one side has.
type bentPair struct {
	sigma, lambda float64
	back          []bentLoss // with rows of 1
	x             float64
	row           bentLoss
}

// noise returns the b of which θ is the minimiser, and −db/dθ.
func (p bentPair) noise(theta float64, with bool) (b, rate float64) {
	add := func(l bentLoss, x float64) {
		b -= x * l.slope(x*theta)
		if e := l.bends(); x*theta > e[0] && x*theta < e[1] {
			rate += x * x * l.curvature
		}
	}
	b, rate = -p.lambda*theta, p.lambda
	for _, l := range p.back {
		add(l, 1)
	}
	if with {
		add(p.row, p.x)
	}
	return b, rate
}

// delta is the exact profile, of the laws with the row against those without or the other way round: between the bends b is
// linear in θ, so that ln(P/Q) is a parabola, whose roots part the line into pieces that are differences of Φ.
func (p bentPair) delta(epsilon float64, removed bool) float64 {
	var cuts []float64
	for _, l := range append(slices.Clone(p.back), p.row) {
		x := 1.0
		if l == p.row {
			x = p.x
		}
		e := l.bends()
		cuts = append(cuts, e[0]/x, e[1]/x)
	}
	far := 60*p.sigma/p.lambda + float64(len(p.back)+2)*2/p.lambda
	cuts = append(cuts, -far, far)
	slices.Sort(cuts)
	excess := func(theta float64) float64 {
		mine, theirs := p.logDensity(theta, removed), p.logDensity(theta, !removed)
		return mine - theirs - epsilon
	}
	sum := 0.0
	for i := range len(cuts) - 1 {
		lo, hi := math.Max(cuts[i], -far), math.Min(cuts[i+1], far)
		if !(hi > lo) {
			continue
		}
		// The parabola through three points inside.
		m, w := (lo+hi)/2, (hi-lo)/4
		f0, f1, f2 := excess(m-w), excess(m), excess(m+w)
		a, b, c := (f0+f2-2*f1)/2, (f2-f0)/2, f1
		edges := []float64{-2, 2}
		if disc := b*b - 4*a*c; disc > 0 {
			q := -(b + math.Copysign(math.Sqrt(disc), b)) / 2
			for _, u := range []float64{q / a, c / q} {
				if u > -2 && u < 2 {
					edges = append(edges, u)
				}
			}
		}
		slices.Sort(edges)
		for k := range len(edges) - 1 {
			u, v := edges[k], edges[k+1]
			if mid := (u + v) / 2; a*mid*mid+b*mid+c > 0 {
				sum += p.mass(m+u*w, m+v*w, removed) - math.Exp(epsilon)*p.mass(m+u*w, m+v*w, !removed)
			}
		}
	}
	return sum
}

func (p bentPair) logDensity(theta float64, with bool) float64 {
	b, rate := p.noise(theta, with)
	return math.Log(rate) - b*b/(2*p.sigma*p.sigma)
}

// mass is the probability of [lo, hi], in which b is falling.
func (p bentPair) mass(lo, hi float64, with bool) float64 {
	x, _ := p.noise(lo, with)
	y, _ := p.noise(hi, with)
	x, y = x/p.sigma, y/p.sigma
	if y > 0 {
		return quad.NormalCDF(-y) - quad.NormalCDF(-x)
	}
	return quad.NormalCDF(x) - quad.NormalCDF(y)
}

// TestAttackGLMPerturbation searches for one-dimensional problems whose exact profile is above the bound, in either direction: Huber
// losses and hinges with bends anywhere, on rows of any size, alone and among others. The bound is nearly attained.
func TestAttackGLMPerturbation(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for _, oneSign := range []bool{true, false} {
		worst, cover := 0.0, 0.0
		for range 4000 {
			sigma := math.Exp(1.5 * r.NormFloat64())
			curvature := math.Exp(2 * r.NormFloat64())
			lambda := curvature * math.Exp(3*r.NormFloat64())
			e := GLMPerturbation{C: 1, Sigma: sigma, Lambda: lambda, Slope: 1, Curvature: curvature, OneSign: oneSign, Neighbours: AddRemove}
			bound := must[transport](t)(e.transport(AddRemove))
			lo := -1.0
			if oneSign {
				lo = 0
			}
			p := bentPair{sigma: sigma, lambda: lambda, x: 1, row: bentLoss{2 * r.NormFloat64() * sigma / lambda, curvature, lo}}
			if r.IntN(4) == 0 {
				p.x = -r.Float64()
			}
			for range r.IntN(2) * r.IntN(5) {
				p.back = append(p.back, bentLoss{2 * r.NormFloat64(), curvature * r.Float64(), -1})
			}
			for range 4 {
				eps := r.ExpFloat64() * (bound.s + bound.det)
				for _, removed := range []bool{true, false} {
					exact := p.delta(eps, removed)
					limit := bound.removed(eps)
					if !removed {
						limit = bound.added(eps)
					}
					if exact > 1e-9 {
						worst = max(worst, exact/limit)
					}
					if exact > limit*(1+1e-7)+1e-12 {
						t.Fatalf("%v, removed %v, ε = %g: exact δ = %g, bound %g, problem %+v", e, removed, eps, exact, limit, p)
					}
				}
			}
			if r.IntN(40) == 0 {
				mu := bound.cover()
				for k := range 8 {
					eps := float64(k) / 2 * (bound.s + bound.det)
					for _, removed := range []bool{true, false} {
						if exact, limit := p.delta(eps, removed), gaussianDelta(eps, mu); exact > limit*(1+1e-7)+1e-12 {
							t.Fatalf("%v, removed %v, ε = %g: exact δ = %g, of the pair with μ = %g: %g", e, removed, eps, exact, mu, limit)
						} else if limit > 1e-9 {
							cover = max(cover, exact/limit)
						}
					}
				}
			}
		}
		t.Logf("one sign %v: exact δ is at most %.6f of the bound, %.4f of the Gaussian pair's", oneSign, worst, cover)
		if worst < 0.98 {
			t.Errorf("one sign %v: exact δ is at most %g of the bound: the attack has lost its teeth", oneSign, worst)
		}
	}
}

// TestGLMPerturbationCover: the Gaussian pair's profile is nowhere below the bound, and touches it somewhere.
func TestGLMPerturbationCover(t *testing.T) {
	for _, oneSign := range []bool{true, false} {
		for _, c := range []struct{ sigma, lambda float64 }{{4, 0.5}, {4, 3}, {4, 40}, {0.5, 0.3}, {40, 300}, {0.25, 5}, {1e3, 1e5}} {
			p := GLMPerturbation{C: 1, Sigma: c.sigma, Lambda: c.lambda, Slope: 1, Curvature: 0.25, OneSign: oneSign, Neighbours: AddRemove}
			mu, tv, err := p.GDP(AddRemove)
			if err != nil || tv != 0 {
				t.Fatal(tv, err)
			}
			bound := must[transport](t)(p.transport(AddRemove))
			closest := 0.0
			for i := range 200 {
				u := float64(i) / 199
				eps := 38 * bound.s * u * u
				d, g := bound.delta(eps), gaussianDelta(eps, mu)
				if d > g*(1+0x1p-36) {
					t.Errorf("%v: at ε = %g the pair with μ = %g has δ = %g, below %g", p, eps, mu, g, d)
				}
				if g > 1e-100 {
					closest = max(closest, d/g)
				}
			}
			t.Logf("%v: μ = %.5g, s = %.5g", p, mu, bound.s)
			if closest < 1-1e-2 {
				t.Errorf("%v: μ = %g is loose: the profile is at most %g of the pair's", p, mu, closest)
			}
			p.Neighbours = ReplaceOne
			if twice, _, err := p.GDP(ReplaceOne); twice != 2*mu || err != nil {
				t.Errorf("%v: got μ = %g, %v, want twice %g", p, twice, err, mu)
			}
		}
	}
}

// TestGLMPerturbationSharpens: the price is nowhere above that of [ObjectivePerturbation], by whose theorem it halves δ.
func TestGLMPerturbationSharpens(t *testing.T) {
	for _, oneSign := range []bool{true, false} {
		for _, eps := range []float64{0.01, 0.3, 1, 2} {
			p := GLMPerturbation{C: 1, Sigma: 4, Lambda: 3, Slope: 1, Curvature: 0.25, OneSign: oneSign, Neighbours: AddRemove}
			o := p.objective()
			if oneSign {
				o.Loss = MonotoneGLM
			}
			got, old := profileAt(t, p, AddRemove, eps), profileAt(t, o, AddRemove, eps)
			if got > old*(1+1e-12) || !oneSign && got > 0.51*old && eps > 0.1 {
				t.Errorf("one sign %v, ε = %g: δ = %g, by |X| %g", oneSign, eps, got, old)
			}
		}
	}
}

func TestCalibrateGLMPerturbation(t *testing.T) {
	good := GLMPerturbation{C: 2, Slope: 1, Curvature: 0.5, Neighbours: AddRemove}
	for _, oneSign := range []bool{true, false} {
		for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
			good := good
			good.OneSign, good.Neighbours = oneSign, rel
			for _, mu := range []float64{0.03, 0.5, 4} {
				free := must[GLMPerturbation](t)(CalibrateGLMPerturbation(mu, good))
				if got, _, err := free.GDP(rel); err != nil || !(got <= mu) || got < mu*(1-1e-3) {
					t.Errorf("%v is %g-GDP, %v, want %g", free, got, err, mu)
				}
				t.Logf("μ = %g: %v", mu, free)
				given := good
				given.Lambda = 4 * free.Lambda
				p := must[GLMPerturbation](t)(CalibrateGLMPerturbation(mu, given))
				if got, _, err := p.GDP(rel); err != nil || !(got <= mu) || got < mu*(1-1e-3) || p.Lambda != given.Lambda || !(p.Sigma < free.Sigma) {
					t.Errorf("%v is %g-GDP, %v, want %g", p, got, err, mu)
				}
			}
			for _, b := range []Budget{{0.1, 1e-6}, {1, 1e-6}, {4, 1e-4}} {
				for _, lambda := range []float64{0, 500} {
					p := good
					p.Lambda = lambda
					p, err := CalibrateGLMPerturbationAlone(b, p)
					if err != nil {
						t.Fatal(err)
					}
					if delta := profileAt(t, p, rel, b.Epsilon); !(delta <= b.Delta) || delta < b.Delta*(1-1e-3) {
						t.Errorf("%v: δ = %g at %+v", p, delta, b)
					}
				}
			}
		}
	}
	for name, c := range map[string]struct {
		mu    float64
		spoil func(*GLMPerturbation)
		want  error
	}{
		"no μ":          {0, func(*GLMPerturbation) {}, ErrParameter},
		"NaN":           {math.NaN(), func(*GLMPerturbation) {}, ErrParameter},
		"no C":          {1, func(p *GLMPerturbation) { p.C = 0 }, ErrParameter},
		"no relation":   {1, func(p *GLMPerturbation) { p.Neighbours = 0 }, ErrNeighbours},
		"negative Λ":    {1, func(p *GLMPerturbation) { p.Lambda = -1 }, ErrParameter},
		"too small a Λ": {0.01, func(p *GLMPerturbation) { p.Lambda = 1 }, ErrParameter},
		"no slope":      {1, func(p *GLMPerturbation) { p.Slope = 0 }, ErrParameter},
		"no curvature":  {1, func(p *GLMPerturbation) { p.Curvature = math.NaN() }, ErrParameter},
	} {
		p := good
		c.spoil(&p)
		if _, err := CalibrateGLMPerturbation(c.mu, p); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
		if c.mu == 1 {
			if _, err := CalibrateGLMPerturbationAlone(Budget{1, 1e-6}, p); !errors.Is(err, c.want) {
				t.Errorf("alone, %s: got %v, want %v", name, err, c.want)
			}
		}
	}
	small := good
	small.Lambda = 1e-3
	if _, err := CalibrateGLMPerturbationAlone(Budget{1, 1e-6}, small); !errors.Is(err, ErrParameter) {
		t.Errorf("alone, too small a Λ: got %v", err)
	}
	if _, err := CalibrateGLMPerturbationAlone(Budget{}, good); !errors.Is(err, ErrEpsilon) {
		t.Errorf("alone, no budget: got %v", err)
	}
}

func BenchmarkCalibrateGLMPerturbation(b *testing.B) {
	for name, oneSign := range map[string]bool{"one sign": true, "two signs": false} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := CalibrateGLMPerturbation(0.24, GLMPerturbation{C: 1, Slope: 1, Curvature: 0.25, OneSign: oneSign, Neighbours: AddRemove}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
