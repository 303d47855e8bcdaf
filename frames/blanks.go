package frames

import "bytes"

// splitBlanks splits a line at runs of blanks and tabs into rr.fields.
func (rr *recordReader) splitBlanks(line []byte) error {
	rr.fields, rr.extra = rr.fields[:0], 0
	for {
		line = skipBlanks(line)
		if len(line) == 0 {
			return nil
		}
		var field []byte
		if line[0] == '"' {
			var ok bool
			if field, line, ok = rr.blankQuoted(line[1:]); !ok {
				return ErrQuote
			}
		} else if field, line = cutWord(line); bytes.IndexByte(field, '"') >= 0 {
			return ErrQuote
		}
		if len(rr.fields) < rr.keep {
			rr.fields = append(rr.fields, field)
		} else {
			rr.extra++
		}
	}
}

// blankQuoted returns the field behind an opening quote and the rest of the line behind it. A
// field without doubled quotes is not copied.
func (rr *recordReader) blankQuoted(line []byte) (field, rest []byte, ok bool) {
	n := bytes.IndexByte(line, '"')
	if n < 0 {
		return nil, nil, false
	}
	field, rest = line[:n:n], line[n+1:] // no room to append: the line stays whole
	for len(rest) > 0 && rest[0] == '"' {
		if n = bytes.IndexByte(rest[1:], '"'); n < 0 {
			return nil, nil, false
		}
		field = append(field, rest[:n+1]...)
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
