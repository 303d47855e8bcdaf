package pld

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"
)

// binomialPure is δ(ε) of n₁ and n₂ releases of ε₁- and ε₂-DP by the sum over all outcomes.
func binomialPure(e1 float64, n1 int, e2 float64, n2 int, eps float64) float64 {
	law := func(e float64, n int) (loss, p []float64) {
		for k := 0; k <= n; k++ { // k outcomes against the truth
			c, _ := new(big.Float).SetInt(new(big.Int).Binomial(int64(n), int64(k))).Float64()
			loss = append(loss, e*float64(n-2*k))
			p = append(p, c*math.Exp(-e*float64(k)-float64(n)*math.Log1p(math.Exp(-e))))
		}
		return loss, p
	}
	l1, p1 := law(e1, n1)
	l2, p2 := law(e2, n2)
	sum := 0.0
	for i := range l1 {
		for j := range l2 {
			if l := l1[i] + l2[j]; l > eps {
				sum += p1[i] * p2[j] * -math.Expm1(eps-l)
			}
		}
	}
	return sum
}

func (r Interval) holds(x, slack float64) bool {
	return r.Lower <= x*(1+slack) && r.Upper >= x*(1-slack)
}

// TestPure composes on the atoms' lattice, where it is exact, and off it.
func TestPure(t *testing.T) {
	pure := func(e float64) Law {
		law, err := NewPure(e, 0)
		return must(t, law, err)
	}
	for _, c := range []struct {
		e1    float64
		n1    int
		e2    float64
		n2    int
		width float64
	}{
		{0.1, 10, 1, 0, 1e-9},
		{0.5, 100, 1, 0, 1e-9},
		{0.1, 30, 0.25, 7, 2e-2},
		{math.Sqrt(2) / 5, 12, math.Pi / 10, 9, 2e-2},
		{1e-4, 200, 3e-4, 50, 6e-2},
		{2, 3, 0.01, 40, 2e-2},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			terms := []Term{{pure(c.e1), c.n1}}
			top := c.e1 * float64(c.n1)
			if c.n2 > 0 {
				terms = append(terms, Term{pure(c.e2), c.n2})
				top += c.e2 * float64(c.n2)
			}
			d, err := Compose(terms...)
			if err != nil {
				t.Fatal(err)
			}
			for _, share := range []float64{0, 0.05, 0.2, 0.4, 0.6} {
				eps := share * top
				want := binomialPure(c.e1, c.n1, c.e2, c.n2, eps)
				r, err := d.Delta(eps, Options{MaxPoints: 1 << 15})
				if err != nil {
					t.Fatal(err)
				}
				if !r.holds(want, 1e-11) || r.Upper-r.Lower > c.width*want {
					t.Errorf("δ(%g): got %+v (width %.2g), want %g", eps, r, (r.Upper-r.Lower)/want, want)
				}
				// Back again: δ at the bounds of ε surrounds the target.
				e, err := d.Epsilon(want, Options{MaxPoints: 1 << 15})
				if err != nil {
					t.Fatal(err)
				}
				if !(e.Upper >= eps*(1-1e-11) && e.Lower <= eps*(1+1e-11)) {
					t.Errorf("ε(%g): got %+v, want %g", want, e, eps)
				}
			}
		})
	}
}

