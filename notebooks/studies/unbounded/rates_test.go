package unbounded

import (
	"context"
	"math"
	"testing"
)

// TestRatesAreReproduced runs a few settings again in full: draws and noise come from seeds.
func TestRatesAreReproduced(t *testing.T) {
	r, err := StoredRates()
	if err != nil {
		t.Fatal(err)
	}
	for what, name := range map[string]string{CovarianceRate: "rows", MeanRate: "rows", LinearRate: "rows", LeastRate: "rows", BinaryRate: "rows"} {
		want := r.Sweeps[what][name][0]
		got, err := RateAt(context.Background(), what, want.RateSetting, r.Seed, r.Runs)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Errors) != len(want.Errors) {
			t.Errorf("%s: got %v, stored %v", what, got.Errors, want.Errors)
		}
		for e, q := range want.Errors {
			for i := range q {
				if !near(got.Errors[e][i], q[i]) {
					t.Errorf("%s, %s: got %v, stored %v", what, e, got.Errors[e], q)
					break
				}
			}
		}
	}
}

// TestRateFindings: what the notebook on the thesis says of the stored numbers.
func TestRateFindings(t *testing.T) {
	r, err := StoredRates()
	if err != nil {
		t.Fatal(err)
	}
	for what, sweeps := range RateSweeps() {
		for name, settings := range sweeps {
			if len(r.Sweeps[what][name]) != len(settings) {
				t.Errorf("%s against %s: %d settings are stored, want %d", what, name, len(r.Sweeps[what][name]), len(settings))
			}
		}
	}
	for _, c := range []struct {
		what, name, err string
		lo, hi          float64
	}{
		{CovarianceRate, "rows", SpectralNoise, -1.2, -0.9},
		{CovarianceRate, "rows", SpectralSample, -0.6, -0.4},
		{CovarianceRate, "columns", SpectralNoise, 0.8, 1.5},
		{CovarianceRate, "columns", FrobeniusNoise, 1.2, 2},
		{CovarianceRate, "epsilon", SpectralNoise, -1.2, -0.9},
		{CovarianceRate, "kappa", SpectralNoise, -0.02, 0.02},
		{CovarianceRate, "kappa", NaiveNoise, 0.8, 1.1},
		{MeanRate, "rows", Noise, -1.2, -0.9},
		{MeanRate, "epsilon", Noise, -1.2, -0.9},
		{MeanRate, "columns", Noise, 0.6, 1.1},
		{LinearRate, "rows", Noise, -1.6, -0.9},
		{LinearRate, "kappa", Noise, -0.05, 0.05},
		{LeastRate, "rows", Noise, -1.4, -0.9},
		{LeastRate, "columns", Noise, 0.8, 1.6},
		{BinaryRate, "rows", Noise, -1.3, -0.8},
		{BinaryRate, "rows", Sample, -0.65, -0.35},
	} {
		if got := r.Slope(c.what, c.name, c.err); !(got >= c.lo && got <= c.hi) {
			t.Errorf("%s against %s, %s: slope %.3f, want in [%g, %g]", c.what, c.name, c.err, got, c.lo, c.hi)
		}
	}
	for _, name := range []string{RowsAdaptive, RowsWeak} {
		kappa, rows := r.Medians(NeededRate, "kappa", name)
		for i := 1; i < len(rows); i++ { // without rounds, at κ = 1, fewer rows do
			if level := rows[i] / math.Sqrt(math.Log(kappa[i])); !(level > 2300 && level < 3300) {
				t.Errorf("%s at κ = %g: %g rows, %.0f √ln κ, want about 2700 √ln κ", name, kappa[i], rows[i], level)
			}
		}
	}
	for _, p := range r.Sweeps[LeastRate]["far"] {
		if a, b := p.Errors[Noise][1], r.Sweeps[LeastRate]["far"][0].Errors[Noise][1]; !(a < 5*b) {
			t.Errorf("a mean at %g: error %g, %g at 0", p.Far, a, b)
		}
	}
}

// TestRateCharts draws every figure.
func TestRateCharts(t *testing.T) {
	r, err := StoredRates()
	if err != nil {
		t.Fatal(err)
	}
	for what, sweeps := range RateSweeps() {
		for name := range sweeps {
			if c := r.Chart(what, name, nil); len(c.Series) < 2 {
				t.Errorf("%s against %s: %d series, want two and more", what, name, len(c.Series))
			}
		}
	}
}

