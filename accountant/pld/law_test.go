package pld

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

func must(t testing.TB, law Law, err error) Law {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return law
}

// A namedLaw comes with a sampler of its loss under P, by the densities; nil where all is known.
type namedLaw struct {
	name string
	law  Law
	loss func(*rand.Rand) float64
}

func laws(t testing.TB) []namedLaw {
	t.Helper()
	normal := func(x, c, s float64) float64 { return math.Exp(-(x - c) * (x - c) / (2 * s * s)) }
	var all []namedLaw
	for _, mu := range []float64{1e-3, 0.7, 12} {
		law, err := NewGaussian(mu)
		all = append(all, namedLaw{fmt.Sprintf("gaussian %g", mu), must(t, law, err), func(r *rand.Rand) float64 {
			return mu*mu/2 + mu*r.NormFloat64()
		}})
	}
	for _, r := range []float64{1e-3, 1, 8} {
		law, err := NewLaplace(r)
		all = append(all, namedLaw{fmt.Sprintf("laplace %g", r), must(t, law, err), func(rng *rand.Rand) float64 {
			x := rng.ExpFloat64() // Lap(1) against Lap(1) + r
			if rng.IntN(2) == 0 {
				x = -x
			}
			return math.Abs(x-r) - math.Abs(x)
		}})
	}
	for _, eta := range []float64{1e-3, 1, 40} {
		law, err := NewBoundedRange(eta)
		all = append(all, namedLaw{fmt.Sprintf("bounded range %g", eta), must(t, law, err), func(rng *rand.Rand) float64 {
			return 2*math.Log1p(rng.Float64()*math.Expm1(eta)) - eta // by the inverse of ∫ e^{l/2}
		}})
	}
	for _, c := range []struct{ q, s float64 }{{0.01, 1}, {0.3, 0.4}, {0.9, 3}, {0.001, 50}} {
		draw := func(r *rand.Rand) float64 {
			x := c.s * r.NormFloat64()
			if r.Float64() < c.q {
				x++
			}
			return x
		}
		m := func(x, center float64) float64 {
			return (1-c.q)*normal(x, 0, c.s) + c.q*normal(x, center, c.s)
		}
		for d, name := range []string{"remove", "add", "replace"} {
			law, err := NewSubsampled(c.q, c.s, Direction(d))
			all = append(all, namedLaw{fmt.Sprintf("%s %g %g", name, c.q, c.s), must(t, law, err), func(r *rand.Rand) float64 {
				switch Direction(d) {
				case Remove:
					x := draw(r)
					return math.Log(m(x, 1) / normal(x, 0, c.s))
				case Add:
					x := c.s * r.NormFloat64()
					return math.Log(normal(x, 0, c.s) / m(x, 1))
				default:
					x := draw(r)
					return math.Log(m(x, 1) / m(x, -1))
				}
			}})
		}
	}
	for _, s := range []float64{0.3, 2, 60} {
		for _, a := range []int{1, 3} {
			law, err := NewDiscreteGaussian(a, s)
			all = append(all, namedLaw{fmt.Sprintf("discrete %d %g", a, s), must(t, law, err), nil})
		}
	}
	pure, err := NewPure(0.7, 0.01)
	all = append(all, namedLaw{"approximate", must(t, pure, err), nil})
	rr, err := NewRandomizedResponse(5, 1.5)
	all = append(all, namedLaw{"randomised response", must(t, rr, err), nil})
	batch, err := NewFixedBatch(0.1, 2)
	return append(all, namedLaw{"batch", must(t, batch, err), nil})
}

// TestLawTails: the tails are a probability, fall or rise, and obey P(L > l) ≥ e^l Q(L > l).
func TestLawTails(t *testing.T) {
	for _, c := range laws(t) {
		t.Run(c.name, func(t *testing.T) {
			lo, hi := c.law.Range(1e-12)
			if !(lo <= hi) {
				t.Fatalf("range [%g, %g]", lo, hi)
			}
			total := 1 - c.law.Infinite()
			last := c.law.Tails(lo - 1e-3*(hi-lo) - 1e-9)
			for i := range 400 {
				l := lo + (hi-lo)*(float64(i)/399)
				u := c.law.Tails(l)
				if math.Abs(u.PBelow+u.PAbove-total) > 1e-14 {
					t.Fatalf("P at %g: %g + %g, want %g", l, u.PBelow, u.PAbove, total)
				}
				if e := math.Exp(l); e < 1e100 && u.QBelow+u.QAbove > e*(1+1e-13) {
					t.Fatalf("Q at %g: %g + %g, want at most %g", l, u.QBelow, u.QAbove, e)
				}
				if u.PBelow < last.PBelow*(1-1e-13) || u.PAbove > last.PAbove*(1+1e-13) {
					t.Fatalf("P falls at %g", l)
				}
				if u.PAbove < u.QAbove*(1-1e-13) || u.PBelow > u.QBelow*(1+1e-13)+1e-300 {
					t.Fatalf("tails at %g: %+v, want P ≥ e^l Q above and P ≤ e^l Q below", l, u)
				}
				last = u
			}
			for _, tail := range []float64{0.4, 1e-3, 1e-30, 1e-200} {
				lo, hi := c.law.Range(tail)
				step := 1e-12 * (1 + math.Abs(lo) + math.Abs(hi))
				if p := c.law.Tails(lo - step).PBelow; p > tail*(1+1e-9) {
					t.Errorf("P(L < %g) = %g, want at most %g", lo, p, tail)
				}
				if p := c.law.Tails(hi + step).PAbove; p > tail*(1+1e-9) {
					t.Errorf("P(L > %g) = %g, want at most %g", hi, p, tail)
				}
			}
		})
	}
}

