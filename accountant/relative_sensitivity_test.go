package accountant

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// plane is least squares on rows in the plane, C = diag(1, c).
type plane struct {
	c, mu float64
	x     [][2]float64
	y     []float64
}

// gradient returns Aθ − b, and A.
func (p plane) gradient(theta [2]float64) (g [2]float64, a [3]float64) {
	a = [3]float64{p.mu, 0, p.mu}
	var b [2]float64
	n := float64(len(p.x))
	for i, x := range p.x {
		a[0] += x[0] * x[0] / n
		a[1] += x[0] * x[1] / n
		a[2] += x[1] * x[1] / n
		b[0] += p.y[i] * x[0] / n
		b[1] += p.y[i] * x[1] / n
	}
	return [2]float64{a[0]*theta[0] + a[1]*theta[1] - b[0], a[1]*theta[0] + a[2]*theta[1] - b[1]}, a
}

// strength is λ_min(C^(-½) A C^(-½)).
func (p plane) strength() float64 {
	_, a := p.gradient([2]float64{})
	s, u, v := a[0], a[1]/math.Sqrt(p.c), a[2]/p.c
	return (s+v)/2 - math.Hypot((s-v)/2, u)
}

// TestRelativeSensitivityAttacked looks for a row and a θ at which the gradient moves by more than η and R allow, by random
// restarts and a (1+1) evolution strategy on the changed row and on the direction and size of θ.
func TestRelativeSensitivityAttacked(t *testing.T) {
	rng := rand.New(rand.NewPCG(95, 96))
	worst := map[Neighbours]float64{}
	for _, rel := range []Neighbours{ReplaceOne, AddRemove} {
		for range 60 {
			n := 2 + rng.IntN(10)
			p := plane{c: math.Exp(-3 * rng.Float64()), mu: 0.1}
			l := LeastSquaresGradient{
				Rows: n, MinEigen: p.c, MaxEigen: 1, Leverage: 0.5 + rng.Float64(), Moment: 0.2 + 0.3*rng.Float64(),
				Split: math.Exp(rng.NormFloat64()),
			}
			if rng.IntN(2) == 0 {
				l.Norm = 0.5 + rng.Float64()/2
			}
			if rng.IntN(2) == 0 {
				l.Joint = 0.3 + rng.Float64()
			}
			if rng.IntN(2) == 0 {
				l.Label = 0.1 + rng.Float64()
			}
			clip := func(x [2]float64, y float64) ([2]float64, float64) {
				norm, leverage := math.Hypot(x[0], x[1]), x[0]*x[0]+x[1]*x[1]/p.c
				s := min(1, math.Sqrt(l.Leverage/leverage))
				if l.Norm > 0 {
					s = min(s, l.Norm/norm)
				}
				if l.Joint > 0 {
					s = min(s, math.Sqrt(l.Joint/(norm*math.Sqrt(leverage/p.c))))
				}
				x[0], x[1] = s*x[0], s*x[1]
				if l.Label > 0 {
					y = max(-l.Label, min(y, l.Label))
				}
				if m := math.Abs(y) * s * norm; m > l.Moment {
					y *= l.Moment / m
				}
				return x, y
			}
			row := func() ([2]float64, float64) {
				return clip([2]float64{3 * rng.NormFloat64(), 3 * math.Sqrt(p.c) * rng.NormFloat64()}, 5*rng.NormFloat64())
			}
			for range n {
				x, y := row()
				p.x, p.y = append(p.x, x), append(p.y, y)
			}
			// The floor of the regulariser holds for all data.
			l.Strength = p.mu // A ⪰ μ I ⪰ μ C, as C ⪯ I
			eta, absolute, err := l.Sensitivity(rel)
			if err != nil {
				t.Fatal(err)
			}
			x0, y0 := p.x[0], p.y[0]
			ratio := func(v [7]float64) float64 {
				q := plane{c: p.c, mu: p.mu, x: append([][2]float64{}, p.x...), y: append([]float64{}, p.y...)}
				q.x[0], q.y[0] = clip([2]float64{v[0], v[1]}, v[2])
				p.x[0], p.y[0] = clip([2]float64{v[3], v[4]}, v[5])
				if rel == AddRemove {
					q.x[0], q.y[0] = [2]float64{}, 0
				}
				theta := [2]float64{math.Cos(v[6]) * 50 * math.Tanh(v[2]), math.Sin(v[6]) * 50 * math.Tanh(v[2])}
				g, _ := p.gradient(theta)
				h, _ := q.gradient(theta)
				moved := math.Hypot(g[0]-h[0], g[1]-h[1])
				least := min(math.Hypot(g[0], g[1]), math.Hypot(h[0], h[1]))
				return moved * moved / (eta*eta*least*least + absolute*absolute)
			}
			var v [7]float64
			for i := range v {
				v[i] = rng.NormFloat64()
			}
			best, step := ratio(v), 1.0
			for range 600 {
				w := v
				for i := range w {
					w[i] += step * rng.NormFloat64()
				}
				if r := ratio(w); r > best {
					best, v, step = r, w, step*1.5
				} else {
					step *= 0.95
				}
				if step < 1e-6 {
					step = 1
				}
			}
			p.x[0], p.y[0] = x0, y0
			worst[rel] = max(worst[rel], best)
		}
		if !(worst[rel] <= 1) || worst[rel] < 1e-2 {
			t.Errorf("%v: a row moves the gradient by %.4f of the bound", rel, worst[rel])
		}
		t.Logf("%v: worst ratio %.4f", rel, worst[rel])
	}
}

