package dpkit

import (
	"context"
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// OneHot replaces every category by one 0/1 column for each of its public levels. It is a public
// row map: it costs nothing. A missing category becomes a block of missing cells. With columns
// named, only those are encoded.
func (p Pipeline) OneHot(columns ...string) Pipeline { return p.with(oneHot{slices.Clone(columns)}) }

type oneHot struct{ Columns []string }

func (oneHot) kind() kind { return kind{"encode/one-hot", 1, "OneHot", "dpkit.oneHot"} }

func (oneHot) origin(unit string) []string { return []string{unit} }

func (o oneHot) Check(in frames.Schema) (frames.Schema, error) {
	for _, name := range o.Columns {
		c, ok := in.Column(name)
		if !ok {
			return in, unknownColumn(name, in)
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

func (o oneHot) wants(name string) bool {
	return len(o.Columns) == 0 || slices.Contains(o.Columns, name)
}

func (o oneHot) Propagate(st Stage) (Propagation, error) {
	// Distances between raw rows are those of their encodings (see startRadius), and no fitted
	// step writes to a category column: the map is an isometry on columns that stay clean.
	for _, c := range st.In.Features() {
		if c.Kind == frames.KindCategory && o.wants(c.Name) && st.Taint[c.Name] {
			return Propagation{}, fmt.Errorf("category %q differs in common rows, and a level that changes moves a row by √2 however little changed before; encode it first: %w", c.Name, ErrOrder)
		}
	}
	return columnwise(st, bounds{K: 1, R: startRadius(st.Out)}, "public levels, row by row: free")
}

func (o oneHot) Fit(_ context.Context, _ frames.Source, st Stage) (Transform, error) {
	return fitPublic(o, st)
}

func (o oneHot) Deploy(st Stage) (RowMap, error) {
	op := &OneHotOp{}
	for _, c := range st.In.Features() {
		k := 0
		if c.Kind == frames.KindCategory && o.wants(c.Name) {
			k = len(c.Levels)
		}
		op.Levels = append(op.Levels, k)
	}
	return RowMap{{OneHot: op}}, nil
}
