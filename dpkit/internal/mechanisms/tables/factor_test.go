package tables

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/accountant"
)

// TestFactorsMultiplyToSums: L·R sums up, for every power, and R is not negative and falls.
func TestFactorsMultiplyToSums(t *testing.T) {
	for i := range powers + 1 {
		f := factorOf(float64(i)/powers, 200)
		unit := make([]float64, 200)
		for k := range unit {
			unit[k] = f.at(k) // R of one row in the first period
			if k > 0 && f.right[k] > f.right[k-1] {
				t.Fatalf("power %g: coefficient %d of R rises", f.power, k)
			}
		}
		for k, v := range f.sum(unit) {
			if math.Abs(v-1) > 1e-9 {
				t.Fatalf("power %g: LR is %v in period %d, want 1", f.power, v, k)
			}
		}
	}
}

// bags are all ways to put at most c.rows rows in periods, c.perGroup in one and into c.groups of them.
func bags(c contributions, each func(a []float64)) {
	a := make([]float64, c.cells)
	var put func(at, rows, groups int)
	put = func(at, rows, groups int) {
		if at == len(a) {
			each(a)
			return
		}
		for v := range min(rows, c.perGroup) + 1 {
			if v > 0 && groups == 0 {
				break
			}
			used := groups
			if v > 0 {
				used--
			}
			a[at] = float64(v)
			put(at+1, rows-v, used)
		}
		a[at] = 0
	}
	put(0, c.rows, c.groups)
}

func (f factor) times(a []float64) (out []float64) {
	for t := range a {
		sum := 0.0
		for k := range t + 1 {
			sum += f.at(k) * a[t-k]
		}
		out = append(out, sum)
	}
	return out
}

func squared(a, b []float64, sign float64) (sum float64) {
	for i := range a {
		sum += (a[i] + sign*b[i]) * (a[i] + sign*b[i])
	}
	return sum
}

// TestFactorSensitivity goes through all bags of rows of both sides, with values at opposite ends of their bounds: what is paid for is no less than
// what any moves, and where it is claimed to be exact no more.
func TestFactorSensitivity(t *testing.T) {
	for _, c := range []contributions{
		{rows: 1, perGroup: 1, groups: 1, cells: 6},
		{rows: 2, perGroup: 1, groups: 2, cells: 5},
		{rows: 3, perGroup: 2, groups: 2, cells: 4},
		{rows: 5, perGroup: 3, groups: 2, cells: 4},
		{rows: 4, perGroup: 1, groups: 4, cells: 4},
		{rows: 5, perGroup: 2, groups: 3, cells: 5},
	} {
		for _, power := range []float64{0, 0.25, 0.5, 0.8125, 1} {
			f := factorOf(power, c.cells)
			var sides [][]float64
			bags(c, func(a []float64) { sides = append(sides, f.times(a)) })
			for _, rel := range []accountant.Neighbours{accountant.AddRemove, accountant.ReplaceOne} {
				for _, s := range []float64{0, 1} {
					c.rel, c.weights = rel, s
					most := 0.0
					for _, a := range sides {
						if rel == accountant.AddRemove {
							most = max(most, (1+s)*squared(a, a, 0))
							continue
						}
						for _, b := range sides {
							most = max(most, squared(a, b, -1)+s*squared(a, b, 1))
						}
					}
					paid, row := f.moved(c)
					name := fmt.Sprintf("%+v power %g", c, power)
					if most = math.Sqrt(most); paid < most*(1-1e-12) {
						t.Errorf("%s: pays for %v, moves %v", name, paid, most)
					}
					if exact := rel == accountant.AddRemove || s == 1 || c.rows == 1; exact && paid > most*(1+1e-9) {
						t.Errorf("%s: pays for %v, moves %v", name, paid, most)
					}
					if rel == accountant.ReplaceOne {
						row *= 2
					}
					if c.rows == 1 && math.Abs(row-paid) > 1e-9 || float64(c.rows)*row < paid*(1-1e-12) {
						t.Errorf("%s: a row pays for %v, a person for %v", name, row, paid)
					}
				}
			}
		}
	}
}

