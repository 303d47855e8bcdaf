package pair

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// randomPair draws a state with loosely related bounds, from far too loose to empty.
func randomPair(rng *rand.Rand) State {
	n := 1 + rng.IntN(40)
	f := rng.IntN(min(n, 3) + 1)
	p := State{Neighbours: accountant.ReplaceOne, N: n, R: math.Exp(rng.NormFloat64()), F: f, M: rng.IntN(n - f + 1), DFree: math.Inf(1)}
	draw := func() float64 {
		if rng.IntN(12) == 0 {
			return 0
		}
		return math.Exp(2 * rng.NormFloat64())
	}
	p.T1, p.TF, p.TInf = draw(), draw(), draw()
	return p
}

func TestCloseIdempotentAndBelow(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		p := randomPair(rng)
		q := p.Close()
		if q.Close() != q {
			t.Fatalf("closing twice: %v\nthen %v", q, q.Close())
		}
		if q.M > p.M || q.T1 > p.T1 || q.TF > p.TF || q.TInf > p.TInf {
			t.Fatalf("closing raised a bound: %v\nto %v", p, q)
		}
		if err := q.Validate(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCloseMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		p := randomPair(rng)
		q := p
		q.M = min(q.M+rng.IntN(4), q.N-q.F)
		q.T1 += rng.Float64() * p.T1
		q.TF *= 1 + float64(rng.IntN(2))
		q.TInf *= 1 + rng.Float64()
		p, q = p.Close(), q.Close()
		if p.M > q.M || p.T1 > q.T1 || p.TF > q.TF || p.TInf > q.TInf {
			t.Fatalf("looser bounds close tighter:\n%v\n%v", p, q)
		}
	}
}

// measure is the tightest state of concrete displacements.
func measure(p State, d []float64) State {
	p.M, p.T1, p.TF, p.TInf = 0, 0, 0, 0
	for _, v := range d {
		if v > 0 {
			p.M++
		}
		p.T1 += v
		p.TF = math.Hypot(p.TF, v)
		p.TInf = max(p.TInf, v)
	}
	return p
}

// TestCloseSound: displacements that satisfy a state satisfy the closed state.
func TestCloseSound(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 20000 {
		n := 1 + rng.IntN(12)
		p := State{Neighbours: accountant.AddRemove, N: n + 1, R: 0.5 + rng.Float64(), F: 1, DFree: math.Inf(1)}
		d := make([]float64, n)
		for i := range d {
			switch rng.IntN(4) {
			case 0:
			case 1:
				d[i] = 2 * p.R
			default:
				d[i] = 2 * p.R * math.Pow(rng.Float64(), float64(1+rng.IntN(8)))
			}
		}
		truth := measure(p, d)
		loose := truth
		for _, v := range []*float64{&loose.T1, &loose.TF, &loose.TInf} {
			if rng.IntN(2) == 0 {
				*v *= 1 + 3*rng.Float64()
			}
		}
		loose.M = min(n, loose.M+rng.IntN(3))
		q := loose.Close()
		const ok = 1 + 1e-14 // the truth is summed in float64
		if truth.M > q.M || truth.T1 > q.T1*ok || truth.TF > q.TF*ok || truth.TInf > q.TInf*ok {
			t.Fatalf("displacements %v\nsatisfy %v\nnot the closed %v", d, loose, q)
		}
	}
}

func TestStart(t *testing.T) {
	cases := []struct {
		name string
		n    int
		R    float64
		rel  accountant.Neighbours
		want error
	}{
		{"one row", 1, 1, accountant.ReplaceOne, nil},
		{"add/remove", 100, 3, accountant.AddRemove, nil},
		{"no rows", 0, 1, accountant.ReplaceOne, ErrPair},
		{"zero radius", 10, 0, accountant.ReplaceOne, ErrPair},
		{"negative radius", 10, -1, accountant.ReplaceOne, ErrPair},
		{"NaN radius", 10, math.NaN(), accountant.ReplaceOne, ErrPair},
		{"infinite radius", 10, math.Inf(1), accountant.ReplaceOne, ErrPair},
		{"radius that overflows in sums", 10, 1e308, accountant.ReplaceOne, ErrPair},
		{"no relation", 10, 1, 0, accountant.ErrNeighbours},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p, err := Start(c.n, c.R, c.rel)
			if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if err == nil && (p.D() != 2*c.R || p.F != 1 || p.Displaced()) {
				t.Errorf("got %v", p)
			}
		})
	}
}

