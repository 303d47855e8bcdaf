package accountant

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

func addGauss(mu float64) Gaussian { return Gaussian{Sensitivity: mu, Sigma: 1, Neighbours: AddRemove} }

func filterKinds() map[string]FilterKind {
	return map[string]FilterKind{
		"basic":   ByEpsilon(),
		"zCDP":    ByZCDP(),
		"RDP":     ByRDP(20),
		"RDPs":    ByRDP(20, 28, 40),
		"GDP":     ByGDP(0),
		"GDPgrid": ByGDP(0.01),
	}
}

func newFilter(t *testing.T, b Budget, kind FilterKind) *Filter {
	t.Helper()
	f, err := NewFilter(b, AddRemove, kind)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// unspent is a new filter of the same budget and kind, whose limits take long to find.
func unspent(f *Filter) *Filter {
	return &Filter{budget: f.budget, rel: f.rel, kind: f.kind, limit: f.limit, most: f.most, spent: f.tally(make([]float64, len(f.limit.amounts)), 0)}
}

// partOf is an event that takes 1/n of the budget in the filter's currency.
func partOf(t *testing.T, b Budget, kind FilterKind, n float64) Event {
	t.Helper()
	amounts, _, err := kind.limits(b)
	if err != nil {
		t.Fatal(err)
	}
	x := amounts[0]
	switch kind.currency {
	case epsilonCurrency:
		return PureDP{x / n, AddRemove}
	case zcdpCurrency:
		return ZCDP{x / n, AddRemove}
	case rdpCurrency:
		return RDPTable{kind.orders[:1], []float64{x / n}, AddRemove}
	default:
		return addGauss(x / math.Sqrt(n))
	}
}

// TestFilterAdmitsExactlyTheBudget: n equal parts fit and the next does not; what is spent and left
// says so on the way.
func TestFilterAdmitsExactlyTheBudget(t *testing.T) {
	b := Budget{1, 1e-6}
	for name, kind := range filterKinds() {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{1, 4, 64} { // powers of 4: the parts are exact
				f := newFilter(t, b, kind)
				part := partOf(t, b, kind, float64(n))
				if s := f.Spent(); s.Epsilon != 0 {
					t.Errorf("new: spent %v", s)
				}
				if l := f.Left(); !(l.Epsilon > 1-1e-6 && l.Epsilon <= 1) {
					t.Errorf("new: left %v", l)
				}
				last := 0.0
				for i := range n {
					if err := f.Admit(part); err != nil {
						t.Fatalf("part %d of %d: %v", i+1, n, err)
					}
					s := f.Spent().Epsilon
					if !(s > last && s <= 1) {
						t.Errorf("part %d of %d: spent %g after %g", i+1, n, s, last)
					}
					last = s
				}
				if !(last > 1-1e-6) {
					t.Errorf("%d parts: spent %g, want 1", n, last)
				}
				before, left := f.Spent(), f.Left()
				if left.Epsilon > 1e-6 && len(kind.orders) < 2 {
					t.Errorf("%d parts: left %v", n, left)
				}
				if err := f.Admit(part); !errors.Is(err, ErrBudget) {
					t.Errorf("one part too many: got %v, want ErrBudget", err)
				}
				if f.Spent() != before || f.Left() != left {
					t.Errorf("a refusal was charged: %v, then %v", before, f.Spent())
				}
				if err := f.Admit(Compose()); err != nil {
					t.Errorf("an event of no cost: %v", err)
				}
				if err := f.Restore(part); err != nil || f.Left().Epsilon > 1e-6 && len(kind.orders) < 2 {
					t.Errorf("restored beyond the budget: %v, left %v", err, f.Left())
				}
			}
		})
	}
}

