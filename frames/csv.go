package frames

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// ReadCSV loads a file of private rows into memory and holds every cell to the schema.
//
// Lines end with \n or \r\n, quoting follows RFC 4180, a UTF-8 byte order mark and blank lines are
// skipped (so the empty cell of a one-column file must be written as ""). Refused are: a number
// outside its bounds (unless the column is Clamped) or not finite and decimal, an undeclared
// level, a missing cell where none may be, a record with another number of fields, a header that
// does not match. The error is a [*LoadError] that names line and column of the first ten
// problems, counts the rest and wraps their sentinels; it never repeats a cell. After an error
// there is no frame; the file is only ever read.
func ReadCSV(path string, s Schema, o CSVOptions) (*Frame, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ParseCSV(f, path, s, o)
}

// openFile opens a file of rows.
func openFile(path string) (*os.File, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("frames: %w: ask its owner to let you read it", err)
	}
	if err != nil {
		return nil, fmt.Errorf("frames: %w: check the path; a relative one starts at the working directory, in a notebook its folder", err)
	}
	if fi, err := f.Stat(); err == nil && fi.IsDir() {
		_ = f.Close() // nothing was written
		return nil, fmt.Errorf("frames: %s: got a folder, want a file: name the file in it: %w", path, ErrOptions)
	}
	return f, nil
}

// ParseCSV is [ReadCSV] from a reader; name stands for the file in errors.
func ParseCSV(r io.Reader, name string, s Schema, o CSVOptions) (*Frame, error) {
	p, err := newCSVParser(name, s, o)
	if err != nil {
		return nil, err
	}
	t := newTable(s)
	if err := p.run(r, func(x []float64, y float64) error { t.push(x, y); return nil }); err != nil {
		return nil, err
	}
	t.clamped = p.clamped()
	return newFrame(t), nil
}

// csvParser turns records into rows of values. One parser reads one file once.
type csvParser struct {
	name    string
	schema  Schema
	o       CSVOptions
	cells   []*cellParser // by schema column; nil for ignored columns
	targets []int         // schema column of each field of a record; -1 for none
	blocks  *blockCheck
	x       []float64 // the current row's features, by position in the schema's features
	y       float64
	errs    *LoadError
	rr      *recordReader
}

func newCSVParser(name string, s Schema, o CSVOptions) (*csvParser, error) {
	if s.Len() == 0 {
		return nil, fmt.Errorf("frames: %s: got a schema without columns, want the file's: make it with NewSchema: %w", name, ErrSchema)
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	p := &csvParser{name: name, schema: s, o: o, cells: newCellParsers(s, o.missing(), o.TrimSpace), errs: &LoadError{Name: name}}
	p.x = make([]float64, len(s.s.features))
	p.blocks = newBlockCheck(s)
	p.targets = make([]int, s.Len())
	for i := range p.targets {
		p.targets[i] = i
	}
	return p, nil
}

func newCellParsers(s Schema, missing []string, trim bool) []*cellParser {
	cells := make([]*cellParser, s.Len())
	for i, c := range s.s.cols {
		if c.Kind != KindIgnored {
			cells[i] = newCellParser(c, missing, trim)
		}
	}
	return cells
}

// run reads all records and gives each good row to sink. It returns sink's error, the reader's,
// or the LoadError of all problems.
func (p *csvParser) run(r io.Reader, sink func(x []float64, y float64) error) error {
	rr, err := newRecordReader(r, p.o)
	if err != nil {
		return p.fatal(err)
	}
	p.rr = rr
	records, rows := 0, 0
	for {
		fields, err := rr.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, ErrQuote) {
			return fmt.Errorf("frames: %s: read after line %d: %w", p.name, rr.line, err)
		}
		records++
		if records == 1 {
			if err := p.start(fields, err); err != nil {
				return p.fatal(err)
			}
			if p.o.Header {
				continue
			}
		}
		rows++
		if err != nil {
			p.record(ErrQuote, "want quotes around whole fields, doubled inside, and closed: fix the line")
			continue
		}
		if p.row(fields) && len(p.errs.Problems) == 0 {
			if err := sink(p.x, p.y); err != nil {
				return err
			}
		}
	}
	switch {
	case records == 0:
		return p.fatal(fmt.Errorf("the file is empty, want records: check the path: %w", ErrEmpty))
	case rows == 0:
		return p.fatal(fmt.Errorf("got a header and no rows, want at least 1 row: check the file: %w", ErrEmpty))
	}
	return p.errs.err()
}

