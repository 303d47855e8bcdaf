package domain

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Keyed steps look at which rows share a key or lie below a value: they are discontinuous in those
// columns, which must be the same on both sides of the pair in every common row.

// CleanKeys refuses key columns that differ in common rows (docs/theory/calculus.md#keys-are-clean).
func CleanKeys(st stage.Stage, names []string) error {
	for _, name := range names {
		//dp:refuses keyed/displaced a row that differs by little can change its group
		if st.Taint[name] {
			return fmt.Errorf("column %q differs in common rows, and however little it differs a row can change its group; put this step before the steps that are fitted to the data: %w", name, stage.ErrOrder)
		}
	}
	return nil
}

// Categories returns the named category columns, or all of them where none is named.
func Categories(in frames.Schema, names []string) ([]string, error) {
	if len(names) == 0 {
		for _, c := range in.Features() {
			if c.Kind == frames.KindCategory {
				names = append(names, c.Name)
			}
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("got no category column; leave the step out: %w", stage.ErrColumn)
		}
		return names, nil
	}
	for i, name := range names {
		c, ok := in.Column(name)
		if _, feature := in.FeatureIndex(name); !ok || !feature {
			return nil, UnknownColumn(name, in)
		}
		if c.Kind != frames.KindCategory {
			return nil, fmt.Errorf("column %q: got a %v column, want a category that is not encoded: %w", name, c.Kind, stage.ErrColumn)
		}
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("column %q is named twice: %w", name, stage.ErrColumn)
		}
	}
	return names, nil
}

// DistinctNumbers is [NumericColumns], each named once.
func DistinctNumbers(in frames.Schema, names []string) error {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("column %q is named twice: %w", name, stage.ErrColumn)
		}
	}
	return NumericColumns(in, names)
}

// Replaced returns the schema with those columns replaced by f of them.
func Replaced(in frames.Schema, names []string, f func(frames.Column) frames.Column) (frames.Schema, error) {
	cols := in.Columns()
	for i, c := range cols {
		if slices.Contains(names, c.Name) {
			cols[i] = f(c)
		}
	}
	return frames.NewSchema(cols...)
}

// FeaturesAt returns the positions of those columns in a row, in order of names.
func FeaturesAt(in frames.Schema, names []string) []int {
	at := make([]int, len(names))
	for i, name := range names {
		at[i], _ = in.FeatureIndex(name)
	}
	return at
}

// InUnit returns the column with numbers in [0, 1] in its place.
func InUnit(c frames.Column) frames.Column {
	out := frames.Numeric(c.Name, 0, 1)
	out.Missing = c.Missing
	return out
}

// EncodedRadius bounds the norm of a row of norm r after columns of it were replaced by numbers
// whose norm is at most b.
func EncodedRadius(st stage.Stage, b float64) float64 {
	return min(stage.StartRadius(st.Out), stage.Up(math.Hypot(st.Before.R, b)))
}

// Rounded returns the bounds with a floating-point error of at most s in each of so many fitted
// rows, rounded up.
func Rounded(b pair.StepBounds, rows int, s float64) pair.StepBounds {
	n := float64(rows)
	b.A1, b.AF, b.AInf = stage.Up(b.A1+n*s), stage.Up(b.AF+math.Sqrt(n)*s), stage.Up(b.AInf+s)
	return b
}

// KeyedPropagation is what a keyed step reports whose bounds are b: the named columns become
// displaced, the others pass through.
func KeyedPropagation(st stage.Stage, b pair.StepBounds, names []string, role stage.Role) (stage.Propagation, error) {
	q, err := st.Before.Propagate(b)
	return stage.Propagation{
		Pair: q, Taint: st.Taint.With(names...), Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: role,
		Constants: []stage.Constant{
			{Symbol: "columns", Value: float64(len(names)), Origin: stage.FromParameter, Meaning: "columns that are replaced"},
			{Symbol: "a1", Value: b.A1, Origin: stage.FromConstruction, Meaning: "total displacement of the common rows by one replaced row"},
			{Symbol: "a∞", Value: b.AInf, Origin: stage.FromConstruction, Meaning: "displacement of one common row by one replaced row"},
			{Symbol: "R", Value: b.R, Origin: stage.FromSchema, Meaning: "bound on a row's norm after the step"},
		},
	}, err
}
