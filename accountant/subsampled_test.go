package accountant

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func mustCurve(t *testing.T, e Event, rel Neighbours) Curve {
	t.Helper()
	curve, err := e.RDP(rel)
	if err != nil {
		t.Fatal(err)
	}
	return curve
}

// subsampledKinds lists one event of each kind.
func subsampledKinds() map[string]SubsampledGaussian {
	shift := DisplacedRows{Rows: 40, Each: 0.1, Total: 1}
	return map[string]SubsampledGaussian{
		"add/remove":                    {C: 1, Sigma: 1.3, Sampling: PoissonSampling(0.02), Neighbours: AddRemove},
		"add/remove displaced":          {C: 1, Sigma: 1.3, Sampling: PoissonSampling(0.02), Neighbours: AddRemove, Shift: shift},
		"replace-one":                   {C: 1, Sigma: 1.3, Sampling: PoissonSampling(0.02), Neighbours: ReplaceOne},
		"replace-one displaced":         {C: 1, Sigma: 1.3, Sampling: PoissonSampling(0.02), Neighbours: ReplaceOne, Shift: shift},
		"without replacement":           {C: 1, Sigma: 1.3, Sampling: BatchSampling(20, 1000), Neighbours: ReplaceOne},
		"without replacement displaced": {C: 1, Sigma: 1.3, Sampling: BatchSampling(20, 1000), Neighbours: ReplaceOne, Shift: shift},
	}
}

// TestStepMonotone: every parameter that weakens privacy raises the price, at each order, and the price rises
// with the order; (α−1) D_α of the exact curves is convex.
func TestStepMonotone(t *testing.T) {
	orders := []float64{1.01, 1.3, 2, 2.5, 4, 7.3, 12, 20, 31.7}
	for name, e := range subsampledKinds() {
		t.Run(name, func(t *testing.T) {
			changed := map[string]SubsampledGaussian{}
			less := e
			less.Sigma *= 0.9
			changed["less noise"] = less
			more := e
			more.C *= 1.1
			changed["larger gradients"] = more
			often := e
			if e.Sampling.Kind == Poisson {
				often.Sampling.Rate *= 1.1
			} else {
				often.Sampling.Batch++
			}
			changed["more rows drawn"] = often
			if e.Shift.Rows > 0 {
				far := e
				far.Shift.Each *= 1.2
				far.Shift.Total *= 1.2
				changed["farther"] = far
			} else {
				moved := e
				moved.Shift = DisplacedRows{Rows: 3, Each: 0.01}
				changed["displaced"] = moved
			}
			base := mustCurve(t, e, e.Neighbours)
			last, moment := 0.0, 0.0
			for i, alpha := range orders {
				d := base(alpha)
				// The minimum of several bounds need not be monotone; the search for shares is good to 1e-3.
				if !(d >= last*(1-2e-3)) {
					t.Errorf("order %g: %g, less than %g at a smaller order", alpha, d, last)
				}
				for what, f := range changed {
					if v := mustCurve(t, f, f.Neighbours)(alpha); !(v >= d*(1-2e-3)) {
						t.Errorf("order %g, %s: %.15g, less than %.15g", alpha, what, v, d)
					}
				}
				if m := (alpha - 1) * d; i > 0 && e.Shift.Rows == 0 && e.Sampling.Kind == Poisson {
					mid := (alpha + orders[i-1]) / 2
					if got := (mid - 1) * base(mid); !(got <= (m+moment)/2*(1+1e-10)) {
						t.Errorf("(α−1)D at %g is %g, above the chord %g", mid, got, (m+moment)/2)
					}
				}
				last, moment = d, (alpha-1)*d
			}
		})
	}
}