// start looks at the first record: it matches a header, and recognises a wrong separator and a
// header that was not announced.
func (p *csvParser) start(fields [][]byte, quoteErr error) error {
	raw := slices.Clone(p.rr.raw)
	if quoteErr == nil && p.o.Header {
		targets, err := p.matchHeader(fields)
		if err == nil {
			p.targets = targets
			return nil
		}
		if sep, ok := p.otherSeparator(raw); ok {
			return p.separatorError(len(fields), sep)
		}
		return err
	}
	if quoteErr == nil && len(fields) == len(p.targets) {
		if p.isHeader(fields) {
			return fmt.Errorf("%w: line %d holds the schema's names, want rows: set Header", ErrHeader, p.rr.first)
		}
		return nil
	}
	if sep, ok := p.otherSeparator(raw); ok {
		return p.separatorError(len(fields), sep)
	}
	if quoteErr != nil && p.o.Header {
		return fmt.Errorf("%w in the header, line %d: fix the line", ErrQuote, p.rr.first)
	}
	return nil // an ordinary problem of this record; run reports it
}

func (p *csvParser) separatorError(got int, sep rune) error {
	return fmt.Errorf("%w %q: line %d gives %s, want %d (%w): set Comma to %q", ErrSeparator, p.o.comma(), p.rr.first, count(got, "field"), len(p.targets), ErrRagged, sep)
}

// otherSeparator looks for the separator that makes the first record fit.
func (p *csvParser) otherSeparator(raw []byte) (rune, bool) {
	for _, sep := range []rune{',', ';', '\t', '|', ':', ' '} {
		if sep == p.o.comma() || sep == p.o.Comment {
			continue
		}
		o := p.o
		o.Comma = sep
		if fields, ok := splitLine(raw, o); ok && p.fits(fields) {
			return sep, true
		}
	}
	return 0, false
}

func (p *csvParser) fits(fields [][]byte) bool {
	if len(fields) < 2 {
		return false
	}
	if p.o.Header {
		_, err := p.matchHeader(fields)
		return err == nil
	}
	return len(fields) == len(p.targets)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// row parses the fields into p.x and p.y and reports whether all of them were accepted.
func (p *csvParser) row(fields [][]byte) bool {
	if len(fields) != len(p.targets) {
		p.record(ErrRagged, fmt.Sprintf("got %d, want %d: fix the line, or quote fields that hold the separator", len(fields), len(p.targets)))
		return false
	}
	ok := true
	for i, field := range fields {
		col := p.targets[i]
		if col < 0 || p.cells[col] == nil {
			continue
		}
		v, f := p.cells[col].parse(field)
		if f != fine {
			p.refuse(i, col, f)
			ok = false
			continue
		}
		if j := p.blocks.position[col]; j >= 0 {
			p.x[j] = v
		} else {
			p.y = v
		}
	}
	if ok && !p.blocks.ok(p.x) {
		p.record(ErrBounds, p.blocks.explain(p.x))
		return false
	}
	return ok
}

func (p *csvParser) refuse(field, col int, f fault) {
	c := p.cells[col]
	p.errs.add(c.sentinel(f), func() error {
		return &CellError{Line: p.rr.fieldLine(field), Field: field + 1, Column: c.col.Name, Err: c.explain(f)}
	})
}

// record reports a problem of the whole current record.
func (p *csvParser) record(sentinel error, text string) {
	p.errs.add(sentinel, func() error {
		return &CellError{Line: p.rr.first, Err: fmt.Errorf("%w: %s", sentinel, text)}
	})
}

// fatal is the error that ends reading at once.
func (p *csvParser) fatal(err error) error {
	return &LoadError{Name: p.name, Problems: []error{err}}
}

func (p *csvParser) clamped() map[string]int { return clampedCounts(p.cells) }

func clampedCounts(cells []*cellParser) map[string]int {
	out := map[string]int{}
	for _, c := range cells {
		if c != nil && c.col.Clamp {
			out[c.col.Name] = c.clamped
		}
	}
	return out
}
