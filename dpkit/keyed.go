package dpkit

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/frames"
)

// Keyed steps look at which rows share a key or lie below a value: they are discontinuous in those
// columns, which must be the same on both sides of the pair in every common row.

// cleanKeys refuses key columns that differ in common rows (docs/theory/calculus.md#keys-are-clean).
func cleanKeys(st Stage, names []string) error {
	for _, name := range names {
		if st.Taint[name] {
			return fmt.Errorf("column %q differs in common rows, and however little it differs a row can change its group; put this step before the steps that are fitted to the data: %w", name, ErrOrder)
		}
	}
	return nil
}

// categories returns the named category columns, or all of them where none is named.
func categories(in frames.Schema, names []string) ([]string, error) {
	if len(names) == 0 {
		for _, c := range in.Features() {
			if c.Kind == frames.KindCategory {
				names = append(names, c.Name)
			}
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("got no category column; leave the step out: %w", ErrColumn)
		}
		return names, nil
	}
	for i, name := range names {
		c, ok := in.Column(name)
		if _, feature := in.FeatureIndex(name); !ok || !feature {
			return nil, unknownColumn(name, in)
		}
		if c.Kind != frames.KindCategory {
			return nil, fmt.Errorf("column %q: got a %v column, want a category that is not encoded: %w", name, c.Kind, ErrColumn)
		}
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("column %q is named twice: %w", name, ErrColumn)
		}
	}
	return names, nil
}

// distinctNumbers is numericColumns, each named once.
func distinctNumbers(in frames.Schema, names []string) error {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("column %q is named twice: %w", name, ErrColumn)
		}
	}
	return numericColumns(in, names)
}

// replaced returns the schema with those columns replaced by f of them.
func replaced(in frames.Schema, names []string, f func(frames.Column) frames.Column) (frames.Schema, error) {
	cols := in.Columns()
	for i, c := range cols {
		if slices.Contains(names, c.Name) {
			cols[i] = f(c)
		}
	}
	return frames.NewSchema(cols...)
}

// featuresAt returns the positions of those columns in a row, in order of names.
func featuresAt(in frames.Schema, names []string) []int {
	at := make([]int, len(names))
	for i, name := range names {
		at[i], _ = in.FeatureIndex(name)
	}
	return at
}

// inUnit returns the column with numbers in [0, 1] in its place.
func inUnit(c frames.Column) frames.Column {
	out := frames.Numeric(c.Name, 0, 1)
	out.Missing = c.Missing
	return out
}

// encodedRadius bounds the norm of a row of norm r after columns of it were replaced by numbers
// whose norm is at most b.
func encodedRadius(st Stage, b float64) float64 {
	return min(startRadius(st.Out), up(math.Hypot(st.Before.R, b)))
}

// rounded returns the bounds with a floating-point error of at most s in each of so many fitted
// rows, rounded up.
func rounded(b pair.StepBounds, rows int, s float64) pair.StepBounds {
	n := float64(rows)
	b.A1, b.AF, b.AInf = up(b.A1+n*s), up(b.AF+math.Sqrt(n)*s), up(b.AInf+s)
	return b
}

// keyedPropagation is what a keyed step reports whose bounds are b: the named columns become
// displaced, the others pass through.
func keyedPropagation(st Stage, b pair.StepBounds, names []string, role Role) (Propagation, error) {
	q, err := st.Before.Propagate(b)
	return Propagation{
		Pair: q, Taint: st.Taint.with(names...), Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: role,
		Constants: []Constant{
			{"columns", float64(len(names)), FromParameter, "columns that are replaced"},
			{"a1", b.A1, FromConstruction, "total displacement of the common rows by one replaced row"},
			{"a∞", b.AInf, FromConstruction, "displacement of one common row by one replaced row"},
			{"R", b.R, FromSchema, "bound on a row's norm after the step"},
		},
	}, err
}