// TestCovarianceFormula: the measured noise is within a factor of two of our formula, which has no free constant.
func TestCovarianceFormula(t *testing.T) {
	r, err := StoredRates()
	if err != nil {
		t.Fatal(err)
	}
	if charts, err := r.Covariance(); err != nil || len(charts) != 4 {
		t.Fatalf("got %d charts, %v", len(charts), err)
	}
	for name, points := range r.Sweeps[CovarianceRate] {
		for _, p := range points {
			for e, frobenius := range map[string]bool{SpectralNoise: false, FrobeniusNoise: true} {
				want, _, err := p.noiseNorms(frobenius)
				if got := p.Errors[e][1]; err != nil || !(got > want/2 && got < 2*want) {
					t.Errorf("against %s, %+v, %s: got %g, want about %g, %v", name, p.RateSetting, e, got, want, err)
				}
			}
		}
	}
}

// TestResponseSD: the errors of shares have the deviation of the formula. The draws are fixed.
func TestResponseSD(t *testing.T) {
	for _, k := range []int{2, 16} {
		errs, err := ResponseErrors(k, 1, 640, 100)
		if err != nil {
			t.Fatal(err)
		}
		var sum, square float64
		for _, e := range errs {
			sum += e / float64(len(errs))
			square += e * e / float64(len(errs))
		}
		want := ResponseSD(float64(k), 1, 640)
		if got := math.Sqrt(square); math.Abs(got/want-1) > 0.3 {
			t.Errorf("k = %d: got a deviation of %.4f, want %.4f", k, got, want)
		}
		if math.Abs(sum) > want {
			t.Errorf("k = %d: mean error %g", k, sum)
		}
	}
}

// TestPrintedProducts: "y·x with 1/ρ ≤ |y| ≤ c has a covariance between Σ/ρ² and E y²xxᵀ ≤ c²Σ" (Milionis, Proposition 8.3.1) fails on
// either side where the mean of x is not 0. Privacy does not rest on it.
func TestPrintedProducts(t *testing.T) {
	second, variance := Products()
	const c, rho = 2.0, 2.0
	if !(second > 24*c*c) {
		t.Errorf("E y²x² = %g, want it above 24 times c²Σ = %g", second, c*c)
	}
	if !(variance < 1e-5/(rho*rho)) || !(variance > 0) {
		t.Errorf("the variance of yx = %g, want it far below Σ/ρ² = %g", variance, 1/(rho*rho))
	}
}

// TestLogisticFactor: k against Stein's identity on a fine grid.
func TestLogisticFactor(t *testing.T) {
	for _, sd := range []float64{0.01, 1, 2, 5} {
		var want float64 // E[z (2f(sd z) − 1)]/sd
		for i := -12_000; i <= 12_000; i++ {
			z := float64(i) / 1000
			want += z * math.Tanh(sd*z/2) * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / 1000 / sd
		}
		if got := LogisticFactor(sd); math.Abs(got-want) > 1e-9 {
			t.Errorf("sd = %g: got %.12g, want %.12g", sd, got, want)
		}
	}
}

// TestJointBounds: (7.3) and (7.4) hold.
func TestJointBounds(t *testing.T) {
	all, err := JointBounds(7, 2000)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range all {
		if b.Violated() {
			t.Errorf("bounds fail: %+v", b)
		}
	}
	if !(JointBound{Least: 1, Most: 2, Above: 1.9, Below: 0.5, BelowSimplified: 0.4}).Violated() {
		t.Error("a bound below the eigenvalue passes")
	}
}

// TestFactors: the factor n/(n−d−1) of Theorem 8.1.2 is that of moments of different rows. The draws are fixed.
func TestFactors(t *testing.T) {
	const n, d = 40, 10
	same, split, err := Factors(8, n, d, 1000)
	if err != nil {
		t.Fatal(err)
	}
	mean := func(v []float64) (m, se float64) {
		for _, x := range v {
			m += x / float64(len(v))
		}
		for _, x := range v {
			se += (x - m) * (x - m)
		}
		return m, math.Sqrt(se) / float64(len(v))
	}
	if m, se := mean(split); math.Abs(m-float64(n)/(n-d-1)) > 6*se {
		t.Errorf("different rows: got %.4f ± %.4f, want n/(n−d−1) = %.4f", m, se, float64(n)/(n-d-1))
	}
	if m, se := mean(same); !(m < 1.1 && m > 0.95) {
		t.Errorf("same rows: got %.4f ± %.4f, want about 1", m, se)
	}
}
