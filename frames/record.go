package frames

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// recordReader splits CSV text (RFC 4180) into records of fields. On valid input it yields what
// encoding/csv yields without LazyQuotes (a fuzz test holds them equal); it exists because a
// record without quotes needs no copy and no string, which is most of the cost.
type recordReader struct {
	r       *bufio.Reader
	comma   []byte
	comment []byte // nil for none
	blanks  bool   // runs of blanks separate fields
	trim    bool   // space around quoted fields does not count; lines of spaces are blank
	limit   int    // bytes of a line and of a record
	keep    int    // fields of a record that are kept, at least 1; those beyond are only counted

	text []byte // in place of r; nil: r is read
	at   int    // bytes of it that were read
	ends bool   // nothing follows it
	open bool   // the current record goes on behind it

	line  int    // number of the last line read, from 1
	first int    // line on which the current record starts
	begun int    // where in the text that line starts
	cr    int    // first line with a carriage return that does not end it; 0 for none
	long  []byte // a line longer than the buffer
	head  []byte // the first record's first line, at most guessBytes of it

	size   int // bytes of the current record, if it holds quotes
	fields [][]byte
	extra  int    // number of fields of the current record beyond them
	buf    []byte // text of a record with quotes
	tails  []int  // ends of its fields in buf
	lines  []int  // lines of its fields; empty for a record without quotes
}

// newRecordReader expects checked options. It skips a UTF-8 byte order mark and refuses what
// begins as UTF-16, zip (as spreadsheets do) or gzip (a file packed twice).
func newRecordReader(r io.Reader, o CSVOptions) (*recordReader, error) {
	r = o.Encoding.decode(r)
	rr := &recordReader{r: bufio.NewReaderSize(r, 1<<16), comma: []byte(string(o.comma())), blanks: o.Blanks, limit: maxRecord(o.MaxRecord), keep: maxColumns}
	if o.Comment != 0 {
		rr.comment = []byte(string(o.Comment))
	}
	rr.trim = o.Blanks || o.TrimSpace && o.comma() != ' ' && o.comma() != '\t' // else space is a separator
	switch mark, _ := rr.r.Peek(4); {
	case bytes.HasPrefix(mark, []byte("\xef\xbb\xbf")):
		_, err := rr.r.Discard(3)
		return rr, err
	case bytes.HasPrefix(mark, []byte("\xff\xfe")) || bytes.HasPrefix(mark, []byte("\xfe\xff")):
		return nil, fmt.Errorf("got UTF-16, want UTF-8: set Encoding to UTF16: %w", ErrEncoding)
	case bytes.HasPrefix(mark, []byte("PK\x03\x04")) || bytes.HasPrefix(mark, []byte("\x1f\x8b")):
		return nil, fmt.Errorf("got a spreadsheet or a packed file, want text: save the sheet as CSV, or unpack the file: %w", ErrEncoding)
	}
	return rr, nil
}

// another returns a reader of segments of the same text, without one.
func (rr *recordReader) another() *recordReader {
	return &recordReader{comma: rr.comma, comment: rr.comment, blanks: rr.blanks, trim: rr.trim, limit: rr.limit, keep: rr.keep}
}

// restart goes on with a segment behind so many lines; last says that nothing follows it.
func (rr *recordReader) restart(text []byte, line int, last bool) {
	rr.text, rr.at, rr.line, rr.ends = text, 0, line, last
	rr.first = max(rr.first, 1) // the first record of a text is kept
	if text == nil {
		rr.text = []byte{}
	}
}

// next returns the fields of the next record, valid until the call after: io.EOF at the end,
// ErrQuote for a record that is not CSV (the reader then goes on at the next line), ErrLimit for a
// line or record that is too long (which ends the reading).
func (rr *recordReader) next() ([][]byte, error) {
	rr.open = false
	for {
		at := rr.at
		line, err := rr.readLine()
		if err != nil {
			return nil, err
		}
		if len(line) == 0 || rr.trim && len(trimSpace(line)) == 0 {
			continue
		}
		if rr.comment != nil && bytes.HasPrefix(line, rr.comment) {
			continue
		}
		if rr.first == 0 {
			rr.head = bytes.Clone(line[:min(len(line), guessBytes+1)]) // one more tells a line that goes on
		}
		rr.first, rr.begun, rr.lines = rr.line, at, rr.lines[:0]
		if rr.blanks {
			err := rr.splitBlanks(line)
			return rr.fields, err
		}
		if bytes.IndexByte(line, '"') >= 0 {
			return rr.quoted(line)
		}
		rr.split(line)
		return rr.fields, nil
	}
}

// fieldLine is the line on which field i of the current record starts.
func (rr *recordReader) fieldLine(i int) int {
	if i < len(rr.lines) {
		return rr.lines[i]
	}
	return rr.first
}

func (rr *recordReader) split(line []byte) {
	rr.fields, rr.extra = rr.fields[:0], 0
	if len(rr.comma) == 1 {
		c := rr.comma[0]
		for len(rr.fields) < rr.keep {
			i := bytes.IndexByte(line, c)
			if i < 0 {
				rr.fields = append(rr.fields, line)
				return
			}
			rr.fields = append(rr.fields, line[:i])
			line = line[i+1:]
		}
	} else {
		for len(rr.fields) < rr.keep {
			field, rest, more := bytes.Cut(line, rr.comma)
			rr.fields = append(rr.fields, field)
			if !more {
				return
			}
			line = rest
		}
	}
	rr.extra = 1 + bytes.Count(line, rr.comma)
}

