package pld

import (
	"fmt"
	"math"
	"testing"
)

// TestExtremes asks at the ends of the range of parameters: every answer is finite and in order, ε does not rise with δ, and
// where δ is not tiny the interval is narrow.
func TestExtremes(t *testing.T) {
	for _, c := range []struct {
		q, s  float64
		count int
		width float64 // of the interval of ε with few points, for δ of at least 1e-15
	}{
		{1e-9, 1, 1000, math.Inf(1)},
		{1e-5, 1, 100000, math.Inf(1)},
		{1e-3, 1, 1000, 5e-3},
		{1e-2, 0.05, 10, 5e-2},
		{1e-2, 1e4, 100000, 5e-3},
		{0.999999, 1, 10, 1e-3},
		{0.5, 1e-3, 2, math.Inf(1)},
		{1e-9, 1e4, 1, math.Inf(1)},
	} {
		for d, name := range []string{"remove", "add", "replace"} {
			t.Run(fmt.Sprintf("%s q=%g s=%g %d times", name, c.q, c.s, c.count), func(t *testing.T) {
				law, err := NewSubsampled(c.q, c.s, Direction(d))
				must(t, law, err)
				p, err := Compose(Term{law, c.count})
				if err != nil {
					t.Fatal(err)
				}
				last := 0.0
				for _, delta := range []float64{1e-2, 1e-12, 1e-15, 1e-100} {
					r, err := p.Epsilon(delta, Options{MaxPoints: 1 << 16, RelTol: 1e-3})
					if err != nil {
						t.Fatal(err)
					}
					if !(r.Lower >= 0 && r.Lower <= r.Upper && r.Upper < math.MaxFloat64) {
						t.Fatalf("ε(%g) in %+v", delta, r)
					}
					if r.Upper < last*(1-1e-2) {
						t.Errorf("ε(%g) = %+v, below %g at a larger δ", delta, r, last)
					}
					last = r.Lower
					if delta >= 1e-15 && r.Upper-r.Lower > c.width*r.Upper {
						t.Errorf("ε(%g) = %+v: width %.2g, want %g", delta, r, (r.Upper-r.Lower)/r.Upper, c.width)
					}
				}
			})
		}
	}
}

// TestSinglePoint compares one release with its own profile, P(L > ε) − e^ε Q(L > ε), at every law.
func TestSinglePoint(t *testing.T) {
	for _, c := range laws(t) {
		t.Run(c.name, func(t *testing.T) {
			p, err := Compose(Term{hidden{c.law}, 1})
			if err != nil {
				t.Fatal(err)
			}
			_, hi := c.law.Range(1e-9)
			for _, share := range []float64{0, 0.1, 0.5, 0.9} {
				eps := max(0, share*hi)
				u := c.law.Tails(eps)
				want := u.PAbove - u.QAbove + c.law.Infinite()
				r, err := p.Delta(eps, Options{MaxPoints: 1 << 14})
				if err != nil {
					t.Fatal(err)
				}
				if !r.holds(want, 1e-11) {
					t.Errorf("δ(%g) in %+v, want %g", eps, r, want)
				}
			}
		})
	}
}

// TestTransition: few steps at tiny δ are near a phase transition of the tilted law, where the mean jumps from the bulk of the
// losses to the far tail. The exact ε of a single step is where its own profile has δ.
func TestTransition(t *testing.T) {
	for _, c := range []struct {
		q, s  float64
		count int
	}{{0.1, 1, 1}, {0.1, 0.5, 1}, {0.01, 1, 2}, {0.01, 2, 3}, {0.5, 1, 3}} {
		for d, name := range []string{"remove", "add"} {
			t.Run(fmt.Sprintf("%s q=%g s=%g %d times", name, c.q, c.s, c.count), func(t *testing.T) {
				const delta = 1e-15
				law, err := NewSubsampled(c.q, c.s, Direction(d))
				must(t, law, err)
				p, err := Compose(Term{law, c.count})
				if err != nil {
					t.Fatal(err)
				}
				r, err := p.Epsilon(delta, Options{})
				if err != nil || !(r.Upper-r.Lower <= 2e-4*r.Upper) {
					t.Fatalf("ε in %+v, %v", r, err)
				}
				if c.count > 1 {
					return
				}
				lo, hi := 0.0, 100.0
				for range 60 {
					mid := (lo + hi) / 2
					if u := law.Tails(mid); u.PAbove-u.QAbove > delta {
						lo = mid
					} else {
						hi = mid
					}
				}
				if !r.holds(hi, 1e-9) {
					t.Errorf("ε in %+v, want %.12g", r, hi)
				}
			})
		}
	}
}