func TestStepIsGaussianAtRateOne(t *testing.T) {
	shift := DisplacedRows{Rows: 10, Each: 0.3, Total: 2}
	for _, c := range []struct {
		e  SubsampledGaussian
		mu float64
	}{
		{SubsampledGaussian{C: 1, Sigma: 2, Sampling: PoissonSampling(1), Neighbours: AddRemove}, 0.5},
		{SubsampledGaussian{C: 1, Sigma: 2, Sampling: PoissonSampling(1), Neighbours: ReplaceOne}, 1},
		{SubsampledGaussian{C: 1, Sigma: 2, Sampling: BatchSampling(50, 50), Neighbours: ReplaceOne}, 1},
		{SubsampledGaussian{C: 1, Sigma: 2, Sampling: BatchSampling(50, 50), Neighbours: ReplaceOne, Shift: shift}, 2},
		{SubsampledGaussian{C: 1, Sigma: 2, Sampling: PoissonSampling(1), Neighbours: AddRemove, Shift: shift}, 1.5},
		{SubsampledGaussian{C: 1, Sigma: 2, Sampling: PoissonSampling(0), Neighbours: ReplaceOne, Shift: shift}, 0},
		{SubsampledGaussian{C: 1, Sigma: 0, Sampling: PoissonSampling(0), Neighbours: ReplaceOne}, 0},
	} {
		mu, tv, err := c.e.GDP(c.e.Neighbours)
		if err != nil || tv != 0 || !(mu >= c.mu && mu <= c.mu*(1+1e-12)) {
			t.Errorf("%v: μ = %g, tv = %g, %v, want %g", c.e, mu, tv, err, c.mu)
		}
		got, err := EpsilonOf(Repeat(c.e, 3), c.e.Neighbours, 1e-6)
		want, err2 := EpsilonOf(Gaussian{Sensitivity: c.mu * math.Sqrt(3), Sigma: 1, Neighbours: c.e.Neighbours}, c.e.Neighbours, 1e-6)
		if err != nil || err2 != nil || math.Abs(got.Epsilon-want.Epsilon) > 1e-9 {
			t.Errorf("%v: %v, want %v", c.e, got, want)
		}
	}
	e := SubsampledGaussian{C: 1, Sigma: 2, Sampling: PoissonSampling(0.5), Neighbours: AddRemove}
	if _, _, err := e.GDP(AddRemove); !errors.Is(err, ErrNoRoute) {
		t.Errorf("GDP at rate 0.5: got %v, want ErrNoRoute", err)
	}
}

