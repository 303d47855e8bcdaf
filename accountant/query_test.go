package accountant

import (
	"errors"
	"math"
	"testing"
)

func TestQuerySensitivity(t *testing.T) {
	base := Pair{N: 100, R: 1, F: 1, M: 50, T1: 2, TF: 0.5, TInf: 0.1, DFree: math.Inf(1)}
	with := func(rel Neighbours, change func(*Pair)) Pair {
		p := base
		p.Neighbours = rel
		if change != nil {
			change(&p)
		}
		return p
	}
	still := func(p *Pair) { p.M, p.T1, p.TF, p.TInf = 0, 0, 0, 0 }
	for _, c := range []struct {
		name        string
		q           Query
		p           Pair
		total, free float64
	}{
		{"replace-one", Query{C: 1, Lipschitz: 3}, with(ReplaceOne, nil), 8, 2},
		{"add/remove", Query{C: 1, Lipschitz: 3}, with(AddRemove, nil), 7, 1},
		{"two free rows", Query{C: 1, Lipschitz: 3}, with(ReplaceOne, func(p *Pair) { p.F = 2 }), 10, 4},
		{"two free rows, one of them freed by a step", Query{C: 1, Lipschitz: 3}, with(AddRemove, func(p *Pair) { p.F = 2 }), 9, 3},
		{"no free row", Query{C: 1, Lipschitz: 3}, with(AddRemove, func(p *Pair) { p.F = 0 }), 6, 0},
		{"Frobenius wins", Query{C: 1, Lipschitz: 3, Frobenius: 4}, with(ReplaceOne, nil), 4, 2},
		{"clip wins", Query{C: 0.01, Lipschitz: 3}, with(ReplaceOne, nil), 1.02, 0.02},
		{"no Lipschitz constant", Query{C: 1, Lipschitz: math.Inf(1)}, with(ReplaceOne, nil), 102, 2},
		{"not displaced", Query{C: 1, Lipschitz: math.Inf(1)}, with(ReplaceOne, still), 2, 2},
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
	if _, _, err := (Query{C: 1}).Sensitivity(Pair{}); !errors.Is(err, ErrNeighbours) {
		t.Errorf("zero pair: got %v", err)
	}
}
