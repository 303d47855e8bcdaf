package models

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// table is what a gota DataFrame is, whose cells are nil where they are missing.
type table interface {
	Names() []string
	Nrow() int
	Maps() []map[string]any
}

// broken reports a DataFrame that carries an error, which may repeat a cell: it has neither rows nor columns.
func broken(df table) bool { return df.Nrow() == 0 && len(df.Names()) == 0 }

// feedOf holds rows as people have them to the model's schema.
func (m *Reader) feedOf(ctx context.Context, rows any) (feed, error) {
	switch rows := rows.(type) {
	case *frames.PublicFrame:
		return opened(rows)
	case *frames.Frame, frames.Frame:
		return feed{}, fmt.Errorf("dpkit: predict: got a frame of private rows, whose predictions are private: open rows that are public with frames.Public: %w", frames.ErrPrivate)
	case table:
		return m.tabled(ctx, rows)
	}
	v := reflect.ValueOf(rows)
	if k := v.Kind(); k != reflect.Slice && k != reflect.Array {
		return feed{}, fmt.Errorf("dpkit: predict: got %T, want a slice of rows (maps by column or structs), a gota DataFrame or a frame of frames.Public; of one row call PredictRow: %w", rows, kind.ErrParameter)
	}
	return m.gather(ctx, v.Len(), func(i int) any { return v.Index(i).Interface() })
}

// feedOfOne is [Reader.feedOf] for one row.
func (m *Reader) feedOfOne(ctx context.Context, row any) (feed, error) {
	switch row.(type) {
	case *frames.PublicFrame, *frames.Frame, frames.Frame, table:
		in, err := m.feedOf(ctx, row)
		if err == nil && in.rows != 1 {
			return feed{}, fmt.Errorf("dpkit: predict: got %d rows, want 1: call PredictRows: %w", in.rows, kind.ErrParameter)
		}
		return in, err
	}
	if k := reflect.ValueOf(row).Kind(); k == reflect.Slice || k == reflect.Array {
		return feed{}, fmt.Errorf("dpkit: predict: got %T, want one row with its columns' names, a map or a struct: call PredictRows for many: %w", row, kind.ErrParameter)
	}
	return m.gather(ctx, 1, func(int) any { return row })
}

// tabled holds a gota DataFrame to the model's schema.
func (m *Reader) tabled(ctx context.Context, df table) (feed, error) {
	if broken(df) {
		return feed{}, fmt.Errorf("dpkit: predict: got a DataFrame without columns, want one that loaded: look at its Err: %w", kind.ErrParameter)
	}
	names := df.Names()
	for _, c := range m.Inputs().Columns() {
		if !slices.Contains(names, c.Name) {
			return feed{}, fmt.Errorf("dpkit: predict: got a DataFrame without column %q%s: %w", c.Name, similar(c.Name, names), stage.ErrColumn)
		}
	}
	rows := df.Maps()
	return m.gather(ctx, len(rows), func(i int) any { return rows[i] })
}

// gather makes a block of n rows as people have them.
func (m *Reader) gather(ctx context.Context, n int, row func(i int) any) (feed, error) {
	features, used := m.Schema.Features(), m.used()
	b := &frames.Block{Rows: n, Cols: len(features), X: make([]float64, 0, n*len(features))}
	for i := range n {
		if i%1024 == 0 && ctx.Err() != nil {
			return feed{}, fmt.Errorf("dpkit: predict: stopped at row %d: %w", i+1, ctx.Err())
		}
		r, err := rowOf(row(i))
		if err != nil {
			return feed{}, fmt.Errorf("dpkit: predict: row %d: %w", i+1, err)
		}
		found := false
		for j, c := range features {
			if !used[j] {
				b.X = append(b.X, inside(c))
				continue
			}
			x, ok := r.cell(c.Name)
			v := math.NaN()
			if ok {
				found = true
				v, err = number(c, x)
			} else {
				err = r.absent(c)
			}
			if err != nil {
				return feed{}, fmt.Errorf("dpkit: predict: row %d: column %q: %w", i+1, c.Name, err)
			}
			b.X = append(b.X, v)
		}
		if !found && len(features) > 0 {
			return feed{}, fmt.Errorf("dpkit: predict: row %d: got none of the model's columns, want %s: %w", i+1, namesOf(m.Inputs()), stage.ErrColumn)
		}
	}
	return feed{m.Schema, n, func(_ context.Context, fn func(*frames.Block) error) error { return fn(b) }}, nil
}

