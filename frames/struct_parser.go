package frames

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// structParser reads the fields of a struct as the cells of a row.
type structParser struct {
	rowParser
	fields []structField
}

// structField is the field of one column.
type structField struct {
	name string // in the program
	col  int    // of the schema
	path []int  // as reflect's FieldByIndex has it
	kind reflect.Type

	marked bool    // the tag names a marker of missing cells
	marker float64 // that of a column of numbers; of others the column's cellParser has it
}

func newStructParser(s Schema, of reflect.Type) (*structParser, error) {
	bad := func(sentinel error, format string, args ...any) error {
		return fmt.Errorf("frames: rows of type %s: %s: %w", of, fmt.Sprintf(format, args...), sentinel)
	}
	st := of
	if st.Kind() == reflect.Pointer {
		st = st.Elem()
	}
	if st.Kind() != reflect.Struct {
		return nil, bad(ErrOptions, "want a struct whose fields have tags such as `dpnb:\"age\"`, or a pointer to one")
	}
	markers := map[string][]string{}
	p := &structParser{}
	taken := map[string]string{}
	for _, f := range reflect.VisibleFields(st) {
		tag, ok := f.Tag.Lookup("dpnb")
		if !ok || tag == "-" {
			continue
		}
		name, option, has := strings.Cut(tag, ",")
		marker, spelled := strings.CutPrefix(option, "missing=")
		switch {
		case has && !spelled:
			return nil, bad(ErrOptions, "field %s: got the tag %q, want the column's name and at most \",missing=\" with a marker: fix the tag", f.Name, tag)
		case !f.IsExported():
			return nil, bad(ErrOptions, "field %s has a tag and is not exported: begin its name with a capital letter", f.Name)
		case len(f.Index) > 1 && behindPointer(st, f.Index):
			return nil, bad(ErrOptions, "field %s stands in a struct that is embedded by pointer, want it embedded by value", f.Name)
		case taken[name] != "":
			return nil, bad(ErrHeader, "fields %s and %s are both column %q: drop one tag", taken[name], f.Name, name)
		}
		col, ok := -1, false
		if s.s != nil {
			col, ok = s.s.byName[name]
		}
		if !ok {
			return nil, bad(ErrHeader, "field %s is column %q, which is none of the schema's: declare the column, Ignored if nothing reads it, or drop the tag", f.Name, name)
		}
		taken[name] = f.Name
		c := &s.s.cols[col]
		if c.Kind == KindIgnored {
			continue
		}
		field := structField{name: f.Name, col: col, path: f.Index, kind: f.Type, marked: spelled}
		if field.kind.Kind() == reflect.Pointer {
			field.kind = field.kind.Elem()
		}
		if err := field.fits(c); err != nil {
			return nil, bad(ErrOptions, "field %s of type %s: %v", f.Name, f.Type, err)
		}
		if spelled {
			markers[name] = []string{marker}
			if number := !c.classes() && c.Kind != KindPerson && c.Kind != KindText && field.kind.Kind() != reflect.String; number {
				if field.marker, ok = parseNumber([]byte(marker)); !ok {
					return nil, bad(ErrOptions, "field %s: got the marker %q of a field of numbers, want a number", f.Name, marker)
				}
			}
		}
		p.fields = append(p.fields, field)
	}
	var err error
	if p.rowParser, err = newRowParser("rows", s, CSVOptions{Missing: []string{}, MissingIn: markers}); err != nil {
		return nil, err
	}
	var lacking short
	for _, c := range s.s.cols {
		if c.Kind != KindIgnored && taken[c.Name] == "" {
			lacking.add("%q", c.Name)
		}
	}
	if lacking.n > 0 {
		return nil, bad(ErrHeader, "no field has the tag of %s: add `dpnb:\"name\"` to their fields", lacking.join(", "))
	}
	return p, nil
}

