package dpkit

import (
	"context"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// RankTransform replaces the values of the named numeric columns by their mid-ranks over n, the
// public number of rows: (rows below + half of the rows with the same value)/n, in [0, 1]. Equal
// values get equal ranks. Missing cells stay missing and are not counted. Ranks are fitted without
// noise and priced; they are needed at prediction time and are not private, so that no model which
// reads rows can be released behind this step.
func (p Pipeline) RankTransform(columns ...string) Pipeline {
	return p.with(rankTransform{slices.Clone(columns)})
}

type rankTransform struct{ Columns []string }

func (rankTransform) kind() kind {
	return kind{"encode/rank", 1, "RankTransform", "dpkit.rankTransform"}
}

func (rankTransform) labelBlind() {}

func (r rankTransform) Check(in frames.Schema) (frames.Schema, error) {
	if err := distinctNumbers(in, r.Columns); err != nil {
		return in, err
	}
	return replaced(in, r.Columns, inUnit)
}

// Propagate: another row adds 0, 1/2 or 1 to a mid-rank, wherever it stands: replaced, it changes
// the rank of every other row by at most 1 (docs/theory/calculus.md#rank-transform).
func (r rankTransform) Propagate(st Stage) (Propagation, error) {
	if err := cleanKeys(st, r.Columns); err != nil {
		return Propagation{}, err
	}
	c := math.Sqrt(float64(len(r.Columns)))
	b := countBounds(st.Before, len(r.Columns))
	b.R = encodedRadius(st, c)
	pr, err := keyedPropagation(st, rounded(b, st.Before.N, c*0x1p-51), r.Columns, RoleDeploy)
	pr.Note = "ranks among private rows: every row between a row's old and new place moves by 1/n"
	pr.Reference = "stability calculus §3, rank transform"
	return pr, err
}

func (r rankTransform) Fit(ctx context.Context, in frames.Source, st Stage) (Transform, error) {
	at := featuresAt(st.In, r.Columns)
	sorted, err := sortedColumns(ctx, in, at)
	if err != nil {
		return nil, err
	}
	fitted, n := hide(sorted), float64(st.Before.N)
	return func(dst, src []float64) {
		copy(dst, src)
		for k, j := range at {
			if x := src[j]; !math.IsNaN(x) {
				below, upTo := ranksOf(fitted.get()[k], x)
				dst[j] = float64(below+upTo) / (2 * n)
			}
		}
	}, nil
}

// sortedColumns collects and sorts the observed values of the columns at those positions.
func sortedColumns(ctx context.Context, in frames.Source, at []int) ([][]float64, error) {
	values := make([][]float64, len(at))
	err := scanRows(ctx, in, func(row []float64, _ float64) {
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

// ranksOf returns how many of the sorted values are below x, and how many are not above it.
func ranksOf(sorted []float64, x float64) (below, upTo int) {
	below, _ = slices.BinarySearch(sorted, x)
	upTo, _ = slices.BinarySearch(sorted[below:], math.Nextafter(x, math.Inf(1)))
	return below, below + upTo
}
