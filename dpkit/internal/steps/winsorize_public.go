package steps

import (
	"context"
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// PublicQuantiles clamps each column between public numbers, such as quantiles of other data: the
// i-th column named to [Lo[i], Hi[i]]. It is a public row map and costs nothing.
type PublicQuantiles struct {
	Lo, Hi []float64
}

func (q PublicQuantiles) Winsorizer(columns []string) stage.Preprocessor {
	return PublicWinsor{PublicQuantiles{slices.Clone(q.Lo), slices.Clone(q.Hi)}, columns}
}

// PublicWinsor is Winsorize(PublicQuantiles{…}): a public map.
type PublicWinsor struct {
	PublicQuantiles
	Columns []string
}

func (PublicWinsor) Kind() kind.Kind {
	return kind.Kind{Name: "winsorize/public", Law: 1, Call: "Winsorize", Was: "dpkit.publicWinsor"}
}

func (PublicWinsor) Origin(unit string) []string { return []string{unit} }

// each is the step as one ClipColumns after another.
func (w PublicWinsor) each() []ClipColumns {
	steps := make([]ClipColumns, len(w.Columns))
	for i, name := range w.Columns {
		steps[i] = ClipColumns{w.Lo[i], w.Hi[i], []string{name}}
	}
	return steps
}

func (w PublicWinsor) Check(in frames.Schema) (frames.Schema, error) {
	if len(w.Columns) == 0 {
		return in, fmt.Errorf("got no column; name at least one: %w", kind.ErrParameter)
	}
	if len(w.Lo) != len(w.Columns) || len(w.Hi) != len(w.Columns) {
		return in, fmt.Errorf("bounds Lo and Hi: got %d and %d numbers for %d columns, want one of each for every column named: %w",
			len(w.Lo), len(w.Hi), len(w.Columns), kind.ErrParameter)
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

func (w PublicWinsor) Propagate(st stage.Stage) (stage.Propagation, error) {
	return stage.Columnwise(st, stage.Bounds{K: 1, R: stage.StartRadius(st.Out)}, "projection onto public bounds, row by row: free")
}

func (w PublicWinsor) Fit(_ context.Context, _ frames.Source, st stage.Stage) (stage.Transform, error) {
	return stage.FitPublic(w, st)
}

func (w PublicWinsor) Deploy(st stage.Stage) (stage.RowMap, error) {
	var all stage.RowMap
	for _, c := range w.each() {
		m, err := c.Deploy(st)
		if err != nil {
			return nil, err
		}
		all = append(all, m...)
	}
	return all, nil
}
