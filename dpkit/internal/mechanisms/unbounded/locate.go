package unbounded

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// BinCounts counts the cells of each column by the bin ⌊x/width⌋ that they are in: one counter for each bin that is
// occupied. Missing cells, and those whose bin is beyond float64, are in none.
type BinCounts struct {
	width []float64
	Of    []map[float64]int64
}

func countBins(ctx context.Context, in rows.Driver, width []float64) ([]map[float64]int64, error) {
	all, err := rows.Drive(ctx, in, func() *BinCounts {
		c := &BinCounts{width: width, Of: make([]map[float64]int64, len(width))}
		for j := range c.Of {
			c.Of[j] = map[float64]int64{}
		}
		return c
	})
	return all.Of, err
}

// largestBin bounds the bins that are counted, so that the middle of a bin is a number.
const largestBin = 0x1p900

func (c *BinCounts) Add(b *frames.Block) {
	rows.EachRun(b, func(from, to int) {
		for i := from; i < to; i++ {
			for j, x := range b.Row(i) {
				if bin := math.Floor(x/c.width[j]) + 0; math.Abs(bin) < largestBin { // NaN is in none; −0 + 0 is 0
					c.Of[j][bin]++
				}
			}
		}
	})
}

func (c *BinCounts) Merge(next *BinCounts) {
	for j, m := range next.Of {
		for bin, n := range m {
			c.Of[j][bin] += n
		}
	}
}

// Code writes the bins in rising order.
func (c *BinCounts) Code(to *rows.Coder) {
	to.Name("bin counts 1")
	to.Bind("widths of bins", c.width)
	to.Same("columns", uint64(len(c.Of)))
	for _, m := range c.Of {
		bins, last := slices.Sorted(maps.Keys(m)), math.Inf(-1)
		for i := range to.Count(len(bins), 16) {
			var bin float64
			if !to.Reading {
				bin = bins[i]
			}
			bin = math.Float64frombits(to.Word(math.Float64bits(bin)))
			n := int64(to.Word(uint64(m[bin])))
			if !(bin > last && bin < math.Inf(1)) {
				to.Refuse("got bins out of order, want rising ones")
			}
			if last = bin; to.Reading && to.Err == nil {
				m[bin] = n
			}
		}
	}
}

// BinNoise is the noise on every occupied bin, and the least noisy count that is published.
type BinNoise struct {
	laplace   bool
	grid      noise.Grid
	steps     uint64 // σ, or the scale of the Laplace law, in grid steps
	threshold float64
	event     accountant.Event // outside a failure of probability δ
}

// NewGaussianBins are those of [accountant.StabilityHistogram]. Rounding to the grid, and the law on it, are covered by
// two steps, as for a test ([query.Expense.Calibrate]).
func NewGaussianBins(columns, rows int, mu, delta float64, rel accountant.Neighbours) (b BinNoise, err error) {
	sigma, threshold, err := accountant.StabilityHistogram(columns, mu*mu/2*(1-0x1p-40), delta, rel)
	if err != nil {
		return b, err
	}
	if b.grid, b.steps, err = noise.NewGrid(sigma, float64(rows)); err != nil {
		return b, err
	}
	if err := b.integers(); err != nil {
		return b, err
	}
	sd := float64(b.steps) * b.grid.Step()
	b.threshold = stage.Up(1 + (threshold-1)*max(1, stage.Up(sd/sigma)) + 2*b.grid.Step())
	// At most one bin of a column loses the row, and under replace-one another gains one: the others agree.
	bins := columns
	if rel == accountant.ReplaceOne {
		bins *= 2
	}
	b.event = accountant.DiscreteGaussian{
		Sensitivity: stage.Up(math.Sqrt(float64(bins))), Sigma: sd, Neighbours: rel, GridSigma: float64(b.steps), Coordinates: bins,
	}
	return b, nil
}

