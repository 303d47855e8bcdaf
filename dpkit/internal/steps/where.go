package steps

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Where is dpkit.Pipeline.Where: rows that do not meet all conditions are removed.
type Where struct{ Conditions []domain.Condition }

func (Where) Kind() kind.Kind { return kind.Kind{Name: "where", Law: 1, Call: "Where"} }

func (w Where) Check(in frames.Schema) (frames.Schema, error) {
	if len(w.Conditions) == 0 {
		return in, fmt.Errorf("got no condition, want for instance Is(column, level) or Between(column, lo, hi): %w", kind.ErrParameter)
	}
	_, err := domain.Meets(w.Conditions, stage.Stage{In: in}, "select")
	return in, err
}

// Propagate (docs/theory/tables.md#public-conditions): whether a row stays is a function of the row alone, and the columns that decide are
// as they were read in common rows, which therefore stay on both sides or on neither. The free row may be there on one side only.
func (w Where) Propagate(st stage.Stage) (stage.Propagation, error) {
	if _, err := domain.Meets(w.Conditions, st, "select"); err != nil {
		return stage.Propagation{}, err
	}
	after, err := st.Before.Group(0)
	return stage.Propagation{
		Pair: after, Taint: st.Taint, Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: stage.RolePublic, Empties: true, InPlace: true,
		Constants: []stage.Constant{
			{Symbol: "n", Value: float64(after.N), Origin: stage.FromConstruction, Meaning: "places of rows, which stay: how many are left is private"},
		},
		Note:      "whether a row stays is decided by that row alone: free",
		Reference: "tables of people §2, public conditions",
	}, err
}

// Fit is the identity: rows that stay are as they were.
func (Where) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return rows.SameRow, nil
}

// Keeps says which rows meet the conditions.
func (w Where) Keeps(st stage.Stage) (domain.Test, error) {
	return domain.Meets(w.Conditions, st, "select")
}

// Deploy is the identity: rows to predict are not filtered.
func (Where) Deploy(stage.Stage) (stage.RowMap, error) { return stage.RowMap{}, nil }

// Origin (see [domain.ByColumn]): rows that stay are as they were.
func (Where) Origin(unit string) []string { return []string{unit} }

// ColumnsRead are those of the conditions, which decide which rows stay.
func (w Where) ColumnsRead(frames.Schema) (columns []string) {
	for _, c := range w.Conditions {
		columns = append(columns, c.Columns()...)
	}
	return columns
}

// ReadsUnbounded says that no bound of a column enters.
func (Where) ReadsUnbounded() {}

// LeavesTexts says that cells of texts are left alone, or name groups.
func (Where) LeavesTexts() {}
