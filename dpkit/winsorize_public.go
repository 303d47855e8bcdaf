package dpkit

import (
	"context"
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// PublicQuantiles clamps each column between public numbers, such as quantiles of other data: the
// i-th column named to [Lo[i], Hi[i]]. It is a public row map and costs nothing.
type PublicQuantiles struct {
	Lo, Hi []float64
}

func (q PublicQuantiles) winsorizer(columns []string) Preprocessor {
	return publicWinsor{PublicQuantiles{slices.Clone(q.Lo), slices.Clone(q.Hi)}, columns}
}

type publicWinsor struct {
	PublicQuantiles
	Columns []string
}

func (publicWinsor) kind() kind {
	return kind{"winsorize/public", 1, "Winsorize", "dpkit.publicWinsor"}
}

func (publicWinsor) origin(unit string) []string { return []string{unit} }

// each is the step as one ClipColumns after another.
func (w publicWinsor) each() []clipColumns {
	steps := make([]clipColumns, len(w.Columns))
	for i, name := range w.Columns {
		steps[i] = clipColumns{w.Lo[i], w.Hi[i], []string{name}}
	}
	return steps
}

func (w publicWinsor) Check(in frames.Schema) (frames.Schema, error) {
	if len(w.Columns) == 0 {
		return in, fmt.Errorf("got no column; name at least one: %w", ErrParameter)
	}
	if len(w.Lo) != len(w.Columns) || len(w.Hi) != len(w.Columns) {
		return in, fmt.Errorf("bounds Lo and Hi: got %d and %d numbers for %d columns, want one of each for every column named: %w",
			len(w.Lo), len(w.Hi), len(w.Columns), ErrParameter)
	}
	out := in
	for _, c := range w.each() {
		var err error
		if out, err = c.Check(out); err != nil {
			return in, err
		}
	}
	return out, nil
}

func (w publicWinsor) Propagate(st Stage) (Propagation, error) {
	return columnwise(st, bounds{K: 1, R: startRadius(st.Out)}, "projection onto public bounds, row by row: free")
}

func (w publicWinsor) Fit(_ context.Context, _ frames.Source, st Stage) (Transform, error) {
	return fitPublic(w, st)
}

func (w publicWinsor) Deploy(st Stage) (RowMap, error) {
	var all RowMap
	for _, c := range w.each() {
		m, err := c.Deploy(st)
		if err != nil {
			return nil, err
		}
		all = append(all, m...)
	}
	return all, nil
}
