package steps

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// FrequencyEncode is dpkit.Pipeline.FrequencyEncode: a level becomes its share of the n rows, fitted without noise and
// priced. No Columns: all categories.
type FrequencyEncode struct{ Columns []string }

func (FrequencyEncode) Kind() kind.Kind {
	return kind.Kind{Name: "encode/frequency", Law: 1, Call: "FrequencyEncode", Was: "dpkit.frequencyEncode"}
}

func (FrequencyEncode) LabelBlind() {}

func (e FrequencyEncode) Check(in frames.Schema) (frames.Schema, error) {
	names, err := domain.Categories(in, e.Columns)
	if err != nil {
		return in, err
	}
	return domain.Replaced(in, names, domain.InUnit)
}

// CountBounds are those of counts of rows over the public n, in so many columns: one row changes
// every count by at most 1. All common rows may move, in all columns, so that all norms grow by √c (docs/theory/calculus.md#frequency-encoding).
func CountBounds(p pair.State, columns int) pair.StepBounds {
	n, c := float64(p.N), math.Sqrt(float64(columns))
	return pair.StepBounds{
		K: 1, A1: c * (n - 1) / n, AF: c * math.Sqrt(n-1) / n, AInf: c / n,
		Affected: p.N - p.F, ResetFree: true,
	}
}

func (e FrequencyEncode) Propagate(st stage.Stage) (stage.Propagation, error) {
	names, err := domain.Categories(st.In, e.Columns)
	if err != nil {
		return stage.Propagation{}, err
	}
	if err := domain.CleanKeys(st, names); err != nil {
		return stage.Propagation{}, err
	}
	c := math.Sqrt(float64(len(names)))
	b := CountBounds(st.Before, len(names))
	b.R = domain.EncodedRadius(st, c)
	pr, err := domain.KeyedPropagation(st, domain.Rounded(b, st.Before.N, c*0x1p-51), names, stage.RoleDeployed)
	pr.Note = "counts of private rows encode the levels: every row of the levels that a row leaves and joins moves by 1/n"
	pr.Reference = "stability calculus §3, frequency encoding"
	return pr, err
}

func (e FrequencyEncode) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	names, err := domain.Categories(st.In, e.Columns)
	if err != nil {
		return nil, err
	}
	at := domain.FeaturesAt(st.In, names)
	first, levels := placesOfLevels(st.In, names)
	counts, err := rows.IntegerSums(ctx, rows.Bind(rows.Over(in), "columns of levels", at), levels, func() func([]int64, []float64, float64) {
		return func(sums []int64, row []float64, _ float64) {
			for k, j := range at {
				if code := row[j]; !math.IsNaN(code) {
					sums[first[k]+int(code)]++
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	table := make([][]float64, len(names))
	for k := range names {
		for _, n := range counts[first[k]:first[k+1]] {
			table[k] = append(table[k], float64(n)/float64(st.Before.N))
		}
	}
	return encodeLevels(at, stage.Hide(table)), nil
}

// placesOfLevels are the places of the first levels of categories among those of all, and of the last one's end: how many there are.
func placesOfLevels(in frames.Schema, names []string) (first []int, all int) {
	for _, name := range names {
		c, _ := in.Column(name)
		first = append(first, all)
		all += len(c.Levels)
	}
	return append(first, all), all
}
