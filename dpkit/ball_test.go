package dpkit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// ballOutcome is what the steps on good clusters make of a row z and a list of others.
type ballOutcome struct {
	m       *rows.Matrix // z in front
	sizes   []int
	cluster []int // of each row; −1 in none
	centre  []int // of each cluster
	block   int   // rows of the largest block
}

func ballOutcomeOf(t *testing.T, z []float64, common [][]float64, eta float64) ballOutcome {
	t.Helper()
	in := lineSchema(len(z), 0, 1000)
	g := goldenCluster{S: common}
	o := ballOutcome{m: g.with(z)}
	o.cluster = slices.Repeat([]int{-1}, o.m.Rows())
	err := o.m.GoodClusters(context.Background(), must(rows.KeysOf(in, nil)), in, eta, func(rows []int32, centre int) {
		for _, r := range rows {
			o.cluster[r] = len(o.sizes)
		}
		o.sizes, o.centre = append(o.sizes, len(rows)), append(o.centre, centre)
	})
	if err != nil {
		t.Fatal(err)
	}
	o.block = must(o.m.LargestBlock(context.Background(), must(rows.KeysOf(in, nil)), in, eta))
	return o
}

// image is the row that row i is moved to; kept says whether dedup keeps it.
func (o ballOutcome) image(i, limit int) (row []float64, kept bool) {
	if c := o.cluster[i]; c >= 0 && o.sizes[c] <= limit {
		return o.m.Row(o.centre[c]), i == o.centre[c]
	}
	return o.m.Row(i), true
}

// compareBalls holds the bounds on a pair of neighbours: sizes are capped at limit, or declared to be
// the largest where limit is 0; where it is −1 the block is certified. It returns observed/bound of the free rows, of τ and of a row's move.
func compareBalls(t *testing.T, a, b ballOutcome, eta float64, limit int) (ratio [3]float64) {
	t.Helper()
	n, d := a.m.Rows(), a.m.Cols
	ball := Ball{Eta: eta, MaxCluster: limit}
	switch limit {
	case -1:
		ball.MaxCluster, ball.MaxBlock, limit = 0, Declare(float64(max(2, a.block, b.block))), n
	case 0:
		ball.MaxCluster, ball.Declared, limit = max(2, slices.Max(append(a.sizes, 0)), slices.Max(append(b.sizes, 0))), true, n
	}
	const many = 1000 // rows of the public n: no bound is cut by it
	var onlyA, onlyB int
	for i := range n {
		_, ka := a.image(i, limit)
		_, kb := b.image(i, limit)
		switch {
		case i == 0: // two rows of their own
			if ka {
				onlyA++
			}
			if kb {
				onlyB++
			}
		case ka && !kb:
			onlyA++
		case kb && !ka:
			onlyB++
		}
	}
	p := pair.State{N: many, F: 1}
	free := 1 + steps.DedupFreed(ball, d, 1, many)
	if max(onlyA, onlyB) > free || float64(onlyA+onlyB) > steps.DedupRows(ball, d, many)+2 {
		t.Fatalf("%+v: %d and %d rows differ, want at most %d on a side and Δ∞ = %v\n%v\n%v",
			ball, onlyA, onlyB, free, steps.DedupRows(ball, d, many), a.m.X, b.m.X)
	}
	bounds := steps.QuantizeBounds(ball, d, p)
	var sum, sq, most float64
	moved := 0
	for i := 1; i < n; i++ {
		x, _ := a.image(i, limit)
		y, _ := b.image(i, limit)
		if v := distance(x, y); v > 0 {
			sum += v
			sq += v * v
			most = max(most, v)
			moved++
		}
	}
	const slack = 1 + 1e-12
	if sum > bounds.A1*slack || math.Sqrt(sq) > bounds.AF*slack || most > bounds.AInf*slack || moved > bounds.Affected {
		t.Fatalf("%+v: displacements %v, %v, %v in %d rows, want at most %v\n%v\n%v", ball, sum, math.Sqrt(sq), most, moved, bounds, a.m.X, b.m.X)
	}
	return [3]float64{float64(max(onlyA, onlyB)) / float64(free), sum / bounds.A1, most / bounds.AInf}
}

