package pair

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/single"
)

// A concreteMap is a step on real tables, with the bounds that the calculus gives it. Rows live in
// the ball of radius 1 and columns in [-1/√d, 1/√d] after its own projection.
type concreteMap struct {
	name   string
	free   int
	apply  func(x [][]float64, hidden []bool) [][]float64
	bounds func(State) (StepBounds, error)
	// tight lists lower limits for the worst observed/bound of t1, tF and t∞, where theory says that the
	// bound is attained by a search of this size.
	tight [3]float64
}

const (
	soundRows = 8
	soundCols = 2
	hiddenN   = 3 // rows with a hidden first column in the imputation step
)

func clone(x [][]float64) [][]float64 {
	y := make([][]float64, len(x))
	for i := range x {
		y[i] = slices.Clone(x[i])
	}
	return y
}

func clipRows(c float64) func([][]float64, []bool) [][]float64 {
	return func(x [][]float64, _ []bool) [][]float64 {
		y := clone(x)
		for _, row := range y {
			if norm := math.Hypot(row[0], row[1]); norm > c {
				row[0] *= c / norm
				row[1] *= c / norm
			}
		}
		return y
	}
}

func centerRows(x [][]float64, _ []bool) [][]float64 {
	y := clone(x)
	for j := range soundCols {
		mean := 0.0
		for _, row := range x {
			mean += row[j] / float64(len(x))
		}
		for _, row := range y {
			row[j] -= mean
		}
	}
	return y
}

// imputeRows fills the hidden cells of the first column with the mean of the others.
func imputeRows(x [][]float64, hidden []bool) [][]float64 {
	y := clone(x)
	sum, count := 0.0, 0.0
	for i, row := range x {
		if !hidden[i] {
			sum += row[0]
			count++
		}
	}
	for i, row := range y {
		if hidden[i] {
			row[0] = sum / count
		}
	}
	return y
}

func imputeBounds(p State) (StepBounds, error) {
	// Width √2 of a column of the box inside the unit ball; n0 observed cells on either side.
	const n0 = soundRows - hiddenN
	w, h := math.Sqrt2/n0, p.T1/n0
	return StepBounds{
		K: 1, A1: hiddenN * w, AF: math.Sqrt(hiddenN) * w, AInf: w,
		H1: hiddenN * h, HF: math.Sqrt(hiddenN) * h, HInf: h,
		KF: math.Sqrt(1 + hiddenN/float64(n0)), Affected: hiddenN, R: 1,
	}, nil
}

// clipBall and center are the bounds of two steps (docs/theory/calculus.md#public-row-maps, docs/theory/calculus.md#centring); those of the others are dpkit's.
func clipBall(c float64) func(State) (StepBounds, error) {
	return func(p State) (StepBounds, error) { return StepBounds{K: 1, KF: 1, R: min(p.R, c)}, nil }
}

func center(p State) (StepBounds, error) {
	n, no, D := float64(p.N), float64(p.N-1), p.D()
	return StepBounds{
		K: 1, A1: no * D / n, AF: math.Sqrt(no) * D / n, AInf: D / n,
		H1: no * p.T1 / n, HInf: p.T1 / n, KF: 1, Affected: p.N - p.F, R: 2 * p.R,
	}, nil
}

// TestPropagateSound searches for pairs of tables on which a step moves more than its bound: random
// starts, corners first, then hill climbing on the ratio observed/bound in each of the three norms.
func TestPropagateSound(t *testing.T) {
	maps := []concreteMap{
		{"clip to half the radius", 1, clipRows(0.5), clipBall(0.5), [3]float64{0.999, 0.999, 0.999}},
		{"clip without free row", 0, clipRows(0.5), clipBall(0.5), [3]float64{0.999, 0.999, 0.999}},
		{"centre", 1, centerRows, center, [3]float64{0.999, 0.999, 0.999}},
		{"centre without free row", 0, centerRows, center, [3]float64{0.9, 0.95, 0.9}},
		{"mean imputation", 1, imputeRows, imputeBounds, [3]float64{0.999, 0.999, 0.999}},
		// A hidden row moves in its other column by t∞ and in the hidden one by t1/n0: never along one line.
		{"mean imputation without free row", 0, imputeRows, imputeBounds, [3]float64{0.9, 0.9, 0.7}},
	}
	for _, m := range maps {
		t.Run(m.name, func(t *testing.T) {
			single.Goroutine(t)
			rng := rand.New(rand.NewPCG(11, 12))
			var worst [3]float64
			for norm := range worst {
				for range 10 {
					worst[norm] = max(worst[norm], m.climb(t, rng, norm))
				}
				if worst[norm] > 1+1e-9 || worst[norm] < m.tight[norm] {
					t.Errorf("norm %d: worst observed/bound %.12g, want %g to 1", norm, worst[norm], m.tight[norm])
				}
			}
			t.Logf("worst observed/bound %.4g", worst)
		})
	}
}

