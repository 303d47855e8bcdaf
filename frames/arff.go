package frames

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// ARFFOptions says what an ARFF file holds beside the format. The zero value: nothing.
type ARFFOptions struct {
	// Missing lists markers of a missing cell beside the format's own "?".
	Missing []string
	// MaxRecord is the number of bytes that a line, and all @attribute lines together, may have; 0 means 64 MiB. What is
	// longer ends the reading with [ErrLimit].
	MaxRecord int
}

// ReadARFF loads an ARFF file (Weka's attribute-relation file format) of private rows into memory
// and holds every cell to the schema, as [ReadCSV] does with the same errors.
//
// Attributes are matched by name: each must be a column of the schema (declare Ignored what is
// not needed), each column that is not ignored must be an attribute. The types of the header do
// not bind the schema: a nominal attribute with the levels 0, 1, 2 may be a numeric column. Read
// are comment lines, keywords in any case, quoted names and values with backslash escapes, CRLF,
// and sparse rows {index value, …}, indices from 0 and ascending, in which an omitted number is 0
// and an omitted nominal value the first level of the header. Commas separate values; blanks and
// tabs around an unquoted value do not count. Refused are relational attributes and weights.
func ReadARFF(path string, s Schema, o ARFFOptions) (*Frame, error) {
	parts, err := partsOf(path, func(name string) (*arffParser, error) { return newARFFParser(name, s, o) })
	if err != nil {
		return nil, err
	}
	return readFiles(path, s, parts...)
}

// ParseARFF is [ReadARFF] from a reader; name stands for the file in errors.
func ParseARFF(r io.Reader, name string, s Schema, o ARFFOptions) (*Frame, error) {
	p, err := newARFFParser(name, s, o)
	if err != nil {
		return nil, err
	}
	return parseReaders(p, s, name, r)
}

// OpenARFF checks the whole file once, as [ReadARFF] does, and returns it as a source.
func OpenARFF(path string, s Schema, o ARFFOptions) (*File, error) {
	o.Missing = append([]string(nil), o.Missing...) // the caller may change its own
	parts, err := partsOf(path, func(name string) (*arffParser, error) { return newARFFParser(name, s, o) })
	if err != nil {
		return nil, err
	}
	return openFiles(path, s, parts...)
}

// arffParser is a csvParser for the records of ARFF, which have other quotes and a sparse form.
type arffParser struct {
	*csvParser
	attrs  []arffAttribute
	sparse [][]byte // scratch for a sparse row
	marks  []bool   // scratch for quoted
}

func newARFFParser(name string, s Schema, o ARFFOptions) (*arffParser, error) {
	p, err := newRecordParser(name, s, arffRecords(o))
	if err != nil {
		return nil, err
	}
	return &arffParser{csvParser: p}, nil
}

func arffRecords(o ARFFOptions) CSVOptions {
	return CSVOptions{TrimSpace: true, Missing: append([]string{"?"}, o.Missing...), MaxRecord: o.MaxRecord}
}

func (p *arffParser) run(files []io.Reader, sink func(*Block) error) error {
	return readText(p, files[0], p.o, sink)
}

func (p *arffParser) begin() (records int, row bool, err error) { return 1, false, p.start() }

func (p *arffParser) next() error {
	for {
		line, err := p.rr.readLine()
		if err != nil {
			return err
		}
		if line = trimSpace(line); len(line) == 0 || line[0] == '%' {
			continue
		}
		p.rr.first = p.rr.line
		if fields, err := p.split(line); err != nil {
			p.errs.add(errors.Unwrap(err), func() error { return &CellError{Line: p.rr.line, Err: err} })
		} else {
			p.row(fields)
		}
		return nil
	}
}

func (p *arffParser) another() textParser {
	return &arffParser{csvParser: p.csvParser.another().(*csvParser), attrs: p.attrs}
}

// start reads the header and matches its attributes.
func (p *arffParser) start() error {
	attrs, err := readARFFHeader(p.rr, max(maxColumns, p.schema.Len()), false)
	if errors.Is(err, ErrHeader) || errors.Is(err, ErrEmpty) {
		return p.fatal(err)
	}
	if err != nil {
		return p.broken(err)
	}
	names := make([][]byte, len(attrs))
	for i, a := range attrs {
		names[i] = []byte(a.name)
	}
	targets, err := p.matchNames(names, false)
	if err != nil {
		return p.fatal(err)
	}
	p.attrs, p.targets = attrs, targets
	return nil
}

// split returns the fields of a data line and leaves in p.quoted which of them stood in quotes.
// Its errors wrap one sentinel directly.
func (p *arffParser) split(line []byte) ([][]byte, error) {
	p.quoted, p.rr.extra = nil, 0
	if bytes.IndexByte(line, '{') < 0 && bytes.IndexByte(line, '\'') < 0 && bytes.IndexByte(line, '"') < 0 && bytes.IndexByte(line, '%') < 0 {
		p.rr.split(line)
		return p.rr.fields, nil
	}
	if line[0] == '{' {
		return p.splitSparse(line[1:])
	}
	fields, quoted := p.rr.fields[:0], p.marks[:0]
	for more := true; more; {
		var v arffValue
		var err error
		if v, line, more, err = nextARFFValue(line, ','); err != nil {
			return nil, err
		}
		if len(fields) < p.rr.keep {
			fields, quoted = append(fields, v.text), append(quoted, v.quoted)
		} else {
			p.rr.extra++
		}
	}
	p.rr.fields, p.quoted, p.marks = fields, quoted, quoted
	return fields, nil
}

// splitSparse is split for what follows the opening brace of {index value, …}.
func (p *arffParser) splitSparse(line []byte) ([][]byte, error) {
	body, after, ok := cutBrace(line)
	if !ok {
		return nil, fmt.Errorf("%w: want a closing brace at the end of a sparse row: close it", ErrQuote)
	}
	if len(after) > 0 {
		return nil, fmt.Errorf("%w: something follows the sparse row, such as a weight, want nothing: drop it", ErrRagged)
	}
	if p.sparse == nil {
		p.sparse = make([][]byte, len(p.attrs))
	}
	if len(p.marks) != len(p.attrs) {
		p.marks = make([]bool, len(p.attrs))
	}
	p.quoted = p.marks
	for i, a := range p.attrs {
		p.sparse[i], p.quoted[i] = a.omitted()
	}
	last := -1
	for more := len(trimSpace(body)) > 0; more; {
		index, n := 0, 0
		body = trimSpace(body)
		for n < len(body) && body[n] >= '0' && body[n] <= '9' && index < len(p.attrs) {
			index = 10*index + int(body[n]-'0')
			n++
		}
		if n == 0 || n == len(body) || !isBlank(body[n]) || index <= last || index >= len(p.attrs) {
			return nil, fmt.Errorf("%w: want index and value, with indices from 0 to %d that ascend: fix the line", ErrIndex, len(p.attrs)-1)
		}
		last = index
		var v arffValue
		var err error
		if v, body, more, err = nextARFFValue(body[n:], ','); err != nil {
			return nil, err
		}
		p.sparse[index], p.quoted[index] = v.text, v.quoted
	}
	return p.sparse, nil
}
