package pld

import (
	"errors"
	"math"
	"testing"
)

// FuzzComposition composes two laws of two or three atoms, which the sum over all outcomes gives exactly, and a continuous
// one with them: the bounds surround the exact profile, commute, and invalid parameters are errors.
func FuzzComposition(f *testing.F) {
	f.Add(0.1, 0.25, 0.5, 1.0, 0.01, 0.3, uint8(3), uint8(2))
	f.Add(1e-4, 3e-4, 0.0, 1e-3, 0.0, 0.9, uint8(7), uint8(7))
	f.Add(2.0, 0.01, 1e-3, 0.05, 1e-6, 0.6, uint8(1), uint8(5))
	f.Add(5.0, math.Pi, 0.999, 100.0, 0.5, 0.1, uint8(4), uint8(1))
	f.Add(0.1, 0.1, 0.999, 1000.0, 0.0, 0.03333333333333333, uint8(1), uint8(1)) // 34 deviations out, where tails cancel
	f.Fuzz(func(t *testing.T, e1, e2, q, s, infinite, share float64, n1, n2 uint8) {
		a, err := NewPure(e1, 0)
		if (err == nil) != (e1 > 0 && e1 <= math.MaxFloat64) || err != nil && !errors.Is(err, ErrParameter) {
			t.Fatalf("NewPure(%g): %v", e1, err)
		}
		b, err2 := NewPure(e2, infinite)
		sub, err3 := NewSubsampled(q, s, Direction(n1%3))
		for _, e := range []error{err2, err3} {
			if e != nil && !errors.Is(e, ErrParameter) {
				t.Fatal(e)
			}
		}
		o := Options{MaxPoints: 1 << 12}
		ask := func(eps float64, terms ...Term) Interval {
			c, err := Compose(terms...)
			if err != nil {
				t.Fatal(err)
			}
			r, err := c.Delta(eps, o)
			if err != nil {
				t.Fatal(err)
			}
			if !(r.Lower >= 0 && r.Lower <= r.Upper && r.Upper <= 1) {
				t.Fatalf("δ(%g) in %+v", eps, r)
			}
			return r
		}
		if err3 == nil && q > 1e-12 && q < 1-1e-12 && s > 1e-3 && s < 1e6 && share >= 0 && share < 1e3 {
			u := sub.Tails(share)
			// The profile is a difference of tails, each of which is known to 1e-12 of itself.
			want := u.PAbove - u.QAbove
			if r := ask(share, Term{sub, 1}); math.Abs(want) > 1e-12*u.PAbove && !r.holds(max(0, want), 1e-9+1e-12*u.PAbove/math.Abs(want)) {
				t.Errorf("subsampled q=%g s=%g: δ(%g) in %+v, want %g", q, s, share, r, want)
			}
		}
		if err != nil || err2 != nil || e1 > 20 || e2 > 20 || e1 < 1e-9 || e2 < 1e-9 || !(share >= 0 && share < 1) {
			return
		}
		m1, m2 := int(n1%8)+1, int(n2%8)+1
		eps := share * (float64(m1)*e1 + float64(m2)*e2)
		finite := math.Pow(1-infinite, float64(m2))
		want := 1 - finite + finite*binomialPure(e1, m1, e2, m2, eps)
		r := ask(eps, Term{a, m1}, Term{b, m2})
		if !r.holds(want, 1e-9) {
			t.Errorf("δ(%g) of %d times %g and %d times %g with %g: %+v, want %g", eps, m1, e1, m2, e2, infinite, r, want)
		}
		swapped := ask(eps, Term{b, m2}, Term{a, m1})
		if !(swapped.Lower <= r.Upper*(1+1e-9) && r.Lower <= swapped.Upper*(1+1e-9)) {
			t.Errorf("δ(%g): %+v, swapped %+v", eps, r, swapped)
		}
	})
}
