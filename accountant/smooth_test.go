package accountant

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// gaussOf is the curve of a Gaussian mechanism with μ = s.
func gaussOf(s float64) Curve { return func(alpha float64) float64 { return alpha * s * s / 2 } }

// laplaceOf is the exact curve of a Laplace mechanism with shift t scales.
func laplaceOf(t float64) Curve {
	return func(a float64) float64 {
		if math.IsInf(a, 1) {
			return t
		}
		return quad.LogAddExp(math.Log(a/(2*a-1))+(a-1)*t, math.Log((a-1)/(2*a-1))-a*t) / (a - 1)
	}
}

// TestWeakTriangleGaussian: for two Gaussians the optimised triangle is the direct route, and c = 2 costs up to twice.
func TestWeakTriangleGaussian(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	for range 300 {
		f, s := math.Exp(4*rng.NormFloat64()), math.Exp(4*rng.NormFloat64())
		alpha := 1 + math.Exp(4*rng.NormFloat64())
		direct := alpha * (f + s) * (f + s) / 2
		got := WeakTriangle(gaussOf(f), gaussOf(s))(alpha)
		if !(got >= direct*(1-1e-13)) || got > direct*(1+1e-9) {
			t.Errorf("S = %g, τ = %g, order %g: got %.15g, want %.15g", f, s, alpha, got, direct)
		}
		paper := PaperTheorem2(gaussOf(f), gaussOf(s))(alpha)
		u := (2*alpha - 1) / (2 * (alpha - 1))
		want := max(u*alpha*s*s+(2*alpha-1)*f*f/2, u*alpha*f*f+(2*alpha-1)*s*s/2)
		if paper < got || math.Abs(paper/want-1) > 1e-12 {
			t.Errorf("S = %g, τ = %g, order %g: paper's bound %.15g, want %.15g above %.15g", f, s, alpha, paper, want, got)
		}
	}
}

func TestWeakTriangleLaplace(t *testing.T) {
	// By hand: direct 1.100, triangle 1.119, the paper's c = 2 1.5.
	triangle, paper := WeakTriangle(laplaceOf(1), laplaceOf(0.5)), PaperTheorem2(laplaceOf(1), laplaceOf(0.5))
	for name, c := range map[string][2]float64{
		"direct":   {laplaceOf(1.5)(2), 1.100},
		"triangle": {triangle(2), 1.119},
	} {
		if math.Abs(c[0]-c[1]) > 5e-4 {
			t.Errorf("%s: got %g, want %g", name, c[0], c[1])
		}
	}
	if paper(2) < triangle(2) {
		t.Errorf("paper %g below the triangle %g", paper(2), triangle(2))
	}
	for _, alpha := range []float64{1.0001, 1.2, 2, 7, 50, 1e4, math.Inf(1)} {
		direct, got := laplaceOf(1.5)(alpha), triangle(alpha)
		if got < direct*(1-1e-12) || got > 1.5*(1+1e-12) {
			t.Errorf("order %g: triangle %g, direct %g, sum of max-divergences 1.5", alpha, got, direct)
		}
	}
}

func TestWeakTriangleEdges(t *testing.T) {
	inf := math.Inf(1)
	zero := Curve(func(float64) float64 { return 0 })
	none := Curve(func(float64) float64 { return inf })
	short := Curve(func(a float64) float64 {
		if a > 5 {
			return inf
		}
		return a
	})
	for name, c := range map[string]struct{ got, want float64 }{
		"order 1":             {WeakTriangle(zero, zero)(1), inf},
		"nothing moves":       {WeakTriangle(gaussOf(1), zero)(3), 1.5},
		"nothing is free":     {WeakTriangle(zero, gaussOf(1))(3), 1.5},
		"no bound":            {WeakTriangle(none, zero)(3), inf},
		"past the last order": {WeakTriangle(short, short)(5), inf},
		"paper, order 1":      {PaperTheorem2(zero, zero)(1), inf},
	} {
		// A zero leg is reached in the limit of c only.
		if c.got != c.want && !(math.Abs(c.got-c.want) < 1e-5) {
			t.Errorf("%s: got %g, want %g", name, c.got, c.want)
		}
	}
	if v := WeakTriangle(short, short)(2); math.IsInf(v, 1) {
		t.Error("curves that end: no bound at order 2, want one at c = 2")
	}
}