// TestFilterLeft: an event calibrated to what is left, by the filter's route, is admitted.
func TestFilterLeft(t *testing.T) {
	b := Budget{1, 1e-6}
	fresh := func(kind FilterKind, used float64) *Filter {
		f := newFilter(t, b, kind)
		if err := f.Admit(partOf(t, b, kind, 1/used)); err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, used := range []float64{0.01, 0.5, 0.99} {
		f := fresh(ByEpsilon(), used)
		if err := f.Admit(PureDP{f.Left().Epsilon, AddRemove}); err != nil {
			t.Error(err)
		}
		f = fresh(ByZCDP(), used)
		rho, err := RhoFor(f.Left())
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Admit(ZCDP{rho, AddRemove}); err != nil {
			t.Error(err)
		}
		f = fresh(ByGDP(0), used)
		mu, err := CalibrateGaussian(f.Left())
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Admit(addGauss(mu)); err != nil {
			t.Error(err)
		}
		if l := f.Left(); l.Epsilon > 1e-3 {
			t.Errorf("used %g, then what was left: %v is left", used, l)
		}
	}
}

func TestFilterCurrencies(t *testing.T) {
	const rel = AddRemove
	b := Budget{1, 1e-6}
	gauss, laplace := addGauss(0.01), Laplace{0.01, 1, rel}
	grid := DiscreteGaussian{0.01, 1, rel, 100, 1}
	approx := ApproxDP{0.01, 1e-7, rel}
	const all = "basic zCDP RDP RDPs GDP GDPgrid"
	cases := []struct {
		name  string
		e     Event
		kinds string // that admit it
		want  error  // of the others
	}{
		{"nothing", Compose(), all, nil},
		{"Gaussian", gauss, "zCDP RDP RDPs GDP GDPgrid", ErrBudget},
		{"Laplace", laplace, all, nil},
		{"both", Compose(gauss, Repeat(laplace, 2)), "zCDP RDP RDPs GDP GDPgrid", nil},
		{"grid", grid, "zCDP RDP RDPs GDP GDPgrid", ErrBudget},
		{"near", distant{gauss}, "RDP RDPs GDPgrid", nil},
		{"approximate", approx, "basic", ErrNoRoute},
		{"table", RDPTable{[]float64{40}, []float64{0.001}, rel}, "RDP RDPs", nil},
		{"other relation", Laplace{0.01, 1, ReplaceOne}, "", nil},
		{"not private", NonPrivate{}, "", nil},
		{"nil", nil, "", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for name, kind := range filterKinds() {
				err := newFilter(t, b, kind).Admit(c.e)
				admits := false
				for _, k := range strings.Fields(c.kinds) {
					admits = admits || k == name
				}
				if admits != (err == nil) {
					t.Errorf("%s: got %v, admits it: %v", name, err, admits)
				}
				if err != nil && c.want != nil && !errors.Is(err, c.want) {
					t.Errorf("%s: got %v, want %v", name, err, c.want)
				}
			}
		})
	}
}

func TestFilterErrors(t *testing.T) {
	cases := []struct {
		name string
		b    Budget
		rel  Neighbours
		kind FilterKind
		want error
	}{
		{"no kind", Budget{1, 1e-6}, AddRemove, FilterKind{}, ErrParameter},
		{"no relation", Budget{1, 1e-6}, 0, ByZCDP(), ErrNeighbours},
		{"no epsilon", Budget{0, 1e-6}, AddRemove, ByEpsilon(), ErrEpsilon},
		{"pure zCDP", Budget{1, 0}, AddRemove, ByZCDP(), ErrDelta},
		{"negative delta", Budget{1, -1}, AddRemove, ByEpsilon(), ErrDelta},
		{"no orders", Budget{1, 1e-6}, AddRemove, ByRDP(), ErrOrder},
		{"order 1", Budget{1, 1e-6}, AddRemove, ByRDP(1), ErrOrder},
		{"order too low", Budget{1, 1e-6}, AddRemove, ByRDP(2), ErrBudget},
		{"share of 1", Budget{1, 1e-6}, AddRemove, ByGDP(1), ErrParameter},
		{"NaN share", Budget{1, 1e-6}, AddRemove, ByGDP(math.NaN()), ErrParameter},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, err := NewFilter(c.b, c.rel, c.kind); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
	f := newFilter(t, Budget{1, 0}, ByEpsilon())
	if err := f.Admit(PureDP{1, AddRemove}); err != nil {
		t.Error(err)
	}
	if s := f.Spent(); s != (Budget{1, 0}) {
		t.Errorf("spent %v, want (1, 0)", s)
	}
	f = newFilter(t, Budget{1, 1e-6}, ByEpsilon())
	if err := f.Restore(ApproxDP{0.1, 1e-5, AddRemove}); err != nil || f.Left() != (Budget{}) {
		t.Errorf("failures beyond the budget: %v, left %v", err, f.Left())
	}
}

// TestFilterConcurrent: goroutines together are admitted as often as the budget says.
func TestFilterConcurrent(t *testing.T) {
	b := Budget{1, 1e-6}
	f := newFilter(t, b, ByGDP(0))
	part := partOf(t, b, ByGDP(0), 64)
	var wg sync.WaitGroup
	var mu sync.Mutex
	admitted := 0
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 20 {
				if f.Admit(part) == nil {
					mu.Lock()
					admitted++
					mu.Unlock()
				}
				f.Left()
			}
		}()
	}
	wg.Wait()
	if admitted != 64 {
		t.Errorf("admitted %d parts of 64", admitted)
	}
}

