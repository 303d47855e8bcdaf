package frames

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
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
	at := map[int]int{} // column -> field, from 1
	var extra []int
	var problems []string
	spaced := 0
	for i, field := range fields {
		if trim {
			field = trimSpace(field)
		}
		col, ok := p.schema.s.byName[string(field)]
		if !ok {
			targets[i] = -1
			extra = append(extra, i+1)
			if near := p.nearName(field); near != "" {
				problems = append(problems, fmt.Sprintf("field %d is %q up to case and space", i+1, near))
				if string(bytes.TrimSpace(field)) == near {
					spaced++
				}
			}
			continue
		}
		if first, dup := at[col]; dup {
			problems = append(problems, fmt.Sprintf("fields %d and %d are both %q", first, i+1, p.schema.s.cols[col].Name))
		}
		at[col] = i + 1
		targets[i] = col
	}
	var lacking []string
	for i, c := range p.schema.s.cols {
		if _, ok := at[i]; !ok && c.Kind != KindIgnored {
			lacking = append(lacking, fmt.Sprintf("%q", c.Name))
		}
	}
	if len(lacking) > 0 {
		problems = append(problems, "no field is named "+shorten(lacking))
	}
	if len(extra) > 0 {
		texts := make([]string, len(extra))
		for i, n := range extra {
			texts[i] = fmt.Sprint(n)
		}
		problems = append(problems, count(len(extra), "field")+" not in the schema, at position "+shorten(texts))
	}
	if len(problems) == 0 {
		return targets, nil
	}
	fix := "rename the columns, declare extra ones Ignored"
	switch {
	case spaced > 0 && spaced == len(extra):
		fix = "set TrimSpace"
	case spaced > 0:
		fix = "set TrimSpace, " + fix
	}
	return nil, fmt.Errorf("%w: got %s, want the schema's %s: %s: %s", ErrHeader, count(len(fields), "field"), count(p.schema.Len(), "column"), strings.Join(problems, "; "), fix)
}

// anyName reports whether a field is a column's name, up to case and space.
func (p *rowParser) anyName(fields [][]byte) bool {
	return slices.ContainsFunc(fields, func(f []byte) bool { return p.nearName(f) != "" })
}

// shorten lists at most ten texts.
func shorten(texts []string) string {
	if len(texts) > maxProblems {
		return fmt.Sprintf("%s and %d more", strings.Join(texts[:maxProblems], ", "), len(texts)-maxProblems)
	}
	return strings.Join(texts, ", ")
}

// nearName returns the schema's name that the field equals up to case and space, if any.
func (p *rowParser) nearName(field []byte) string {
	for _, c := range p.schema.s.cols {
		if strings.EqualFold(string(bytes.TrimSpace(field)), strings.TrimSpace(c.Name)) {
			return c.Name
		}
	}
	return ""
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
	o.Comment = 0
	rr, err := newRecordReader(bytes.NewReader(line), o)
	if err != nil {
		return nil, false
	}
	fields, err := rr.next()
	return fields, err == nil
}