func TestPairValidate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	cases := []struct {
		name  string
		spoil func(*State)
		says  string
	}{
		{"too many free rows", func(p *State) { p.F = 11 }, "free rows"},
		{"negative free rows", func(p *State) { p.F = -1 }, "free rows"},
		{"too many displaced rows", func(p *State) { p.M = 10 }, "displaced rows"},
		{"negative displaced rows", func(p *State) { p.M = -1 }, "displaced rows"},
		{"NaN total", func(p *State) { p.T1 = nan }, "total displacement"},
		{"infinite total", func(p *State) { p.T1 = inf }, "total displacement"},
		{"negative Frobenius", func(p *State) { p.TF = -1 }, "Frobenius displacement"},
		{"NaN maximum", func(p *State) { p.TInf = nan }, "largest displacement"},
		{"NaN free row", func(p *State) { p.DFree = nan }, "free row"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p, err := Start(10, 1, accountant.ReplaceOne)
			if err != nil {
				t.Fatal(err)
			}
			c.spoil(&p)
			if err := p.Validate(); !errors.Is(err, ErrPair) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want ErrPair about %q", err, c.says)
			}
			if _, err := p.Propagate(StepBounds{K: 1, R: 1}); !errors.Is(err, ErrPair) {
				t.Errorf("Propagate: got %v, want ErrPair", err)
			}
			if _, err := p.Group(1); !errors.Is(err, ErrPair) {
				t.Errorf("Group: got %v, want ErrPair", err)
			}
		})
	}
}

func TestGroup(t *testing.T) {
	p := State{Neighbours: accountant.ReplaceOne, N: 10, R: 1, F: 2, M: 5, T1: 1, TF: 1, TInf: 0.4, DFree: 0.5}
	cases := []struct {
		name          string
		extra, f, m   int
		errorExpected bool
	}{
		{"none", 0, 2, 5, false},
		{"dedup that keeps the first row", 2, 4, 5, false},
		{"all displaced rows", 5, 7, 3, false},
		{"more rows than there are", 100, 10, 0, false},
		{"negative", -1, 0, 0, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			q, err := p.Group(c.extra)
			if (err != nil) != c.errorExpected {
				t.Fatal(err)
			}
			if err == nil && (q.F != c.f || q.M != c.m || q.D() != 2) {
				t.Errorf("got %v, want %d free rows, %d displaced, D = 2", q, c.f, c.m)
			}
		})
	}
}

func TestPairString(t *testing.T) {
	p := State{Neighbours: accountant.ReplaceOne, N: 1000, R: 1, F: 1, M: 80, T1: 0.088888888888888889, TF: 0.01, TInf: 0.00111111111111, DFree: math.Inf(1)}
	want := "replace-one pair of 1000 rows, norm ≤ 1: 1 free (moved ≤ 2), 80 displaced (total ≤ 0.0888889, Frobenius ≤ 0.01, each ≤ 0.00111112)"
	if got := p.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestRadiusIsLegal: rows beyond the legal sizes have no pair state, at the start and behind every step, and a sensitivity that
// float64 cannot hold is an error.
func TestRadiusIsLegal(t *testing.T) {
	one, err := Start(10, 1, accountant.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		r  float64
		ok bool
	}{
		{MinRadius, true},
		{1, true},
		{MaxRadius, true},
		{math.Nextafter(MinRadius, 0), false},
		{math.Nextafter(MaxRadius, math.Inf(1)), false},
		{1e-81, false},
		{1e162, false},
		{5e-324, false},
		{0, false},
		{-1, false},
		{math.NaN(), false},
		{math.Inf(1), false},
	} {
		p, err := Start(10, c.r, accountant.ReplaceOne)
		if c.ok != (err == nil) || err != nil && (!errors.Is(err, ErrPair) || !strings.Contains(err.Error(), "another unit")) {
			t.Errorf("R = %g: got %v, want it accepted: %v", c.r, err, c.ok)
		}
		if c.ok {
			s, err := GramSensitivity(p)
			if err != nil || !(s >= 2*c.r*c.r*0.7) || math.IsInf(s, 1) {
				t.Errorf("R = %g: the Gram matrix moves by %g, %v", c.r, s, err)
			}
			continue
		}
		if _, err := one.Propagate(StepBounds{K: 1, R: c.r}); !errors.Is(err, ErrPair) {
			t.Errorf("a step to R = %g: got %v, want ErrPair", c.r, err)
		}
	}
	for _, q := range []Query{{C: 1e308}, {C: math.MaxFloat64, Lipschitz: 1}} {
		if s, _, err := q.Sensitivity(one); !errors.Is(err, accountant.ErrParameter) {
			t.Errorf("C = %g: got %g, %v, want ErrParameter", q.C, s, err)
		}
	}
}
