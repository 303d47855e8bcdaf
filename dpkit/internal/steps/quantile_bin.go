package steps

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// QuantileBin is dpkit.Pipeline.QuantileBin: values become the level of the equally filled bin of their rank, fitted without
// noise and priced.
type QuantileBin struct {
	Bins    int
	Columns []string
}

func (QuantileBin) Kind() kind.Kind {
	return kind.Kind{Name: "bin/quantile", Law: 1, Call: "QuantileBin", Was: "dpkit.quantileBin"}
}

func (QuantileBin) LabelBlind() {}

// maxBins keeps ranks times bins exact, and a bin wide against rounding.
const maxBins = 1 << 20

func (q QuantileBin) Check(in frames.Schema) (frames.Schema, error) {
	if q.Bins < 2 || q.Bins > maxBins {
		return in, fmt.Errorf("bins: got %d, want 2 to %d: %w", q.Bins, maxBins, kind.ErrParameter)
	}
	if err := domain.DistinctNumbers(in, q.Columns); err != nil {
		return in, err
	}
	return domain.Replaced(in, q.Columns, domain.InUnit)
}

// QuantileBounds are those of B bins in so many columns (docs/theory/calculus.md#quantile-bins).
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
func QuantileBounds(p pair.State, bins, columns int) pair.StepBounds {
	B, c, n := float64(bins), float64(columns), float64(p.N)
	aF := math.Sqrt(c*(B-1)) / B
	return pair.StepBounds{
		K: 1, A1: min(c*(B-1)/B, math.Sqrt(n-1)*aF), AF: aF, AInf: math.Sqrt(c) / B,
		Affected: p.N - p.F, ResetFree: true,
	}
}

func (q QuantileBin) Propagate(st stage.Stage) (stage.Propagation, error) {
	if err := domain.CleanKeys(st, q.Columns); err != nil {
		return stage.Propagation{}, err
	}
	c := math.Sqrt(float64(len(q.Columns)))
	b := QuantileBounds(st.Before, q.Bins, len(q.Columns))
	b.R = domain.EncodedRadius(st, c)
	pr, err := domain.KeyedPropagation(st, domain.Rounded(b, st.Before.N, c*0x1p-49), q.Columns, stage.RoleDeployed)
	pr.Constants = append(pr.Constants, stage.Constant{Symbol: "B", Value: float64(q.Bins), Origin: stage.FromParameter, Meaning: "bins of equal filling"})
	pr.Note = "ranks among private rows decide the bins: one row moves about one other across each edge"
	pr.Reference = "stability calculus §3, quantile bins, with ties shared"
	return pr, err
}

func (q QuantileBin) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	at := domain.FeaturesAt(st.In, q.Columns)
	sorted, err := sortedColumns(ctx, in, at)
	if err != nil {
		return nil, err
	}
	bins := make([]Filling, len(sorted))
	for k, values := range sorted {
		bins[k] = NewFilling(values, q.Bins)
	}
	fitted := stage.Hide(bins)
	return inColumns(at, func(k int, x float64) float64 {
		if math.IsNaN(x) {
			return x
		}
		return fitted.Get()[k].Level(x)
	}), nil
}

// Filling is one column's bins.
type Filling struct {
	Sorted  []float64
	m, bins int
	starts  []int // starts[b] is Σ_{k=1}^{b} of the first rank in bin k, ⌈km/B⌉
}

// NewFilling parts the ranks of sorted values into bins: rank r of m is in bin ⌊r·bins/max(m, bins)⌋.
func NewFilling(sorted []float64, bins int) Filling {
	f := Filling{Sorted: sorted, m: max(len(sorted), bins), bins: bins, starts: make([]int, bins)}
	for b := 1; b < bins; b++ {
		f.starts[b] = f.starts[b-1] + (b*f.m+bins-1)/bins
	}
	return f
}

// Level is the mean level over the ranks of the value x.
func (f Filling) Level(x float64) float64 {
	below, upTo := RanksOf(f.Sorted, x)
	return (float64(f.sum(upTo)-f.sum(below))/float64(upTo-below) + 0.5) / float64(f.bins)
}

// sum is Σ_{r<k} ⌊rB/m⌋: bins 1 to ⌊(k−1)B/m⌋ begin below rank k, each of whose ranks up there counts
// once for every such bin.
func (f Filling) sum(k int) int {
	if k == 0 {
		return 0
	}
	last := (k - 1) * f.bins / f.m
	return last*k - f.starts[last]
}