// climb maximises observed/bound in one norm from a random start.
func (m concreteMap) climb(t *testing.T, rng *rand.Rand, norm int) float64 {
	x := randomTable(rng)
	y := clone(x)
	switch rng.IntN(3) {
	case 0: // only the free row differs
	case 1: // one direction for all
		dir := [2]float64{rng.NormFloat64() / 10, rng.NormFloat64() / 10}
		for i := range y {
			for j := range y[i] {
				y[i][j] += dir[j]
			}
		}
	default:
		y = perturb(rng, y, 0.1)
	}
	if m.free == 1 {
		copy(y[soundRows-1], []float64{-x[soundRows-1][0], -x[soundRows-1][1]})
	}
	y = project(y)
	best := m.ratio(t, x, y, norm)
	for step := 0.3; step > 1e-7; step *= 0.97 {
		nx, ny := x, y
		switch rng.IntN(3) {
		case 0:
			nx = perturb(rng, x, step)
		case 1:
			ny = perturb(rng, y, step)
		default: // both tables, so that displacements stay
			seed := rng.Uint64()
			nx = perturb(rand.New(rand.NewPCG(seed, 0)), x, step)
			ny = perturb(rand.New(rand.NewPCG(seed, 0)), y, step)
		}
		nx, ny = project(nx), project(ny)
		if r := m.ratio(t, nx, ny, norm); r > best {
			best, x, y = r, nx, ny
		}
	}
	return best
}

// ratio applies the step to both tables and compares the displacement with the bound.
func (m concreteMap) ratio(t *testing.T, x, y [][]float64, norm int) float64 {
	common := soundRows - m.free
	p := State{Neighbours: accountant.ReplaceOne, N: soundRows, R: 1, F: m.free, DFree: math.Inf(1)}
	in := measure(p, displacements(x, y, common)).Close()
	b, err := m.bounds(in)
	if err != nil {
		t.Fatal(err)
	}
	bound, err := in.Propagate(b)
	if err != nil {
		t.Fatal(err)
	}
	hidden := make([]bool, soundRows)
	for i := range hiddenN {
		hidden[i] = true
	}
	out := measure(p, displacements(m.apply(x, hidden), m.apply(y, hidden), common))
	if out.M > bound.M && out.TInf > 1e-12 {
		t.Errorf("%d rows moved, bound %d", out.M, bound.M)
	}
	got, limit := [3]float64{out.T1, out.TF, out.TInf}[norm], [3]float64{bound.T1, bound.TF, bound.TInf}[norm]
	if limit < 1e-8 {
		return 0 // rounding noise
	}
	return got / limit
}

func displacements(x, y [][]float64, rows int) []float64 {
	d := make([]float64, rows)
	for i := range d {
		d[i] = math.Hypot(x[i][0]-y[i][0], x[i][1]-y[i][1])
	}
	return d
}

// randomTable draws rows in the unit ball, corners of the inner box as often as interior points.
func randomTable(rng *rand.Rand) [][]float64 {
	x := make([][]float64, soundRows)
	for i := range x {
		x[i] = []float64{rng.NormFloat64(), rng.NormFloat64()}
		if rng.IntN(2) == 0 {
			x[i] = []float64{math.Copysign(1, x[i][0]), math.Copysign(1, x[i][1])}
		}
	}
	return project(x)
}

func perturb(rng *rand.Rand, x [][]float64, step float64) [][]float64 {
	y := clone(x)
	all := rng.IntN(2) == 0
	one := rng.IntN(len(y))
	for i, row := range y {
		for j := range row {
			if d := step * rng.NormFloat64(); all || i == one {
				row[j] += d
			}
		}
	}
	return y
}

// project moves the cells into the box inside the unit ball.
func project(x [][]float64) [][]float64 {
	y := clone(x)
	for _, row := range y {
		for j := range row {
			row[j] = max(-math.Sqrt2/2, min(math.Sqrt2/2, row[j]))
		}
	}
	return y
}