func TestStepErrors(t *testing.T) {
	good := SubsampledGaussian{C: 1, Sigma: 1, Sampling: PoissonSampling(0.1), Neighbours: ReplaceOne}
	nan := math.NaN()
	for name, c := range map[string]struct {
		change func(*SubsampledGaussian)
		want   error
	}{
		"other relation":       {func(e *SubsampledGaussian) { e.Neighbours = AddRemove }, ErrNeighbours},
		"no relation":          {func(e *SubsampledGaussian) { e.Neighbours = 0 }, ErrNeighbours},
		"negative noise":       {func(e *SubsampledGaussian) { e.Sigma = -1 }, ErrParameter},
		"NaN noise":            {func(e *SubsampledGaussian) { e.Sigma = nan }, ErrParameter},
		"NaN C":                {func(e *SubsampledGaussian) { e.C = nan }, ErrParameter},
		"infinite C":           {func(e *SubsampledGaussian) { e.C = math.Inf(1) }, ErrParameter},
		"negative rate":        {func(e *SubsampledGaussian) { e.Sampling.Rate = -0.1 }, ErrParameter},
		"rate above one":       {func(e *SubsampledGaussian) { e.Sampling.Rate = 1.5 }, ErrParameter},
		"NaN rate":             {func(e *SubsampledGaussian) { e.Sampling.Rate = nan }, ErrParameter},
		"no sampling":          {func(e *SubsampledGaussian) { e.Sampling = Sampling{} }, ErrParameter},
		"both samplings":       {func(e *SubsampledGaussian) { e.Sampling.Rows = 5 }, ErrParameter},
		"batch above rows":     {func(e *SubsampledGaussian) { e.Sampling = BatchSampling(5, 4) }, ErrParameter},
		"no rows":              {func(e *SubsampledGaussian) { e.Sampling = BatchSampling(0, 0) }, ErrParameter},
		"batch and rate":       {func(e *SubsampledGaussian) { e.Sampling = Sampling{WithoutReplacement, 0.5, 1, 4} }, ErrParameter},
		"negative displaced":   {func(e *SubsampledGaussian) { e.Shift.Rows = -1 }, ErrParameter},
		"NaN displacement":     {func(e *SubsampledGaussian) { e.Shift = DisplacedRows{1, nan, 0} }, ErrParameter},
		"total without rows":   {func(e *SubsampledGaussian) { e.Shift.Total = 1 }, ErrParameter},
		"rows without a bound": {func(e *SubsampledGaussian) { e.Shift = DisplacedRows{Rows: 3, Total: 1} }, ErrParameter},
	} {
		e := good
		c.change(&e)
		if _, err := e.RDP(ReplaceOne); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	wor := SubsampledGaussian{C: 1, Sigma: 1, Sampling: BatchSampling(1, 10), Neighbours: AddRemove}
	if _, err := wor.RDP(AddRemove); !errors.Is(err, ErrParameter) {
		t.Errorf("without replacement under add/remove: got %v", err)
	}
	if _, err := good.Route(ReplaceOne, 1); !errors.Is(err, ErrOrder) {
		t.Errorf("route at order 1: got %v", err)
	}
}

// TestStepSimulated draws from the step itself, one displaced row and one replaced, and compares the mean of the
// likelihood ratio's square with the price: an independent estimate of e^{D_2}, that must not be above it.
func TestStepSimulated(t *testing.T) {
	const q, sigma, v, draws = 0.3, 1.5, 0.4, 400_000
	rng := rand.New(rand.NewPCG(41, 42))
	density := func(x float64, free, common float64) float64 {
		sum := 0.0
		for k, p := range [4]float64{(1 - q) * (1 - q), q * (1 - q), (1 - q) * q, q * q} {
			d := x - free*float64(k&1) - common*float64(k>>1)
			sum += p * math.Exp(-d*d/(2*sigma*sigma))
		}
		return sum
	}
	coin := func() float64 {
		if rng.Float64() < q {
			return 1
		}
		return 0
	}
	mean, square := 0.0, 0.0
	for range draws {
		// On the one side gradients 1 and 0.5, on the other −1 and 0.5 − v.
		x := sigma*rng.NormFloat64() - coin() + (0.5-v)*coin()
		r := density(x, 1, 0.5) / density(x, -1, 0.5-v)
		mean += r * r / draws
		square += r * r * r * r / draws
	}
	e := SubsampledGaussian{C: 1, Sigma: sigma, Sampling: PoissonSampling(q), Neighbours: ReplaceOne, Shift: DisplacedRows{Rows: 1, Each: v}}
	bound := math.Exp(mustCurve(t, e, ReplaceOne)(2))
	// Seven standard errors: a normal deviate is above that with probability 1.3e-12.
	slack := 7 * math.Sqrt((square-mean*mean)/draws)
	if mean-slack > bound {
		t.Errorf("simulated %g ± %g, above the bound %g", mean, slack, bound)
	}
	if mean+slack < 1+0.8*(bound-1) {
		t.Errorf("simulated %g ± %g, far below the bound %g: it is not about this mechanism", mean, slack, bound)
	}
	t.Logf("simulated %.5g ± %.2g, bound %.5g", mean, slack, bound)
}

func TestSGDIteration(t *testing.T) {
	one := SGDIteration{C: 1, Shift: 0.5, Sigma: 3, Steps: 1, Neighbours: ReplaceOne}
	for _, alpha := range []float64{1.2, 2, 17} {
		requireAbove(t, "one step is a Gaussian", mustCurve(t, one, ReplaceOne)(alpha), alpha*2.5*2.5/18, 1e-11)
		last := math.Inf(1)
		for _, m := range []int{1, 2, 10, 1000, 5000, 1_000_000} {
			direct, c := 0.0, alpha*(alpha-1)*2.5*2.5/18
			for j := 1; j <= m; j++ {
				direct += math.Expm1(c/float64(j)) / float64(m)
			}
			e := one
			e.Steps = m
			got := mustCurve(t, e, ReplaceOne)(alpha)
			requireAbove(t, e.String(), got, math.Log1p(direct)/(alpha-1), 1e-5)
			if !(got <= last) {
				t.Errorf("%v: %g, more than %g in a shorter pass", e, got, last)
			}
			last = got
		}
	}
	for name, e := range map[string]SGDIteration{
		"no steps":       {C: 1, Sigma: 1, Neighbours: ReplaceOne},
		"negative shift": {C: 1, Sigma: 1, Steps: 1, Shift: -1, Neighbours: ReplaceOne},
		"NaN C":          {C: math.NaN(), Sigma: 1, Steps: 1, Neighbours: ReplaceOne},
		"negative noise": {C: 1, Sigma: -1, Steps: 1, Neighbours: ReplaceOne},
	} {
		if _, err := e.RDP(ReplaceOne); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: got %v, want ErrParameter", name, err)
		}
	}
	if _, err := one.RDP(AddRemove); !errors.Is(err, ErrNeighbours) {
		t.Errorf("other relation: got %v", err)
	}
}

