package frames

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ARFFDraft is what an ARFF header says about a schema, before a person completes it.
type ARFFDraft struct {
	// Columns are the attributes in order: nominal ones as categories with the header's levels,
	// numeric ones with bounds [0, 0], which no schema accepts, strings and dates as Ignored: a header has no first and last
	// day, which [Date] wants.
	// None may miss and none is a label, since the header does not tell.
	Columns []Column
}

// ARFFSchema reads the header of a file, and no row, into a draft of its schema. The header has
// no bounds: [ARFFDraft.With] takes them, from the codebook and not from the rows. Beware of
// converted files: a converter that listed the levels that occur wrote private facts into the header.
func ARFFSchema(path string, o ARFFOptions) (ARFFDraft, error) {
	var d ARFFDraft
	if err := validateMaxRecord(o.MaxRecord); err != nil {
		return d, err
	}
	err := withFiles([]string{path}, func(files []io.Reader) error {
		text, err := unpack(files[0], path)
		if err != nil {
			return err
		}
		rr, err := newRecordReader(text, CSVOptions{MaxRecord: o.MaxRecord})
		if err != nil {
			return &LoadError{Name: path, Problems: []error{err}}
		}
		attrs, err := readARFFHeader(rr, maxColumns, true)
		if errors.Is(err, ErrHeader) || errors.Is(err, ErrEmpty) || errors.Is(err, ErrLimit) {
			return &LoadError{Name: path, Problems: []error{err}, LoneCR: rr.cr}
		}
		if err != nil {
			return fmt.Errorf("frames: %s: read after line %d: %w", path, rr.line, err)
		}
		d.Columns = make([]Column, len(attrs))
		for i, a := range attrs {
			d.Columns[i] = a.column()
		}
		return nil
	})
	return d, err
}

func (a arffAttribute) column() Column {
	switch a.kind {
	case arffNumeric:
		return Numeric(a.name, 0, 0)
	case arffNominal:
		return Category(a.name, a.levels...)
	}
	return Ignored(a.name)
}

// Unbounded returns the names of the numeric columns that still lack bounds.
func (d ARFFDraft) Unbounded() []string {
	var names []string
	for _, c := range d.Columns {
		if c.Kind == KindNumeric && c.Lo == 0 && c.Hi == 0 {
			names = append(names, c.Name)
		}
	}
	return names
}

// With replaces columns by those of the same name and returns the schema. The error wraps
// [ErrSchema] and names every numeric column that still lacks bounds.
func (d ARFFDraft) With(cols ...Column) (Schema, error) {
	out := ARFFDraft{slices.Clone(d.Columns)}
	for _, c := range cols {
		i := slices.IndexFunc(out.Columns, func(o Column) bool { return o.Name == c.Name })
		if i < 0 {
			return Schema{}, fmt.Errorf("frames: ARFF draft: column %q is none of the header's %d attributes, want one of them: fix the name: %w", c.Name, len(out.Columns), ErrSchema)
		}
		out.Columns[i] = c
	}
	if names := out.Unbounded(); len(names) > 0 {
		return Schema{}, fmt.Errorf("frames: ARFF draft: %s without bounds: %s, want public bounds, which an ARFF header does not hold: pass Numeric(name, lo, hi), Unbounded(name) or Ignored(name) for each: %w", count(len(names), "numeric column"), strings.Join(names, ", "), ErrSchema)
	}
	return NewSchema(out.Columns...)
}
