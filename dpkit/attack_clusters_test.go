package dpkit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// The attacks below put hundreds of rows into a few clusters. With so many rows the bounds are far
// below the diameter of the ball, which no attack on a handful of rows can show.

// clusters are the parameters of a dataset and its neighbour: centres and logarithmic sizes of
// groups of equal rows, and the two values of the free row.
type clusters struct {
	d, k int
	x    []float64
}

func randomClusters(r *rand.Rand, d, k int) clusters {
	c := clusters{d, k, make([]float64, (k+2)*d+k)}
	for i := range c.x {
		c.x[i] = r.NormFloat64()
	}
	return c
}

// sides returns n rows of d columns and a label on either side; row 0 differs.
func (c clusters) sides(n int) (x, y [][]float64) {
	at := func(i int) []float64 {
		row := make([]float64, c.d+1)
		for j := range c.d {
			row[j] = clamp(c.x[i*c.d+j], -1, 1)
		}
		return row
	}
	x, y = append(x, at(0)), append(y, at(1))
	var total float64
	sizes := c.x[(c.k+2)*c.d:]
	for _, s := range sizes {
		total += math.Exp(2 * s)
	}
	for i, s := range sizes {
		row := at(2 + i)
		for range int(math.Round(float64(n) * math.Exp(2*s) / total)) {
			if len(x) < n {
				x, y = append(x, row), append(y, row)
			}
		}
	}
	for len(x) < n {
		row := at(2)
		x, y = append(x, row), append(y, row)
	}
	return x, y
}

// evolve maximises f by a (1+1) evolution strategy with the 1/5 success rule.
func evolve(r *rand.Rand, c clusters, steps int, f func(clusters) float64) float64 {
	best, size := f(c), 0.5
	for range steps {
		next := clusters{c.d, c.k, make([]float64, len(c.x))}
		for i, v := range c.x {
			next.x[i] = v
			if r.IntN(3) == 0 {
				next.x[i] += size * r.NormFloat64()
			}
		}
		if v := f(next); v >= best {
			if v > best {
				size *= 1.5
			}
			c, best = next, v
		} else {
			size = max(size*0.92, 1e-4)
		}
	}
	return best
}

func squareSchema(d int) frames.Schema {
	var cols []frames.Column
	for j := range d {
		cols = append(cols, frames.Numeric(fmt.Sprint("x", j), -1, 1))
	}
	return must(frames.NewSchema(append(cols, frames.Label("y", "no", "yes"))...))
}