// record is one row as people have it: cells by name.
type record struct {
	names func() []string
	cell  func(name string) (any, bool)
	fixed bool // the names are those of a type: a column that it lacks is a mistake
}

// rowOf reads a map by the names of columns, or a struct.
func rowOf(row any) (record, error) {
	v := reflect.ValueOf(row)
	for (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && !v.IsNil() {
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		return record{
			names: func() []string {
				var names []string
				for _, k := range v.MapKeys() {
					names = append(names, k.String())
				}
				slices.Sort(names)
				return names
			},
			cell: func(name string) (any, bool) {
				x := v.MapIndex(reflect.ValueOf(name).Convert(v.Type().Key()))
				if !x.IsValid() {
					return nil, false
				}
				return x.Interface(), true
			},
		}, nil
	case v.Kind() == reflect.Struct:
		return structRow(v), nil
	}
	return record{}, fmt.Errorf("got %T, want a map by the names of columns, such as map[string]any, or a struct: %w", row, kind.ErrParameter)
}

// rowTags are the tags that name the column of a field, the first that is there.
var rowTags = []string{"dpkit", "json", "dataframe"}

// structRow reads the exported fields of a struct, those of embedded structs too.
func structRow(v reflect.Value) record {
	at, loose := map[string][]int{}, map[string][]int{}
	var names []string
fields:
	for _, f := range reflect.VisibleFields(v.Type()) {
		if !f.IsExported() {
			continue
		}
		name := f.Name
		for _, tag := range rowTags {
			if t, _, _ := strings.Cut(f.Tag.Get(tag), ","); t == "-" {
				continue fields
			} else if t != "" {
				name = t
				break
			}
		}
		names = append(names, name)
		if _, taken := at[name]; !taken {
			at[name] = f.Index
		}
		if _, taken := loose[strings.ToLower(name)]; taken {
			loose[strings.ToLower(name)] = nil // which is meant?
		} else {
			loose[strings.ToLower(name)] = f.Index
		}
	}
	return record{
		names: func() []string { return names },
		cell: func(name string) (any, bool) {
			index, ok := at[name]
			if !ok {
				index = loose[strings.ToLower(name)]
			}
			if index == nil {
				return nil, false
			}
			f, err := v.FieldByIndexErr(index)
			if err != nil {
				return nil, true // of an embedded struct that is nil
			}
			return f.Interface(), true
		},
		fixed: true,
	}
}

// absent reports a column that the row lacks, where that is a mistake: a map may leave out what may miss.
func (r record) absent(c frames.Column) error {
	names := r.names()
	hint := similar(c.Name, names)
	switch {
	case r.fixed:
		return fmt.Errorf("got a struct without a field of that name%s: name one by the tag `dpkit:%q`: %w", hint, c.Name, stage.ErrColumn)
	case hint != "" || !c.Missing:
		return fmt.Errorf("got a row without it%s: give a value, or null where the cell is missing: %w", hint, stage.ErrColumn)
	}
	return nil
}

// similar names a text of names that is the same but for case, blanks and punctuation.
func similar(name string, names []string) string {
	for _, n := range names {
		if folded(n) == folded(name) && folded(name) != "" {
			return fmt.Sprintf(", but with %q", n)
		}
	}
	return ""
}

func folded(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
