package sums

import (
	"context"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// ColumnSums is one draw of the sums of all features, each mapped into a range of a public width, and
// of the number of rows where that is private.
type ColumnSums struct {
	op    *stage.AffineOp
	count float64   // what a row adds to the last coordinate, which counts rows; 0: there is none
	empty []float64 // what a row that was removed adds; nil: nothing
	width int       // features
	SumNoise
}

// newColumnSums settles the noise for rows z = op(x) with ‖z‖ ≤ 1.
//
// In L1 a row of u columns and blocks is at most √u: Scale divides by √u, and a block of k columns is at
// most √k times its norm. A displacement passes with the largest scale of a displaced column in ℓ2, and
// with the ℓ2 norm of those scales in L1 (Cauchy, Schwarz).
//
// The count joins the vector. Two rows that are there agree in it and differ by 2C at most elsewhere; a row
// that is there on one side only contributes (z, w). In replace-one a weight w with ‖(z, w)‖ ≤ 2C
// therefore costs nothing: w = 3/2 in ℓ2 (√(1 + 9/4) < 2) and C in L1. In add/remove the norm of (z, w) is
// what a row costs: w = 1/2 and C/2 (docs/theory/mechanisms.md#means-of-rows-that-were-removed).
func newColumnSums(st stage.Stage, t query.Target, op *stage.AffineOp, counted bool) (*ColumnSums, error) {
	features := st.In.Features()
	us := domain.UnitsOf(st.In)
	c := &ColumnSums{op: op, width: len(features)}
	var l1, tainted, all float64
	q := contribution{l2: pair.Query{C: 1}, coordinates: len(features), fp: 0x1p-48 * float64(len(features))}
	for _, u := range us {
		l1 += math.Sqrt(float64(u.Len)) / math.Sqrt(float64(len(us)))
	}
	q.l1.C = stage.Up(l1)
	for j, f := range features {
		q.any2 = max(q.any2, stage.Up(op.Scale[j]))
		all = math.Hypot(all, op.Scale[j])
		if st.Taint[f.Name] {
			q.l2.Lipschitz = max(q.l2.Lipschitz, stage.Up(op.Scale[j]))
			tainted = math.Hypot(tainted, op.Scale[j])
		}
	}
	q.l1.Lipschitz, q.any1 = stage.UpSum(tainted, len(features)), stage.UpSum(all, len(features))
	if counted {
		q.coordinates++
		c.count = 1.5
		if t.Noise == query.NoiseLaplace {
			c.count = q.l1.C * (1 - 0x1p-30) // below C as floating point attains it
		}
		if st.Before.Neighbours == accountant.AddRemove {
			c.count = 0.5
			q.l2.C = stage.Up(math.Hypot(1, c.count))
			if t.Noise == query.NoiseLaplace {
				c.count = q.l1.C / 2
				q.l1.C += c.count
			}
		}
	}
	var err error
	c.SumNoise, err = noiseFor(t, st, q)
	return c, err
}

// Sums returns the exact sums of rounded rows, in grid steps.
func (c *ColumnSums) Sums(ctx context.Context, in rows.Driver) ([]int64, error) {
	inv := 1 / c.Lattice().Step()
	scale := num.Affine(c.op.Shift, c.op.Scale)
	all, err := rows.IntegerRuns(ctx, in, c.width+1, func() func([]int64, *frames.Block, int, int) {
		var strip, steps []float64 // room for the rows of a strip, of which small tables have few
		return func(sums []int64, b *frames.Block, from, to int) {
			sums[c.width] += int64(to - from)
			num.Strips(to-from, c.width, func(i, k int) {
				if k-i > len(steps) {
					strip, steps = make([]float64, (k-i)*c.width), slices.Repeat([]float64{inv}, k-i)
				}
				z := strip[:(k-i)*c.width]
				scale(z, b.X[(from+i)*c.width:(from+k)*c.width], k-i)
				whole := num.ClipRows(z, z, 1, k-i) // a no-op on the domain, but for rounding
				addSteps(sums[:c.width], z, steps[:k-i], whole)
			})
		}
	})
	sums, rows := all[:c.width], all[c.width]
	for j, v := range c.empty {
		sums[j] += (int64(in.Rows()) - rows) * int64(math.RoundToEven(v*inv))
	}
	if c.count > 0 {
		sums = append(sums[:len(sums):len(sums)], rows*int64(math.RoundToEven(c.count*inv)))
	}
	return sums, err
}

// addSteps adds the cells of rows to the sums of their columns, in grid steps, of which so many are 1; whole says that all are numbers, 1 at most.
func addSteps(sums []int64, z, steps []float64, whole bool) {
	const most = 1 << 50 // of steps that linalg rounds
	if whole && len(z) > 0 && steps[0] <= most && linalg.AddRounded(sums, z, len(steps), len(sums), len(sums), steps) == nil {
		return
	}
	for len(z) > 0 {
		row := z[:len(sums)]
		for j, v := range row {
			if !math.IsNaN(v) { // a cell without a value has no integer; no step of this package leaves one
				sums[j] += int64(math.RoundToEven(v * steps[0]))
			}
		}
		z = z[len(sums):]
	}
}

// settle releases what is made of the noisy sums.
func (c *ColumnSums) settle(name string, t query.Target, st stage.Stage, of func(noisy []int64) Estimates) (mechanism.Settled[Estimates], error) {
	b, err := c.Price(t.Budget(), st, c.account(name, "noise on each coordinate of the sum of scaled rows"))
	return mechanism.ReadOnce(b, c.Sums, func(sums []int64, rng *noise.Source) (Estimates, error) {
		noisy := slices.Clone(sums)
		c.add(rng, noisy)
		return of(noisy), nil
	}), err
}

// deviations predicts the noise on n-ths of the sums.
func (c *ColumnSums) deviations(st stage.Stage, law query.Noise, n float64) mechanism.Prediction {
	var sd, most []float64
	for j, f := range st.In.Features() {
		sd = append(sd, c.sd()/c.op.Scale[j]/n)
		most = append(most, float64(st.Before.N)/n*(f.Hi-f.Lo)/2)
	}
	p := mechanism.Deviations(lawOf(law), domain.FeatureNames(st.In), sd...)
	p.Most = most
	return p
}

// scaled returns the noisy sum j of the features in units of the column, without its shift, and its
// standard deviation.
func (c *ColumnSums) scaled(sums []int64, j int) (value, sd float64) {
	return c.Lattice().Value(sums[j]) / c.op.Scale[j], c.sd() / c.op.Scale[j]
}

// rows returns the noisy number of rows and its standard deviation.
func (c *ColumnSums) rows(sums []int64) (value, sd float64) {
	return c.Lattice().Value(sums[c.width]) / c.count, c.sd() / c.count
}

// account is the release's entry before it is priced.
func (c *ColumnSums) account(name, sigma string) cost.Release {
	q := c.Summand()
	out := cost.Release{
		Name: name,
		Constants: []stage.Constant{
			{Symbol: "C", Value: q.C, Origin: stage.FromSchema, Meaning: "bound on a scaled row's norm"},
			{Symbol: "L", Value: q.Lipschitz, Origin: stage.FromSchema, Meaning: "Lipschitz constant of the scaling on displaced columns"},
			{Symbol: "σ", Value: c.sd(), Origin: stage.FromParameter, Meaning: sigma},
		},
		Reference: c.reference(),
	}
	if c.count > 0 {
		out.Constants = append(out.Constants, stage.Constant{Symbol: "w", Value: c.count, Origin: stage.FromConstruction, Meaning: "weight of a row's presence beside its values: the count is released, too"})
	}
	return out
}
