package steps

import (
	"context"
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// OneHot is dpkit.Pipeline.OneHot: a category becomes a block of 0/1 columns, one for each level, a public map. No Columns:
// all categories.
type OneHot struct{ Columns []string }

func (OneHot) Kind() kind.Kind {
	return kind.Kind{Name: "encode/one-hot", Law: 1, Call: "OneHot", Was: "dpkit.oneHot"}
}

func (OneHot) Origin(unit string) []string { return []string{unit} }

func (o OneHot) Check(in frames.Schema) (frames.Schema, error) {
	for _, name := range o.Columns {
		c, ok := in.Column(name)
		if !ok {
			return in, domain.UnknownColumn(name, in)
		}
		if c.Kind != frames.KindCategory {
			return in, fmt.Errorf("column %q: got a %v column, want a category; leave it out", name, c.Kind)
		}
	}
	var cols []frames.Column
	found := false
	for _, c := range in.Columns() {
		if c.Kind != frames.KindCategory || !o.wants(c.Name) {
			cols = append(cols, c)
			continue
		}
		found = true
		for _, level := range c.Levels {
			cols = append(cols, frames.Column{
				Name: c.Name + "=" + level, Kind: frames.KindNumeric, Lo: 0, Hi: 1, Missing: c.Missing, Block: c.Name,
			})
		}
	}
	if !found {
		return in, fmt.Errorf("got no category column; leave the step out")
	}
	return frames.NewSchema(cols...)
}

func (o OneHot) wants(name string) bool {
	return len(o.Columns) == 0 || slices.Contains(o.Columns, name)
}

func (o OneHot) Propagate(st stage.Stage) (stage.Propagation, error) {
	// Distances between raw rows are those of their encodings (see [stage.StartRadius]), and no fitted
	// step writes to a category column: the map is an isometry on columns that stay clean.
	for _, c := range st.In.Features() {
		//dp:refuses onehot/displaced a level that changes moves a row by √2
		if c.Kind == frames.KindCategory && o.wants(c.Name) && st.Taint[c.Name] {
			return stage.Propagation{}, fmt.Errorf("category %q differs in common rows, and a level that changes moves a row by √2 however little changed before; encode it first: %w", c.Name, stage.ErrOrder)
		}
	}
	return stage.Columnwise(st, stage.Bounds{K: 1, R: stage.StartRadius(st.Out)}, "public levels, row by row: free")
}

func (o OneHot) Fit(_ context.Context, _ frames.Source, st stage.Stage) (stage.Transform, error) {
	return stage.FitPublic(o, st)
}

func (o OneHot) Deploy(st stage.Stage) (stage.RowMap, error) {
	op := &stage.OneHotOp{}
	for _, c := range st.In.Features() {
		k := 0
		if c.Kind == frames.KindCategory && o.wants(c.Name) {
			k = len(c.Levels)
		}
		op.Levels = append(op.Levels, k)
	}
	return stage.RowMap{{OneHot: op}}, nil
}

// ReadsUnbounded says that no bound of a column enters.
func (OneHot) ReadsUnbounded() {}