// behindPointer reports whether a field's way leads through a pointer, which may be nil.
func behindPointer(t reflect.Type, path []int) bool {
	for _, i := range path[:len(path)-1] {
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}

var timeType = reflect.TypeFor[time.Time]()

// fits says why no value of the field can be a cell of the column.
func (f structField) fits(c *Column) error {
	named := c.classes() || c.Kind == KindPerson || c.Kind == KindText
	switch k := f.kind.Kind(); {
	case c.IsDate() && f.kind == timeType && f.marked:
		return fmt.Errorf("drop the marker: the zero time is a missing cell")
	case c.IsDate() && (f.kind == timeType || k == reflect.String):
		return nil
	case c.IsDate():
		return fmt.Errorf("want a time.Time, or a string as the column writes days")
	case k == reflect.String, k == reflect.Bool, isInteger(k):
		return nil
	case k == reflect.Float32, k == reflect.Float64:
		if !named {
			return nil
		}
		return fmt.Errorf("want text or an integer for a %s of levels: a float has many spellings", c.Kind)
	}
	if named {
		return fmt.Errorf("want a string, an integer or a bool, or a pointer to one")
	}
	return fmt.Errorf("want an integer, a float, a bool or a string, or a pointer to one")
}

func isInteger(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Uintptr }

// row parses the fields into p.x, p.y and p.person, or reports what is wrong with them.
func (p *structParser) row(v reflect.Value, row int) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			p.errs.add(ErrMissing, func() error {
				return &CellError{Row: row, Err: fmt.Errorf("%w: got a nil pointer, want a row", ErrMissing)}
			})
			return
		}
		v = v.Elem()
	}
	ok := true
	for i := range p.fields {
		f := &p.fields[i]
		x, wrong := f.cell(v.FieldByIndex(f.path), p.cells[f.col])
		if wrong == fine {
			p.set(f.col, x)
			continue
		}
		ok = false
		c := p.cells[f.col]
		p.errs.add(c.sentinel(wrong), func() error {
			return &CellError{Row: row, Column: c.col.Name, Err: fmt.Errorf("%w; the field is %s of type %s", c.explain(wrong), f.name, f.kind)}
		})
	}
	if ok && !p.blocks.ok(p.x) {
		p.errs.add(ErrBounds, func() error {
			return &CellError{Row: row, Err: fmt.Errorf("%w: %s", ErrBounds, p.blocks.explain(p.x))}
		})
	}
}

// cell is the value of a field.
func (f *structField) cell(v reflect.Value, p *cellParser) (float64, fault) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return p.absent()
		}
		v = v.Elem()
	}
	if p.col.IsDate() && f.kind == timeType {
		t := v.Interface().(time.Time)
		if t.IsZero() {
			return p.absent()
		}
		return p.onDay(t)
	}
	named := p.codes != nil || p.seen != nil || p.col.Kind == KindPerson
	var number float64
	switch k := v.Kind(); {
	case k == reflect.String:
		return p.parse([]byte(v.String()))
	case named && k == reflect.Bool:
		return p.parse(strconv.AppendBool(nil, v.Bool()))
	case named && v.CanInt():
		return p.parse(strconv.AppendInt(nil, v.Int(), 10))
	case named:
		return p.parse(strconv.AppendUint(nil, v.Uint(), 10))
	case k == reflect.Bool:
		if v.Bool() {
			number = 1
		}
	case v.CanInt():
		number = float64(v.Int())
	case v.CanUint():
		number = float64(v.Uint())
	default:
		number = v.Float()
	}
	if math.IsNaN(number) || f.marked && number == f.marker {
		return p.absent()
	}
	return p.number(number)
}

// onDay is the value of a time in a column of dates: its day, as its own zone has it.
func (p *cellParser) onDay(t time.Time) (float64, fault) {
	year, month, day := t.Date()
	if year < 1 || year > 9999 {
		return 0, faultDate
	}
	return p.number(float64(dayNumber(year, int(month), day) - p.days.since))
}