// NewLaplaceBins have noise of ε/Δ on every count, Δ = 2d or d, and P(noise ≥ x) ≤ e^−x/b/2 for real Laplace noise, which
// one step of the grid makes that of the discrete one: with δ′ for each of the d bins that one dataset alone may
// occupy, the threshold is 1 + b ln(1/2δ′) (Karwa, Vadhan 2018).
func NewLaplaceBins(columns, rows int, epsilon, delta float64, rel accountant.Neighbours) (b BinNoise, err error) {
	moves := float64(columns)
	if rel == accountant.ReplaceOne {
		moves *= 2
	}
	b.laplace = true
	if b.grid, b.steps, err = noise.NewLaplaceGrid(stage.Up(moves/epsilon), float64(rows)); err != nil {
		return b, err
	}
	if err := b.integers(); err != nil {
		return b, err
	}
	scale := float64(b.steps) * b.grid.Step()
	each := delta / float64(columns) * (1 - 0x1p-48) // 1 − (1−δ′)^d ≤ d δ′
	b.threshold = stage.Up(1 + scale*max(0, -math.Log(2*each)) + 2*b.grid.Step())
	b.event = accountant.PureDP{Epsilon: stage.Up(moves / scale), Neighbours: rel}
	return b, nil
}

// integers reports a grid on which counts would be rounded.
func (b *BinNoise) integers() error {
	if b.grid.Step() > 1 {
		return fmt.Errorf("noise on counts of %g steps of %g, want steps of at most 1: raise ε: %w", float64(b.steps), b.grid.Step(), kind.ErrParameter)
	}
	return nil
}

// Add adds the noise to counts on the grid.
func (b *BinNoise) Add(rng *noise.Source, sums []int64) {
	if b.laplace {
		noise.AddLaplace(rng, sums, b.steps)
	} else {
		noise.AddGaussian(rng, sums, b.steps)
	}
}

// Pick returns the bin of the largest count above the threshold, and whether there is one; add puts noise on the counts, or none.
func (b *BinNoise) Pick(counts map[float64]int64, add func(sums []int64)) (bin float64, found bool) {
	keys := slices.Sorted(maps.Keys(counts))
	sums := make([]int64, len(keys))
	for i, k := range keys {
		sums[i], _ = b.grid.Round(float64(counts[k])) // counts are at most n
	}
	add(sums)
	most := b.threshold
	for i, s := range sums {
		if v := b.grid.Value(s); v > most || (v == most && !found) {
			bin, most, found = keys[i], v, true
		}
	}
	return bin, found
}

// A descent finds a bin with many cells by the exponential mechanism, without δ: from all 2^40 bins between ±2^39 it
// chooses one of 1024 parts, of that one of 1024, and so on. A cell beyond is in the last bin. The error is a few
// dozens of rows over ε, as a flat choice among all bins would have.
const (
	DescentLevels = 4
	descentBits   = 10
	DescentReach  = 1 << (DescentLevels*descentBits - 1)
)

// chooser takes one of parts with so many cells each.
type chooser func(sums []int64) int

// ByWeight chooses with weights e^{−ε_level/2·(most − count)}: a row moves every count by at most 1.
func ByWeight(rng *noise.Source, epsilon float64) chooser {
	rate := uint64(math.Floor(min(epsilon/2*(1-0x1p-50), 1<<20) * 0x1p40))
	return func(sums []int64) int {
		most := slices.Max(sums)
		penalties := make([]uint64, len(sums))
		for k, n := range sums {
			penalties[k] = uint64(most - n)
		}
		return rng.Exponential(penalties, rate, 1<<40)
	}
}

// fullest chooses without noise.
func fullest(sums []int64) int { return slices.Index(sums, slices.Max(sums)) }

// Descend returns the bin that choices lead to.
func Descend(counts map[float64]int64, choose chooser) float64 {
	base := int64(0) // of the part that is chosen, in bins from −DescentReach
	for level := range DescentLevels {
		width := int64(1) << (descentBits * (DescentLevels - 1 - level))
		sums := make([]int64, 1<<descentBits)
		for bin, n := range counts {
			at := int64(num.Clamp(bin, -DescentReach, DescentReach-1)) + DescentReach
			if k := (at - base) / width; at >= base && k < int64(len(sums)) {
				sums[k] += n
			}
		}
		base += int64(choose(sums)) * width
	}
	return float64(base - DescentReach)
}
