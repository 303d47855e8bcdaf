package quad

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exact returns the rational value of x.
func exact(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// TestRoundUp checks each directed operation against rational arithmetic: the result is at
// least the exact value, and its predecessor is below it.
func TestRoundUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func() float64 { return math.Ldexp(rng.Float64(), rng.IntN(60)-30) }
	for range 20000 {
		a, b := draw(), draw()+math.SmallestNonzeroFloat64
		cases := []struct {
			op   string
			got  float64
			want *big.Rat
		}{
			{"add", AddUp(a, b), new(big.Rat).Add(exact(a), exact(b))},
			{"subtract", AddUp(a, -b), new(big.Rat).Sub(exact(a), exact(b))},
			{"mul", MulUp(a, b), new(big.Rat).Mul(exact(a), exact(b))},
			{"div", DivUp(a, b), new(big.Rat).Quo(exact(a), exact(b))},
		}
		for _, c := range cases {
			below := math.Nextafter(c.got, math.Inf(-1))
			if exact(c.got).Cmp(c.want) < 0 || exact(below).Cmp(c.want) >= 0 {
				t.Fatalf("%s(%g, %g) = %.17g, want the smallest float64 above %s", c.op, a, b, c.got, c.want.FloatString(30))
			}
		}
		s := SqrtUp(a)
		square := new(big.Rat).Mul(exact(s), exact(s))
		below := exact(math.Nextafter(s, 0))
		if square.Cmp(exact(a)) < 0 || (a > 0 && below.Mul(below, below).Cmp(exact(a)) >= 0) {
			t.Fatalf("SqrtUp(%g) = %.17g is not the smallest root from above", a, s)
		}
		if got := Inflate(a, 0x1p-40); !(got > a) || got > a*(1+0x1p-39) {
			t.Fatalf("Inflate(%g, 2^-40) = %.17g", a, got)
		}
	}
}

func TestRoundUpEdges(t *testing.T) {
	inf, tiny := math.Inf(1), math.SmallestNonzeroFloat64
	cases := []struct {
		name      string
		got, want float64
	}{
		{"0·Inf", MulUp(0, inf), 0},
		{"Inf·0", MulUp(inf, 0), 0},
		{"underflow", MulUp(1e-200, 1e-200), tiny},
		{"identity", MulUp(1, 0.1), 0.1},
		{"0/b", DivUp(0, 3), 0},
		{"a/Inf", DivUp(1, inf), tiny},
		{"exact quotient", DivUp(1, 4), 0.25},
		{"√0", SqrtUp(0), 0},
		{"exact root", SqrtUp(9), 3},
		{"a+0", AddUp(0.1, 0), 0.1},
		{"Inf+1", AddUp(inf, 1), inf},
		{"overflow", AddUp(math.MaxFloat64, math.MaxFloat64), inf},
	}
	for _, c := range cases {
		if c.got != c.want {
			t.Errorf("%s: got %g, want %g", c.name, c.got, c.want)
		}
	}
}

func TestLogExp(t *testing.T) {
	ln := math.Log
	cases := []struct {
		name      string
		got, want float64
	}{
		{"log of the smallest number", Log(math.SmallestNonzeroFloat64), -744.44007192138126},
		{"log of a subnormal number", Log(0x1p-1030), -1030 * math.Ln2},
		{"log of a normal number", Log(1e-300), -300 * math.Ln10},
		{"1-e^x, small", Log1mExp(-1e-20), ln(1e-20)},
		{"1-e^x, large", Log1mExp(-40), -math.Exp(-40)},
		{"difference", LogSubExp(ln(3), ln(2)), 0},
		{"difference of equals", LogSubExp(5, 5), math.Inf(-1)},
		{"difference, far apart", LogSubExp(1000, -1000), 1000},
		{"difference, close", LogSubExp(math.Nextafter(800, 900), 800), 800 + ln(0x1p-43)},
		{"sum", LogAddExp(ln(3), ln(2)), ln(5)},
		{"sum with nothing", LogAddExp(math.Inf(-1), 2), 2},
		{"sum of nothings", LogAddExp(math.Inf(-1), math.Inf(-1)), math.Inf(-1)},
		{"sum that overflows exp", LogAddExp(2000, 2000), 2000 + math.Ln2},
	}
	for _, c := range cases {
		if c.got != c.want && !(math.Abs(c.got-c.want) <= 1e-15*math.Max(1, math.Abs(c.want))) {
			t.Errorf("%s: got %.17g, want %.17g", c.name, c.got, c.want)
		}
	}
}

