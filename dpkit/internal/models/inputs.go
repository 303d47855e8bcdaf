package models

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Inputs is the schema of the columns that prediction reads, without the label and without features that the chain drops. It is
// the schema to load rows by that have no label. A model that was released without prediction reads none: the schema has no columns.
func (m *Reader) Inputs() frames.Schema {
	var read []frames.Column
	used := m.used()
	for j, c := range m.Schema.Features() {
		if used[j] {
			read = append(read, c)
		}
	}
	s, err := frames.NewSchema(read...)
	if err != nil {
		return frames.Schema{} // no columns: those of a schema are sound
	}
	return s
}

// used reports of each feature whether a column of the model depends on it.
func (m *Reader) used() []bool {
	n := m.Schema.Width()
	widths := []int{n}
	for _, op := range m.Maps {
		_, w, err := stage.RowMap{op}.Transform(widths[len(widths)-1])
		if err != nil {
			return slices.Repeat([]bool{true}, n) // maps that prediction refuses
		}
		widths = append(widths, w)
	}
	used := slices.Repeat([]bool{true}, widths[len(widths)-1])
	for i := len(m.Maps) - 1; i >= 0; i-- {
		used = usedBy(m.Maps[i], widths[i], used)
	}
	return used
}

// usedBy reports which of the in columns before an operation the columns out behind it depend on.
func usedBy(op stage.RowOp, in int, out []bool) []bool {
	used := make([]bool, in)
	switch {
	case op.OneHot != nil:
		at := 0
		for j, k := range op.OneHot.Levels {
			k = max(k, 1)
			used[j] = slices.Contains(out[at:at+k], true)
			at += k
		}
	case op.Indicate != nil:
		copy(used, out)
		for i, j := range op.Indicate.Columns {
			used[j] = used[j] || out[in+i]
		}
	case op.Select != nil:
		for i, j := range op.Select.Columns {
			used[j] = used[j] || out[i]
		}
	case op.Mutate != nil:
		copy(used, out)
		if into := op.Mutate.Into; out[into] {
			if into < in {
				used[into] = false // it is written over
			}
			for _, j := range op.Mutate.From {
				used[j] = true
			}
		}
	case op.Fill != nil, op.Affine != nil, op.Clamp != nil, op.Grid != nil, op.Bin != nil: // each column by itself
		copy(used, out)
	default: // all columns together
		for j := range used {
			used[j] = slices.Contains(out, true)
		}
	}
	return used
}
