package frames

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// arffAttribute is one @attribute line.
type arffAttribute struct {
	name   string
	kind   arffKind
	levels []string // of a nominal attribute; the first one, where the others are not asked for
}

type arffKind uint8

const (
	arffNumeric arffKind = iota // numeric, real, integer
	arffNominal
	arffText // string, date
)

// omitted is the value that a sparse row means where it names none, and whether it is quoted.
func (a arffAttribute) omitted() ([]byte, bool) {
	switch {
	case a.kind == arffNumeric:
		return []byte{'0'}, true
	case a.kind == arffNominal && len(a.levels) > 0:
		return []byte(a.levels[0]), true
	}
	return []byte{'?'}, false // Weka's first string is a dummy
}

// readARFFHeader reads up to and with the @data line, with all levels if they are asked for. What is
// wrong with the header wraps ErrHeader, ErrEmpty or ErrLimit and names lines only.
func readARFFHeader(rr *recordReader, most int, all bool) ([]arffAttribute, error) {
	var attrs []arffAttribute
	size, levels := 0, 0
	for {
		line, err := rr.readLine()
		if errors.Is(err, io.EOF) {
			if rr.line == 0 {
				return nil, fmt.Errorf("the file is empty, want an ARFF header: check the path: %w", ErrEmpty)
			}
			return nil, fmt.Errorf("%w: got no @data line, want one after the attributes: check the file", ErrHeader)
		}
		if err != nil {
			return nil, err
		}
		if line = trimSpace(line); len(line) == 0 || line[0] == '%' {
			continue
		}
		keyword, rest := cutWord(line)
		switch strings.ToLower(string(keyword)) {
		case "@relation":
		case "@attribute":
			if size += len(line); size > rr.limit {
				return nil, &CellError{Line: rr.line, Err: fmt.Errorf("header %w of %d bytes: check the file, or raise MaxRecord", ErrLimit, rr.limit)}
			}
			a, err := parseARFFAttribute(rest, all)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", rr.line, err)
			}
			levels += len(a.levels)
			if len(attrs) == most || levels > maxHeaderLevels && all {
				return nil, &CellError{Line: rr.line, Err: fmt.Errorf("header %w of %d attributes or %d levels: check the file, or declare the columns", ErrLimit, most, maxHeaderLevels)}
			}
			attrs = append(attrs, a)
		case "@data":
			if len(attrs) == 0 {
				return nil, fmt.Errorf("%w: line %d starts the data, want @attribute lines before it: check the file", ErrHeader, rr.line)
			}
			return attrs, nil
		default:
			return nil, fmt.Errorf("%w: line %d is none of @relation, @attribute, @data, comment, blank: check that this is an ARFF file", ErrHeader, rr.line)
		}
	}
}

// parseARFFAttribute reads what follows the keyword: name and type, with all levels or the first.
func parseARFFAttribute(b []byte, all bool) (arffAttribute, error) {
	var name []byte
	if len(b) > 0 && (b[0] == '\'' || b[0] == '"') {
		var ok bool
		if name, b, ok = cutARFFQuoted(b); !ok {
			return arffAttribute{}, fmt.Errorf("%w: the quotes of the attribute's name are not closed: close them", ErrHeader)
		}
	} else {
		n := bytes.IndexAny(b, " \t{")
		if n < 0 {
			n = len(b)
		}
		name, b = b[:n], b[n:]
	}
	a := arffAttribute{name: string(name)}
	b = trimSpace(b)
	if len(b) > 0 && b[0] == '{' {
		a.kind = arffNominal
		levels, err := parseARFFLevels(b[1:], all)
		a.levels = levels
		return a, err
	}
	word, rest := cutWord(b)
	kind := strings.ToLower(string(word))
	switch kind {
	case "numeric", "real", "integer":
		a.kind = arffNumeric
	case "string", "date":
		a.kind = arffText
	case "relational":
		return a, fmt.Errorf("%w: a relational attribute holds tables, want one value per cell: unfold it before loading", ErrHeader)
	default:
		return a, fmt.Errorf("%w: the attribute's type is none of numeric, real, integer, string, date, {levels}: fix the line", ErrHeader)
	}
	if len(rest) > 0 && rest[0] != '%' && kind != "date" { // a date may name its format
		return a, fmt.Errorf("%w: something follows the attribute's type, want nothing: drop it", ErrHeader)
	}
	return a, nil
}

// parseARFFLevels reads what follows the opening brace of {a, b, …}, and returns all levels or the first.
func parseARFFLevels(b []byte, all bool) ([]string, error) {
	list, after, ok := cutBrace(b)
	if !ok || len(after) > 0 && after[0] != '%' {
		return nil, fmt.Errorf("%w: want the levels in one pair of braces and nothing behind it: fix the line", ErrHeader)
	}
	var levels []string
	for n, more := 1, true; more; n++ {
		var v arffValue
		var err error
		if v, list, more, err = nextARFFValue(list, ','); err != nil {
			return nil, fmt.Errorf("%w: level %d: %w", ErrHeader, n, err)
		}
		if all && n <= maxHeaderLevels+1 || n == 1 {
			levels = append(levels, string(v.text))
		}
	}
	return levels, nil
}