// TestStrengthSensitivityAttacked: the smallest eigenvalue moves by at most R_c²/n, and a replaced row nearly attains it.
func TestStrengthSensitivityAttacked(t *testing.T) {
	rng := rand.New(rand.NewPCG(97, 98))
	worst := 0.0
	for range 3000 {
		n := 1 + rng.IntN(6)
		p := plane{c: math.Exp(-3 * rng.Float64()), mu: 0.1}
		l := LeastSquaresGradient{Rows: n, MinEigen: p.c, MaxEigen: 1, Leverage: 1.5, Moment: 1}
		row := func() [2]float64 {
			x := [2]float64{rng.NormFloat64(), math.Sqrt(p.c) * rng.NormFloat64()}
			s := math.Sqrt(l.Leverage / (x[0]*x[0] + x[1]*x[1]/p.c))
			return [2]float64{s * x[0], s * x[1]}
		}
		for range n {
			p.x, p.y = append(p.x, row()), append(p.y, 0)
		}
		q := plane{c: p.c, mu: p.mu, x: append([][2]float64{row()}, p.x[1:]...), y: p.y}
		if rng.IntN(2) == 0 {
			q.x[0] = [2]float64{}
		}
		s := must[float64](t)(l.StrengthSensitivity())
		worst = max(worst, math.Abs(p.strength()-q.strength())/s)
	}
	if !(worst <= 1+1e-12) || worst < 0.5 {
		t.Errorf("the strength moves by %.6f of the bound", worst)
	}
}

func TestRelativeSensitivityForms(t *testing.T) {
	// C = I: half the η of the paper, whose 6 R_c⁴/ρ² is 1.5 here.
	l := LeastSquaresGradient{Rows: 100, Strength: 0.5, MinEigen: 1, MaxEigen: 1, Leverage: 4, Moment: 1}
	eta, absolute, err := l.Sensitivity(ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	if want := math.Sqrt(1.5) * 4 / 0.5 / 100; eta < want || eta > want*(1+1e-14) {
		t.Errorf("η = %.17g, want %.17g", eta, want)
	}
	if want := math.Sqrt(3) * (4/0.5*1 + 2) / 100; absolute < want || absolute > want*(1+1e-14) {
		t.Errorf("R = %.17g, want %.17g", absolute, want)
	}
	// With a bound on the label, ‖θ*‖ ≤ Y/√ρ in place of ‖b‖/ρ.
	l.Label = 0.25
	if _, absolute, err = l.Sensitivity(ReplaceOne); err != nil {
		t.Fatal(err)
	}
	if want := math.Sqrt(3) * (4*0.25/math.Sqrt(0.5) + 2) / 100; absolute < want || absolute > want*(1+1e-14) {
		t.Errorf("R = %.17g with a bound on the label, want %.17g", absolute, want)
	}
	for _, c := range []struct {
		name  string
		spoil func(*LeastSquaresGradient)
	}{
		{"rows", func(l *LeastSquaresGradient) { l.Rows = 0 }},
		{"strength", func(l *LeastSquaresGradient) { l.Strength = math.NaN() }},
		{"minEigen", func(l *LeastSquaresGradient) { l.MinEigen = 0 }},
		{"maxEigen", func(l *LeastSquaresGradient) { l.MaxEigen = math.Inf(1) }},
		{"eigenvalues", func(l *LeastSquaresGradient) { l.MinEigen = 2 }},
		{"leverage", func(l *LeastSquaresGradient) { l.Leverage = -1 }},
		{"moment", func(l *LeastSquaresGradient) { l.Moment = 0 }},
		{"norm", func(l *LeastSquaresGradient) { l.Norm = -1 }},
		{"joint", func(l *LeastSquaresGradient) { l.Joint = math.NaN() }},
		{"mean", func(l *LeastSquaresGradient) { l.Mean = -1 }},
		{"label", func(l *LeastSquaresGradient) { l.Label = math.NaN() }},
		{"split", func(l *LeastSquaresGradient) { l.Split = -1 }},
	} {
		bad := l
		c.spoil(&bad)
		_, _, err1 := bad.Sensitivity(ReplaceOne)
		_, err2 := bad.StrengthSensitivity()
		for _, err := range []error{err1, err2} {
			if !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), c.name) {
				t.Errorf("%s: got %v, want ErrParameter that names it", c.name, err)
			}
		}
	}
	if _, _, err := l.Sensitivity(0); !errors.Is(err, ErrNeighbours) {
		t.Errorf("no relation: got %v", err)
	}
	l.Strength = 0
	if _, _, err := l.Sensitivity(ReplaceOne); !errors.Is(err, ErrParameter) {
		t.Errorf("no strength: got %v", err)
	}
}
