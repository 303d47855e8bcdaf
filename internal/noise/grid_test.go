package noise

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

// big is the step h = 2^Exp without rounding.
func (g Grid) big() *big.Rat {
	h := new(big.Int).Lsh(big.NewInt(1), uint(max(g.Exp, -g.Exp)))
	if g.Exp < 0 {
		return ratio(big.NewInt(1), h)
	}
	return new(big.Rat).SetInt(h)
}

// checkRound compares Round with its definition in exact arithmetic.
func checkRound(t *testing.T, g Grid, x float64) {
	t.Helper()
	k, ok := g.Round(x)
	r := new(big.Rat).SetFloat64(x)
	if r == nil { // NaN or infinite
		if ok {
			t.Errorf("Round(%v) on 2^%d: accepted", x, g.Exp)
		}
		return
	}
	r.Quo(r, g.big())
	// Nearest, ties to even: floor(r + 1/2), less 1 when that is an odd tie.
	r.Add(r, big.NewRat(1, 2))
	want, rest := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	if rest.Sign() == 0 && want.Bit(0) == 1 {
		want.Sub(want, big.NewInt(1))
	}
	if inside := want.CmpAbs(limit) <= 0; ok != inside || ok && k != want.Int64() {
		t.Errorf("Round(%v) on 2^%d: got %d, %v, want %v, %v", x, g.Exp, k, ok, want, inside)
	}
}

// checkValue compares Value with the correctly rounded product.
func checkValue(t *testing.T, g Grid, k int64) {
	t.Helper()
	exact := new(big.Rat).SetInt64(k)
	want, _ := exact.Mul(exact, g.big()).Float64()
	if got := g.Value(k); got != want {
		t.Errorf("Value(%d) on 2^%d: got %v, want %v", k, g.Exp, got, want)
	}
}

func TestGridRound(t *testing.T) {
	tests := []struct {
		name string
		exp  int
		x    float64
		want int64
		ok   bool
	}{
		{"zero", 0, 0, 0, true},
		{"minus zero", -10, math.Copysign(0, -1), 0, true},
		{"tie to even down", 0, 0.5, 0, true},
		{"tie to even up", 0, 1.5, 2, true},
		{"negative tie", 0, -2.5, -2, true},
		{"below a tie", 0, math.Nextafter(0.5, 0), 0, true},
		{"above a tie", 0, math.Nextafter(0.5, 1), 1, true},
		{"fine grid", -60, 1, 1 << 60, true},
		{"coarse grid", 10, 3000, 3, true},
		{"limit", 0, 0x1p62, 1 << 62, true},
		{"negative limit", 0, -0x1p62, -1 << 62, true},
		{"beyond the limit", 0, math.Nextafter(0x1p62, math.Inf(1)), 0, false},
		{"quotient overflows", minGridExp, 1e300, 0, false},
		{"subnormal on its own grid", minGridExp, math.SmallestNonzeroFloat64, 1, true},
		{"quotient underflows", maxGridExp, math.SmallestNonzeroFloat64, 0, true},
		{"NaN", 0, math.NaN(), 0, false},
		{"infinity", 0, math.Inf(1), 0, false},
		{"negative infinity", maxGridExp, math.Inf(-1), 0, false},
		{"exponent too small", minGridExp - 1, 0, 0, false},
		{"exponent too large", maxGridExp + 1, 0, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := Grid{tt.exp}
			if got, ok := g.Round(tt.x); got != tt.want || ok != tt.ok {
				t.Errorf("got %d, %v, want %d, %v", got, ok, tt.want, tt.ok)
			}
			if tt.exp >= minGridExp && tt.exp <= maxGridExp {
				checkRound(t, g, tt.x)
			}
		})
	}
}

func TestGridProperties(t *testing.T) {
	single.Goroutine(t)
	s := NewDemo(81)
	for range 20_000 {
		g := Grid{minGridExp + int(s.Uint64n(maxGridExp-minGridExp+1))}
		k := int64(s.Uint64()) >> (1 + s.Uint64n(62))
		checkValue(t, g, k)
		if k > -1<<53 && k < 1<<53 {
			if got, ok := g.Round(g.Value(k)); got != k || !ok {
				t.Fatalf("round trip of %d on 2^%d: got %d, %v", k, g.Exp, got, ok)
			}
		}
		// A value whose size is anywhere around the grid's range.
		x := math.Ldexp(s.Normal(), max(g.Exp, -1000)+int(s.Uint64n(80))-10)
		checkRound(t, g, x)
		if k, ok := g.Round(x); ok {
			if back, _ := g.Round(-x); back != -k {
				t.Fatalf("Round(-%v) = %d, Round = %d", x, back, k)
			}
		}
	}
}