// TestTheorem11OnALine goes through every neighbour pair of up to 7 rows on a lattice of spacing η/2 and 13 points,
// for the paper's algorithm and for caps of 2 and 3. Pairs that are one another's translates are one pair: the first common row stays.
func TestTheorem11OnALine(t *testing.T) {
	t.Parallel()
	const side, eta = 13, 2.0
	const wide = 5 // up to so many common rows all of the lattice, beyond a part of it
	var worst [3]float64
	pairs := 0
	const first = side - 1 // so that the free row finds the whole lattice on its left
	var visit func(common [][]float64, from int)
	visit = func(common [][]float64, from int) {
		leftmost := from - (side - 1) // from is the last common row
		var o [2*side - 1]ballOutcome
		for z := leftmost; z < first+side; z++ {
			o[z] = ballOutcomeOf(t, []float64{float64(z)}, common, eta)
			for w := max(leftmost, z-(side-1)); w < z; w++ {
				for _, limit := range []int{-1, 0, 2, 3} {
					for k, v := range compareBalls(t, o[z], o[w], eta, limit) {
						worst[k] = max(worst[k], v)
					}
				}
				pairs++
			}
		}
		most := 6
		if testing.Short() {
			most = 4
		}
		if len(common) == most {
			return
		}
		end := first + side
		if len(common) >= wide {
			end = first + 9
		}
		for v := from; v < end; v++ {
			visit(append(slices.Clip(common), []float64{float64(v)}), v)
		}
	}
	visit([][]float64{{first}}, first)
	t.Logf("%d pairs: worst observed/bound: free rows %.3f, τ %.3f, a row %.3f", pairs, worst[0], worst[1], worst[2])
}

// TestFreedRowsAreFewerThanInTheCalculus: f' ≤ f(1 + 2K_d·c), what counting 2K_d clusters of c rows each gives;
// docs/theory/preprocessing.md#theorem-11-good-clusters counts fewer.
func TestFreedRowsAreFewerThanInTheCalculus(t *testing.T) {
	const many = math.MaxInt
	for d := 1; d <= 12; d++ {
		for _, c := range []int{2, 3, 10, 1000} {
			for _, f := range []int{1, 2, 7} {
				got, want := float64(f+steps.ClusterFreed(d, c, f, many)), float64(f)*(1+2*rows.Packing(d)*float64(c))
				if !(got <= want) || got < want/4 {
					t.Errorf("d = %d, cap %d, f = %d: got %v, want at most %v", d, c, f, got, want)
				}
			}
		}
	}
}

// star is n rows of m copies at the given centres around z, at distance r·η.
func star(z []float64, directions [][]float64, eta, r float64, m int) (rows [][]float64) {
	for _, u := range directions {
		c := make([]float64, len(z))
		for j := range z {
			c[j] = z[j] + r*eta*u[j]
		}
		for range m {
			rows = append(rows, c)
		}
	}
	return rows
}

func pentagon() (u [][]float64) {
	for k := range 5 {
		s, c := math.Sincos(2 * math.Pi * float64(k) / 5)
		u = append(u, []float64{c, s})
	}
	return u
}

func icosahedron() (u [][]float64) {
	phi := math.Phi / math.Hypot(1, math.Phi)
	one := 1 / math.Hypot(1, math.Phi)
	for _, a := range []float64{-one, one} {
		for _, b := range []float64{-phi, phi} {
			u = append(u, []float64{0, a, b}, []float64{a, b, 0}, []float64{b, 0, a})
		}
	}
	return u
}

// TestBallBoundsAreAttained: one row destroys K_d clusters and the other makes one, which frees as many
// rows as are paid for; τ comes close.
func TestBallBoundsAreAttained(t *testing.T) {
	const eta, m = 1.0, 6
	for _, c := range []struct {
		name       string
		directions [][]float64
		reach      float64
	}{
		{"line", [][]float64{{-1}, {1}}, 0.99},
		{"plane", pentagon(), 0.8},
		{"space", icosahedron(), 0}, // the icosahedron leaves no room
	} {
		t.Run(c.name, func(t *testing.T) {
			d := len(c.directions[0])
			z, w := slices.Repeat([]float64{100}, d), slices.Repeat([]float64{200}, d)
			common := star(z, c.directions, eta, 2.95, m)
			beside := slices.Clone(w)
			beside[0] += eta
			for range m - 1 { // around w, and no good cluster without it: ±η apart, 2η from each other
				beside = slices.Clone(beside)
				beside[0] = 2*w[0] - beside[0]
				common = append(common, beside)
			}
			r := compareBalls(t, ballOutcomeOf(t, z, common, eta), ballOutcomeOf(t, w, common, eta), eta, 0)
			if r[0] != 1 {
				t.Errorf("free rows: observed/bound %v, want 1", r[0])
			}
			r = compareBalls(t, ballOutcomeOf(t, z, common, eta), ballOutcomeOf(t, w, common, eta), eta, -1)
			if r[0] < 0.4 {
				t.Errorf("free rows under a certified block: observed/bound %v, want at least 0.4", r[0])
			}
			// Rows on two sides of their centres, at a distance of almost η where the clusters leave room.
			common = nil
			for _, at := range [][]float64{z, w} {
				common = slices.Concat(common, star(at, c.directions, eta, 2.99, 1),
					star(at, c.directions, eta, 2.99-c.reach, 5), star(at, c.directions, eta, 2.99+c.reach, 5))
			}
			r = compareBalls(t, ballOutcomeOf(t, z, common, eta), ballOutcomeOf(t, w, common, eta), eta, 11)
			if want := 0.9 * c.reach; r[1] < want {
				t.Errorf("τ: observed/bound %.3f, want at least %.3f", r[1], want)
			}
			t.Logf("τ: observed/bound %.3f", r[1])
		})
	}
}

