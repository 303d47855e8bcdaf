package steps

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// A Deduper is [Exact], [Grid] or [Ball].
type Deduper interface {
	Deduper(keys []string) stage.Preprocessor
}

// Exact removes exact duplicates. Over whole rows it costs nothing: what is left is the set of rows,
// and one row that changes changes one element of it.
type Exact struct{}

func (Exact) Deduper(keys []string) stage.Preprocessor { return ExactDedup{Keys: keys} }

// ExactDedup is Dedup(Exact{}): of the rows with the same values in Keys one stays. Without Keys whole rows are compared.
type ExactDedup struct {
	Exact
	Keys []string
}

func (ExactDedup) Kind() kind.Kind {
	return kind.Kind{Name: "dedup/exact", Law: 1, Call: "Dedup", Was: "dpkit.exactDedup"}
}

func (e ExactDedup) Check(in frames.Schema) (frames.Schema, error) {
	_, err := rows.KeysOf(in, e.Keys)
	return in, err
}

// Propagate (docs/theory/calculus.md#exact-dedup): let A be the common rows, and f the free ones of each side. Without payload the rows left
// are the set of all rows: set(A ∪ Z) = set(A) ∪ Z, so that the sides differ in at most f elements
// each, and f rows are free as before. With payload, a row that enters changes the group of its key
// alone, where another row may be kept from then on: on either side at most 2f groups keep another
// row, or have one where the other side has none, and f' = 2f. In both cases rows correspond to each
// other up to a permutation, as they are kept by values, not by position. What is known of the free
// row's displacement is lost. An added or removed row is one change where a replaced one is two.
func (e ExactDedup) Propagate(st stage.Stage) (stage.Propagation, error) {
	if err := dedupable(st); err != nil {
		return stage.Propagation{}, err
	}
	k, err := rows.KeysOf(st.In, e.Keys)
	if err != nil {
		return stage.Propagation{}, err
	}
	return removal(st, st.Before, k.Freed(st.Before.F), exactNote(k.All), "preprocessing §1, A1; stability calculus §3, exact dedup")
}

func exactNote(set bool) string {
	if set {
		return "the set of rows changes by one element when one row does: free"
	}
	return "a row that changes can change which row is kept of the group that it leaves and of the one that it joins"
}

// Fit copies the rows; Rewrite removes the duplicates.
func (e ExactDedup) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return stage.ByRow(CopyRow), nil
}

func (e ExactDedup) Rewrite(_ context.Context, m *rows.Matrix, st stage.Stage) error {
	k, err := rows.KeysOf(st.In, e.Keys)
	if err != nil {
		return err
	}
	m.Dedup(k)
	return nil
}

// Deploy is the identity: rows to predict are not deduplicated.
func (e ExactDedup) Deploy(stage.Stage) (stage.RowMap, error) { return stage.RowMap{}, nil }

// CopyRow copies a row with −0 as 0, so that rows of equal values are the same row.
func CopyRow(dst, src []float64) {
	for j, x := range src {
		dst[j] = x + 0
	}
}

// dedupable reports why rows cannot be compared here: common rows differ, or there are too many.
func dedupable(st stage.Stage) error {
	for _, c := range st.In.Features() {
		//dp:refuses dedup/displaced rows that differ by little cease to be duplicates
		if st.Taint[c.Name] {
			return fmt.Errorf("column %q differs in common rows, and however little it differs they can cease to be duplicates; put Dedup and QuantizeBall before the steps that are fitted to the data: %w", c.Name, stage.ErrOrder)
		}
	}
	if st.Before.N > math.MaxInt32 {
		return fmt.Errorf("got %d rows, want at most 2^31 − 1: %w", st.Before.N, kind.ErrParameter)
	}
	return nil
}

// removal is what a step reports that removes rows, behind a public row map that leads to p, and
// frees so many rows.
func removal(st stage.Stage, p pair.State, freed int, note, reference string) (stage.Propagation, error) {
	q, err := p.Group(freed)
	return stage.Propagation{
		Pair: q, Taint: st.Taint, Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: stage.RoleNonPrivate,
		Constants: []stage.Constant{
			{Symbol: "f'", Value: float64(q.F), Origin: stage.FromConstruction, Meaning: "rows in which the two sides may differ, present or not"},
			{Symbol: "R", Value: q.R, Origin: stage.FromSchema, Meaning: "bound on a row's norm after the step"},
		},
		Empties: true, Note: note, Reference: reference,
	}, err
}
