package rows

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"
)

// TestShells compares with all pairs, on one processor and on several: on a lattice, where distances lie on both radii.
func TestShells(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	const n, d, inner, outer = 2500, 3, 4, 36
	x := make([]float64, n*d)
	for i := range x {
		x[i] = float64(r.IntN(160))
	}
	tree := newKDTree(x, d)
	want, p, q := make([]bool, len(tree.id)), make([]float64, d), make([]float64, d)
	found := 0
	for a, id := range tree.id {
		for b := 0; id >= 0 && b < len(tree.id) && !want[a]; b++ {
			if tree.id[b] >= 0 {
				s := distance2(tree.point(p, int32(a)), tree.point(q, int32(b)))
				want[a] = s > inner && s <= outer
			}
		}
		if want[a] {
			found++
		}
	}
	if found < n/10 || found > n*9/10 {
		t.Fatalf("%d of %d points have another in the shell: the test has lost its teeth", found, n)
	}
	for _, processors := range []int{1, 4} {
		before := runtime.GOMAXPROCS(processors)
		got, err := tree.shells(context.Background(), inner, outer)
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		for a := range want {
			if got[a].Load() != want[a] {
				t.Fatalf("%d processors: slot %d: got %v, want %v", processors, a, got[a].Load(), want[a])
			}
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := tree.shells(ended, inner, outer); err == nil {
		t.Error("went on after its context had ended")
	}
}