// TestAttackBalls searches in one to three dimensions for neighbours beyond the bounds.
func TestAttackBalls(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 1))
	const eta = 1.0
	for d := 1; d <= 3; d++ {
		var worst [3]float64
		for metric := range 2 {
			for range 12 {
				point := func() []float64 {
					p := make([]float64, d)
					for j := range p {
						p[j] = 20 + 7*r.Float64()
					}
					return p
				}
				var common [][]float64
				for range 3 + r.IntN(6*d) {
					p := point()
					for range 1 + r.IntN(3) {
						q := slices.Clone(p)
						q[r.IntN(d)] += eta * []float64{0, 0, 1, 0.999, r.Float64()}[r.IntN(5)]
						common = append(common, q)
					}
				}
				rows := append(common, point(), point())
				limit := r.IntN(5) - 1
				if limit == 1 {
					limit = 5
				}
				best := -1.0
				for range 150 {
					next := slices.Clone(rows)
					for range 1 + r.IntN(2) {
						i, k := r.IntN(len(next)), r.IntN(len(next))
						next[i] = slices.Clone(next[i])
						switch r.IntN(4) {
						case 0:
							next[i] = point()
						case 1: // onto another, or at a critical distance of it
							copy(next[i], next[k])
							next[i][r.IntN(d)] += eta * []float64{0, 1, -1, 2.999, -2.999, 3.001}[r.IntN(6)]
						default:
							next[i][r.IntN(d)] += 0.3 * r.NormFloat64()
						}
					}
					n := len(next) - 2
					v := compareBalls(t, ballOutcomeOf(t, next[n], next[:n], eta), ballOutcomeOf(t, next[n+1], next[:n], eta), eta, limit)
					for k := range v {
						worst[k] = max(worst[k], v[k])
					}
					if v[metric] >= best {
						rows, best = next, v[metric]
					}
				}
			}
		}
		t.Logf("d = %d: worst observed/bound: free rows %.3f, τ %.3f, a row %.3f", d, worst[0], worst[1], worst[2])
		if worst[0] < 0.1 || worst[1] < 0.05 || worst[2] < 0.4 {
			t.Errorf("d = %d: the attack has lost its teeth: %v", d, worst)
		}
	}
}

// TestBallsUnderAddRemove: the images of free rows on both sides together stay within 2f' − 1 when
// one row goes.
func TestBallsUnderAddRemove(t *testing.T) {
	t.Parallel()
	const side, eta, first = 13, 2.0, 12 // translates are one table, as in [TestTheorem11OnALine]
	worst := 0.0
	var visit func(common [][]float64, from int)
	visit = func(common [][]float64, from int) {
		if len(common) > 1 {
			without := ballOutcomeOf(t, []float64{900}, common, eta) // too far away to matter
			for z := from - (side - 1); z < first+side; z++ {
				with := ballOutcomeOf(t, []float64{float64(z)}, common, eta)
				for _, limit := range []int{2, 3} {
					images := 0
					if _, kept := with.image(0, limit); kept {
						images++
					}
					for i := range common {
						_, a := with.image(1+i, limit)
						_, b := without.image(1+i, limit)
						if a != b {
							images++
						}
					}
					p := pair.State{Neighbours: AddRemove, F: 1 + steps.ClusterFreed(1, limit, 1, 1000)}
					worst = max(worst, float64(images)/float64(p.FreeImages()))
				}
			}
		}
		if len(common) == 5 {
			return
		}
		for v := from; v < first+side; v++ {
			visit(append(slices.Clip(common), []float64{float64(v)}), v)
		}
	}
	visit([][]float64{{first}}, first)
	t.Logf("worst observed/bound: %.3f", worst)
	if !(worst <= 1) || worst < 0.4 {
		t.Errorf("observed/bound is %v, want in [0.4, 1]", worst)
	}
}