func TestRoots(t *testing.T) {
	cases := []struct {
		name   string
		f      func(float64) float64
		lo, hi float64
		want   float64
	}{
		{"line", func(x float64) float64 { return x - 3 }, 0, 1, 3},
		{"root far left", func(x float64) float64 { return math.Exp(x) - 1e-9 }, 0, 1, math.Log(1e-9)},
		{"falling", func(x float64) float64 { return 5 - x*x*x }, -1, 0, math.Cbrt(5)},
		{"triple", func(x float64) float64 { return x * x * x }, -1, 1.7, 0},
		{"step", func(x float64) float64 {
			if x < math.Pi {
				return -1
			}
			return 1e-3
		}, 0, 1, math.Pi},
		{"flat then steep", func(x float64) float64 { return math.Exp(40*x) - math.Exp(40) }, 0, 3, 1},
		{"at an end", func(x float64) float64 { return x }, 0, 1, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b, err := Grow(c.f, Bracket{Lo: c.lo, Hi: c.hi})
			if err != nil {
				t.Fatal(err)
			}
			calls := 0
			b, err = Brent(func(x float64) float64 { calls++; return c.f(x) }, b)
			if err != nil {
				t.Fatal(err)
			}
			tol := 1e-14 * math.Max(1, math.Abs(c.want))
			if c.name == "triple" {
				tol = 1e-20 // rounding is relative to the root, which is 0
			}
			if !(b.Lo <= c.want+tol) || !(b.Hi >= c.want-tol) || b.Hi-b.Lo > 2*tol {
				t.Errorf("bracket [%.17g, %.17g], want one around %.17g", b.Lo, b.Hi, c.want)
			}
			if calls > 300 {
				t.Errorf("%d calls", calls)
			}
		})
	}
}

func TestRootErrors(t *testing.T) {
	one := func(float64) float64 { return 1 }
	nan := func(float64) float64 { return math.NaN() }
	_, err1 := Grow(one, Bracket{Lo: 0, Hi: 1})
	_, err2 := Grow(nan, Bracket{Lo: 0, Hi: 1})
	_, err3 := Grow(one, Bracket{Lo: 1, Hi: 1})
	_, err4 := Brent(one, Bracket{Lo: 0, Hi: 1, FLo: 1, FHi: 1})
	for i, err := range []error{err1, err2, err3, err4} {
		if !errors.Is(err, ErrNoBracket) {
			t.Errorf("case %d: got %v, want ErrNoBracket", i, err)
		}
	}
}

func TestMinimize(t *testing.T) {
	x, fx := Minimize(func(x float64) float64 { return (x-1)*(x-1) + 2 }, -3, 7)
	if math.Abs(x-1) > 1e-6 || fx < 2 || fx > 2+1e-12 {
		t.Errorf("parabola: got %g at %g", fx, x)
	}
	x, fx = Minimize(func(x float64) float64 {
		if x < 2 {
			return math.NaN()
		}
		return x
	}, 0, 4)
	if math.Abs(x-2) > 1e-6 || !(fx >= 2) {
		t.Errorf("half line: got %g at %g", fx, x)
	}
}

func TestLegendre(t *testing.T) {
	cases := []struct {
		name   string
		f      func(float64) float64
		lo, hi float64
		want   float64
	}{
		{"polynomial", func(x float64) float64 { return math.Pow(x, 30) }, 0, 2, math.Pow(2, 31) / 31},
		{"exponential", func(x float64) float64 { return math.Exp(-x) }, 0, 50, -math.Expm1(-50)},
		{"bell", func(x float64) float64 { return NormalPDF(x, 0) }, 0, 10, 0.5},
	}
	for _, c := range cases {
		if got := Legendre(c.f, c.lo, c.hi); math.Abs(got/c.want-1) > 4e-15 {
			t.Errorf("%s: got %.17g, want %.17g", c.name, got, c.want)
		}
	}
}
