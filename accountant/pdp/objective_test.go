package pdp

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// randomData draws rows in the unit ball with labels ±1.
func randomData(rng *rand.Rand, n, d int) (rows [][]float64, labels []float64) {
	for range n {
		x := make([]float64, d)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		scale := math.Pow(rng.Float64(), 1/float64(d)) / math.Sqrt(dot(x, x))
		for j := range x {
			x[j] *= scale
		}
		rows = append(rows, x)
		labels = append(labels, 1-2*float64(rng.IntN(2)))
	}
	return rows, labels
}

// logDensity is the density of the release at θ by the change of variables b = −∇J(θ), with the determinant by
// Gaussian elimination: nothing is shared with the formula under test.
func logDensity(o ObjectivePerturbation, rows [][]float64, labels []float64) float64 {
	d := len(o.Theta)
	b, h := make([]float64, d), make([][]float64, d)
	for j := range d {
		b[j] = -o.Lambda * o.Theta[j]
		h[j] = make([]float64, d)
		h[j][j] = o.Lambda
	}
	for i, x := range rows {
		first, second := o.Loss.Derivatives(dot(x, o.Theta), labels[i])
		for j := range d {
			b[j] -= first * x[j]
			for k := range d {
				h[j][k] += second * x[j] * x[k]
			}
		}
	}
	logDet := 0.0
	for j := range d {
		logDet += math.Log(h[j][j])
		for i := j + 1; i < d; i++ {
			f := h[i][j] / h[j][j]
			for k := j; k < d; k++ {
				h[i][k] -= f * h[j][k]
			}
		}
	}
	return logDet - dot(b, b)/(2*o.Sigma*o.Sigma)
}

// TestLossIsTheDensityRatio compares losses with ratios of densities.
func TestLossIsTheDensityRatio(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	worst := 0.0
	for range 300 {
		n, d := 1+rng.IntN(30), 1+rng.IntN(6)
		rows, labels := randomData(rng, n+1, d)
		o := ObjectivePerturbation{Sigma: math.Exp(rng.NormFloat64()), Lambda: math.Exp(2 * rng.NormFloat64()), Loss: Logistic{}}
		if rng.IntN(2) == 0 {
			o.Loss = Squared{}
		}
		for range d {
			o.Theta = append(o.Theta, 2*rng.NormFloat64())
		}
		whole, err := o.Audit(rows, labels)
		if err != nil {
			t.Fatal(err)
		}
		without, err := o.Audit(rows[:n], labels[:n])
		if err != nil {
			t.Fatal(err)
		}
		ratio := logDensity(o, rows, labels) - logDensity(o, rows[:n], labels[:n])
		member, err := whole.Member(n)
		if err != nil {
			t.Fatal(err)
		}
		other, err := without.NonMember(rows[n], labels[n])
		if err != nil {
			t.Fatal(err)
		}
		size := 1 + math.Abs(logDensity(o, rows, labels))
		for _, got := range []float64{opened(t, member), -opened(t, other)} {
			worst = max(worst, math.Abs(got-ratio)/size)
		}
	}
	if !(worst <= 1e-10) {
		t.Errorf("losses are off by %.3g of the logarithms, want at most 1e-10", worst)
	}
}

// TestMeanOfTheRatio: E[exp(−loss)] = ∫ p' = 1 over the noise, for members and for others, by the trapezoidal rule in two
// dimensions, which converges exponentially for such integrands. Each node finds its minimiser by Newton's method.
func TestMeanOfTheRatio(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 74))
	rows, labels := randomData(rng, 5, 2)
	x, y := []float64{-0.6, 0.7}, 1.0
	o := ObjectivePerturbation{Theta: make([]float64, 2), Sigma: 1.2, Lambda: 0.4, Loss: Logistic{}}
	const reach, step = 9.0, 0.3
	var member, other, mass float64
	for u := -reach; u <= reach; u += step {
		for v := -reach; v <= reach; v += step {
			b := [2]float64{u * o.Sigma, v * o.Sigma}
			minimise(t, &o, rows, labels, b)
			a, err := o.Audit(rows, labels)
			if err != nil {
				t.Fatal(err)
			}
			in, err := a.Member(2)
			if err != nil {
				t.Fatal(err)
			}
			out, err := a.NonMember(x, y)
			if err != nil {
				t.Fatal(err)
			}
			w := math.Exp(-(u*u+v*v)/2) / (2 * math.Pi) * step * step
			mass += w
			member += w * math.Exp(-opened(t, in))
			other += w * math.Exp(-opened(t, out))
		}
	}
	for what, got := range map[string]float64{"mass": mass, "member": member, "non-member": other} {
		if !(math.Abs(got-1) <= 1e-8) {
			t.Errorf("%s: got %.12g, want 1", what, got)
		}
	}
}