// TestFoldIsExact against arithmetic of any size, for numbers of any size and sign, rounded down.
func TestFoldIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	f := factorOf(0.5, 300)
	x := make([]int64, 600)
	for i := range x {
		x[i] = rng.Int64() >> rng.IntN(63)
		if rng.IntN(2) == 0 {
			x[i] = -x[i]
		}
	}
	for _, by := range []int{34, 40, 63, 64, 70, 90} {
		for _, period := range []int{0, 1, 17, 299} {
			want := new(big.Int)
			for k := range period + 1 {
				want.Add(want, new(big.Int).Mul(new(big.Int).SetUint64(f.right[k]), big.NewInt(x[(period-k)*2])))
			}
			want.Rsh(want, uint(by))
			if !want.IsInt64() {
				continue
			}
			if got := f.fold(x, 2, period, by); got != want.Int64() {
				t.Errorf("period %d by %d: got %d, want %v", period, by, got, want)
			}
		}
	}
	if got := f.fold([]int64{-3}, 1, 0, -2); got != -3<<(rightBits+2) {
		t.Errorf("got %d", got)
	}
}

// treeError is the root mean square over the periods of the noise on cumulative counts that a binary tree of sums makes, its nodes combined by
// least squares (Honaker 2015), at the price of noise 1 on a count that one row moves by 1; periods is a power of two.
func treeError(periods int) float64 {
	var nodes [][]float64
	for width := 1; width <= periods; width *= 2 {
		for from := 0; from < periods; from += width {
			node := make([]float64, periods)
			for i := range width {
				node[from+i] = 1
			}
			nodes = append(nodes, node)
		}
	}
	tree := mat.NewDense(len(nodes), periods, nil)
	for i, n := range nodes {
		tree.SetRow(i, n)
	}
	var normal, inverse mat.Dense
	normal.Mul(tree.T(), tree)
	if err := inverse.Inverse(&normal); err != nil {
		panic(err)
	}
	sum := 0.0
	for t := range periods {
		for i := range t + 1 {
			for j := range t + 1 {
				sum += inverse.At(i, j)
			}
		}
	}
	return math.Sqrt(sum / float64(periods) * math.Log2(float64(2*periods)))
}

// TestFactorsBeatTheTree: for one row a person the series has less noise than a binary tree at the same price, and than periods that are released by
// themselves and summed up; by how much stands in docs/theory/tables.md#cumulative-sums. Of a person with rows in all periods summing up is best.
func TestFactorsBeatTheTree(t *testing.T) {
	for _, periods := range []int{4, 16, 64, 256} {
		c := oneRowEach(0, periods, accountant.AddRemove)
		best, alone := bestFactor(periods, c), factorOf(0, periods)
		moved, _ := best.moved(c)
		got, tree := moved*best.rms(), treeError(periods)
		t.Logf("%d periods: power %g, noise %.3f; summed up %.2f times that, by a tree %.2f times, square root %.4f", periods, best.power, got, alone.rms()/got, tree/got, root(periods, c)/got)
		if !(got < tree) || !(got < alone.rms()) {
			t.Errorf("%d periods: noise %v, by a tree %v, summed up %v", periods, got, tree, alone.rms())
		}
	}
	for _, periods := range []int{12, 24, 52, 365} {
		c := oneRowEach(0, periods, accountant.AddRemove)
		best := bestFactor(periods, c)
		moved, _ := best.moved(c)
		longer, _ := factorOf(best.power, periods+1).moved(c)
		t.Logf("%d periods: power %g, summed up %.2f times as much, one more %.4f", periods, best.power, factorOf(0, periods).rms()/(moved*best.rms()), longer/moved)
	}
	every := contributions{rows: 12, perGroup: 1, groups: 12, cells: 12, rel: accountant.AddRemove}
	if f := bestFactor(12, every); f.power > 0.25 {
		t.Errorf("of a person with rows in all periods the power is %g", f.power)
	}
}

func root(periods int, c contributions) float64 {
	f := factorOf(0.5, periods)
	moved, _ := f.moved(c)
	return moved * f.rms()
}
