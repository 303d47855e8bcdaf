package others

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLawsOfNoise: the deviations of counts and means are those of their laws. The mean of 100 000 squares is off by less than 6.5 of its
// standard errors, with probability 8e-11 of more for a normal law.
func TestLawsOfNoise(t *testing.T) {
	const draws, epsilon = 100000, 0.7
	random := rand.New(rand.NewPCG(1, 0))
	values := []float64{0.2, 0.4, 0.9}
	for _, c := range []struct {
		name     string
		draw     func() float64
		exact    float64
		variance float64
	}{
		// Var of the two-sided geometric law: 2p/(1−p)², p = e^{−ε}.
		{"count", func() float64 { return Count(random, 7, epsilon) }, 7, 2 * math.Exp(-epsilon) / math.Pow(-math.Expm1(-epsilon), 2)},
		{"mean", func() float64 { return Mean(random, values, -1e6, 1e6, epsilon*2e6) }, 0.5, 2 / (9 * epsilon * epsilon)},
	} {
		squares, fourths := 0.0, 0.0
		for range draws {
			e := c.draw() - c.exact
			squares, fourths = squares+e*e, fourths+e*e*e*e
		}
		squares, fourths = squares/draws, fourths/draws
		if se := math.Sqrt((fourths - squares*squares) / draws); !(math.Abs(squares-c.variance) <= 6.5*se) {
			t.Errorf("%s: mean square %g ± %g, want %g", c.name, squares, se, c.variance)
		}
	}
}

// TestQuantile: intervals are drawn with their weights. Three values leave four intervals of known probabilities.
func TestQuantile(t *testing.T) {
	const draws, epsilon, q = 50000, 1.3, 0.5
	random := rand.New(rand.NewPCG(2, 0))
	sorted := []float64{1, 2, 2, 7}
	edges := []float64{0, 1, 2, 2, 7, 10}
	weights, total := make([]float64, 5), 0.0
	for i := range weights {
		weights[i] = (edges[i+1] - edges[i]) * math.Exp(-epsilon*math.Abs(float64(i)-q*4)/2)
		total += weights[i]
	}
	got := make([]float64, 5)
	for range draws {
		v := Quantile(random, sorted, q, 0, 10, epsilon)
		for i := range got {
			if v >= edges[i] && v < edges[i+1] {
				got[i]++
			}
		}
	}
	for i, w := range weights {
		p := w / total
		if se := math.Sqrt(p*(1-p)/draws) + 1e-12; math.Abs(got[i]/draws-p) > 6.5*se {
			t.Errorf("interval %d: %g, want %g", i, got[i]/draws, p)
		}
	}
	if v := ExactQuantile(sorted, q); v != 2 {
		t.Errorf("exact: %g", v)
	}
}

// invented are rows of two classes in the unit ball, and numbers that are linear in them.
func invented(n int) Rows {
	random := rand.New(rand.NewPCG(3, 0))
	r := Rows{N: n, D: 3}
	for range n {
		x := []float64{random.Float64() - 0.5, random.Float64() - 0.5, random.Float64() - 0.5}
		r.X = append(r.X, x...)
		r.Y = append(r.Y, min(max(0.2+x[0]-0.5*x[1], -1), 1))
	}
	return r
}

// TestLogistic: the minimiser's gradient vanishes, and with much ε and many rows classes are told apart.
func TestLogistic(t *testing.T) {
	r := invented(2000)
	for i, y := range r.Y {
		r.Y[i] = 0
		if y > 0.2 {
			r.Y[i] = 1
		}
	}
	b := []float64{1, -2, 0.5, 3}
	z := r.design()
	w, err := minimise(z, r.Y, 0.3, b)
	if err != nil {
		t.Fatal(err)
	}
	gradient := []float64{0, 0, 0, 0}
	for j := range gradient {
		gradient[j] = 0.3*w[j] + b[j]
	}
	for i, y := range r.Y {
		row, s := z.RawRowView(i), 0.0
		for j, v := range row {
			s += v * w[j]
		}
		for j, v := range row {
			gradient[j] += (1/(1+math.Exp(-s)) - y) * v
		}
	}
	for j, g := range gradient {
		if !(math.Abs(g) < 1e-3) {
			t.Errorf("gradient %d: %g", j, g)
		}
	}
	for _, alpha := range []float64{1e-9, 1} { // the first is raised
		coef, intercept, err := Logistic(rand.New(rand.NewPCG(4, 0)), r, 8, alpha)
		if err != nil {
			t.Fatal(err)
		}
		right := 0
		for i, y := range r.Y {
			s := intercept
			for j, c := range coef {
				s += c * r.X[i*3+j]
			}
			if (s > 0) == (y == 1) {
				right++
			}
		}
		if right < 1900 {
			t.Errorf("α = %g: %d of 2000 are right", alpha, right)
		}
	}
}

// TestFunctional: with an ε at which there is next to no noise it is least squares.
func TestFunctional(t *testing.T) {
	coef, intercept, ok := MomentsOf(invented(500)).Functional(rand.New(rand.NewPCG(5, 0)), 1e9)
	want := []float64{1, -0.5, 0}
	for j, c := range coef {
		if !ok || math.Abs(c-want[j]) > 1e-4 || math.Abs(intercept-0.2) > 1e-4 {
			t.Fatalf("%v + %g, want %v + 0.2", coef, intercept, want)
		}
	}
}
