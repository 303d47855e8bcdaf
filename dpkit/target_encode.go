package dpkit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/frames"
)

// TargetPrior is the public prior of [Pipeline.TargetEncode]: so many rows of a label of that value
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

// TargetEncode replaces the named categories, or all of them, by a number for each level: the mean
// label of its rows, smoothed by a public prior,
//
//	(Σ_{rows of the level} y + κ·Value) / (rows of the level + κ).
//
// A label of two classes counts 0 and 1; a numeric one has its declared bounds. Missing cells stay
// missing. The means are fitted without noise and priced, whatever the sizes of the levels; they are
// needed at prediction time and are not private, so that no model which reads rows can be released
// behind this step.
func (p Pipeline) TargetEncode(prior TargetPrior, columns ...string) Pipeline {
	return p.with(targetEncode{prior, slices.Clone(columns)})
}

type targetEncode struct {
	TargetPrior
	Columns []string
}

func (targetEncode) kind() kind {
	return kind{"encode/target", 1, "TargetEncode", "dpkit.targetEncode"}
}

// labelBounds returns the public bounds of the label as a number.
func labelBounds(in frames.Schema) (lo, hi float64, err error) {
	label, ok := in.Label()
	switch {
	case !ok:
		return 0, 0, fmt.Errorf("the schema has no label; declare one with frames.Label or frames.NumericLabel: %w", ErrColumn)
	case len(label.Levels) == 0:
		return label.Lo, label.Hi, nil
	case len(label.Levels) != 2:
		return 0, 0, fmt.Errorf("label %q: got %d classes, want two or a number: %w", label.Name, len(label.Levels), ErrColumn)
	}
	return 0, 1, nil
}

func (e targetEncode) Check(in frames.Schema) (frames.Schema, error) {
	if err := sized("prior Weight", e.Weight); err != nil {
		return in, err
	}
	lo, hi, err := labelBounds(in)
	if err != nil {
		return in, err
	}
	if !(e.Value >= lo && e.Value <= hi) {
		return in, fmt.Errorf("prior Value: got %g, want a public number in the label's bounds [%g, %g]: %w", e.Value, lo, hi, ErrParameter)
	}
	names, err := categories(in, e.Columns)
	if err != nil {
		return in, err
	}
	return replaced(in, names, func(c frames.Column) frames.Column {
		out := frames.Numeric(c.Name, lo, hi)
		out.Missing = c.Missing
		return out
	})
}

// groupMeanBounds are those of means over groups of rows with a prior of weight κ, in so many
// columns; w bounds the distance of a row's value from a mean of its group (docs/theory/calculus.md#target-encoding-with-a-public-prior,
// docs/theory/calculus.md#lemma-2-means-with-a-prior). One row leaves a group with N other rows and arrives in another: each of these N
// moves by at most w/(N+1+κ), so that
//
//	a∞ = w/(2+κ),   a_F² = 2·w²·max N/(N+1+κ)² = w²/(2(1+κ)),   a1 = 2w(n−1)/(n+1+2κ),
//
// the last since N/(N+1+κ) is concave in N and the two groups have n−1 rows together. Over c columns
// the ℓ2 norms grow by √c. The sum grows by c: the groups of different columns may be disjoint.
func groupMeanBounds(p pair.State, columns int, w, kappa float64) pair.StepBounds {
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
func (e targetEncode) Propagate(st Stage) (Propagation, error) {
	names, err := categories(st.In, e.Columns)
	if err != nil {
		return Propagation{}, err
	}
	if err := cleanKeys(st, names); err != nil {
		return Propagation{}, err
	}
	lo, hi, err := labelBounds(st.In)
	if err != nil {
		return Propagation{}, err
	}
	p, n, c := st.Before, float64(st.Before.N), math.Sqrt(float64(len(names)))
	largest := max(math.Abs(lo), math.Abs(hi))
	b := groupMeanBounds(p, len(names), hi-lo, e.Weight)
	b.R = encodedRadius(st, c*largest)
	// Compensated sums, one product, one addition and one division on each side.
	b = rounded(b, p.N, c*largest*(0x1p-48+n*n*0x1p-103))
	pr, err := keyedPropagation(st, b, names, RoleDeploy)
	pr.Constants = append(pr.Constants,
		Constant{"w", hi - lo, FromSchema, "width of the label"},
		Constant{"κ", e.Weight, FromParameter, "weight of the public prior, rows"})
	pr.Note = "means of private labels encode the levels: every row of the levels that a row leaves and joins moves"
	pr.Reference = "stability calculus §3, target encoding with a public prior (Lemma 2)"
	return pr, err
}

func (e targetEncode) Fit(ctx context.Context, in frames.Source, st Stage) (Transform, error) {
	names, err := categories(st.In, e.Columns)
	if err != nil {
		return nil, err
	}
	lo, hi, err := labelBounds(st.In)
	if err != nil {
		return nil, err
	}
	at := featuresAt(st.In, names)
	sums, counts := make([][]neumaier, len(names)), make([][]float64, len(names))
	for k, name := range names {
		c, _ := st.In.Column(name)
		sums[k], counts[k] = make([]neumaier, len(c.Levels)), make([]float64, len(c.Levels))
	}
	err = scanRows(ctx, in, func(row []float64, y float64) {
		for k, j := range at {
			if code := row[j]; !math.IsNaN(code) {
				sums[k][int(code)].add(y)
				counts[k][int(code)]++
			}
		}
	})
	if err != nil {
		return nil, err
	}
	table := make([][]float64, len(names))
	for k := range table {
		table[k] = make([]float64, len(counts[k]))
		for level, n := range counts[k] {
			mean := (sums[k][level].sum() + e.Weight*e.Value) / (n + e.Weight)
			table[k][level] = clamp(mean, lo, hi)
		}
	}
	return encodeLevels(at, hide(table)), nil
}

// encodeLevels replaces the codes at those positions by what a fitted table has for them.
func encodeLevels(at []int, table NonPrivate[[][]float64]) Transform {
	return func(dst, src []float64) {
		copy(dst, src)
		for k, j := range at {
			if code := src[j]; !math.IsNaN(code) {
				dst[j] = table.get()[k][int(code)]
			}
		}
	}
}
