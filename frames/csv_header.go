package frames

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// matchHeader is matchNames for the header of a file.
func (p *csvParser) matchHeader(fields [][]byte) ([]int, error) {
	targets, err := p.matchNames(fields, p.o.TrimSpace)
	if err != nil {
		if !p.anyName(fields) {
			return nil, fmt.Errorf("line %d: no field has a column's name: does the file have a header? If not, unset Header: %w", p.rr.first, err)
		}
		return nil, fmt.Errorf("line %d: %w", p.rr.first, err)
	}
	return targets, nil
}

// matchNames maps fields to columns by name. Its errors name columns of the schema and positions
// among the fields, never a field's own text: that may be a row, if a file has no header.
func (p *rowParser) matchNames(fields [][]byte, trim bool) ([]int, error) {
	targets := make([]int, len(fields))
	at := make([]int, p.schema.Len()) // field of each column, from 1; 0 for none
	var odd, extra, lacking short
	spaced := 0
	for i, field := range fields {
		if trim {
			field = trimSpace(field)
		}
		col, ok := p.schema.s.byName[string(field)]
		if !ok {
			targets[i] = -1
			extra.add("%d", i+1)
			if near := p.nearName(field); near != "" {
				odd.add("field %d is %q up to case and space", i+1, near)
				if string(bytes.TrimSpace(field)) == near {
					spaced++
				}
			}
			continue
		}
		if at[col] > 0 {
			odd.add("fields %d and %d are both %q", at[col], i+1, p.schema.s.cols[col].Name)
		}
		at[col] = i + 1
		targets[i] = col
	}
	beyond := 0 // fields that the reader did not keep
	if p.rr != nil {
		beyond = p.rr.extra
	}
	extra.n += beyond
	for i, c := range p.schema.s.cols {
		if at[i] == 0 && c.Kind != KindIgnored {
			lacking.add("%q", c.Name)
		}
	}
	var problems []string
	if odd.n > 0 {
		problems = append(problems, odd.join("; "))
	}
	if lacking.n > 0 {
		problems = append(problems, "no field is named "+lacking.join(", "))
	}
	if extra.n > 0 {
		problems = append(problems, count(extra.n, "field")+" not in the schema, at position "+extra.join(", "))
	}
	if len(problems) == 0 {
		return targets, nil
	}
	fix := "rename the columns, declare extra ones Ignored"
	switch {
	case spaced > 0 && spaced == extra.n:
		fix = "set TrimSpace"
	case spaced > 0:
		fix = "set TrimSpace, " + fix
	}
	return nil, fmt.Errorf("%w: got %s, want the schema's %s: %s: %s", ErrHeader, count(len(fields)+beyond, "field"), count(p.schema.Len(), "column"), strings.Join(problems, "; "), fix)
}

// short is a list in an error: its first entries are spelled out, the rest are counted.
type short struct {
	first []string
	n     int
}

func (s *short) add(format string, args ...any) {
	if s.n++; s.n <= maxProblems {
		s.first = append(s.first, fmt.Sprintf(format, args...))
	}
}

func (s *short) join(sep string) string {
	text := strings.Join(s.first, sep)
	if more := s.n - len(s.first); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// areNames reports whether every field is a column's name.
func (p *csvParser) areNames(fields [][]byte) bool {
	return !slices.ContainsFunc(fields, func(f []byte) bool {
		if p.o.TrimSpace {
			f = trimSpace(f)
		}
		_, ok := p.schema.s.byName[string(f)]
		return !ok
	})
}

// anyName reports whether a field is a column's name, up to case and space.
func (p *rowParser) anyName(fields [][]byte) bool {
	return slices.ContainsFunc(fields, func(f []byte) bool { return p.nearName(f) != "" })
}

// nearName returns the schema's first name that the field equals up to case and space, if any.
func (p *rowParser) nearName(field []byte) string {
	if p.folded == nil {
		p.folded = make(map[string]string, p.schema.Len())
		for _, c := range p.schema.s.cols {
			if f := fold(strings.TrimSpace(c.Name)); p.folded[f] == "" {
				p.folded[f] = c.Name
			}
		}
	}
	return p.folded[fold(string(bytes.TrimSpace(field)))]
}

// fold gives texts that strings.EqualFold holds equal, and no others, the same form: each character becomes the
// least of those that differ from it in case alone.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, s)
}

// isHeader reports whether the fields are the schema's names in order.
func (p *rowParser) isHeader(fields [][]byte) bool {
	for i, c := range p.schema.s.cols {
		if string(bytes.TrimSpace(fields[i])) != c.Name {
			return false
		}
	}
	return true
}

// splitLine splits one line under other options; false if it is not CSV.
func splitLine(line []byte, o CSVOptions) ([][]byte, bool) {
	o.Comment, o.Encoding = 0, UTF8 // the reader has decoded the line
	rr, err := newRecordReader(bytes.NewReader(line), o)
	if err != nil {
		return nil, false
	}
	fields, err := rr.next()
	return fields, err == nil
}
