package pair

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

func TestStepValidate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	p, err := Start(10, 1, accountant.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name string
		b    StepBounds
		says string // "" for a valid step
	}{
		{"public map", StepBounds{K: 2, R: 2}, ""},
		{"no bound known", StepBounds{K: 1, A1: inf, AF: inf, AInf: inf, Affected: 9, R: 1}, ""},
		{"only a joint constant known", StepBounds{K: 1, KF: 1, H1: inf, HF: inf, HInf: inf, Affected: 9, R: 1}, ""},
		{"a fit that moves the free row alone", StepBounds{K: 1, AInf: 1, R: 1}, ""},
		{"forgotten radius", StepBounds{K: 1}, "R: got 0"},
		{"infinite radius", StepBounds{K: 1, R: inf}, "R: got +Inf"},
		{"NaN radius", StepBounds{K: 1, R: nan}, "R: got NaN"},
		{"infinite K", StepBounds{K: inf, R: 1}, "K: got +Inf"},
		{"NaN A1", StepBounds{A1: nan, R: 1}, "A1: got NaN"},
		{"negative HInf", StepBounds{HInf: -1, R: 1}, "HInf: got -1"},
		{"infinite KF", StepBounds{KF: inf, R: 1}, "KF: got +Inf"},
		{"infinite jump", StepBounds{Jump: inf, R: 1}, "Jump: got +Inf"},
		{"negative affected", StepBounds{Affected: -1, R: 1}, "Affected: got -1"},
		{"forgotten affected", StepBounds{K: 1, A1: 1, AF: 1, AInf: 1, R: 1}, "Affected: got 0"},
		{"forgotten total", StepBounds{K: 1, AF: 1, AInf: 1, Affected: 9, R: 1}, "A1, AF, AInf"},
		{"forgotten maximum", StepBounds{K: 1, A1: 1, AF: 1, Affected: 9, R: 1}, "A1, AF, AInf"},
		{"forgotten H1", StepBounds{K: 1, HF: 1, HInf: 1, Affected: 9, R: 1}, "H1, HF, HInf"},
		{"forgotten HF", StepBounds{K: 1, H1: 1, HInf: 1, Affected: 9, R: 1}, "H1, HF, HInf"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			q, err := p.Propagate(c.b)
			switch {
			case c.says == "" && err != nil:
				t.Error(err)
			case c.says != "" && (!errors.Is(err, ErrPair) || !strings.Contains(err.Error(), c.says)):
				t.Errorf("got %v, %v, want ErrPair about %q", q, err, c.says)
			}
		})
	}
}

func TestPropagateKnowsNothing(t *testing.T) {
	inf := math.Inf(1)
	p, err := Start(10, 1, accountant.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	q, err := p.Propagate(StepBounds{K: 1, A1: inf, AF: inf, AInf: inf, Affected: 4, R: 3})
	if err != nil {
		t.Fatal(err)
	}
	// Four rows anywhere in the ball of radius 3.
	if q.M != 4 || q.TInf != 6 || q.T1 != 24 || q.TF != 12 || q.D() != 6 {
		t.Errorf("got %v", q)
	}
}

// TestPropagateUnknownHF: beside KF an HF of zero is unknown, not absent.
func TestPropagateUnknownHF(t *testing.T) {
	p := State{Neighbours: accountant.ReplaceOne, N: 100, R: 1, M: 99, T1: 2, TF: 0.5, TInf: 0.2, F: 1, DFree: math.Inf(1)}
	q, err := p.Propagate(StepBounds{K: 1, H1: 1, HInf: 0.1, KF: 1.25, Affected: 99, R: 1})
	if err != nil {
		t.Fatal(err)
	}
	if q.TF != 0.625 {
		t.Errorf("got tF = %g, want KF·tF = 0.625", q.TF)
	}
}

// TestPropagateMonotone: a looser state stays looser through steps whose constants grow with it.
func TestPropagateMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for name, step := range map[string]func(State) (StepBounds, error){"clip": clipBall(0.7), "centre": center, "imputation": imputeBounds} {
		for range 200 {
			p := randomPair(rng)
			p.N += 20
			p = p.Close()
			q := p
			q.M = min(q.M+3, q.N-q.F)
			q.T1, q.TF, q.TInf = 1.5*p.T1+0.1, p.TF+0.1, 2*p.TInf+0.1
			q = q.Close()
			var out [2]State
			for i, in := range []State{p, q} {
				b, err := step(in)
				if err != nil {
					t.Fatal(err)
				}
				if i == 1 {
					b.R = max(b.R, out[0].R)
				}
				if out[i], err = in.Propagate(b); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			const ok = 1 + 1e-12
			if a, b := out[0], out[1]; a.M > b.M || a.T1 > b.T1*ok || a.TF > b.TF*ok || a.TInf > b.TInf*ok || a.D() > b.D()*ok {
				t.Fatalf("%s: %v\nto %v\nwhile %v\nto %v", name, p, a, q, b)
			}
		}
	}
}

func BenchmarkPropagate(b *testing.B) {
	p, err := Start(32561, 1, accountant.ReplaceOne)
	if err != nil {
		b.Fatal(err)
	}
	step, err := center(p)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := p.Propagate(step); err != nil {
			b.Fatal(err)
		}
	}
}
