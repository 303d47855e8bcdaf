package accountant

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// TestConversionsInvert: what a budget allows costs the budget, from below, and barely.
func TestConversionsInvert(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	for range 300 {
		b := Budget{math.Exp(2 * rng.NormFloat64()), math.Pow(10, -14*rng.Float64()-0.01)}
		rho, err := RhoFor(b)
		if err != nil {
			t.Fatalf("%+v: %v", b, err)
		}
		if eps := priceOf(t, ZCDP{rho, AddRemove}, b.Delta); eps > b.Epsilon {
			t.Errorf("%+v: ρ = %g costs %.17g", b, rho, eps)
		}
		if eps := priceOf(t, ZCDP{rho * (1 + 1e-7), AddRemove}, b.Delta); eps <= b.Epsilon {
			t.Errorf("%+v: ρ = %g is not the largest: %.17g above it", b, rho, eps)
		}
		alpha := 1 + math.Exp(2+3*rng.NormFloat64())
		d, err := RDPFor(b, alpha)
		if errors.Is(err, ErrBudget) {
			continue // too low an order
		}
		if err != nil {
			t.Fatalf("%+v, order %g: %v", b, alpha, err)
		}
		at, err := constant(d).EpsilonAt(alpha, b.Delta)
		if err != nil || at > b.Epsilon {
			t.Errorf("%+v: divergence %g at order %g costs %.17g, %v", b, d, alpha, at, err)
		}
		if at, _ := constant(d*(1+1e-7)+1e-12).EpsilonAt(alpha, b.Delta); at <= b.Epsilon && at > 0 {
			t.Errorf("%+v: divergence %g at order %g is not the largest", b, d, alpha)
		}
	}
	if d, err := RDPFor(Budget{2, 1e-6}, math.Inf(1)); err != nil || d != 2 {
		t.Errorf("order +Inf: got %g, %v, want 2", d, err)
	}
}

func TestConversionErrors(t *testing.T) {
	good := Budget{1, 1e-6}
	for name, c := range map[string]struct {
		err  error
		want error
	}{
		"RhoFor ε":      {second(RhoFor(Budget{-1, 1e-6})), ErrEpsilon},
		"RhoFor δ":      {second(RhoFor(Budget{1, 0})), ErrDelta},
		"RDPFor ε":      {second(RDPFor(Budget{math.NaN(), 1e-6}, 2)), ErrEpsilon},
		"RDPFor order":  {second(RDPFor(good, 1)), ErrOrder},
		"RDPFor NaN":    {second(RDPFor(good, math.NaN())), ErrOrder},
		"RDPFor low":    {second(RDPFor(good, 2)), ErrBudget},
		"RhoOf nil":     {second(RhoOf(nil, AddRemove)), ErrParameter},
		"RhoOf tCDP":    {second(RhoOf(TCDP{1, 2, AddRemove}, AddRemove)), ErrNoRoute},
		"RhoOf parts":   {second(RhoOf(Compose(addGauss(1), Repeat(TCDP{1, 2, AddRemove}, 2)), AddRemove)), ErrNoRoute},
		"RhoOf other":   {second(RhoOf(Repeat(ZCDP{1, ReplaceOne}, 2), AddRemove)), ErrNeighbours},
		"Laplace ε":     {second(CalibrateLaplace(Budget{0, 0})), ErrEpsilon},
		"Laplace δ":     {second(CalibrateLaplace(Budget{1, 1})), ErrDelta},
		"Laplace NaN":   {second(CalibrateLaplace(Budget{1, math.NaN()})), ErrDelta},
		"closed form δ": {second(TCDP{1, 2, AddRemove}.ClosedForm(AddRemove, 2)), ErrDelta},
		"closed form ω": {second(TCDP{1, 0, AddRemove}.ClosedForm(AddRemove, 0.5)), ErrParameter},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: got %v, want %v", name, c.err, c.want)
		}
	}
}

func second(_ float64, err error) error { return err }