// TestGroupEvent: exact for Gaussians in every route, valid for pure DP, and never above Mironov's bound.
func TestGroupEvent(t *testing.T) {
	for _, size := range []int{1, 2, 3, 5, 8, 100} {
		m := float64(size)
		for _, alpha := range []float64{1.1, 2, 9, 400} {
			c, err := GroupCurve(gaussOf(0.3), size)
			if err != nil {
				t.Fatal(err)
			}
			want := alpha * 0.09 * m * m / 2
			if got := c(alpha); !(got >= want*(1-1e-12)) || got > want*(1+1e-9) {
				t.Errorf("group of %d, order %g: got %.12g, want %.12g", size, alpha, got, want)
			}
			pure, err := GroupCurve(laplaceOf(0.2), size)
			if err != nil {
				t.Fatal(err)
			}
			// m steps of a Laplace mechanism in a row are one of m times the shift.
			if got, exact := pure(alpha), laplaceOf(0.2*m)(alpha); size < 50 && (got < exact*(1-1e-12) || got > 0.2*m*(1+1e-12)) {
				t.Errorf("Laplace, group of %d, order %g: got %g, exact %g, pure %g", size, alpha, got, exact, 0.2*m)
			}
		}
		one := Gaussian{Sensitivity: 1, Sigma: 2, Neighbours: ReplaceOne}
		all := Gaussian{Sensitivity: m, Sigma: 2, Neighbours: ReplaceOne}
		requireSamePrice(t, Group(one, size), all)
		// A profile that is not Gaussian.
		mixture := GaussMix{K: 5, Gamma: 40, Neighbours: ReplaceOne}
		group := must[Profile](t)(Group(mixture, size).(Profiler).Profile(ReplaceOne))
		base := profileAt(t, mixture, ReplaceOne, 0.1)
		b, err := GroupBudget(Budget{0.1, base}, size)
		if err != nil {
			t.Fatal(err)
		}
		if got := group(0.1 * m); math.Abs(got/b.Delta-1) > 1e-6 {
			t.Errorf("group of %d: δ = %g, want %g", size, got, b.Delta)
		}
		sum := 0.0
		for i := range size {
			sum += math.Exp(0.1 * float64(i))
		}
		if want := min(1, sum*base); math.Abs(b.Delta/want-1) > 1e-9 || math.Abs(b.Epsilon-0.1*m) > 1e-12*m {
			t.Errorf("group of %d: budget %+v, want δ = %g", size, b, want)
		}
		if b, err = GroupBudget(Budget{1e-12, 1e-9}, size); err != nil || !(b.Delta >= m*1e-9) || b.Delta > m*1e-9*(1+1e-9) {
			t.Errorf("group of %d: budget %+v, %v for a tiny ε", size, b, err)
		}
	}
	for name, err := range map[string]error{
		"size 0":     func() error { _, err := GroupCurve(gaussOf(1), 0); return err }(),
		"event":      func() error { _, err := EpsilonOf(Group(nil, 2), ReplaceOne, 1e-6); return err }(),
		"event size": func() error { _, err := EpsilonOf(Group(gaussian(1), -3), ReplaceOne, 1e-6); return err }(),
		"budget":     func() error { _, err := GroupBudget(Budget{1, 1e-6}, 0); return err }(),
	} {
		if !errors.Is(err, ErrParameter) {
			t.Errorf("%s: got %v, want ErrParameter", name, err)
		}
	}
	if _, err := GroupBudget(Budget{-1, 0}, 2); !errors.Is(err, ErrEpsilon) {
		t.Errorf("got %v, want ErrEpsilon", err)
	}
}

// TestRoutesNameTheWinner: the guarantee of an event with several routes says which one it took.
func TestRoutesNameTheWinner(t *testing.T) {
	still := SmoothRoutes{Free: gaussOf(0.2), Shift: gaussOf(0.1), Group: gaussOf(0.2), Size: 40}
	for _, c := range []struct {
		name, wins string
		change     func(*SmoothRoutes)
	}{
		{"direct", "direct", func(s *SmoothRoutes) { s.Direct = gaussOf(0.29) }},
		{"triangle", "weak triangle", func(*SmoothRoutes) {}},
		{"group", "group of 2", func(s *SmoothRoutes) { s.Size, s.Shift = 2, gaussOf(1) }},
		{"group alone", "group of 40", func(s *SmoothRoutes) { s.Free = nil }},
	} {
		s := still
		c.change(&s)
		routes, err := s.Routes()
		if err != nil {
			t.Fatal(err)
		}
		value, name := routes.At(5)
		if name != c.wins || MinCurve(routes...)(5) != value {
			t.Errorf("%s: %q wins with %g", c.name, name, value)
		}
		e := ByRoutes("sum", ReplaceOne, routes)
		g, err := EpsilonOf(e, ReplaceOne, 1e-6)
		if err != nil || !strings.HasSuffix(g.Route, ", "+c.wins) {
			t.Errorf("%s: got %v by %q, %v", c.name, g, g.Route, err)
		}
		if g, err = DeltaOf(e, ReplaceOne, g.Epsilon); err != nil || !strings.HasSuffix(g.Route, ", "+c.wins) || g.Delta > 1e-6*(1+1e-6) {
			t.Errorf("%s: got %v by %q, %v", c.name, g, g.Route, err)
		}
		if _, err := e.RDP(AddRemove); !errors.Is(err, ErrNeighbours) {
			t.Errorf("%s: got %v, want ErrNeighbours", c.name, err)
		}
	}
	if _, err := (SmoothRoutes{Free: gaussOf(1)}).Routes(); !errors.Is(err, ErrNoRoute) {
		t.Errorf("no route: got %v", err)
	}
	if v, name := (Routes{}).At(2); !math.IsInf(v, 1) || name != "" {
		t.Errorf("no routes: got %g by %q", v, name)
	}
}

func BenchmarkWeakTriangleEpsilon(b *testing.B) {
	c := WeakTriangle(laplaceOf(0.3), laplaceOf(0.1))
	for b.Loop() {
		if _, _, err := c.Epsilon(1e-6); err != nil {
			b.Fatal(err)
		}
	}
}