// quoted parses a record that holds quotes; it may go on over several lines.
func (rr *recordReader) quoted(line []byte) ([][]byte, error) {
	rr.buf, rr.tails, rr.extra, rr.size = rr.buf[:0], rr.tails[:0], 0, len(line)
	for more := true; more; {
		if rr.trim {
			line = bytes.TrimLeft(line, " \t\v\f\r\u0085\u00a0")
		}
		start := rr.line
		if len(line) == 0 || line[0] != '"' {
			field, rest, cut := bytes.Cut(line, rr.comma)
			if bytes.IndexByte(field, '"') >= 0 {
				return nil, ErrQuote
			}
			rr.buf = append(rr.buf, field...)
			line, more = rest, cut
		} else {
			var err error
			if line, more, err = rr.quotedField(line[1:]); err != nil {
				return nil, err
			}
		}
		if len(rr.tails) < rr.keep {
			rr.tails, rr.lines = append(rr.tails, len(rr.buf)), append(rr.lines, start)
		} else {
			rr.extra++
		}
	}
	rr.fields = rr.fields[:0]
	start := 0
	for _, end := range rr.tails {
		rr.fields = append(rr.fields, rr.buf[start:end])
		start = end
	}
	return rr.fields, nil
}

// quotedField appends the field after its opening quote to buf and returns the rest of the line
// behind the comma, and whether there is a next field.
func (rr *recordReader) quotedField(line []byte) (rest []byte, more bool, err error) {
	for {
		i := bytes.IndexByte(line, '"')
		if i < 0 {
			rr.buf = append(rr.gather(rr.buf, line), '\n')
			if line, err = rr.readLine(); errors.Is(err, io.EOF) {
				rr.open = rr.text != nil && !rr.ends
				return nil, false, ErrQuote
			} else if err != nil {
				return nil, false, err
			}
			if rr.size += len(line) + 1; rr.size > rr.limit {
				return nil, false, rr.tooLong(rr.first)
			}
			continue
		}
		rr.buf = append(rr.buf, line[:i]...)
		line = line[i+1:]
		if rr.trim { // TrimSpace: space between the closing quote and the comma
			if t := bytes.TrimLeft(line, " "); len(t) == 0 || bytes.HasPrefix(t, rr.comma) {
				line = t
			}
		}
		switch {
		case len(line) == 0:
			return nil, false, nil
		case line[0] == '"':
			rr.buf = append(rr.buf, '"')
			line = line[1:]
		case bytes.HasPrefix(line, rr.comma):
			return line[len(rr.comma):], true, nil
		default:
			return nil, false, ErrQuote
		}
	}
}

// readLine returns the next line without its end (\n or \r\n), valid until the call after.
func (rr *recordReader) readLine() ([]byte, error) {
	line, err := rr.rawLine()
	if err != nil {
		return nil, err
	}
	if len(line) == 0 {
		return nil, io.EOF
	}
	rr.line++
	if line[len(line)-1] == '\n' {
		line = line[:len(line)-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	if rr.cr == 0 && bytes.IndexByte(line, '\r') >= 0 {
		rr.cr = rr.line
	}
	if len(line) > rr.limit {
		return nil, rr.tooLong(rr.line)
	}
	return line, nil
}

// rawLine returns the next line with its end, an empty one at the end of the text.
func (rr *recordReader) rawLine() ([]byte, error) {
	if rr.text != nil {
		line := rr.text[rr.at:]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		rr.at += len(line)
		return line, nil
	}
	line, err := rr.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = rr.readLong(line)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return line, err
}

// readLong gathers a line that begins so and is longer than the buffer, as far as the limit lets it.
func (rr *recordReader) readLong(line []byte) ([]byte, error) {
	rr.long = append(rr.long[:0], line...)
	for {
		part, err := rr.r.ReadSlice('\n')
		rr.long = rr.gather(rr.long, part)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return rr.long, err
		}
		if len(rr.long)-len("\r\n") > rr.limit { // too long whatever follows
			return rr.long, nil
		}
	}
}

// gather appends part to text, which holds hardly more than the limit at any time. Its capacity doubles as far as that: append makes it
// a quarter larger at a time, so that a long line was copied five times into memory that was fresh each time.
func (rr *recordReader) gather(text, part []byte) []byte {
	if n := len(text) + len(part); n > cap(text) {
		size := max(n, 2*n) // the double may overflow
		if rr.limit < size {
			size = max(n, min(size, rr.limit+1<<17)) // with what is read until the limit is seen
		}
		text = append(make([]byte, 0, size), text...)
	}
	return append(text, part...)
}

// validComma reports whether a rune can separate fields (encoding/csv's rule).
func validComma(r rune) bool {
	return r != 0 && r != '"' && r != '\r' && r != '\n' && utf8.ValidRune(r) && r != utf8.RuneError
}