// TestRhoOf: rates are above every D_α/α, close to one, and add up.
func TestRhoOf(t *testing.T) {
	all := storable()
	rated := 0
	for _, name := range sortedNames(all) {
		e := all[name]
		rho, err := RhoOf(e, AddRemove)
		if errors.Is(err, ErrNoRoute) {
			continue
		}
		if err != nil {
			t.Fatalf("%v: %v", e, err)
		}
		rated++
		c, err := e.RDP(AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		best := 0.0
		for u := -25.0; u < 20; u += 0.01 {
			alpha := 1 + math.Exp(u)
			best = max(best, c(alpha)/alpha)
		}
		if !(rho >= best*(1-1e-12)) || rho > best*(1+1e-4) {
			t.Errorf("%v: ρ = %.12g, orders reach %.12g", e, rho, best)
		}
		for _, sum := range []Event{Repeat(e, 6), Compose(e, Repeat(Compose(e, e), 2), e)} {
			if six, err := RhoOf(sum, AddRemove); err != nil || !relClose(six, 6*rho) {
				t.Errorf("%v: ρ = %g, %v, want %g", sum, six, err, 6*rho)
			}
		}
	}
	if rated < 8 {
		t.Errorf("%d leaves are zero-concentrated, want at least 8", rated)
	}
}

// TestRhoExtremes: no parameter gives a rate that is NaN, negative, or beyond ε²/2 and ε.
func TestRhoExtremes(t *testing.T) {
	for _, eps := range []float64{0, 5e-324, 1e-300, 1e-160, 1e-12, 1e4, 1e160, 1e300, math.MaxFloat64} {
		for _, e := range []Event{
			Laplace{eps, 1, AddRemove},
			Exponential{eps, AddRemove},
			PureDP{eps, AddRemove},
			RandomizedResponse{3, eps, AddRemove},
			RandomizedResponse{math.MaxInt32, eps, AddRemove},
		} {
			rho, err := RhoOf(e, AddRemove)
			if err != nil {
				t.Fatal(err)
			}
			if most := min(eps, eps*(eps/2)); !(rho >= 0) || rho > most*(1+1e-8)+1e-320 || (eps > 0) != (rho > 0) {
				t.Errorf("%v: ρ = %g, want at most %g", e, rho, most)
			}
		}
	}
}

func TestCalibrateLaplace(t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 64))
	for range 500 {
		b := Budget{math.Exp(3 * rng.NormFloat64()), math.Pow(10, -16*rng.Float64()-0.01)}
		if rng.IntN(4) == 0 {
			b.Delta = 0
		}
		shift, err := CalibrateLaplace(b)
		if err != nil {
			t.Fatal(err)
		}
		e := Laplace{shift, 1, AddRemove}
		if eps := priceOf(t, e, b.Delta); eps > b.Epsilon {
			t.Errorf("%+v: t = %g costs %.17g", b, shift, eps)
		}
		if eps := priceOf(t, Laplace{shift * (1 + 1e-9), 1, AddRemove}, b.Delta); eps <= b.Epsilon {
			t.Errorf("%+v: t = %g is not the largest", b, shift)
		}
	}
}

func TestCalibrate(t *testing.T) {
	b := Budget{1, 1e-6}
	mu, err := CalibrateGaussian(b)
	if err != nil {
		t.Fatal(err)
	}
	falling := func(sigma float64) Event { return Gaussian{1, sigma, AddRemove} }
	rising := func(mu float64) Event { return addGauss(mu) }
	steps := func(n float64) Event { return Repeat(addGauss(0.01), int(n)) }
	mixed := func(b float64) Event { return Compose(Laplace{1, b, AddRemove}, addGauss(0.1)) }
	cases := []struct {
		name         string
		make         func(float64) Event
		lo, hi, want float64
	}{
		{"noise", falling, 1e-3, 1e6, 1 / mu},
		{"shift", rising, 1e-6, 1e3, mu},
		{"from zero", rising, 0, 10, mu},
		{"steps", steps, 1, 1e6, math.Nextafter(math.Floor(mu*mu/1e-4)+1, 0)},
		{"scale", mixed, 0.1, 1e4, math.NaN()},
		{"all of a rising range", rising, 0.01, 0.02, 0.02},
		{"all of a falling range", falling, 10, 20, 10},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			x, g, err := Calibrate(b, AddRemove, c.make, c.lo, c.hi)
			if err != nil {
				t.Fatal(err)
			}
			again, err := EpsilonOf(c.make(x), AddRemove, b.Delta)
			if err != nil || again.Epsilon > b.Epsilon || again.Epsilon != g.Epsilon || g.Neighbours != AddRemove {
				t.Errorf("%g costs %v, then %v, %v", x, g, again, err)
			}
			if !math.IsNaN(c.want) && math.Abs(x-c.want) > 3e-9*c.want {
				t.Errorf("got %.12g, want %.12g", x, c.want)
			}
			if math.IsNaN(c.want) && g.Epsilon < 1-1e-7 {
				t.Errorf("got %g at ε = %g, want it close to 1", x, g.Epsilon)
			}
		})
	}
	bad := []struct {
		name   string
		b      Budget
		lo, hi float64
		want   error
	}{
		{"out of reach", b, 1e-3, 1, ErrBudget},
		{"no range", b, 1, 1, ErrParameter},
		{"falling range", b, 2, 1, ErrParameter},
		{"NaN", b, math.NaN(), 1, ErrParameter},
		{"infinite", b, 1, math.Inf(1), ErrParameter},
		{"budget", Budget{0, 1e-6}, 1, 2, ErrEpsilon},
		{"bad event", b, -1, 2, ErrParameter},
	}
	for _, c := range bad {
		t.Run(c.name, func(t *testing.T) {
			if x, _, err := Calibrate(c.b, AddRemove, falling, c.lo, c.hi); !errors.Is(err, c.want) || !math.IsNaN(x) {
				t.Errorf("got %g, %v, want %v", x, err, c.want)
			}
		})
	}
}