// TestConvolution compares with the convolution by definition, of k-ary randomised response.
func TestConvolution(t *testing.T) {
	const k, eps0, n = 4, 0.8, 9
	law, err := NewRandomizedResponse(k, eps0)
	must(t, law, err)
	truth := 1 / (1 + (k-1)*math.Exp(-eps0))
	step := map[int]float64{1: truth, 0: (k - 2) * truth * math.Exp(-eps0), -1: truth * math.Exp(-eps0)}
	p := map[int]float64{0: 1}
	for range n {
		next := map[int]float64{}
		for a, x := range p {
			for b, y := range step {
				next[a+b] += x * y
			}
		}
		p = next
	}
	d, err := Compose(Term{law, n})
	if err != nil {
		t.Fatal(err)
	}
	for eps := 0.0; eps < n*eps0; eps += 0.31 {
		want := 0.0
		for a, x := range p {
			want += x * max(0, -math.Expm1(eps-float64(a)*eps0))
		}
		r, err := d.Delta(eps, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !r.holds(want, 1e-12) || r.Upper-r.Lower > 1e-9*want {
			t.Errorf("δ(%g) = %+v, want %g", eps, r, want)
		}
	}
}

// hidden keeps a law from being recognised.
type hidden struct{ Law }

// TestOrder: the terms commute, and a repeated term is its count.
func TestOrder(t *testing.T) {
	l, err := NewLaplace(0.3)
	must(t, l, err)
	s, err := NewSubsampled(0.1, 1, Remove)
	must(t, s, err)
	value := func(terms ...Term) Interval {
		d, err := Compose(terms...)
		if err != nil {
			t.Fatal(err)
		}
		r, err := d.Epsilon(1e-6, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	a := value(Term{l, 3}, Term{s, 2})
	for name, b := range map[string]Interval{
		"swapped":  value(Term{s, 2}, Term{l, 3}),
		"unrolled": value(Term{s, 1}, Term{l, 1}, Term{s, 1}, Term{l, 2}),
		"hidden":   value(Term{hidden{l}, 3}, Term{hidden{s}, 2}),
	} {
		if !(b.Lower <= a.Upper && b.Upper >= a.Lower) || math.Abs(a.Upper-b.Upper) > 1e-4*a.Upper {
			t.Errorf("%s: %+v, want %+v", name, b, a)
		}
	}
}

func TestQueryEdges(t *testing.T) {
	pure, err := NewPure(0.5, 1e-4)
	must(t, pure, err)
	bounded, err := NewLaplace(0.5)
	must(t, bounded, err)
	inf := math.Inf(1)
	cases := []struct {
		name  string
		terms []Term
		delta float64
		lo    float64
		hi    float64
	}{
		{"nothing", nil, 1e-6, 0, 0},
		{"nothing at 0", nil, 0, 0, 0},
		{"δ = 1", []Term{{Revealed(), 1}}, 1, 0, 0},
		{"revealed", []Term{{Revealed(), 1}}, 0.9, inf, inf},
		{"δ = 0, bounded", []Term{{bounded, 4}}, 0, 2, 2},
		{"δ = 0, infinite", []Term{{pure, 4}}, 0, inf, inf},
		{"δ below the infinite mass", []Term{{pure, 4}}, 3e-4, inf, inf},
		{"δ above it", []Term{{pure, 4}}, 5e-4, 1.9, 2},
		{"large δ", []Term{{bounded, 4}}, 0.99, 0, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d, err := Compose(c.terms...)
			if err != nil {
				t.Fatal(err)
			}
			r, err := d.Epsilon(c.delta, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !(r.Upper >= c.lo && r.Upper <= c.hi*(1+1e-10)) || r.Lower > r.Upper {
				t.Errorf("ε(%g) = %+v, want one in [%g, %g]", c.delta, r, c.lo, c.hi)
			}
		})
	}
}

func TestQueryErrors(t *testing.T) {
	law, err := NewLaplace(1)
	must(t, law, err)
	d, err := Compose(Term{law, 2})
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	cases := map[string]func() error{
		"no law":    func() error { _, err := Compose(Term{nil, 1}); return err },
		"count":     func() error { _, err := Compose(Term{law, 0}); return err },
		"delta -1":  func() error { _, err := d.Epsilon(-1, Options{}); return err },
		"delta NaN": func() error { _, err := d.Epsilon(nan, Options{}); return err },
		"delta 2":   func() error { _, err := d.Epsilon(2, Options{}); return err },
		"eps -1":    func() error { _, err := d.Delta(-1, Options{}); return err },
		"eps NaN":   func() error { _, err := d.Delta(nan, Options{}); return err },
		"eps +Inf":  func() error { _, err := d.Delta(math.Inf(1), Options{}); return err },
		"tolerance": func() error { _, err := d.Delta(1, Options{RelTol: -1}); return err },
		"tol NaN":   func() error { _, err := d.Delta(1, Options{RelTol: nan}); return err },
		"points":    func() error { _, err := d.Epsilon(0.1, Options{MaxPoints: 3}); return err },
	}
	for name, call := range cases {
		t.Run(name, func(t *testing.T) {
			if err := call(); !errors.Is(err, ErrParameter) {
				t.Errorf("got %v, want ErrParameter", err)
			}
		})
	}
}

func BenchmarkSubsampled1e4(b *testing.B) {
	for b.Loop() {
		for _, direction := range []Direction{Remove, Add} {
			law, err := NewSubsampled(0.01, 1, direction)
			must(b, law, err)
			d, err := Compose(Term{law, 10000})
			if err != nil {
				b.Fatal(err)
			}
			if r, err := d.Epsilon(1e-5, Options{}); err != nil || r.Upper-r.Lower > 1e-4*r.Upper {
				b.Fatal(r, err)
			}
		}
	}
}

func BenchmarkDistinct200(b *testing.B) {
	for b.Loop() {
		for _, direction := range []Direction{Remove, Add} {
			var terms []Term
			for i := range 200 {
				law, err := NewSubsampled(0.01+1e-4*float64(i), 1+0.01*float64(i), direction)
				if i%3 == 0 {
					law, err = NewLaplace(0.01 + 1e-4*float64(i))
				}
				terms = append(terms, Term{must(b, law, err), 1})
			}
			d, err := Compose(terms...)
			if err != nil {
				b.Fatal(err)
			}
			if r, err := d.Epsilon(1e-5, Options{}); err != nil || r.Upper-r.Lower > 1e-3*r.Upper {
				b.Fatal(r, err)
			}
		}
	}
}
