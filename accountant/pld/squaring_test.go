package pld

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"
)

// TestSquaring composes without a transform what a transform, or a sum over all outcomes, is exact for: the intervals
// meet, and shrink with the square of the distance of the nodes.
func TestSquaring(t *testing.T) {
	for _, c := range []struct {
		name  string
		terms []Term
		delta float64
	}{
		{"pure", []Term{{mustLaw(t)(NewPure(0.1, 0)), 100}}, 1e-6},
		{"pure and δ", []Term{{mustLaw(t)(NewPure(0.1, 1e-8)), 31}}, 1e-6},
		{"Laplace", []Term{{mustLaw(t)(NewLaplace(0.3)), 50}}, 1e-9},
		{"subsampled", []Term{{mustLaw(t)(NewSubsampled(0.02, 1, Remove)), 777}}, 1e-5},
		{"added", []Term{{mustLaw(t)(NewSubsampled(0.02, 1, Add)), 777}}, 1e-5},
		{"replaced", []Term{{mustLaw(t)(NewSubsampled(0.02, 1, Replace)), 100}}, 1e-5},
		{"several", []Term{{mustLaw(t)(NewSubsampled(0.05, 1, Remove)), 5}, {mustLaw(t)(NewLaplace(0.2)), 3}, {mustLaw(t)(NewRandomizedResponse(4, 0.3)), 2}}, 1e-4},
		{"Gaussian", []Term{{hidden{mustLaw(t)(NewGaussian(0.1))}, 64}}, 1e-7},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Compose(c.terms...)
			if err != nil {
				t.Fatal(err)
			}
			want, err := p.Epsilon(c.delta, Options{})
			if err != nil || want.width() > 1e-3 {
				t.Fatal(want, err)
			}
			last := math.Inf(1)
			for _, growth := range []float64{0.08, 0.04, 0.02} {
				r := p.epsilonBySquaring(c.delta, growth, 0, new(int))
				if !(r.Lower <= want.Upper && r.Upper >= want.Lower) || !(r.width() <= max(last, 1e-10)) {
					t.Errorf("growth %g: ε in %v (width %.2g after %.2g), want %v", growth, r, r.width(), last, want)
				}
				last = r.width()
				d := p.deltaBySquaring(want.Upper, Interval{0, 1}, growth, new(int))
				if !(d.Lower <= c.delta*(1+1e-12) && d.Upper >= c.delta*(1-0.1)) {
					t.Errorf("growth %g: δ(%g) in %v, want %g", growth, want.Upper, d, c.delta)
				}
			}
			if last > 1e-2 {
				t.Errorf("width %.2g at the last, want at most 1%%", last)
			}
		})
	}
}

func mustLaw(t *testing.T) func(Law, error) Law {
	t.Helper()
	return func(l Law, err error) Law {
		t.Helper()
		return must(t, l, err)
	}
}

// TestSmallTolerance: a smaller tolerance never gives a wider interval, nor one that the wider does not hold.
func TestSmallTolerance(t *testing.T) {
	for _, c := range []struct {
		name  string
		term  Term
		delta float64
	}{
		{"Laplace", Term{mustLaw(t)(NewLaplace(0.01)), 10000}, 1e-6},
		{"subsampled", Term{mustLaw(t)(NewSubsampled(0.01, 1, Remove)), 1000}, 1e-6},
		{"heavy tail", Term{mustLaw(t)(NewSubsampled(1e-5, 0.6, Remove)), 50}, 1e-9},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Compose(c.term)
			if err != nil {
				t.Fatal(err)
			}
			eps, delta := Interval{0, math.Inf(1)}, Interval{0, 1}
			for _, tol := range []float64{1e-2, 3e-4, 1e-5, 1e-7} {
				o := Options{RelTol: tol, MaxPoints: 1 << 15}
				r, err := p.Epsilon(c.delta, o)
				if err != nil || r.Lower < eps.Lower || r.Upper > eps.Upper {
					t.Errorf("tolerance %g: ε in %v, within %v at a larger one; %v", tol, r, eps, err)
				}
				eps = r
				d, err := p.Delta(0.5*p.Rough(c.delta), o)
				if err != nil || d.Lower < delta.Lower || d.Upper > delta.Upper {
					t.Errorf("tolerance %g: δ in %v, within %v at a larger one; %v", tol, d, delta, err)
				}
				delta = d
			}
		})
	}
}

// TestTinyRates: where a single large loss decides, no tilt shows δ. Lower ends stay below upper ends at smaller δ.
func TestTinyRates(t *testing.T) {
	for _, c := range []struct {
		q, s  float64
		count int
	}{{1e-6, 1, 1000}, {1e-9, 0.5, 1000}, {1e-5, 0.7, 10000}, {1e-4, 0.8, 10}, {1e-6, 1, 1}} {
		for d, name := range []string{"remove", "add", "replace"} {
			t.Run(fmt.Sprintf("%s q=%g s=%g %d times", name, c.q, c.s, c.count), func(t *testing.T) {
				p, err := Compose(Term{mustLaw(t)(NewSubsampled(c.q, c.s, Direction(d))), c.count})
				if err != nil {
					t.Fatal(err)
				}
				last := math.Inf(1)
				for _, delta := range []float64{1e-15, 1e-12, 1e-6} {
					r, err := p.Epsilon(delta, Options{RelTol: 1e-2})
					if err != nil || !(r.Lower <= r.Upper && r.Upper <= last && r.width() <= 1e-2) {
						t.Errorf("ε(%g) in %v (width %.2g), at most %g by a smaller δ; %v", delta, r, r.width(), last, err)
					}
					last = r.Upper
				}
			})
		}
	}
}

