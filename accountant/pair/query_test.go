package pair

import (
	"errors"
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

func TestQuerySensitivity(t *testing.T) {
	base := State{N: 100, R: 1, F: 1, M: 50, T1: 2, TF: 0.5, TInf: 0.1, DFree: math.Inf(1)}
	with := func(rel accountant.Neighbours, change func(*State)) State {
		p := base
		p.Neighbours = rel
		if change != nil {
			change(&p)
		}
		return p
	}
	still := func(p *State) { p.M, p.T1, p.TF, p.TInf = 0, 0, 0, 0 }
	for _, c := range []struct {
		name        string
		q           Query
		p           State
		total, free float64
	}{
		{"replace-one", Query{C: 1, Lipschitz: 3}, with(accountant.ReplaceOne, nil), 8, 2},
		{"add/remove", Query{C: 1, Lipschitz: 3}, with(accountant.AddRemove, nil), 7, 1},
		{"two free rows", Query{C: 1, Lipschitz: 3}, with(accountant.ReplaceOne, func(p *State) { p.F = 2 }), 10, 4},
		{"two free rows, one of them freed by a step", Query{C: 1, Lipschitz: 3}, with(accountant.AddRemove, func(p *State) { p.F = 2 }), 9, 3},
		{"no free row", Query{C: 1, Lipschitz: 3}, with(accountant.AddRemove, func(p *State) { p.F = 0 }), 6, 0},
		{"Frobenius wins", Query{C: 1, Lipschitz: 3, Frobenius: 4}, with(accountant.ReplaceOne, nil), 4, 2},
		{"clip wins", Query{C: 0.01, Lipschitz: 3}, with(accountant.ReplaceOne, nil), 1.02, 0.02},
		{"no Lipschitz constant", Query{C: 1, Lipschitz: math.Inf(1)}, with(accountant.ReplaceOne, nil), 102, 2},
		{"not displaced", Query{C: 1, Lipschitz: math.Inf(1)}, with(accountant.ReplaceOne, still), 2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			total, free, err := c.q.Sensitivity(c.p)
			if err != nil {
				t.Fatal(err)
			}
			if !(total >= c.total) || total > c.total*(1+1e-12) || !(free >= c.free) || free > c.free*(1+1e-12) {
				t.Errorf("got %v, %v, want %v, %v", total, free, c.total, c.free)
			}
		})
	}
	for name, q := range map[string]Query{"no C": {Lipschitz: 1}, "NaN": {C: math.NaN()}, "negative μ": {C: 1, Lipschitz: -1}, "NaN μ": {C: 1, Lipschitz: math.NaN()}} {
		if _, _, err := q.Sensitivity(base); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if _, _, err := (Query{C: 1}).Sensitivity(State{}); !errors.Is(err, accountant.ErrNeighbours) {
		t.Errorf("zero pair: got %v", err)
	}
}

// TestGramSensitivityAttacked compares Gram matrices of random pairs with the bound.
func TestGramSensitivityAttacked(t *testing.T) {
	for _, c := range []struct {
		rel  accountant.Neighbours
		want float64
	}{{accountant.ReplaceOne, math.Sqrt2}, {accountant.AddRemove, 1}} {
		p := must[State](t)(Start(4, 1, c.rel))
		if got := must[float64](t)(GramSensitivity(p)); got < c.want || got > c.want*(1+1e-15) {
			t.Errorf("%v: got %.17g, want %g", c.rel, got, c.want)
		}
	}
	worst := 0.0
	for i := range 2000 {
		// Rows of norm 1 at the angle a, turned or stretched by the displacement; one free row at right angles.
		a, turn, shrink := 0.003*float64(i), 0.1*math.Sin(float64(i)), 0.1*math.Cos(float64(3*i))
		const n = 6
		var g [3]float64 // of the difference
		add := func(angle, r, sign float64) {
			x, y := r*math.Cos(angle), r*math.Sin(angle)
			g[0], g[1], g[2] = g[0]+sign*x*x, g[1]+sign*x*y, g[2]+sign*y*y
		}
		add(0, 1, 1)
		add(math.Pi/2, 1, -1)
		each := 0.0
		for j := range n - 1 {
			angle := a * float64(j)
			add(angle, 1, 1)
			add(angle+turn, 1-math.Abs(shrink), -1)
			d := math.Hypot(1-(1-math.Abs(shrink))*math.Cos(turn), (1-math.Abs(shrink))*math.Sin(turn))
			each = max(each, d)
		}
		p := State{Neighbours: accountant.ReplaceOne, N: n, R: 1, F: 1, M: n - 1, T1: (n - 1) * each * (1 + 1e-12), TF: math.Sqrt(n-1) * each * (1 + 1e-12), TInf: each * (1 + 1e-12), DFree: 2}.Close()
		bound := must[float64](t)(GramSensitivity(p))
		worst = max(worst, math.Sqrt(g[0]*g[0]+2*g[1]*g[1]+g[2]*g[2])/bound)
	}
	if !(worst <= 1) || worst < 0.7 {
		t.Errorf("a Gram matrix moves by %.4f of the bound", worst)
	}
	if _, err := GramSensitivity(State{Neighbours: accountant.ReplaceOne}); !errors.Is(err, ErrPair) {
		t.Errorf("no pair: got %v", err)
	}
}