// adversary chooses each shift from the loss so far: large ones where that is high, so that the run's length
// and prices depend on it.
func adversary(rng *rand.Rand, loss float64) float64 {
	if loss > 1 {
		return 0.8
	}
	return 0.05 + 0.3*rng.Float64()
}

// TestFilterSimulated runs an adaptive adversary against filters: E(1 − e^{ε−L})₊ over runs of
// Gaussians that were admitted stays below δ. A mean of n variables in [0, 1] is further off than tol with
// probability at most 1e-12 (Hoeffding); so for the odometer's misses.
func TestFilterSimulated(t *testing.T) {
	const n = 6_000
	b := Budget{1.5, 0.2} // 6 000 runs tell this δ from its half
	tol := math.Sqrt(math.Log(2/1e-12) / (2 * n))
	kinds := map[string]FilterKind{"zCDP": ByZCDP(), "RDP": ByRDP(3), "RDPs": ByRDP(2.5, 4, 8), "GDP": ByGDP(0)}
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(51, 52))
			sum, admitted := 0.0, 0
			proto := newFilter(t, b, kind)
			for range n {
				f := unspent(proto)
				loss := 0.0
				for misses := 0; misses < 2; {
					mu := adversary(rng, loss)
					if f.Admit(addGauss(mu)) != nil {
						misses++
						continue
					}
					admitted++
					loss += mu*rng.NormFloat64() + mu*mu/2
				}
				sum += max(0, -math.Expm1(b.Epsilon-loss))
			}
			if got := sum / n; got > b.Delta+tol || admitted < n {
				t.Errorf("δ = %g ± %g over %d events, want at most %g", got, tol, admitted, b.Delta)
			}
		})
	}
}

func TestOdometerSimulated(t *testing.T) {
	const n, delta = 10_000, 0.1
	tol := math.Sqrt(math.Log(2/1e-12) / (2 * n))
	for name, orders := range map[string][]float64{"one order": {4}, "four orders": {2, 4, 8, 16}} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(53, 54))
			misses := 0
			for range n {
				o, err := NewOdometer(delta, AddRemove, orders...)
				if err != nil {
					t.Fatal(err)
				}
				loss, missed := 0.0, false
				for range 25 {
					mu := adversary(rng, loss)
					if err := o.Charge(addGauss(mu)); err != nil {
						t.Fatal(err)
					}
					loss += mu*rng.NormFloat64() + mu*mu/2
					missed = missed || loss > o.Loss().Epsilon
				}
				if missed {
					misses++
				}
			}
			if rate := float64(misses) / n; rate > delta+tol {
				t.Errorf("the loss passed the odometer in %g ± %g of the runs, want at most %g", rate, tol, delta)
			}
		})
	}
}

