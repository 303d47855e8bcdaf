package accountant

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// goldenState is a pair state of testdata/golden/calculus.json; a missing dfree is +Inf.
type goldenState struct {
	N          int
	R          float64
	F, M       int
	T1, TF, TI float64
	DFree      *float64
	Error      string
}

func (g goldenState) pair() Pair {
	p := Pair{Neighbours: ReplaceOne, N: g.N, R: g.R, F: g.F, M: g.M, T1: g.T1, TF: g.TF, TInf: g.TI, DFree: math.Inf(1)}
	if g.DFree != nil {
		p.DFree = *g.DFree
	}
	return p
}

// requireAtLeast fails unless got is in [want, want·(1+1e-9)]: equal to the reference, rounded up.
func requireAtLeast(t *testing.T, what string, got, want float64) {
	t.Helper()
	if got == want {
		return
	}
	if !(got >= want) || !(got <= want*(1+1e-9)) {
		t.Errorf("%s = %.17g, want %.17g or up to 1e-9 above it", what, got, want)
	}
}

func (g goldenState) check(t *testing.T, got Pair) {
	t.Helper()
	want := g.pair()
	if got.N != want.N || got.F != want.F || got.M != want.M {
		t.Errorf("n, f, m = %d, %d, %d, want %d, %d, %d", got.N, got.F, got.M, want.N, want.F, want.M)
	}
	requireAtLeast(t, "R", got.R, want.R)
	requireAtLeast(t, "t1", got.T1, want.T1)
	requireAtLeast(t, "tF", got.TF, want.TF)
	requireAtLeast(t, "tInf", got.TInf, want.TInf)
	requireAtLeast(t, "dfree", got.DFree, want.DFree)
}

func TestPairGolden(t *testing.T) {
	raw, err := os.ReadFile("../testdata/golden/calculus.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Steps []struct {
			Step    string
			In, Out goldenState
		}
		Chains []struct {
			Steps []string
			Trace []goldenState
		}
	}
	if err := json.Unmarshal(raw, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Steps) < 40 || len(golden.Chains) < 1 {
		t.Fatalf("got %d steps and %d chains, want at least 40 and 1", len(golden.Steps), len(golden.Chains))
	}
	apply := func(t *testing.T, p Pair, name string) (Pair, error) {
		t.Helper()
		step, ok := steps()[name]
		if !ok {
			t.Fatalf("no bounds for step %q", name)
		}
		b, err := step(p)
		if err != nil {
			return Pair{}, err
		}
		next, err := p.Propagate(b)
		if err != nil {
			t.Fatal(err)
		}
		return next, nil
	}
	for i, e := range golden.Steps {
		t.Run(fmt.Sprintf("%02d %s", i, e.Step), func(t *testing.T) {
			got, err := apply(t, e.In.pair(), e.Step)
			if e.Out.Error != "" {
				if err == nil {
					t.Errorf("got %v, want an error: %s", got, e.Out.Error)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			e.Out.check(t, got)
		})
	}
	for _, c := range golden.Chains {
		p, err := Start(c.Trace[0].N, c.Trace[0].R, ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		for i, names := range c.Steps {
			for name := range strings.SplitSeq(names, ">") {
				if p, err = apply(t, p, name); err != nil {
					t.Fatal(err)
				}
			}
			t.Run("chain "+names, func(t *testing.T) { c.Trace[i+1].check(t, p) })
		}
	}
}
