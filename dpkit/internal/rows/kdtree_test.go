package rows

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

// TestKDTreeIsExact compares queries with a scan over all points, at radii that points lie on.
func TestKDTreeIsExact(t *testing.T) {
	single.Goroutine(t)
	r := rand.New(rand.NewPCG(2, 1))
	hits := 0
	for range 400 {
		n, d, side := 1+r.IntN(200)*(1+r.IntN(40)/38*20), 1+r.IntN(4), 1+r.IntN(30)
		scale := float64(int64(1) << r.IntN(40))
		x := make([]float64, n*d)
		for i := range x {
			x[i] = scale * float64(r.IntN(side))
		}
		points := slices.Clone(x)
		tree := newKDTree(x, d)
		ids := slices.Clone(tree.id)
		ids = slices.DeleteFunc(ids, func(id int32) bool { return id < 0 })
		slices.Sort(ids)
		if len(ids) != n {
			t.Fatalf("the tree has %d of %d points", len(ids), n)
		}
		for i, id := range ids {
			if int(id) != i {
				t.Fatal("the tree lost a point")
			}
		}
		for range 20 {
			p := points[r.IntN(n)*d:][:d]
			inner := min(float64(r.IntN(20)), 0x1p50/scale/scale) * scale * scale
			outer := min(inner*float64(1+r.IntN(9)), 0x1p50)
			var want []int32
			between := false
			for i := range n {
				s := distance2(p, points[i*d:(i+1)*d])
				if s <= inner {
					want = append(want, int32(i))
				}
				between = between || s > inner && s <= outer
			}
			var got []int32
			for _, k := range tree.within(nil, p, inner) {
				got = append(got, tree.id[k])
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("n = %d, d = %d: within: got %v, want %v", n, d, got, want)
			}
			if got := tree.between(p, inner, outer) >= 0; got != between {
				t.Fatalf("n = %d, d = %d: between: got %v, want %v", n, d, got, between)
			}
			if between {
				hits++
			}
		}
	}
	if hits < 1000 || hits > 7000 {
		t.Errorf("%d of 8000 queries hit: the test has lost its teeth", hits)
	}
}

func distance2(a, b []float64) (s float64) {
	for j, v := range a {
		s += (v - b[j]) * (v - b[j])
	}
	return s
}

func TestPacking(t *testing.T) {
	for _, c := range []struct {
		d    int
		want float64
	}{{1, 2}, {2, 5}, {3, 12}, {4, 24}, {5, 44}, {8, 240}, {9, 19682}, {12, 196560}, {24, 196560}, {25, 847288609442}} {
		if got := Packing(c.d); got != c.want {
			t.Errorf("K_%d = %v, want %v", c.d, got, c.want)
		}
	}
	for d := 1; d < 800; d++ { // up to +Inf
		if !(Packing(d+1) >= Packing(d)) {
			t.Errorf("K_%d < K_%d: points of a subspace are points of the space", d+1, d)
		}
	}
}
