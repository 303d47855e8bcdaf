package ledger

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// binding is what a version of the dataset is bound to: its number of rows, and a keyed fingerprint of each
// column that a release has read.
type binding struct {
	Rows    int               `json:"rows"`
	Columns map[string]string `json:"columns"`
}

// with is b and what was bound now.
func (b binding) with(now binding) binding {
	all := binding{Rows: now.Rows, Columns: maps.Clone(b.Columns)}
	if all.Columns == nil {
		all.Columns = map[string]string{}
	}
	maps.Copy(all.Columns, now.Columns)
	return all
}

// takes says why a charge may not bind b to now: it tells what is new, once.
func (b binding) takes(now binding) error {
	if now.Rows < 1 || b.Rows != 0 && b.Rows != now.Rows || len(now.Columns) == 0 {
		return errors.New("a charge that binds other rows, or nothing")
	}
	for name, sum := range now.Columns {
		if _, known := b.Columns[name]; known || checkColumn(name) != nil || !isHex(sum, 64) {
			return errors.New("a charge that binds a column again, or to no fingerprint")
		}
	}
	return nil
}

// news is what a release of r's columns would bind beyond b.
func (b binding) news(r Request) *binding {
	now := binding{Rows: r.Rows, Columns: map[string]string{}}
	for name, sum := range r.Columns {
		if _, known := b.Columns[name]; !known {
			now.Columns[name] = sum
		}
	}
	if len(now.Columns) == 0 {
		return nil
	}
	return &now
}

func checkColumn(name string) error {
	if name == "" {
		return errors.New("ledger: request: columns: got an empty name, want the column's, or a hash of it")
	}
	return checkText("request: columns: name", name)
}

// validateData checks how a release names its rows.
func (r Request) validateData() error {
	digits := func(what, s string) error {
		return fmt.Errorf("ledger: request: %s: got %d characters, want the 64 hexadecimal digits of a fingerprint under the ledger's Key", what, len(s))
	}
	if r.Data != "" && !isHex(r.Data, 64) {
		return digits("data", r.Data)
	}
	for _, d := range r.OldData {
		if !isHex(d, 64) {
			return digits("old data", d)
		}
	}
	for name, sum := range r.Columns {
		if err := checkColumn(name); err != nil {
			return err
		}
		if !isHex(sum, 64) {
			return digits("columns", sum)
		}
	}
	told := r.Data != "" || r.Columns != nil
	switch {
	case r.Data != "" && r.Columns != nil:
		return errors.New("ledger: request: data: got a fingerprint of all rows and of columns, want one of them")
	case (r.Rows > 0) != (r.Columns != nil) || r.Rows < 0:
		return fmt.Errorf("ledger: request: rows: got %d with %d columns, want the number of rows where columns are told, be it none, and 0 elsewhere", r.Rows, len(r.Columns))
	case len(r.OldData) > 0 && !told:
		return errors.New("ledger: request: old data: got some without data, want both: they are earlier forms of it")
	case r.Version != "" && !told:
		return errors.New("ledger: request: version: got one without data, want both: a version is bound to a fingerprint")
	}
	return nil
}

// on reports whether data is a fingerprint of r's rows, now or in an earlier form.
func (r Request) on(data string) bool { return r.Data == data || slices.Contains(r.OldData, data) }

// differs says in which way r is on other data than its version is bound to; "" if it is not.
func (h *history) differs(r Request) string {
	first := "its first release"
	if r.Version != "" {
		first = fmt.Sprintf("the first release of version %q", r.Version)
	}
	whole := h.data[r.Version]
	if r.Data != "" && whole != "" && !r.on(whole) {
		return "the rows or the schema (columns, bounds, levels) differ from those of " + first
	}
	if r.Columns == nil {
		return ""
	}
	b := h.binds[r.Version]
	if b.Rows != 0 && b.Rows != r.Rows {
		return fmt.Sprintf("the number of rows, %d, differs from the %d of %s", r.Rows, b.Rows, first)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Columns)) {
		if known, ok := b.Columns[name]; ok && known != r.Columns[name] {
			return fmt.Sprintf("the cells or the declaration of column %q differ from those of the first release that read it", name)
		}
	}
	// The fingerprint of all rows is what a column that was not bound by itself is bound by.
	if whole != "" && b.news(r) != nil && !r.on(whole) {
		return "the rows or the schema (columns, bounds, levels) differ from those of " + first
	}
	return ""
}
