package accountant

import (
	"errors"
	"math"
	"testing"
)

func TestRelativeGaussianErrors(t *testing.T) {
	good := RelativeGaussian{Eta: 0.1, Gamma: 0.5, Dim: 3, Matched: 1, Neighbours: ReplaceOne}
	for _, c := range []struct {
		name  string
		spoil func(*RelativeGaussian)
		want  error
	}{
		{"eta 0", func(r *RelativeGaussian) { r.Eta = 0 }, ErrParameter},
		{"NaN eta", func(r *RelativeGaussian) { r.Eta = math.NaN() }, ErrParameter},
		{"infinite eta", func(r *RelativeGaussian) { r.Eta = math.Inf(1) }, ErrParameter},
		{"negative gamma", func(r *RelativeGaussian) { r.Gamma = -1 }, ErrParameter},
		{"NaN gamma", func(r *RelativeGaussian) { r.Gamma = math.NaN() }, ErrParameter},
		{"dim", func(r *RelativeGaussian) { r.Dim = 0 }, ErrParameter},
		{"NaN matched", func(r *RelativeGaussian) { r.Matched = math.NaN() }, ErrParameter},
		{"relation", func(r *RelativeGaussian) { r.Neighbours = AddRemove }, ErrNeighbours},
	} {
		r := good
		c.spoil(&r)
		if _, err := r.RDP(ReplaceOne); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
		if _, _, err := r.TCDP(ReplaceOne); !errors.Is(err, c.want) {
			t.Errorf("%s: TCDP: got %v, want %v", c.name, err, c.want)
		}
	}
	for name, r := range map[string]RelativeGaussian{
		"zero gamma":   {Eta: 0.1, Dim: 3, Matched: 1, Neighbours: ReplaceOne},
		"zero matched": {Eta: 0.1, Gamma: 1, Dim: 3, Neighbours: ReplaceOne},
	} {
		if g, err := EpsilonOf(r, ReplaceOne, 1e-6); err != nil || !math.IsInf(g.Epsilon, 1) {
			t.Errorf("%s: got %v, %v, want ε = +Inf", name, g, err)
		}
		if _, _, err := r.TCDP(ReplaceOne); !errors.Is(err, ErrNoRoute) {
			t.Errorf("%s: TCDP: got %v, want ErrNoRoute", name, err)
		}
	}
}

// TestRelativeGaussianBruteForce: the divergence of every pair of norms and distances that the relative
// sensitivity allows, with and without an absolute part, is at most the curve, which is attained.
func TestRelativeGaussianBruteForce(t *testing.T) {
	for _, c := range []struct{ eta, gamma, R, matched float64 }{
		{0.1, 0.5, 0, 1},
		{0.1, 0.01, 1, 1},
		{0.5, 2, 3, 1},
		{1.5, 4, 0.1, 1},
		{0.05, 0.1, 1, 3},
		{0.3, 1, 1, 0.95},
		{0.3, 1, 1, 0.7},
	} {
		for _, d := range []int{1, 7} {
			r := RelativeGaussian{Eta: c.eta, Gamma: c.gamma, Dim: d, Matched: c.matched, Neighbours: AddRemove}
			curve := curveOf(t, r, AddRemove)
			last := 1 / (c.eta * (2 + c.eta))
			variance := c.matched * c.gamma * c.R * c.R / (c.eta * c.eta)
			for _, share := range []float64{0.02, 0.3, 0.8, 0.99} {
				alpha := 1 + share*last
				bound := curve(alpha)
				worst := 0.0
				for i := range 200 {
					a := 1.0
					if c.R > 0 {
						a = c.R / c.eta * math.Exp(float64(i)/12-8)
					} else if i > 0 {
						break
					}
					// The smaller norm is at least where a − b is the whole distance.
					q := 1 - c.eta*c.eta
					least := max(0, (a*a-c.R*c.R)/(a+math.Sqrt(max(0, a*a-q*(a*a-c.R*c.R)))))
					for j := range 200 {
						b := least + (a-least)*float64(j)/199
						distance := math.Sqrt(c.eta*c.eta*b*b + c.R*c.R)
						distance = min(max(distance, a-b), a+b)
						for _, v := range [2][2]float64{{a, b}, {b, a}} {
							v1, v2 := c.gamma*v[0]*v[0]+variance, c.gamma*v[1]*v[1]+variance
							mixed := alpha*v2 + (1-alpha)*v1
							if !(mixed > 0) {
								worst = math.Inf(1)
								continue
							}
							exact := alpha*distance*distance/(2*mixed) +
								float64(d)/(2*(alpha-1))*((1-alpha)*math.Log(v1)+alpha*math.Log(v2)-math.Log(mixed))
							worst = max(worst, exact)
						}
					}
				}
				if worst > bound*(1+1e-9) {
					t.Errorf("%v, R = %g, order %g: a pair has %.12g, the curve %.12g", r, c.R, alpha, worst, bound)
				}
				if c.R > 0 && c.matched == 1 && worst < 0.999*bound {
					t.Errorf("%v, order %g: the worst pair has %.12g of %.12g", r, alpha, worst, bound)
				}
				if paper := r.PaperBound(alpha); c.matched == 1 && !(paper >= bound) {
					t.Errorf("%v, order %g: paper %g, curve %g", r, alpha, paper, bound)
				}
			}
			if v := curve(1 + last*(1+1e-9)); !math.IsInf(v, 1) {
				t.Errorf("%v: got %g beyond the last order", r, v)
			}
		}
	}
}

