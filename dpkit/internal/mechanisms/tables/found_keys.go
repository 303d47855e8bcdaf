package tables

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// keys are the groups of rows by some columns, none of which need be listed. A key is the cells of a row in them, 8 bytes each.
type keys struct {
	columns []frames.Column
	at      []int // of the features; −1: the label
	ordered []string
}

// keysOf are the keys by columns of a stage: categories, class labels and texts. Errors wrap [stage.ErrColumn], [stage.ErrOrder] or
// [kind.ErrParameter].
func keysOf(by []string, st stage.Stage) (k keys, err error) {
	for i, name := range by {
		c, err := groupColumn(name, by[:i], st)
		if err != nil {
			return k, err
		}
		at, ok := st.In.FeatureIndex(name)
		if !ok {
			at = -1
		}
		if c.Ordered {
			k.ordered = append(k.ordered, name)
		}
		k.columns, k.at = append(k.columns, c), append(k.at, at)
	}
	return k, nil
}

// of writes the key of a row to buf; false for a row without one: a text is missing.
func (k keys) of(buf, row []float64, y float64) bool {
	for i, at := range k.at {
		v := y
		if at >= 0 {
			v = row[at]
		}
		if math.IsNaN(v) && k.columns[i].Kind == frames.KindText {
			return false
		}
		buf[i] = v
	}
	return true
}

// bytes appends a key's cells: equal cells have equal bytes.
func (k keys) bytes(to []byte, cells []float64) []byte {
	for _, v := range cells {
		bits := math.Float64bits(v + 0) // −0 is 0
		if math.IsNaN(v) {
			bits = 0x7ff8_0000_0000_0001
		}
		to = binary.BigEndian.AppendUint64(to, bits)
	}
	return to
}

// name is what a cell of a key reads as.
func (k keys) name(column int, key string) (text string, place int) {
	v := math.Float64frombits(binary.BigEndian.Uint64([]byte(key[8*column : 8*column+8])))
	c := k.columns[column]
	switch {
	case c.Kind == frames.KindText:
		text, _ = c.TextOf(v)
		return text, 0
	case math.IsNaN(v):
		return sums.MissingLevel, len(c.Levels)
	}
	return c.Levels[int(v)], int(v)
}

// inOrder puts which, places of keys, in the order of what they read as, levels in that of the schema, and returns that.
func (k keys) inOrder(all []string, which []int) [][]string {
	type named struct {
		at     int
		names  []string
		places []int
	}
	list := make([]named, len(which))
	for i, g := range which {
		list[i] = named{g, make([]string, len(k.columns)), make([]int, len(k.columns))}
		for c := range k.columns {
			list[i].names[c], list[i].places[c] = k.name(c, all[g])
		}
	}
	slices.SortFunc(list, func(a, b named) int {
		for c := range k.columns {
			if o := cmp.Or(cmp.Compare(a.places[c], b.places[c]), cmp.Compare(a.names[c], b.names[c])); o != 0 {
				return o
			}
		}
		return 0
	})
	out := make([][]string, len(list))
	for i, n := range list {
		which[i], out[i] = n.at, n.names
	}
	return out
}