// minimise sets o.Theta to the minimiser for the noise b: damped Newton from the last one.
func minimise(t *testing.T, o *ObjectivePerturbation, rows [][]float64, labels []float64, b [2]float64) {
	t.Helper()
	for range 200 {
		g := [2]float64{b[0] + o.Lambda*o.Theta[0], b[1] + o.Lambda*o.Theta[1]}
		h := [3]float64{o.Lambda, 0, o.Lambda}
		for i, x := range rows {
			first, second := o.Loss.Derivatives(dot(x, o.Theta), labels[i])
			g[0] += first * x[0]
			g[1] += first * x[1]
			h[0] += second * x[0] * x[0]
			h[1] += second * x[0] * x[1]
			h[2] += second * x[1] * x[1]
		}
		if math.Hypot(g[0], g[1]) < 1e-12 {
			return
		}
		det := h[0]*h[2] - h[1]*h[1]
		step := [2]float64{(h[2]*g[0] - h[1]*g[1]) / det, (h[0]*g[1] - h[1]*g[0]) / det}
		shrink := 1.0
		if size := math.Hypot(step[0], step[1]); size > 2 {
			shrink = 2 / size
		}
		o.Theta[0] -= shrink * step[0]
		o.Theta[1] -= shrink * step[1]
	}
	t.Fatal("Newton's method did not converge")
}

// TestBoundCovers: over the noise, a loss is beyond its bound with probability at most ρ, and is at times near it: with
// 4000 runs a frequency is off by more than 0.058 with probability below 1e-11 (Hoeffding 1963).
func TestBoundCovers(t *testing.T) {
	const runs, rho = 4000, 0.1
	tol := math.Sqrt(math.Log(2/1e-11) / (2 * runs))
	rng := rand.New(rand.NewPCG(75, 76))
	rows, labels := randomData(rng, 20, 2)
	rows[0], labels[0] = []float64{0.8, 0.6}, 1
	o := ObjectivePerturbation{Theta: make([]float64, 2), Sigma: 1.5, Lambda: 0.5, Loss: Logistic{}}
	missed := [2]int{}
	ratio := 0.0
	for range runs {
		minimise(t, &o, rows, labels, [2]float64{o.Sigma * rng.NormFloat64(), o.Sigma * rng.NormFloat64()})
		a, err := o.Audit(rows, labels)
		if err != nil {
			t.Fatal(err)
		}
		for k, z := range [2]struct {
			x []float64
			y float64
		}{{rows[0], labels[0]}, {[]float64{-1, 0}, 1}} {
			loss, err := a.NonMember(z.x, z.y)
			if k == 0 {
				loss, err = a.Member(0)
			}
			if err != nil {
				t.Fatal(err)
			}
			bound, err := o.Bound(z.x, z.y, rho)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(opened(t, loss)) > bound {
				missed[k]++
			} else {
				ratio = max(ratio, math.Abs(opened(t, loss))/bound)
			}
		}
	}
	for k, n := range missed {
		if f := float64(n) / runs; f > rho+tol {
			t.Errorf("record %d: beyond its bound in %.4f of the runs, want at most %g", k, f, rho)
		}
	}
	if ratio < 0.8 {
		t.Errorf("the largest loss is %.3f of its bound", ratio)
	}
}

// TestMemberDetIsCapped: where rounding makes a leverage 1, the loss stays finite and below the bound's term.
func TestMemberDetIsCapped(t *testing.T) {
	o := ObjectivePerturbation{Theta: []float64{0}, Sigma: 1, Lambda: 1e-18, Loss: Squared{}}
	a, err := o.Audit([][]float64{{1}}, []float64{0})
	if err != nil {
		t.Fatal(err)
	}
	loss, err := a.Member(0)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := opened(t, loss), math.Log1p(1e18); got > want || got < want-1 {
		t.Errorf("got %g, want %g", got, want)
	}
}