func TestRelativeGaussianLaws(t *testing.T) {
	base := RelativeGaussian{Eta: 0.2, Gamma: 0.5, Dim: 4, Matched: 1, Neighbours: ReplaceOne}
	at := func(change func(*RelativeGaussian)) float64 {
		r := base
		change(&r)
		return curveOf(t, r, ReplaceOne)(1.8)
	}
	was := at(func(*RelativeGaussian) {})
	for name, v := range map[string]float64{
		"eta":     at(func(r *RelativeGaussian) { r.Eta *= 1.01 }),
		"dim":     at(func(r *RelativeGaussian) { r.Dim++ }),
		"gamma":   at(func(r *RelativeGaussian) { r.Gamma /= 1.01 }),
		"matched": at(func(r *RelativeGaussian) { r.Matched = 0.8 }),
	} {
		if !(v > was) {
			t.Errorf("%s: %g is not above %g", name, v, was)
		}
	}
	curve := curveOf(t, base, ReplaceOne)
	requireConvex(t, base.String(), curve, 1+0.999/base.swing())
	for _, eta := range []float64{0.01, 0.2, 1} {
		for _, gamma := range []float64{0.01, 100} {
			for _, d := range []int{1, 50} {
				r := RelativeGaussian{Eta: eta, Gamma: gamma, Dim: d, Matched: 1, Neighbours: ReplaceOne}
				rho, omega, err := r.TCDP(ReplaceOne)
				if err != nil {
					t.Fatal(err)
				}
				curve := curveOf(t, r, ReplaceOne)
				for i := range 100 {
					alpha := 1 + (omega-1)*(float64(i)+0.5)/100
					if curve(alpha) > rho*alpha {
						t.Errorf("%v, order %g: curve %g above tCDP %g", r, alpha, curve(alpha), rho*alpha)
					}
				}
			}
		}
	}
}

func TestCalibrateRelativeGaussian(t *testing.T) {
	r := RelativeGaussian{Eta: 1e-3, Dim: 10, Matched: 1, Neighbours: ReplaceOne}
	for _, b := range []Budget{{1, 1e-6}, {0.2, 1e-9}, {20, 1e-5}} {
		for _, n := range []int{1, 50} {
			got := must[RelativeGaussian](t)(CalibrateRelativeGaussian(b, r, n))
			less := got
			less.Gamma *= 1 - 1e-9
			price := func(r RelativeGaussian) float64 {
				return must[Guarantee](t)(EpsilonOf(Repeat(r, n), ReplaceOne, b.Delta)).Epsilon
			}
			if eps := price(got); !(eps <= b.Epsilon) || eps < b.Epsilon*(1-1e-9) {
				t.Errorf("%+v, %d releases: ε = %.15g", b, n, eps)
			}
			if eps := price(less); !(eps > b.Epsilon*(1-1e-9)) {
				t.Errorf("%+v, %d releases: less noise has ε = %.15g", b, n, eps)
			}
		}
	}
	r.Eta, r.Dim = 0.5, 50
	if _, err := CalibrateRelativeGaussian(Budget{0.1, 1e-6}, r, 1); !errors.Is(err, ErrEpsilon) {
		t.Errorf("a budget below the floor: got %v, want ErrEpsilon", err)
	}
	if _, err := CalibrateRelativeGaussian(Budget{1, 1e-6}, r, 0); !errors.Is(err, ErrParameter) {
		t.Errorf("no release: got %v, want ErrParameter", err)
	}
}

func BenchmarkCalibrateRelativeGaussian(b *testing.B) {
	r := RelativeGaussian{Eta: 1e-3, Dim: 10, Matched: 1, Neighbours: ReplaceOne}
	for b.Loop() {
		if _, err := CalibrateRelativeGaussian(Budget{1, 1e-6}, r, 100); err != nil {
			b.Fatal(err)
		}
	}
}
