package rows

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// lineSchema has d numeric columns in [lo, hi] that may miss, and a label.
func lineSchema(d int, lo, hi float64) frames.Schema {
	var cols []frames.Column
	for j := range d {
		cols = append(cols, frames.Numeric(fmt.Sprint("x", j), lo, hi).MayMiss())
	}
	return must(frames.NewSchema(append(cols, frames.Label("y", "a", "b"))...))
}

// definedClusters are the good clusters with their centres, by their definition.
func definedClusters(m *Matrix, eta float64) map[string]int {
	near := func(i int, r float64) (out []int) {
		for k := range m.Rows() {
			if m.Y[i] == m.Y[k] && distance(m.Row(i), m.Row(k)) <= r {
				out = append(out, k)
			}
		}
		return out
	}
	out := map[string]int{}
	for i := range m.Rows() {
		c := near(i, eta)
		if len(c) < 2 || len(c) != len(near(i, 3*eta)) {
			continue
		}
		centre := -1
		for _, k := range c {
			all := !slices.ContainsFunc(c, func(l int) bool { return distance(m.Row(k), m.Row(l)) > eta })
			if all && (centre < 0 || m.compare(k, centre) < 0) {
				centre = k
			}
		}
		out[fmt.Sprint(c)] = centre
	}
	return out
}

// TestGoodClustersAreThoseOfTheDefinition on lattices, where distances attain η and 3η.
func TestGoodClustersAreThoseOfTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	found := 0
	for range 3000 {
		n, d := 2+r.IntN(14), 1+r.IntN(3)
		in := lineSchema(d, 0, 64)
		m := &Matrix{Cols: d, X: make([]float64, n*d), Y: make([]float64, n)}
		clumps := make([]float64, 4)
		for k := range clumps {
			clumps[k] = float64(r.IntN(60))
		}
		for i := range m.X {
			m.X[i] = clumps[r.IntN(len(clumps))] + float64(r.IntN(5))
			if r.IntN(20) == 0 {
				m.X[i] = math.NaN()
			}
		}
		for i := range m.Y {
			m.Y[i] = float64(r.IntN(3) / 2)
		}
		eta := []float64{1, 2, 4, 0.5}[r.IntN(4)]
		want := definedClusters(m, eta)
		k := must(KeysOf(in, nil))
		rest := len(want)
		err := m.GoodClusters(context.Background(), k, in, eta, func(rows []int32, centre int) {
			rows = slices.Clone(rows)
			slices.Sort(rows)
			w, ok := want[fmt.Sprint(rows)]
			if !ok || m.compare(w, centre) != 0 {
				t.Fatalf("d = %d, η = %v: got cluster %v around %d, want one of %v", d, eta, rows, centre, want)
			}
			rest--
			found++
		})
		if err != nil || rest != 0 {
			t.Fatalf("d = %d, η = %v: %d clusters are missing (%v)", d, eta, rest, err)
		}
	}
	if found < 1000 {
		t.Errorf("%d clusters: the test has lost its teeth", found)
	}
}

// TestGoodClustersOnAllProcessors: the same clusters in the same order, on one processor and on many, some of which begin a cluster at the same time.
func TestGoodClustersOnAllProcessors(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	const n, d = 6 * partOfTree, 2
	in := lineSchema(d, 0, 4096)
	m := &Matrix{Cols: d, X: make([]float64, n*d), Y: make([]float64, n)}
	for i := range n {
		for j := range d {
			switch {
			case i < n/8: // all at one place
				m.X[i*d+j] = 7
			case i < n/4: // on a grid, where each has its twin
				m.X[i*d+j] = 16 + float64(16*(i/2*(j+1)*37%200))
			default:
				m.X[i*d+j] = float64(r.IntN(4096))
			}
		}
	}
	k := must(KeysOf(in, nil))
	of := func(processors int) (out []string) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		if err := m.GoodClusters(context.Background(), k, in, 2, func(rows []int32, centre int) {
			out = append(out, fmt.Sprint(centre, rows))
		}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	want := of(1)
	if len(want) < 100 {
		t.Fatalf("%d clusters: the test has lost its teeth", len(want))
	}
	for range 3 {
		if got := of(16); !slices.Equal(got, want) {
			t.Fatalf("got %d clusters on 16 processors that are not the %d of one", len(got), len(want))
		}
	}
}
