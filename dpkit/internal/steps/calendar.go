package steps

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Calendar is dpkit.Pipeline.Calendar: a column for each unit that a calendar makes of the days in Column, a public map of one row.
type Calendar struct {
	Column string
	Units  []frames.CalendarUnit
}

func (Calendar) Kind() kind.Kind { return kind.Kind{Name: "calendar", Law: 1, Call: "Calendar"} }

// made are the columns that the step adds.
func (c Calendar) made(in frames.Schema) ([]frames.Column, error) {
	col, ok := in.Column(c.Column)
	if _, feature := in.FeatureIndex(c.Column); !ok || !feature {
		return nil, domain.UnknownColumn(c.Column, in)
	}
	if len(c.Units) == 0 {
		return nil, fmt.Errorf("got no unit, want for instance frames.Month: %w", kind.ErrParameter)
	}
	var out []frames.Column
	for _, u := range c.Units {
		made, _, err := col.Calendar(u)
		if err != nil && !col.IsDate() {
			return nil, fmt.Errorf("%w: %w", err, stage.ErrColumn)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", err, kind.ErrParameter)
		}
		out = append(out, made)
	}
	return out, nil
}

// Origin (see [domain.ByColumn]): what the step adds is of its column; a unit of the name of one that was there before stands for itself.
func (c Calendar) Origin(unit string) []string {
	for _, u := range c.Units {
		if unit == frames.CalendarName(c.Column, u) {
			return []string{c.Column}
		}
	}
	return []string{unit}
}

func (c Calendar) Check(in frames.Schema) (frames.Schema, error) {
	made, err := c.made(in)
	if err != nil {
		return in, err
	}
	return added(in, made, "")
}

// Propagate (docs/theory/tables.md#calendars): the days of common rows are the same on both sides, and so is what a calendar makes of them.
func (c Calendar) Propagate(st stage.Stage) (stage.Propagation, error) {
	if err := domain.CleanKeys(st, []string{c.Column}); err != nil {
		return stage.Propagation{}, err
	}
	made, err := c.made(st.In)
	if err != nil {
		return stage.Propagation{}, err
	}
	return stage.Columnwise(st, stage.Bounds{K: 1, R: radiusWith(st, made)}, "a calendar of days that are the same in common rows, row by row: free")
}

func (c Calendar) Fit(_ context.Context, _ frames.Source, st stage.Stage) (stage.Transform, error) {
	return stage.FitPublic(c, st)
}

func (c Calendar) Deploy(st stage.Stage) (stage.RowMap, error) {
	col, _ := st.In.Column(c.Column)
	at, _ := st.In.FeatureIndex(c.Column)
	var m stage.RowMap
	for i, u := range c.Units {
		m = append(m, stage.RowOp{Calendar: &stage.CalendarOp{From: at, Into: st.In.Width() + i, Unit: u, Since: col.Since(), Lo: col.Lo, Hi: col.Hi}})
	}
	return m, nil
}

// LeavesTexts says that cells of texts are left alone, or name groups.
func (Calendar) LeavesTexts() {}
