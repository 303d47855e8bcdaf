package steps

import (
	"context"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// RankTransform is dpkit.Pipeline.RankTransform: values become their mid-ranks over n, fitted without noise and priced.
type RankTransform struct{ Columns []string }

func (RankTransform) Kind() kind.Kind {
	return kind.Kind{Name: "encode/rank", Law: 1, Call: "RankTransform", Was: "dpkit.rankTransform"}
}

func (RankTransform) LabelBlind() {}

func (r RankTransform) Check(in frames.Schema) (frames.Schema, error) {
	if err := domain.DistinctNumbers(in, r.Columns); err != nil {
		return in, err
	}
	return domain.Replaced(in, r.Columns, domain.InUnit)
}

// Propagate: another row adds 0, 1/2 or 1 to a mid-rank, wherever it stands: replaced, it changes
// the rank of every other row by at most 1 (docs/theory/calculus.md#rank-transform).
func (r RankTransform) Propagate(st stage.Stage) (stage.Propagation, error) {
	if err := domain.CleanKeys(st, r.Columns); err != nil {
		return stage.Propagation{}, err
	}
	c := math.Sqrt(float64(len(r.Columns)))
	b := CountBounds(st.Before, len(r.Columns))
	b.R = domain.EncodedRadius(st, c)
	pr, err := domain.KeyedPropagation(st, domain.Rounded(b, st.Before.N, c*0x1p-51), r.Columns, stage.RoleDeployed)
	pr.Note = "ranks among private rows: every row between a row's old and new place moves by 1/n"
	pr.Reference = "stability calculus §3, rank transform"
	return pr, err
}

func (r RankTransform) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	at := domain.FeaturesAt(st.In, r.Columns)
	sorted, err := sortedColumns(ctx, in, at)
	if err != nil {
		return nil, err
	}
	fitted, n := stage.Hide(sorted), float64(st.Before.N)
	return inColumns(at, func(k int, x float64) float64 {
		if math.IsNaN(x) {
			return x
		}
		below, upTo := RanksOf(fitted.Get()[k], x)
		return float64(below+upTo) / (2 * n)
	}), nil
}

// sortedColumns collects and sorts the observed values of the columns at those positions.
func sortedColumns(ctx context.Context, in frames.Source, at []int) ([][]float64, error) {
	values := make([][]float64, len(at))
	err := stage.ScanRows(ctx, in, func(row []float64, _ float64) {
		for k, j := range at {
			if x := row[j]; !math.IsNaN(x) {
				values[k] = append(values[k], x)
			}
		}
	})
	for _, v := range values {
		slices.Sort(v)
	}
	return values, err
}

// RanksOf returns how many of the sorted values are below x, and how many are not above it.
func RanksOf(sorted []float64, x float64) (below, upTo int) {
	below, _ = slices.BinarySearch(sorted, x)
	upTo, _ = slices.BinarySearch(sorted[below:], math.Nextafter(x, math.Inf(1)))
	return below, below + upTo
}