func TestGridStep(t *testing.T) {
	for exp, want := range map[int]float64{0: 1, -3: 0.125, 10: 1024, minGridExp: math.SmallestNonzeroFloat64, maxGridExp: 0x1p960} {
		if got := (Grid{exp}).Step(); got != want {
			t.Errorf("2^%d: got %v, want %v", exp, got, want)
		}
	}
}

// checkNewGrid verifies what NewGrid promises, in exact arithmetic.
func checkNewGrid(t *testing.T, sigma, bound float64) {
	t.Helper()
	g, steps, err := NewGrid(sigma, bound)
	if err != nil {
		t.Fatalf("NewGrid(%v, %v): %v", sigma, bound, err)
	}
	fits := func(g Grid) bool {
		h := g.big()
		over := func(x float64, limit int64) bool {
			q := new(big.Rat).SetFloat64(x)
			return q.Quo(q, h).Cmp(new(big.Rat).SetInt64(limit)) > 0
		}
		return !over(sigma, 1<<56) && !over(bound, 1<<61)
	}
	if !fits(g) {
		t.Errorf("NewGrid(%v, %v): 2^%d is too fine", sigma, bound, g.Exp)
	}
	if g.Exp > minGridExp && fits(Grid{g.Exp - 1}) {
		t.Errorf("NewGrid(%v, %v): 2^%d is not the finest", sigma, bound, g.Exp)
	}
	// (steps-1)·h < σ ≤ steps·h
	h, s := g.big(), new(big.Rat).SetFloat64(sigma)
	up := new(big.Rat).Mul(h, new(big.Rat).SetInt(bigInt(steps)))
	if steps < 1 || steps > 1<<56 || up.Cmp(s) < 0 || up.Sub(up, h).Cmp(s) >= 0 {
		t.Errorf("NewGrid(%v, %v): σ of %d steps of 2^%d is not σ rounded up", sigma, bound, steps, g.Exp)
	}
}

func TestNewGrid(t *testing.T) {
	tests := []struct {
		name         string
		sigma, bound float64
		exp          int
		steps        uint64
	}{
		{"no bound", 1, 0, -56, 1 << 56},
		{"sigma decides", 3, 1, -54, 3 << 54},
		{"bound decides", 1, 1e6, -41, 1 << 41},
		{"bound a power of two", 1, 1 << 20, -41, 1 << 41},
		{"bound above a power of two", 1, math.Nextafter(1<<20, 1<<21), -40, 1 << 40},
		{"rounded up", math.Nextafter(1, 2), 1 << 50, -11, 1<<11 + 1},
		{"bound dwarfs sigma", 1, 0x1p80, 19, 1},
		{"smallest sigma", math.SmallestNonzeroFloat64, 0, minGridExp, 1},
		{"underflow", math.SmallestNonzeroFloat64, 0x1p1020, 959, 1},
		{"largest bound", 1, 0x1p1021, maxGridExp, 1},
		{"largest sigma", 0x1p1016, 0, maxGridExp, 1 << 56},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, steps, err := NewGrid(tt.sigma, tt.bound)
			if err != nil || g.Exp != tt.exp || steps != tt.steps {
				t.Errorf("got 2^%d, %d, %v, want 2^%d, %d", g.Exp, steps, err, tt.exp, tt.steps)
			}
			checkNewGrid(t, tt.sigma, tt.bound)
		})
	}
}

func TestNewGridErrors(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, tt := range []struct{ sigma, bound float64 }{
		{0, 1},
		{-1, 1},
		{nan, 1},
		{inf, 1},
		{1, -1},
		{1, nan},
		{1, inf},
		{math.MaxFloat64, 1},
		{1, math.MaxFloat64},
		{math.Nextafter(0x1p1016, inf), 0},
		{1, math.Nextafter(0x1p1021, inf)},
	} {
		t.Run(fmt.Sprint(tt.sigma, tt.bound), func(t *testing.T) {
			g, steps, err := NewGrid(tt.sigma, tt.bound)
			if !errors.Is(err, ErrGrid) || g != (Grid{}) || steps != 0 {
				t.Errorf("got %v, %d, %v, want ErrGrid", g, steps, err)
			}
		})
	}
}

func FuzzGrid(f *testing.F) {
	f.Fuzz(func(t *testing.T, x float64, k int64, exp int16) {
		g := Grid{min(max(int(exp), minGridExp), maxGridExp)}
		checkRound(t, g, x)
		checkRound(t, g, g.Value(k))
		checkValue(t, g, k)
	})
}

func FuzzNewGrid(f *testing.F) {
	f.Fuzz(func(t *testing.T, sigma, bound float64) {
		_, _, err := NewGrid(sigma, bound)
		valid := sigma > 0 && sigma <= 0x1p1016 && bound >= 0 && bound <= 0x1p1021
		if valid != (err == nil) {
			t.Fatalf("NewGrid(%v, %v): got error %v, want valid = %v", sigma, bound, err, valid)
		}
		if err == nil {
			checkNewGrid(t, sigma, bound)
		}
	})
}
