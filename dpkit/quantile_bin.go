package dpkit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/frames"
)

// QuantileBin replaces the values of the named numeric columns by the level of the equally filled
// bin that their rank falls in: (bin + 1/2)/bins, in [0, 1]. The row of rank r among m observed
// ones, from 0, is in bin ⌊r·bins/m⌋. Rows of the same value share the mean of the levels that
// their ranks span, so that no value is torn apart and the order of the rows does not matter.
// Missing cells stay missing and have no rank. Ranks are fitted without noise and priced; they are
// needed at prediction time and are not private, so that no model which reads rows can be released
// behind this step.
func (p Pipeline) QuantileBin(bins int, columns ...string) Pipeline {
	return p.with(quantileBin{bins, slices.Clone(columns)})
}

type quantileBin struct {
	Bins    int
	Columns []string
}

func (quantileBin) kind() kind { return kind{"bin/quantile", 1, "QuantileBin", "dpkit.quantileBin"} }

func (quantileBin) labelBlind() {}

// maxBins keeps ranks times bins exact, and a bin wide against rounding.
const maxBins = 1 << 20

func (q quantileBin) Check(in frames.Schema) (frames.Schema, error) {
	if q.Bins < 2 || q.Bins > maxBins {
		return in, fmt.Errorf("bins: got %d, want 2 to %d: %w", q.Bins, maxBins, ErrParameter)
	}
	if err := distinctNumbers(in, q.Columns); err != nil {
		return in, err
	}
	return replaced(in, q.Columns, inUnit)
}

// quantileBounds are those of B bins in so many columns (docs/theory/calculus.md#quantile-bins).
//
// With m' = max(m, B), let U_k be the number of the ranks r < m in bin k or above, ⌊rB/m'⌋ ≥ k. A
// row's level is (1/B)(1/2 + Σ_{k=1}^{B−1} φ_k), where φ_k is the share of its value's ranks that are
// in bin k or above. Sorted by value, φ_k is 0, then at one value a fraction, then 1; so that of two
// such profiles on the common rows one is nowhere below the other, and Σ|Δφ_k| over the common rows
// is |ΔΣφ_k|, which is U_k less the free row's φ_k. A replaced row leaves U_k alone; one that comes
// to be observed adds 0 or 1 to it, and has a φ_k in [0, 1]. Hence Σ|Δφ_k| ≤ 1 for every edge k, the
// total is at most (B−1)/B, missing cells and rows that are there on one side only included.
//
// A common row's ranks move by at most one place, and ⌊rB/m'⌋ by at most one bin with the place or
// with m: a∞ = 1/B, and a_F² ≤ a1·a∞. Over c columns the sum grows by c, as the rows that move may
// be others in each.
//
// Breaking ties by the order of the rows instead would give the same bounds on fewer rows; giving
// tied rows one bin has no bound at all (500 zeros and 500 ones in two bins: one row moves 499).
func quantileBounds(p pair.State, bins, columns int) pair.StepBounds {
	B, c, n := float64(bins), float64(columns), float64(p.N)
	aF := math.Sqrt(c*(B-1)) / B
	return pair.StepBounds{
		K: 1, A1: min(c*(B-1)/B, math.Sqrt(n-1)*aF), AF: aF, AInf: math.Sqrt(c) / B,
		Affected: p.N - p.F, ResetFree: true,
	}
}

func (q quantileBin) Propagate(st Stage) (Propagation, error) {
	if err := cleanKeys(st, q.Columns); err != nil {
		return Propagation{}, err
	}
	c := math.Sqrt(float64(len(q.Columns)))
	b := quantileBounds(st.Before, q.Bins, len(q.Columns))
	b.R = encodedRadius(st, c)
	pr, err := keyedPropagation(st, rounded(b, st.Before.N, c*0x1p-49), q.Columns, RoleDeploy)
	pr.Constants = append(pr.Constants, Constant{"B", float64(q.Bins), FromParameter, "bins of equal filling"})
	pr.Note = "ranks among private rows decide the bins: one row moves about one other across each edge"
	pr.Reference = "stability calculus §3, quantile bins, with ties shared"
	return pr, err
}

func (q quantileBin) Fit(ctx context.Context, in frames.Source, st Stage) (Transform, error) {
	at := featuresAt(st.In, q.Columns)
	sorted, err := sortedColumns(ctx, in, at)
	if err != nil {
		return nil, err
	}
	bins := make([]filling, len(sorted))
	for k, values := range sorted {
		bins[k] = newFilling(values, q.Bins)
	}
	fitted := hide(bins)
	return func(dst, src []float64) {
		copy(dst, src)
		for k, j := range at {
			if x := src[j]; !math.IsNaN(x) {
				dst[j] = fitted.get()[k].level(x)
			}
		}
	}, nil
}

// filling is one column's bins.
type filling struct {
	sorted  []float64
	m, bins int
	starts  []int // starts[b] is Σ_{k=1}^{b} of the first rank in bin k, ⌈km/B⌉
}

func newFilling(sorted []float64, bins int) filling {
	f := filling{sorted: sorted, m: max(len(sorted), bins), bins: bins, starts: make([]int, bins)}
	for b := 1; b < bins; b++ {
		f.starts[b] = f.starts[b-1] + (b*f.m+bins-1)/bins
	}
	return f
}

// level is the mean level over the ranks of the value x.
func (f filling) level(x float64) float64 {
	below, upTo := ranksOf(f.sorted, x)
	return (float64(f.sum(upTo)-f.sum(below))/float64(upTo-below) + 0.5) / float64(f.bins)
}

// sum is Σ_{r<k} ⌊rB/m⌋: bins 1 to ⌊(k−1)B/m⌋ begin below rank k, each of whose ranks up there counts
// once for every such bin.
func (f filling) sum(k int) int {
	if k == 0 {
		return 0
	}
	last := (k - 1) * f.bins / f.m
	return last*k - f.starts[last]
}
