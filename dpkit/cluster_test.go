package dpkit

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
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
func definedClusters(m *matrix, eta float64) map[string]int {
	near := func(i int, r float64) (out []int) {
		for k := range m.Rows() {
			if m.y[i] == m.y[k] && distance(m.row(i), m.row(k)) <= r {
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
			all := !slices.ContainsFunc(c, func(l int) bool { return distance(m.row(k), m.row(l)) > eta })
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
		m := &matrix{cols: d, x: make([]float64, n*d), y: make([]float64, n)}
		clumps := make([]float64, 4)
		for k := range clumps {
			clumps[k] = float64(r.IntN(60))
		}
		for i := range m.x {
			m.x[i] = clumps[r.IntN(len(clumps))] + float64(r.IntN(5))
			if r.IntN(20) == 0 {
				m.x[i] = math.NaN()
			}
		}
		for i := range m.y {
			m.y[i] = float64(r.IntN(3) / 2)
		}
		eta := []float64{1, 2, 4, 0.5}[r.IntN(4)]
		want := definedClusters(m, eta)
		k := must(keysOf(in, nil))
		rest := len(want)
		err := m.goodClusters(context.Background(), k, in, eta, func(rows []int32, centre int) {
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

// goldenCluster is a case of the golden file for dedup or quantisation.
type goldenCluster struct {
	Name           string
	Eta            float64
	S              [][]float64
	Z1, Z2         []float64
	MaxGoodCluster int     `json:"max_good_cluster"`
	RowsChanged    int     `json:"rows_changed"`
	PaperDinf      int     `json:"paper_Dinf"`
	CorrectedDinf  float64 `json:"corrected_Dinf"`
	PaperViolated  bool    `json:"paper_violated"`
	Mode           string
	PaperD2        float64 `json:"paper_D2"`
	PaperTau       float64 `json:"paper_tau"`
	CorrectedD2    float64 `json:"corrected_D2"`
	CorrectedTau   float64 `json:"corrected_tau"`
}

func goldenPreprocessing(t *testing.T, into any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "testdata", "golden", "preprocessing.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

// with returns the matrix of S and z, z in front, on one class of labels.
func (g goldenCluster) with(z []float64) *matrix {
	m := &matrix{cols: len(z)}
	for _, row := range append([][]float64{z}, g.S...) {
		m.x = append(m.x, row...)
		m.y = append(m.y, 0)
	}
	return m
}

func (m *matrix) largestCluster(t *testing.T, in frames.Schema, eta float64) int {
	t.Helper()
	largest := 0
	err := m.goodClusters(context.Background(), must(keysOf(in, nil)), in, eta, func(rows []int32, _ int) {
		largest = max(largest, len(rows))
	})
	if err != nil {
		t.Fatal(err)
	}
	return largest
}

// TestGoldenDedup: the rows that change are as many as the reference counts, above the paper's bound
// and within the corrected one.
func TestGoldenDedup(t *testing.T) {
	var golden struct {
		Dedup struct{ Cases []goldenCluster }
	}
	goldenPreprocessing(t, &golden)
	violated := 0
	for _, g := range golden.Dedup.Cases {
		t.Run(g.Name, func(t *testing.T) {
			d := len(g.Z1)
			in := lineSchema(d, -1, 1)
			a, b := g.with(g.Z1), g.with(g.Z2)
			// A row of no other is no good cluster of two.
			if got := max(1, a.largestCluster(t, in, g.Eta), b.largestCluster(t, in, g.Eta)); got > g.MaxGoodCluster {
				t.Errorf("largest good cluster: got %d, want at most %d", got, g.MaxGoodCluster)
			}
			step := ballDedup{Ball{Eta: g.Eta, MaxCluster: g.MaxGoodCluster, Declared: true}, nil}
			st := Stage{In: in, Out: in}
			for _, m := range []*matrix{a, b} {
				if err := step.rewrite(context.Background(), m, st); err != nil {
					t.Fatal(err)
				}
			}
			changed, sides := 0, [2]int{}
			for i := 1; i < a.Rows(); i++ {
				if a.isEmpty(i) != b.isEmpty(i) {
					changed++
				}
				if a.isEmpty(i) {
					sides[1]++
				}
				if b.isEmpty(i) {
					sides[0]++
				}
			}
			bound := dedupRows(d, g.MaxGoodCluster, a.Rows())
			if changed != g.RowsChanged || bound != g.CorrectedDinf || float64(changed) > bound {
				t.Errorf("got %d rows and the bound %v, want %d and %v", changed, bound, g.RowsChanged, g.CorrectedDinf)
			}
			if (changed > g.PaperDinf) != g.PaperViolated {
				t.Errorf("%d rows against the paper's bound %d: violated is not %v", changed, g.PaperDinf, g.PaperViolated)
			}
			if changed > g.PaperDinf {
				violated++
			}
		})
	}
	if violated < 3 {
		t.Errorf("the paper's bound is broken in %d cases, want at least 3", violated)
	}
}

// TestGoldenQuantizeBall: displacements break the paper's bounds and keep to the corrected ones.
func TestGoldenQuantizeBall(t *testing.T) {
	var golden struct {
		Quantization struct{ Cases []goldenCluster }
	}
	goldenPreprocessing(t, &golden)
	broken := 0
	for _, g := range golden.Quantization.Cases {
		t.Run(g.Name, func(t *testing.T) {
			d := len(g.Z1)
			in := lineSchema(d, -1, 1)
			a, b := g.with(g.Z1), g.with(g.Z2)
			step := ballQuantize{Ball{Eta: g.Eta, MaxCluster: g.MaxGoodCluster, Declared: true}}
			before := must(accountant.Start(a.Rows(), 1, ReplaceOne))
			st := Stage{In: in, Out: in, Before: before}
			for _, m := range []*matrix{a, b} {
				if err := step.rewrite(context.Background(), m, st); err != nil {
					t.Fatal(err)
				}
			}
			disp := displacement(a, b)
			bounds := step.quantizeBounds(d, before)
			if math.Abs(bounds.AInf-g.CorrectedD2) > 1e-12 || math.Abs(bounds.A1-g.CorrectedTau) > 1e-12 {
				t.Errorf("bounds: got %v a row, %v in all, want %v and %v", bounds.AInf, bounds.A1, g.CorrectedD2, g.CorrectedTau)
			}
			pr, err := step.Propagate(st)
			if err != nil {
				t.Fatal(err)
			}
			if disp[0] > pr.Pair.T1 || disp[1] > pr.Pair.TF || disp[2] > pr.Pair.TInf {
				t.Errorf("displacements %v are above the bounds %v", disp, pr.Pair)
			}
			if g.Mode != "centre" {
				return
			}
			if disp[2] > g.PaperD2*(1+1e-9) || disp[0] > g.PaperTau*(1+1e-9) {
				broken++
			}
		})
	}
	if broken < 2 {
		t.Errorf("the paper's bounds are broken in %d cases, want at least 2", broken)
	}
}

// TestUnstableVariants: what other rules do on these rows, one row changing all, ours does not; and the
// size of the largest good cluster, which is no statistic to test, jumps where the block count moves by 1.
func TestUnstableVariants(t *testing.T) {
	var golden struct {
		UnstableDedup struct {
			Greedy struct {
				N                           int
				Eta, Spacing, First, Insert float64
				Changed                     int
			}
			MaxGoodCluster struct{ Before, After int } `json:"max_good_cluster"`
		} `json:"unstable_dedup"`
	}
	goldenPreprocessing(t, &golden)
	in := lineSchema(1, -1, 1)
	column := func(x ...float64) *matrix {
		m := &matrix{cols: 1, x: x, y: make([]float64, len(x))}
		return m
	}
	g := golden.UnstableDedup.Greedy
	chain := []float64{g.Insert}
	for i := range g.N {
		chain = append(chain, g.First+float64(i)*g.Spacing)
	}
	greedy := func(x []float64) (kept map[float64]bool) { // first come, first kept
		kept = map[float64]bool{}
		for _, v := range x {
			if near := slices.ContainsFunc(x, func(w float64) bool { return kept[w] && math.Abs(v-w) <= g.Eta }); !near {
				kept[v] = true
			}
		}
		return kept
	}
	before, after := greedy(chain[1:]), greedy(chain)
	changed := 0
	for _, v := range chain[1:] {
		if before[v] != after[v] {
			changed++
		}
	}
	if changed != g.Changed {
		t.Errorf("greedy: %d rows changed, want %d", changed, g.Changed)
	}
	for _, m := range []*matrix{column(chain[1:]...), column(chain...)} {
		if err := (ballDedup{Ball{Eta: g.Eta, MaxCluster: 3}, nil}).rewrite(context.Background(), m, Stage{In: in}); err != nil || m.empty != nil {
			t.Errorf("good clusters: a chain has none, and rows were removed (%v)", err)
		}
	}
	var x []float64
	for range 10 {
		x = append(x, -0.045, 0.045)
	}
	w := golden.UnstableDedup.MaxGoodCluster
	jump := [2]int{column(x...).largestCluster(t, in, 0.05), column(append(x, 0)...).largestCluster(t, in, 0.05)}
	if jump != [2]int{w.Before, w.After} {
		t.Errorf("largest good cluster: got %v, want %v", jump, w)
	}
	k := must(keysOf(in, nil))
	b0 := must(column(x...).largestBlock(context.Background(), k, in, 0.05))
	b1 := must(column(append(x, 0)...).largestBlock(context.Background(), k, in, 0.05))
	if b0 != 20 || b1 != 21 {
		t.Errorf("largest block: got %d and %d, want 20 and 21", b0, b1)
	}
}
