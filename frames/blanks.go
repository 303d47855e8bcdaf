package frames

import "bytes"

// splitBlanks splits a line at runs of blanks and tabs into rr.fields.
func (rr *recordReader) splitBlanks(line []byte) error {
	rr.fields = rr.fields[:0]
	for {
		line = skipBlanks(line)
		if len(line) == 0 {
			return nil
		}
		if line[0] == '"' {
			field, rest, ok := rr.blankQuoted(line[1:])
			if !ok {
				return ErrQuote
			}
			rr.fields = append(rr.fields, field)
			line = rest
			continue
		}
		field, rest := cutWord(line)
		if bytes.IndexByte(field, '"') >= 0 {
			return ErrQuote
		}
		rr.fields = append(rr.fields, field)
		line = rest
	}
}

// blankQuoted returns the field behind an opening quote and the rest of the line behind it. A
// field without doubled quotes is not copied.
func (rr *recordReader) blankQuoted(line []byte) (field, rest []byte, ok bool) {
	n := bytes.IndexByte(line, '"')
	if n < 0 {
		return nil, nil, false
	}
	field, rest = line[:n], line[n+1:]
	for len(rest) > 0 && rest[0] == '"' {
		if n = bytes.IndexByte(rest[1:], '"'); n < 0 {
			return nil, nil, false
		}
		field = append(field[:len(field):len(field)], rest[:n+1]...) // copies: the line stays whole
		rest = rest[n+2:]
	}
	return field, rest, len(rest) == 0 || isBlank(rest[0])
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func skipBlanks(b []byte) []byte {
	for len(b) > 0 && isBlank(b[0]) {
		b = b[1:]
	}
	return b
}

// cutWord returns the text before the first blank, and what follows the blanks.
func cutWord(b []byte) (word, rest []byte) {
	n := 0
	for n < len(b) && !isBlank(b[n]) {
		n++
	}
	return b[:n], skipBlanks(b[n:])
}