func TestAttackClusters(t *testing.T) {
	ball := func(p Pipeline) Pipeline { return p.ClipNorm(1) }
	for _, c := range []struct {
		name  string
		d     int
		tight float64 // lower limit on the best attack: the bound is not vacuous
		build func(Pipeline) Pipeline
	}{
		{"centre", 2, 0.999, func(p Pipeline) Pipeline { return ball(p).Center() }},
		{"standard, one column", 1, 0.6, func(p Pipeline) Pipeline { return p.Standardize(Standard{Floor: 0.5}) }},
		{"standard, ball", 2, 0.55, func(p Pipeline) Pipeline { return ball(p).Standardize(Standard{Floor: 0.4}) }},
		{"standard, narrow columns", 2, 0.8, func(p Pipeline) Pipeline {
			return p.ClipColumns(-0.5, 0.5, "x0").Standardize(Standard{Floor: 0.25}, "x0")
		}},
		{"standard with a gain", 2, 0.5, func(p Pipeline) Pipeline { return ball(p).Standardize(Standard{Floor: 0.4, Gain: 0.3}) }},
		{"rms", 2, 0.85, func(p Pipeline) Pipeline { return ball(p).Standardize(RMS{Floor: 0.3}) }},
		{"rms with a gain", 2, 0.85, func(p Pipeline) Pipeline { return ball(p).Standardize(RMS{Floor: 0.3, Gain: 0.2}) }},
		{"soft selection", 2, 0.85, func(p Pipeline) Pipeline { return ball(p).SelectFeatures(SoftSelect{Lambda: 0.1}) }},
		{"soft threshold", 2, 0.75, func(p Pipeline) Pipeline { return ball(p).PCA(SoftThreshold{Lambda: 0.1}) }},
		{"Tikhonov", 2, 0.8, func(p Pipeline) Pipeline { return ball(p).PCA(Tikhonov{Lambda: 0.1}) }},
		{"ramp", 2, 0.85, func(p Pipeline) Pipeline { return ball(p).PCA(Ramp{Start: 0.05, Width: 0.2}) }},
		{"centred soft threshold", 2, 0.5, func(p Pipeline) Pipeline { return ball(p).PCA(SoftThreshold{Lambda: 0.1, Centered: true}) }},
		{"centred Tikhonov", 2, 0.5, func(p Pipeline) Pipeline { return ball(p).PCA(Tikhonov{Lambda: 0.1, Centered: true}) }},
		{"centred ramp", 2, 0.75, func(p Pipeline) Pipeline { return ball(p).PCA(Ramp{Start: 0.05, Width: 0.2, Centered: true}) }},
		{"winsorised", 2, 0.9, func(p Pipeline) Pipeline { return p.Winsorize(SmoothedQuantile{Q: 0.2, Window: 0.2}, "x0", "x1") }},
		{"winsorised, wide window", 1, 0.9, func(p Pipeline) Pipeline { return p.Winsorize(SmoothedQuantile{Q: 0.1, Window: 0.2}, "x0") }},
		{"rms, then soft threshold", 2, 0.25, func(p Pipeline) Pipeline {
			return ball(p).Standardize(RMS{Floor: 0.3}).PCA(SoftThreshold{Lambda: 0.03})
		}},
		{"winsorised, standard, soft selection", 2, 0.15, func(p Pipeline) Pipeline {
			return p.Winsorize(SmoothedQuantile{Q: 0.2, Window: 0.4}, "x1").ClipNorm(1).Standardize(Standard{Floor: 0.3}).SelectFeatures(SoftSelect{Lambda: 0.03})
		}},
		{"centre, then soft threshold", 2, 0.25, func(p Pipeline) Pipeline {
			return ball(p).Center().PCA(SoftThreshold{Lambda: 0.1})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			const n = 400
			r := rand.New(rand.NewPCG(31, 1))
			schema := squareSchema(c.d)
			var worst [3]float64
			for metric := range worst {
				for range 2 {
					evolve(r, randomClusters(r, c.d, 3), 120, func(p clusters) float64 {
						return clusterRatio(t, schema, p, n, metric, &worst, c.build)
					})
				}
			}
			t.Logf("worst observed/bound: τ %.4f, Frobenius %.4f, row %.4f", worst[0], worst[1], worst[2])
			if top := max(worst[0], worst[1], worst[2]); top < c.tight {
				t.Errorf("worst observed/bound is %.3f, want at least %v: the attack has lost its teeth or the bound its tightness", top, c.tight)
			}
		})
	}
}

// clusterRatio is observed/bound of one metric on one pair; worst keeps the largest of each.
func clusterRatio(t *testing.T, schema frames.Schema, p clusters, n, metric int, worst *[3]float64, build func(Pipeline) Pipeline) float64 {
	t.Helper()
	x, y := p.sides(n)
	var sides [2]*matrix
	var state accountant.Pair
	for i, rows := range [][][]float64{x, y} {
		s := demo(t, frameOf(t, schema, rows))
		stages, end, err := build(s.Data()).trace()
		if err != nil {
			t.Fatal(err)
		}
		q := quote{stages: stages, end: end}
		fitted, err := q.apply(context.Background(), s.src, nil)
		if err != nil {
			t.Fatal(err)
		}
		sides[i], state = fitted.rows.(*matrix), end.Before
		for k := range n {
			if v := norm2(sides[i].row(k)); !(v <= up(state.R)) {
				t.Fatalf("row norm %v above R = %v", v, state.R)
			}
		}
	}
	got := displacement(sides[0], sides[1])
	for k, bound := range [3]float64{state.T1, state.TF, state.TInf} {
		got[k] /= bound
		if worst[k] = max(worst[k], got[k]); !(got[k] <= 1) {
			t.Fatalf("bound broken: observed/bound of metric %d is %v", k, got[k])
		}
	}
	var free float64
	for j, v := range sides[0].row(0) {
		free = math.Hypot(free, v-sides[1].row(0)[j])
	}
	if !(free <= state.D()) {
		t.Fatalf("the free row moved by %v, above its bound %v", free, state.D())
	}
	return got[metric]
}