func TestObjectiveErrors(t *testing.T) {
	good := ObjectivePerturbation{Theta: []float64{0.1, 0.2}, Sigma: 1, Lambda: 1, Loss: Logistic{}}
	x := []float64{0.987654321, 0.5}
	nan := math.NaN()
	for _, c := range []struct {
		name  string
		spoil func(o *ObjectivePerturbation, x []float64, y, rho *float64) []float64
		says  string
	}{
		{"theta", func(o *ObjectivePerturbation, x []float64, _, _ *float64) []float64 { o.Theta = nil; return x }, "theta"},
		{"NaN theta", func(o *ObjectivePerturbation, x []float64, _, _ *float64) []float64 {
			o.Theta = []float64{nan, 1}
			return x
		}, "theta"},
		{"sigma 0", func(o *ObjectivePerturbation, x []float64, _, _ *float64) []float64 { o.Sigma = 0; return x }, "sigma"},
		{"NaN sigma", func(o *ObjectivePerturbation, x []float64, _, _ *float64) []float64 { o.Sigma = nan; return x }, "sigma"},
		{"lambda", func(o *ObjectivePerturbation, x []float64, _, _ *float64) []float64 { o.Lambda = -1; return x }, "lambda"},
		{"no loss", func(o *ObjectivePerturbation, x []float64, _, _ *float64) []float64 { o.Loss = nil; return x }, "loss"},
		{"rho 0", func(_ *ObjectivePerturbation, x []float64, _, rho *float64) []float64 { *rho = 0; return x }, "rho"},
		{"NaN rho", func(_ *ObjectivePerturbation, x []float64, _, rho *float64) []float64 { *rho = nan; return x }, "rho"},
		{"features", func(_ *ObjectivePerturbation, x []float64, _, _ *float64) []float64 { return x[:1] }, "features"},
		{"NaN feature", func(_ *ObjectivePerturbation, x []float64, _, _ *float64) []float64 { return []float64{x[0], nan} }, "finite"},
		{"label", func(_ *ObjectivePerturbation, x []float64, y, _ *float64) []float64 { *y = 0.987654321; return x }, "label"},
	} {
		o, y, rho := good, 1.0, 0.1
		row := c.spoil(&o, x, &y, &rho)
		_, err := o.Bound(row, y, rho)
		if !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "98765") {
			t.Errorf("%s: got %v, want ErrParameter that names %s and no value", c.name, err, c.says)
		}
		if _, err := o.Audit([][]float64{row}, []float64{y}); rho == 0.1 && !errors.Is(err, ErrParameter) {
			t.Errorf("%s: audit: got %v, want ErrParameter", c.name, err)
		}
	}
	if _, err := good.Audit([][]float64{x}, nil); !errors.Is(err, ErrParameter) {
		t.Errorf("no labels: got %v", err)
	}
	a, err := good.Audit([][]float64{x}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{-1, 1} {
		if _, err := a.Member(i); !errors.Is(err, ErrParameter) {
			t.Errorf("member %d: got %v", i, err)
		}
	}
	if _, err := (Audit{}).Member(0); !errors.Is(err, ErrParameter) {
		t.Errorf("zero audit: got %v", err)
	}
	if _, err := (Audit{}).NonMember(x, 1); !errors.Is(err, ErrParameter) {
		t.Errorf("zero audit: got %v", err)
	}
	if _, err := (Audit{}).Leverage(x, 1); !errors.Is(err, ErrParameter) {
		t.Errorf("zero audit: got %v", err)
	}
}

func ExampleObjectivePerturbation_Bound() {
	// A released logistic model; someone asks what it can have cost them.
	o := ObjectivePerturbation{Theta: []float64{0.4, -0.2}, Sigma: 4, Lambda: 2, Loss: Logistic{}}
	bound, err := o.Bound([]float64{0.6, 0.8}, -1, 0.01)
	fmt.Printf("%.3f %v\n", bound, err)
	// Output:
	// 0.461 <nil>
}

// TestLossesOfManyRows: the blocked losses are those of single rows, for every width and for any number of rows.
func TestLossesOfManyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(97, 98))
	for _, shape := range [][2]int{{1, 1}, {5, 2}, {40, 3}, {batchRows + 7, 9}, {3 * batchRows, 20}} {
		n, d := shape[0], shape[1]
		rows, labels := randomData(rng, n, d)
		o := ObjectivePerturbation{Sigma: 1.3, Lambda: 0.2, Loss: Logistic{}}
		for range d {
			o.Theta = append(o.Theta, rng.NormFloat64())
		}
		a, err := o.Audit(rows, labels)
		if err != nil {
			t.Fatal(err)
		}
		members, err := a.Members()
		if err != nil {
			t.Fatal(err)
		}
		others, err := a.Losses(rows[n-1], labels[n-1:], false)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range opened(t, members) {
			want, err := a.Member(i)
			if err != nil {
				t.Fatal(err)
			}
			if w := opened(t, want); !(math.Abs(got-w) <= 1e-12*(1+math.Abs(w))) {
				t.Fatalf("%d×%d, row %d: %.17g, alone %.17g", n, d, i, got, w)
			}
		}
		want, err := a.NonMember(rows[n-1], labels[n-1])
		if err != nil {
			t.Fatal(err)
		}
		if got, w := opened(t, others)[0], opened(t, want); !(math.Abs(got-w) <= 1e-12*(1+math.Abs(w))) {
			t.Errorf("%d×%d, another row: %.17g, alone %.17g", n, d, got, w)
		}
		if _, err := a.Losses(rows[0], nil, true); !errors.Is(err, ErrParameter) {
			t.Errorf("no labels: got %v", err)
		}
	}
	for _, err := range []error{second((Audit{}).Members()), second((Audit{}).Losses(nil, nil, true)), second(ObjectivePerturbation{Theta: []float64{1}, Sigma: 1, Lambda: 1, Loss: Squared{}}.AuditOf(nil, nil, 1))} {
		if !errors.Is(err, ErrParameter) {
			t.Errorf("got %v, want ErrParameter", err)
		}
	}
}
