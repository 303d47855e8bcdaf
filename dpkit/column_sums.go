package dpkit

import (
	"context"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// columnSums is one draw of the sums of all features, each mapped into a range of a public width, and
// of the number of rows where that is private.
type columnSums struct {
	op    *AffineOp
	count float64   // what a row adds to the last coordinate, which counts rows; 0: there is none
	empty []float64 // what a row that was removed adds; nil: nothing
	width int       // features
	sumNoise
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
func newColumnSums(st Stage, t Target, op *AffineOp, counted bool) (*columnSums, error) {
	features := st.In.Features()
	us := unitsOf(st.In)
	c := &columnSums{op: op, width: len(features)}
	var l1, tainted float64
	q := contribution{l2: pair.Query{C: 1}, coordinates: len(features), fp: 0x1p-48 * float64(len(features))}
	for _, u := range us {
		l1 += math.Sqrt(float64(u.len)) / math.Sqrt(float64(len(us)))
	}
	q.l1.C = up(l1)
	for j, f := range features {
		if st.Taint[f.Name] {
			q.l2.Lipschitz = max(q.l2.Lipschitz, up(op.Scale[j]))
			tainted = math.Hypot(tainted, op.Scale[j])
		}
	}
	q.l1.Lipschitz = upSum(tainted, len(features))
	if counted {
		q.coordinates++
		c.count = 1.5
		if t.Noise == LaplaceNoise {
			c.count = q.l1.C * (1 - 0x1p-30) // below C as floating point attains it
		}
		if st.Before.Neighbours == accountant.AddRemove {
			c.count = 0.5
			q.l2.C = up(math.Hypot(1, c.count))
			if t.Noise == LaplaceNoise {
				c.count = q.l1.C / 2
				q.l1.C += c.count
			}
		}
	}
	var err error
	c.sumNoise, err = noiseFor(t, st, q)
	return c, err
}

// sums returns the exact sums of rounded rows, in grid steps.
func (c *columnSums) sums(ctx context.Context, in driver) ([]int64, error) {
	inv := 1 / c.lattice().Step()
	all, err := integerSums(ctx, in, c.width+1, func() func([]int64, []float64, float64) {
		z := make([]float64, c.width)
		return func(sums []int64, row []float64, _ float64) {
			for j, x := range row {
				z[j] = (x - c.op.Shift[j]) * c.op.Scale[j]
			}
			clipRow(z, z, 1) // a no-op on the domain, but for rounding
			for j, v := range z {
				if !math.IsNaN(v) { // a cell without a value has no integer; no step of this package leaves one
					sums[j] += int64(math.RoundToEven(v * inv))
				}
			}
			sums[c.width]++
		}
	})
	sums, rows := all[:c.width], all[c.width]
	for j, v := range c.empty {
		sums[j] += (int64(in.rows()) - rows) * int64(math.RoundToEven(v*inv))
	}
	if c.count > 0 {
		sums = append(sums[:len(sums):len(sums)], rows*int64(math.RoundToEven(c.count*inv)))
	}
	return sums, err
}

// settle releases what is made of the noisy sums.
func (c *columnSums) settle(name string, t Target, st Stage, of func(noisy []int64) Estimates) (settled[Estimates], error) {
	b, err := c.price(t.budget(), st, c.account(name, "noise on each coordinate of the sum of scaled rows"))
	return readOnce(b, c.sums, func(sums []int64, rng *noise.Source) (Estimates, error) {
		noisy := slices.Clone(sums)
		c.add(rng, noisy)
		return of(noisy), nil
	}), err
}

// deviations predicts the noise on n-ths of the sums.
func (c *columnSums) deviations(n float64) prediction {
	var sd []float64
	for j := range c.width {
		sd = append(sd, c.sd()/c.op.Scale[j]/n)
	}
	return deviations(sd...)
}

// scaled returns the noisy sum j of the features in units of the column, without its shift, and its
// standard deviation.
func (c *columnSums) scaled(sums []int64, j int) (value, sd float64) {
	return c.lattice().Value(sums[j]) / c.op.Scale[j], c.sd() / c.op.Scale[j]
}

// rows returns the noisy number of rows and its standard deviation.
func (c *columnSums) rows(sums []int64) (value, sd float64) {
	return c.lattice().Value(sums[c.width]) / c.count, c.sd() / c.count
}

// account is the release's entry before it is priced.
func (c *columnSums) account(name, sigma string) ReleaseCost {
	q := c.summand()
	cost := ReleaseCost{
		Name: name,
		Constants: []Constant{
			{"C", q.C, FromSchema, "bound on a scaled row's norm"},
			{"L", q.Lipschitz, FromSchema, "Lipschitz constant of the scaling on displaced columns"},
			{"σ", c.sd(), FromParameter, sigma},
		},
		Reference: c.reference(),
	}
	if c.count > 0 {
		cost.Constants = append(cost.Constants, Constant{"w", c.count, FromConstruction, "weight of a row's presence beside its values: the count is released, too"})
	}
	return cost
}