func TestOdometer(t *testing.T) {
	const delta = 1e-6
	o, err := NewOdometer(delta, AddRemove, 8, math.Inf(1))
	if err != nil {
		t.Fatal(err)
	}
	if l := o.Loss(); l != (Budget{0, delta}) {
		t.Errorf("new: got %v", l)
	}
	if err := o.Charge(PureDP{0.5, AddRemove}); err != nil {
		t.Fatal(err)
	}
	if l := o.Loss(); l.Epsilon != 0.5 {
		t.Errorf("pure: got %v, want ε = 0.5 at the order +Inf", l)
	}
	if err := o.Charge(addGauss(0.1)); err != nil {
		t.Fatal(err)
	}
	curve, err := Compose(PureDP{0.5, AddRemove}, addGauss(0.1)).RDP(AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	want := curve(8) + math.Log(2/delta)/7
	if l := o.Loss(); !(l.Epsilon >= want) || l.Epsilon > want*(1+1e-12) {
		t.Errorf("got %v, want ε = %g", l, want)
	}
	before := o.Loss()
	for name, e := range map[string]Event{"nil": nil, "may fail": ApproxDP{1, 1e-9, AddRemove}, "other relation": PureDP{1, ReplaceOne}} {
		if err := o.Charge(e); err == nil || o.Loss() != before {
			t.Errorf("%s: got %v, loss %v", name, err, o.Loss())
		}
	}
	for name, f := range map[string]func() error{
		"no orders":   func() error { _, err := NewOdometer(delta, AddRemove); return err },
		"order 1":     func() error { _, err := NewOdometer(delta, AddRemove, 1); return err },
		"NaN order":   func() error { _, err := NewOdometer(delta, AddRemove, math.NaN()); return err },
		"zero delta":  func() error { _, err := NewOdometer(0, AddRemove, 2); return err },
		"no relation": func() error { _, err := NewOdometer(delta, 0, 2); return err },
	} {
		if f() == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

func BenchmarkAdmit(b *testing.B) {
	for name, kind := range filterKinds() {
		b.Run(name, func(b *testing.B) {
			f, err := NewFilter(Budget{1, 1e-6}, AddRemove, kind)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := f.Admit(Compose()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestFilterAdmitsParts: n events that a user makes of 1/n of the budget are admitted, one more is not, whatever the
// rounding of the parts and of their prices.
func TestFilterAdmitsParts(t *testing.T) {
	for _, b := range []Budget{{1, 1e-6}, {0.1, 1e-5}, {math.Pi, 1e-9}, {8, 1e-5}} {
		rho, err := RhoFor(b)
		if err != nil {
			t.Fatal(err)
		}
		mu, err := CalibrateGaussian(b)
		if err != nil {
			t.Fatal(err)
		}
		at20, err := RDPFor(b, 20)
		if err != nil {
			at20 = math.NaN()
		}
		for _, c := range []struct {
			name string
			kind FilterKind
			part func(n float64) Event
		}{
			{"pure", ByEpsilon(), func(n float64) Event { return PureDP{b.Epsilon / n, AddRemove} }},
			{"approximate", ByEpsilon(), func(n float64) Event { return ApproxDP{b.Epsilon / n, b.Delta / n, AddRemove} }},
			{"Laplace", ByEpsilon(), func(n float64) Event { return Laplace{1, n / b.Epsilon, AddRemove} }},
			{"zCDP", ByZCDP(), func(n float64) Event { return ZCDP{rho / n, AddRemove} }},
			{"Gaussian by zCDP", ByZCDP(), func(n float64) Event { return addGauss(math.Sqrt(2 * rho / n)) }},
			{"noise by zCDP", ByZCDP(), func(n float64) Event {
				return Gaussian{Sensitivity: 1, Sigma: math.Sqrt(n / (2 * rho)), Neighbours: AddRemove}
			}},
			{"Gaussian", ByGDP(0), func(n float64) Event { return addGauss(mu / math.Sqrt(n)) }},
			{"noise", ByGDP(0), func(n float64) Event {
				return Gaussian{Sensitivity: 1, Sigma: math.Sqrt(n) / mu, Neighbours: AddRemove}
			}},
			{"RDP", ByRDP(20), func(n float64) Event { return ZCDP{at20 / 20 / n, AddRemove} }},
			{"noise by RDP", ByRDP(20), func(n float64) Event {
				return Gaussian{Sensitivity: 1, Sigma: math.Sqrt(n * 20 / (2 * at20)), Neighbours: AddRemove}
			}},
		} {
			if c.kind.currency == rdpCurrency && math.IsNaN(at20) {
				continue
			}
			t.Run(fmt.Sprint(b, c.name), func(t *testing.T) {
				single.Goroutine(t)
				empty := newFilter(t, b, c.kind)
				for n := 2; n <= 1000; n += 1 + n/40 {
					f, part := unspent(empty), c.part(float64(n))
					for i := range n {
						if err := f.Admit(part); err != nil {
							t.Fatalf("part %d of %d: %v", i+1, n, err)
						}
					}
					if s := f.Spent(); !(s.Epsilon <= b.Epsilon && s.Delta <= b.Delta) {
						t.Errorf("%d parts: spent %v of %v", n, s, b)
					}
					if f.Admit(part) == nil {
						t.Errorf("%d parts: one more was admitted", n)
					}
				}
			})
		}
	}
}
