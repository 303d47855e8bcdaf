package dpkit

import (
	"context"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/frames"
)

// FrequencyEncode replaces the named categories, or all of them, by a number in [0, 1] for each
// level: its number of rows over n, the public number of rows. Missing cells stay missing. The
// counts are fitted without noise and priced; they are needed at prediction time and are not
// private, so that no model which reads rows can be released behind this step.
func (p Pipeline) FrequencyEncode(columns ...string) Pipeline {
	return p.with(frequencyEncode{slices.Clone(columns)})
}

type frequencyEncode struct{ Columns []string }

func (frequencyEncode) kind() kind {
	return kind{"encode/frequency", 1, "FrequencyEncode", "dpkit.frequencyEncode"}
}

func (frequencyEncode) labelBlind() {}

func (e frequencyEncode) Check(in frames.Schema) (frames.Schema, error) {
	names, err := categories(in, e.Columns)
	if err != nil {
		return in, err
	}
	return replaced(in, names, inUnit)
}

// countBounds are those of counts of rows over the public n, in so many columns: one row changes
// every count by at most 1. All common rows may move, in all columns, so that all norms grow by √c (docs/theory/calculus.md#frequency-encoding).
func countBounds(p pair.State, columns int) pair.StepBounds {
	n, c := float64(p.N), math.Sqrt(float64(columns))
	return pair.StepBounds{
		K: 1, A1: c * (n - 1) / n, AF: c * math.Sqrt(n-1) / n, AInf: c / n,
		Affected: p.N - p.F, ResetFree: true,
	}
}

func (e frequencyEncode) Propagate(st Stage) (Propagation, error) {
	names, err := categories(st.In, e.Columns)
	if err != nil {
		return Propagation{}, err
	}
	if err := cleanKeys(st, names); err != nil {
		return Propagation{}, err
	}
	c := math.Sqrt(float64(len(names)))
	b := countBounds(st.Before, len(names))
	b.R = encodedRadius(st, c)
	pr, err := keyedPropagation(st, rounded(b, st.Before.N, c*0x1p-51), names, RoleDeploy)
	pr.Note = "counts of private rows encode the levels: every row of the levels that a row leaves and joins moves by 1/n"
	pr.Reference = "stability calculus §3, frequency encoding"
	return pr, err
}

func (e frequencyEncode) Fit(ctx context.Context, in frames.Source, st Stage) (Transform, error) {
	names, err := categories(st.In, e.Columns)
	if err != nil {
		return nil, err
	}
	at := featuresAt(st.In, names)
	table := make([][]float64, len(names))
	for k, name := range names {
		c, _ := st.In.Column(name)
		table[k] = make([]float64, len(c.Levels))
	}
	err = scanRows(ctx, in, func(row []float64, _ float64) {
		for k, j := range at {
			if code := row[j]; !math.IsNaN(code) {
				table[k][int(code)]++
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for _, counts := range table {
		for level := range counts {
			counts[level] /= float64(st.Before.N)
		}
	}
	return encodeLevels(at, hide(table)), nil
}