func TestCountLaws(t *testing.T) {
	for name, law := range map[string]countLaw{
		"binomial":       binomialCount(30, 0.2),
		"many":           binomialCount(200_000, 0.01),
		"hypergeometric": hypergeometricCount(100, 30, 20),
		"large":          hypergeometricCount(1_000_000, 300_000, 5000),
		"certain":        hypergeometricCount(10, 10, 4),
	} {
		sum, mean := 0.0, 0.0
		for i, p := range law.logP {
			sum += math.Exp(p)
			mean += math.Exp(p) * law.count[i]
		}
		want := map[string]float64{"binomial": 6, "many": 2000, "hypergeometric": 6, "large": 1500, "certain": 4}[name]
		if !(sum >= 1-1e-13 && sum <= 1+1e-7) || !(mean >= want*(1-1e-12) && mean <= want*1.005) {
			t.Errorf("%s: probabilities sum to %.15g, mean %g, want 1 and %g", name, sum, mean, want)
		}
	}
}

// TestRepeatedStepIsComposed: equal curves, and ε up to the search for the order.
func TestRepeatedStepIsComposed(t *testing.T) {
	for name, e := range subsampledKinds() {
		many := make([]Event, 700)
		for i := range many {
			many[i] = e
		}
		if e.Shift.Rows > 0 {
			many = many[:5]
		}
		a, b := Repeat(e, len(many)), Compose(many...)
		for _, alpha := range []float64{1.5, 8, 33.3} {
			if x, y := mustCurve(t, a, e.Neighbours)(alpha), mustCurve(t, b, e.Neighbours)(alpha); !relClose(x, y) {
				t.Errorf("%s, order %g: repeated %.15g, composed %.15g", name, alpha, x, y)
			}
		}
		x, err1 := EpsilonOf(a, e.Neighbours, 1e-5)
		y, err2 := EpsilonOf(b, e.Neighbours, 1e-5)
		if err1 != nil || err2 != nil || math.Abs(x.Epsilon-y.Epsilon) > 1e-3*x.Epsilon {
			t.Errorf("%s: repeated %v %v, composed %v %v", name, x, err1, y, err2)
		}
	}
}

func TestRouteNames(t *testing.T) {
	for name, e := range subsampledKinds() {
		route, err := e.Route(e.Neighbours, 4)
		if err != nil || route == "" {
			t.Errorf("%s: got %q, %v, want a name", name, route, err)
		}
		t.Logf("%s: %s", name, route)
	}
}
