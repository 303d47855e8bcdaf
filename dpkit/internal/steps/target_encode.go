package steps

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// TargetPrior is the public prior of dpkit.Pipeline.TargetEncode: so many rows of a label of that value
// are added to every level. Neither has a default, and both must come from outside the data.
type TargetPrior struct {
	// Weight is κ > 0, in rows: a level of few rows is drawn towards the prior, and one row moves
	// another by (width of the label)/(2 + κ) at most.
	Weight float64
	// Value lies within the label's bounds, 0 to 1 for a label of two classes. The mean of the
	// private labels would be a fit of its own, which moves every row of every level: no bound here
	// covers it.
	Value float64
}

// TargetEncode is dpkit.Pipeline.TargetEncode: a level becomes the smoothed mean label of its rows, fitted without noise and
// priced. No Columns: all categories.
type TargetEncode struct {
	TargetPrior
	Columns []string
}

func (TargetEncode) Kind() kind.Kind {
	return kind.Kind{Name: "encode/target", Law: 1, Call: "TargetEncode", Was: "dpkit.targetEncode"}
}

// labelBounds returns the public bounds of the label as a number.
func labelBounds(in frames.Schema) (lo, hi float64, err error) {
	label, ok := in.Label()
	switch {
	case !ok:
		return 0, 0, fmt.Errorf("the schema has no label; declare one with frames.Label or frames.NumericLabel: %w", stage.ErrColumn)
	case len(label.Levels) == 0:
		return label.Lo, label.Hi, nil
	case len(label.Levels) != 2:
		return 0, 0, fmt.Errorf("label %q: got %d classes, want two or a number: %w", label.Name, len(label.Levels), stage.ErrColumn)
	}
	return 0, 1, nil
}

func (e TargetEncode) Check(in frames.Schema) (frames.Schema, error) {
	if err := num.Sized("prior Weight", e.Weight); err != nil {
		return in, err
	}
	lo, hi, err := labelBounds(in)
	if err != nil {
		return in, err
	}
	if !(e.Value >= lo && e.Value <= hi) {
		return in, fmt.Errorf("prior Value: got %g, want a public number in the label's bounds [%g, %g]: %w", e.Value, lo, hi, kind.ErrParameter)
	}
	names, err := domain.Categories(in, e.Columns)
	if err != nil {
		return in, err
	}
	return domain.Replaced(in, names, func(c frames.Column) frames.Column {
		out := frames.Numeric(c.Name, lo, hi)
		out.Missing = c.Missing
		return out
	})
}

// GroupMeanBounds are those of means over groups of rows with a prior of weight κ, in so many
// columns; w bounds the distance of a row's value from a mean of its group (docs/theory/calculus.md#target-encoding-with-a-public-prior,
// docs/theory/calculus.md#lemma-2-means-with-a-prior). One row leaves a group with N other rows and arrives in another: each of these N
// moves by at most w/(N+1+κ), so that
//
//	a∞ = w/(2+κ),   a_F² = 2·w²·max N/(N+1+κ)² = w²/(2(1+κ)),   a1 = 2w(n−1)/(n+1+2κ),
//
// the last since N/(N+1+κ) is concave in N and the two groups have n−1 rows together. Over c columns
// the ℓ2 norms grow by √c. The sum grows by c: the groups of different columns may be disjoint.
func GroupMeanBounds(p pair.State, columns int, w, kappa float64) pair.StepBounds {
	n, c := float64(p.N), float64(columns)
	aF := math.Sqrt(c) * w / math.Sqrt(2*(1+kappa))
	return pair.StepBounds{
		K:  1,
		A1: min(c*2*w*(n-1)/(n+1+2*kappa), math.Sqrt(n-1)*aF), AF: aF, AInf: math.Sqrt(c) * w / (2 + kappa),
		Affected: p.N - p.F, ResetFree: true,
	}
}

// Propagate: the keys are clean and no step displaces a label, so that a common row moves by the
// fit alone.
func (e TargetEncode) Propagate(st stage.Stage) (stage.Propagation, error) {
	names, err := domain.Categories(st.In, e.Columns)
	if err != nil {
		return stage.Propagation{}, err
	}
	if err := domain.CleanKeys(st, names); err != nil {
		return stage.Propagation{}, err
	}
	lo, hi, err := labelBounds(st.In)
	if err != nil {
		return stage.Propagation{}, err
	}
	p, n, c := st.Before, float64(st.Before.N), math.Sqrt(float64(len(names)))
	largest := max(math.Abs(lo), math.Abs(hi))
	b := GroupMeanBounds(p, len(names), hi-lo, e.Weight)
	b.R = domain.EncodedRadius(st, c*largest)
	// Compensated sums, one product, one addition and one division on each side.
	b = domain.Rounded(b, p.N, c*largest*(0x1p-48+n*n*0x1p-103))
	pr, err := domain.KeyedPropagation(st, b, names, stage.RoleDeployed)
	pr.Constants = append(pr.Constants,
		stage.Constant{Symbol: "w", Value: hi - lo, Origin: stage.FromSchema, Meaning: "width of the label"},
		stage.Constant{Symbol: "κ", Value: e.Weight, Origin: stage.FromParameter, Meaning: "weight of the public prior, rows"})
	pr.Note = "means of private labels encode the levels: every row of the levels that a row leaves and joins moves"
	pr.Reference = "stability calculus §3, target encoding with a public prior (Lemma 2)"
	return pr, err
}

func (e TargetEncode) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	names, err := domain.Categories(st.In, e.Columns)
	if err != nil {
		return nil, err
	}
	lo, hi, err := labelBounds(st.In)
	if err != nil {
		return nil, err
	}
	at := domain.FeaturesAt(st.In, names)
	first, levels := placesOfLevels(st.In, names)
	// Of each level the sum of the labels, and behind all of these its rows: their number is exact.
	sums, err := rows.NumberSums(ctx, rows.Bind(rows.Over(in), "columns of levels", at), 2*levels, func() func([]rows.ExactSum, []float64, float64) {
		return func(sums []rows.ExactSum, row []float64, y float64) {
			for k, j := range at {
				if code := row[j]; !math.IsNaN(code) {
					sums[first[k]+int(code)].Add(y)
					sums[levels+first[k]+int(code)].Add(1)
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	table := make([][]float64, len(names))
	for k := range table {
		for level := first[k]; level < first[k+1]; level++ {
			mean := (sums[level].Sum() + e.Weight*e.Value) / (sums[levels+level].Sum() + e.Weight)
			table[k] = append(table[k], num.Clamp(mean, lo, hi))
		}
	}
	return encodeLevels(at, stage.Hide(table)), nil
}

// encodeLevels replaces the codes at those positions by what a fitted table has for them.
func encodeLevels(at []int, table stage.NonPrivate[[][]float64]) stage.Transform {
	return inColumns(at, func(k int, code float64) float64 {
		if math.IsNaN(code) {
			return code
		}
		return table.Get()[k][int(code)]
	})
}