// TestLawSimulation compares with simulated likelihood ratios. By the inequality of Dvoretzky,
// Kiefer and Wolfowitz a law fails with probability below 2 exp(−2·400000·0.0062²) < 1e-13.
func TestLawSimulation(t *testing.T) {
	const n, tol = 400000, 0.0062
	for _, c := range laws(t) {
		if c.loss == nil {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			single.Goroutine(t)
			rng := rand.New(rand.NewPCG(1, 2))
			lo, hi := c.law.Range(1e-3)
			var counts [33]int
			width := (hi - lo) / 31
			at := func(i int) float64 { return lo + (float64(i)+0.37)*width }
			for range n {
				l := c.loss(rng)
				i := int(math.Ceil((l-lo)/width - 0.37))
				counts[max(0, min(32, i))]++
			}
			sum := 0
			for i := range 31 {
				sum += counts[i]
				if got, want := float64(sum)/n, c.law.Tails(at(i)).PBelow; math.Abs(got-want) > tol {
					t.Errorf("P(L ≤ %g): simulated %g, got %g", at(i), got, want)
				}
			}
		})
	}
}

// TestBatchProfile: with all rows in the batch the law is that of the shift by 2C.
func TestBatchProfile(t *testing.T) {
	batch, err := NewFixedBatch(1-1e-12, 2)
	must(t, batch, err)
	gauss, err := NewGaussian(1)
	must(t, gauss, err)
	for l := -4.; l <= 4; l += 0.37 {
		a, b := batch.Tails(l), gauss.Tails(l)
		if math.Abs(a.PAbove-b.PAbove) > 1e-10 || math.Abs(a.QAbove-b.QAbove) > 1e-10*math.Exp(l) {
			t.Errorf("at %g: got %+v, want %+v", l, a, b)
		}
	}
}

func TestLawErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	cases := map[string]func() (Law, error){
		"gaussian 0":      func() (Law, error) { return NewGaussian(0) },
		"gaussian NaN":    func() (Law, error) { return NewGaussian(nan) },
		"gaussian +Inf":   func() (Law, error) { return NewGaussian(inf) },
		"range -1":        func() (Law, error) { return NewBoundedRange(-1) },
		"range NaN":       func() (Law, error) { return NewBoundedRange(nan) },
		"range +Inf":      func() (Law, error) { return NewBoundedRange(inf) },
		"laplace -1":      func() (Law, error) { return NewLaplace(-1) },
		"laplace NaN":     func() (Law, error) { return NewLaplace(nan) },
		"laplace +Inf":    func() (Law, error) { return NewLaplace(inf) },
		"pure 0":          func() (Law, error) { return NewPure(0, 0) },
		"pure delta 1":    func() (Law, error) { return NewPure(1, 1) },
		"pure delta NaN":  func() (Law, error) { return NewPure(1, nan) },
		"response k":      func() (Law, error) { return NewRandomizedResponse(1, 1) },
		"response NaN":    func() (Law, error) { return NewRandomizedResponse(2, nan) },
		"rate 0":          func() (Law, error) { return NewSubsampled(0, 1, Add) },
		"rate 1":          func() (Law, error) { return NewSubsampled(1, 1, Add) },
		"rate NaN":        func() (Law, error) { return NewSubsampled(nan, 1, Add) },
		"noise 0":         func() (Law, error) { return NewSubsampled(0.5, 0, Add) },
		"noise NaN":       func() (Law, error) { return NewSubsampled(0.5, nan, Add) },
		"batch":           func() (Law, error) { return NewFixedBatch(2, 1) },
		"discrete shift":  func() (Law, error) { return NewDiscreteGaussian(0, 1) },
		"discrete coarse": func() (Law, error) { return NewDiscreteGaussian(1, 0.01) },
		"discrete NaN":    func() (Law, error) { return NewDiscreteGaussian(1, nan) },
	}
	for name, build := range cases {
		t.Run(name, func(t *testing.T) {
			if law, err := build(); !errors.Is(err, ErrParameter) || law != nil {
				t.Errorf("got %v, %v, want ErrParameter", law, err)
			}
		})
	}
}
