package frames

import (
	"bufio"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"
)

// Texts stand behind the cells of the columns: for each column of [Text], in order, their number in 8 bytes, and of each its length in 2 bytes and its
// bytes, in the order of texts. Those of a table are those that its cells have, not all that the column knows of other tables.

// writeTexts writes the texts of a table.
func (t *table) writeTexts(w *bufio.Writer) {
	for _, j := range t.textColumns() {
		texts := slices.Sorted(maps.Values(t.textsOf(j)))
		w.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(texts)))) // the writer keeps its error for Flush
		for _, text := range texts {
			w.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(text))))
			w.WriteString(text)
		}
	}
}

// textColumns are the features that are texts.
func (t *table) textColumns() (out []int) {
	for j, i := range t.schema.s.features {
		if t.schema.s.cols[i].Kind == KindText {
			out = append(out, j)
		}
	}
	return out
}

// textsOf are the texts of the cells of a column, by their codes.
func (t *table) textsOf(j int) map[float64]string {
	known := t.schema.s.cols[t.schema.s.features[j]].parts().texts.table()
	known.mu.RLock()
	defer known.mu.RUnlock()
	out := map[float64]string{}
	t.columns[j].each(t.rows, func(code float64) bool {
		if !math.IsNaN(code) {
			out[code] = known.at[code]
		}
		return true
	})
	return out
}

// readTexts reads the texts behind the cells, each of which a loader would take, and reports whether they are those of the cells. Only then the
// columns know them: what a file of the cache claims says nothing to a column before.
func (t *table) readTexts(data []byte) bool {
	all := map[int]map[float64]string{}
	for _, j := range t.textColumns() {
		if len(data) < 8 {
			return false
		}
		n := binary.LittleEndian.Uint64(data)
		if data = data[8:]; n > uint64(len(data)/3) { // a text is a byte long at least
			return false
		}
		of := make(map[float64]string, n)
		for last := ""; n > 0; n-- {
			if len(data) < 2 {
				return false
			}
			size := int(binary.LittleEndian.Uint16(data))
			if data = data[2:]; size > len(data) || size > mostText {
				return false
			}
			text := string(data[:size])
			if data = data[size:]; text <= last || strings.TrimSpace(text) != text || validateLevel(text) != nil {
				return false
			}
			code := TextCode(text)
			if _, two := of[code]; two {
				return false
			}
			of[code], last = text, text
		}
		used := make(map[float64]bool, len(of))
		missing := t.schema.s.cols[t.schema.s.features[j]].Missing
		good := t.columns[j].each(t.rows, func(code float64) bool {
			if math.IsNaN(code) {
				return missing
			}
			_, ok := of[code]
			used[code] = true
			return ok
		})
		if !good || len(used) < len(of) {
			return false
		}
		all[j] = of
	}
	if len(data) > 0 {
		return false
	}
	for j, of := range all {
		for code, text := range of {
			if !t.schema.s.cols[t.schema.s.features[j]].parts().texts.keep(code, []byte(text)) {
				return false
			}
		}
	}
	return true
}

// each calls fn for the first n cells of a column until it returns false, and reports whether it never did.
func (c *cells) each(n int, fn func(v float64) bool) bool {
	var values [blockRows]float64
	for first := 0; first < n; first += blockRows {
		k := min(blockRows, n-first)
		c.read(values[:], 1, first, k)
		for _, v := range values[:k] {
			if !fn(v) {
				return false
			}
		}
	}
	return true
}

// rowsKeep reports whether the cells of each row fit one another: those of blocks, and the person's period the row's day.
func (t *table) rowsKeep() bool {
	blocks, stamp := newBlockCheck(t.schema), t.schema.stamper()
	if len(blocks.members) == 0 && stamp == nil {
		return true
	}
	b := newBlock(t.schema, blockRows)
	for first := 0; first < t.rows; first += blockRows {
		t.read(b, first, min(blockRows, t.rows-first))
		for i := range b.Rows {
			if !blocks.ok(b.Row(i)) {
				return false
			}
			if stamp == nil {
				continue
			}
			r := rowValues{x: b.Row(i), person: b.Person[i]}
			if stamp(&r); r.person != b.Person[i] {
				return false
			}
		}
	}
	return true
}