// TestFailure: a mere failure of probability f leaves f + (1 − f)δ.
func TestFailure(t *testing.T) {
	gauss, plain := mustLaw(t)(NewGaussian(1)), mustLaw(t)(NewFailure(1e-6))
	alone, err := Compose(Term{gauss, 1})
	if err != nil {
		t.Fatal(err)
	}
	beside, err := Compose(Term{plain, 3}, Term{gauss, 1}, Term{mustLaw(t)(NewFailure(2e-6)), 1})
	if err != nil {
		t.Fatal(err)
	}
	f := 1 - math.Pow(1-1e-6, 3)*(1-2e-6)
	for _, eps := range []float64{0, 1, 4} {
		a, _ := alone.Delta(eps, Options{})
		b, err := beside.Delta(eps, Options{})
		if want := f + (1-f)*a.Upper; err != nil || !b.holds(want, 1e-9) || b.width() > 1e-9 {
			t.Errorf("δ(%g) = %v, want %g; %v", eps, b, want, err)
		}
		e, err := beside.Epsilon(b.Upper, Options{})
		if err != nil || !e.holds(eps, 1e-9) || e.width() > 1e-6 {
			t.Errorf("ε(%g) = %v, want %g; %v", b.Upper, e, eps, err)
		}
	}
	for delta, want := range map[float64]float64{1: 0, 4e-6: math.Inf(1), 0: math.Inf(1)} {
		if e, err := beside.Epsilon(delta, Options{}); err != nil || e.Upper != want {
			t.Errorf("ε(%g) = %v, want %g; %v", delta, e, want, err)
		}
	}
	only, err := Compose(Term{plain, 1})
	if err != nil {
		t.Fatal(err)
	}
	if e, err := only.Epsilon(1.1e-6, Options{}); err != nil || e.Upper != 0 {
		t.Errorf("a failure alone: ε = %v, %v, want 0", e, err)
	}
	for _, bad := range []float64{0, -1, 1.5, math.NaN()} {
		if _, err := NewFailure(bad); err == nil {
			t.Errorf("failure of %g: no error", bad)
		}
	}
}

// queriesVar asks for all entries of the table where a part does.
const queriesVar = "DPNB_PLD_QUERIES"

// TestQueryTable compares with testdata/queries.json, which testdata/queries.py computes by closed forms with 50 digits, or
// by an accountant of its own to 0.3 %.
func TestQueryTable(t *testing.T) {
	raw, err := os.ReadFile("testdata/queries.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Q, Sigma, Delta, Epsilon float64
		Steps                    int
		Tool                     string
	}
	if err := json.Unmarshal(raw, &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) < 300 {
		t.Fatalf("got %d rows, want 300", len(rows))
	}
	checked, worst := 0, 0.0
	for i, r := range rows {
		if r.Steps > 1 && i%10 != 0 && os.Getenv(queriesVar) == "" {
			continue
		}
		var got Interval
		for _, d := range []Direction{Remove, Add} {
			p, err := Compose(Term{mustLaw(t)(NewSubsampled(r.Q, r.Sigma, d)), r.Steps})
			if err != nil {
				t.Fatal(err)
			}
			e, err := p.Epsilon(r.Delta, Options{Beside: got.Lower})
			if err != nil {
				t.Fatal(err)
			}
			got = Interval{max(got.Lower, e.Lower), max(got.Upper, e.Upper)}
		}
		tol := 5e-3
		if r.Tool == "mpmath" {
			tol = 1e-8
		}
		checked++
		worst = max(worst, math.Abs(got.Upper/r.Epsilon-1), math.Abs(got.Lower/r.Epsilon-1))
		if !(got.Upper >= r.Epsilon*(1-tol) && got.Upper <= r.Epsilon*1.01 && got.Lower <= r.Epsilon*(1+tol) && got.Lower >= r.Epsilon*0.99) {
			t.Errorf("%+v: got %v", r, got)
		}
	}
	t.Logf("%d of %d entries, the farthest end off by %.2g", checked, len(rows), worst)
}

// TestDeltaBelowNumbers: a δ that is no number but 0, as far as anyone computes, is bounded and not looked for without end.
func TestDeltaBelowNumbers(t *testing.T) {
	for _, c := range []struct {
		name    string
		term    Term
		epsilon float64
	}{
		{"rarely sampled", Term{mustLaw(t)(NewSubsampled(1.1e-5, 4, Remove)), 64951}, 0.4},
		{"added", Term{mustLaw(t)(NewSubsampled(1.1e-5, 4, Add)), 64951}, 0.4},
		{"few", Term{mustLaw(t)(NewSubsampled(1e-9, 8, Remove)), 2}, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Compose(c.term)
			if err != nil {
				t.Fatal(err)
			}
			d, err := p.Delta(c.epsilon, Options{})
			if err != nil || d.Lower != 0 || !(d.Upper > 0 && d.Upper < 1e-280) {
				t.Errorf("got %v, %v, want δ within [0, 1e-280]", d, err)
			}
		})
	}
}
