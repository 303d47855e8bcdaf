package dpkit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/frames"
)

// Dedup removes duplicate rows of the training data: [Exact] ones, rows that share a cell of a public
// [Grid], or near ones in a [Ball]. A removed row keeps its place and contributes nothing; means and
// gradients are still divided by the public number of rows.
//
// Without keys, two rows are duplicates if they agree in everything, label included. With keys (names
// of features, or of the label) only those are compared, and of each group of duplicates the row
// stays that comes first in the order of its values (not in the order of the file).
//
// Whether two rows are duplicates is not continuous in them: put Dedup before the steps that are
// fitted to the data. At prediction time nothing is removed.
func (p Pipeline) Dedup(how Deduper, keys ...string) Pipeline {
	if how == nil {
		return p.with(broken{"Dedup(nil)", fmt.Errorf("got no method, want dpkit.Exact{}, dpkit.Grid{…} or dpkit.Ball{…}: %w", ErrParameter)})
	}
	return p.with(how.deduper(slices.Clone(keys)))
}

// A Deduper is [Exact], [Grid] or [Ball].
type Deduper interface {
	deduper(keys []string) Preprocessor
}

// Exact removes exact duplicates. Over whole rows it costs nothing: what is left is the set of rows,
// and one row that changes changes one element of it.
type Exact struct{}

func (Exact) deduper(keys []string) Preprocessor { return exactDedup{Keys: keys} }

type exactDedup struct {
	Exact
	Keys []string
}

func (exactDedup) kind() kind { return kind{"dedup/exact", 1, "Dedup", "dpkit.exactDedup"} }

func (e exactDedup) Check(in frames.Schema) (frames.Schema, error) {
	_, err := keysOf(in, e.Keys)
	return in, err
}

// Propagate (docs/theory/calculus.md#exact-dedup): let A be the common rows, and f the free ones of each side. Without payload the rows left
// are the set of all rows: set(A ∪ Z) = set(A) ∪ Z, so that the sides differ in at most f elements
// each, and f rows are free as before. With payload, a row that enters changes the group of its key
// alone, where another row may be kept from then on: on either side at most 2f groups keep another
// row, or have one where the other side has none, and f' = 2f. In both cases rows correspond to each
// other up to a permutation, as they are kept by values, not by position. What is known of the free
// row's displacement is lost. An added or removed row is one change where a replaced one is two.
func (e exactDedup) Propagate(st Stage) (Propagation, error) {
	if err := dedupable(st); err != nil {
		return Propagation{}, err
	}
	k, err := keysOf(st.In, e.Keys)
	if err != nil {
		return Propagation{}, err
	}
	return removal(st, st.Before, k.freed(st.Before.F), exactNote(k.all), "preprocessing §1, A1; stability calculus §3, exact dedup")
}

// freed is the number of rows that keeping one row of each group frees, beside the f that were free.
func (k keySet) freed(f int) int {
	if k.all {
		return 0
	}
	return f
}

func exactNote(set bool) string {
	if set {
		return "the set of rows changes by one element when one row does: free"
	}
	return "a row that changes can change which row is kept of the group that it leaves and of the one that it joins"
}

// Fit copies the rows; rewrite removes the duplicates.
func (e exactDedup) Fit(context.Context, frames.Source, Stage) (Transform, error) {
	return copyRow, nil
}

func (e exactDedup) rewrite(_ context.Context, m *matrix, st Stage) error {
	k, err := keysOf(st.In, e.Keys)
	if err != nil {
		return err
	}
	m.dedup(k)
	return nil
}

// Deploy is the identity: rows to predict are not deduplicated.
func (e exactDedup) Deploy(Stage) (RowMap, error) { return RowMap{}, nil }

// dedup keeps the smallest row of each group of rows that agree in their keys.
func (m *matrix) dedup(k keySet) {
	width, key := m.cells(slices.Concat(k.numeric, k.exact), k.label)
	class, count := m.classesOf(width, key)
	m.keepSmallest(class, count)
}

// copyRow copies a row with −0 as 0, so that rows of equal values are the same row.
func copyRow(dst, src []float64) {
	for j, x := range src {
		dst[j] = x + 0
	}
}

// dedupable reports why rows cannot be compared here: common rows differ, or there are too many.
func dedupable(st Stage) error {
	for _, c := range st.In.Features() {
		if st.Taint[c.Name] {
			return fmt.Errorf("column %q differs in common rows, and however little it differs they can cease to be duplicates; put Dedup and QuantizeBall before the steps that are fitted to the data: %w", c.Name, ErrOrder)
		}
	}
	if st.Before.N > math.MaxInt32 {
		return fmt.Errorf("got %d rows, want at most 2^31 − 1: %w", st.Before.N, ErrParameter)
	}
	return nil
}

// removal is what a step reports that removes rows, behind a public row map that leads to p, and
// frees so many rows.
func removal(st Stage, p pair.State, freed int, note, reference string) (Propagation, error) {
	q, err := p.Group(freed)
	return Propagation{
		Pair: q, Taint: st.Taint, Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: RoleTrainOnly,
		Constants: []Constant{
			{"f'", float64(q.F), FromConstruction, "rows in which the two sides may differ, present or not"},
			{"R", q.R, FromSchema, "bound on a row's norm after the step"},
		},
		Empties: true, Note: note, Reference: reference,
	}, err
}
