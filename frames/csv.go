package frames

import (
	"errors"
	"fmt"
	"io"
	"maps"
)

// ReadCSV loads a file of private rows into memory and holds every cell to the schema.
//
// Lines end with \n or \r\n, quoting follows RFC 4180, a UTF-8 byte order mark and blank lines are
// skipped (so the empty cell of a one-column file must be written as ""). Refused are: a number
// outside its bounds (unless the column is Clamped) or not finite and decimal, an undeclared
// level, a missing cell where none may be, a record with another number of fields, a header that
// does not match. The error is a [*LoadError] that names line and column of the first ten
// problems, counts the rest and wraps their sentinels; it never repeats a cell. After an error
// there is no frame; the file is only ever read. A gzip or bzip2 file is recognised by its
// content and unpacked, as in every reader of this package. A path may be a pattern such as "part-*.csv"
// ([Shards]): the rows of all its files, one behind the other, are one table, with one fingerprint as of one file.
//
// A line or record beyond CSVOptions.MaxRecord ends the reading, and so do 10 000 problems. Memory is
// therefore bounded by the rows that are accepted, whatever a file unpacks to; where those alone are
// too many, use [OpenCSV].
func ReadCSV(path string, s Schema, o CSVOptions) (*Frame, error) {
	parts, err := partsOf(path, func(name string) (*csvParser, error) { return newCSVParser(name, s, o) })
	if err != nil {
		return nil, err
	}
	return readFiles(path, s, parts...)
}

// ParseCSV is [ReadCSV] from a reader; name stands for the file in errors.
func ParseCSV(r io.Reader, name string, s Schema, o CSVOptions) (*Frame, error) {
	p, err := newCSVParser(name, s, o)
	if err != nil {
		return nil, err
	}
	return parseReaders(p, s, name, r)
}

// OpenCSV checks the whole file once, as [ReadCSV] does, and returns it as a source.
func OpenCSV(path string, s Schema, o CSVOptions) (*File, error) { return openCSV(path, s, o) }

func openCSV(path string, s Schema, o CSVOptions, extensions ...string) (*File, error) {
	parts, err := csvParts(path, s, o, extensions...)
	if err != nil {
		return nil, err
	}
	return openFiles(path, s, parts...)
}

// csvParts are the files that a path stands for.
func csvParts(path string, s Schema, o CSVOptions, extensions ...string) ([]part, error) {
	o.Missing, o.MissingIn, o.NumberIn = o.missing(), cloneMarkers(o.MissingIn), maps.Clone(o.NumberIn) // the caller may change its own
	return partsOf(path, func(name string) (*csvParser, error) { return newCSVParser(name, s, o) }, extensions...)
}

// csvParser turns records into rows of values. One parser reads one file once.
type csvParser struct {
	rowParser
	o       CSVOptions
	targets []int  // schema column of each field of a record; -1 for none
	quoted  []bool // fields of the current record that mean what they spell; nil for none
}

func newCSVParser(name string, s Schema, o CSVOptions) (*csvParser, error) {
	if level, column, ok := s.spacedLevel(); ok && o.TrimSpace {
		return nil, fmt.Errorf("frames: options: got TrimSpace and level %q of column %q, which no cell is without its space: drop TrimSpace, or declare the level without space: %w", level, column, ErrOptions)
	}
	return newRecordParser(name, s, o)
}

// newRecordParser is newCSVParser for records in which a level with space around it can stand in
// quotes.
func newRecordParser(name string, s Schema, o CSVOptions) (*csvParser, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	rows, err := newRowParser(name, s, o)
	if err != nil {
		return nil, err
	}
	p := &csvParser{rowParser: rows, o: o, targets: make([]int, s.Len())}
	for i := range p.targets {
		p.targets[i] = i
	}
	return p, nil
}

func (p *csvParser) run(files []io.Reader, sink func(*Block) error) error {
	return readText(p, files[0], p.o, sink)
}

// begin reads the first record.
func (p *csvParser) begin() (records int, row bool, err error) {
	fields, err := p.rr.next()
	switch {
	case errors.Is(err, io.EOF):
		return 0, false, io.EOF
	case err != nil && !errors.Is(err, ErrQuote):
		return 0, false, p.broken(err)
	}
	if err := p.start(fields, err); err != nil {
		return 0, false, p.fatal(err)
	}
	if !p.o.Header {
		p.parse(fields, err)
	}
	return 1, !p.o.Header, nil
}

func (p *csvParser) next() error {
	fields, err := p.rr.next()
	switch {
	case p.rr.open:
		return errOpen
	case err != nil && !errors.Is(err, ErrQuote):
		return err
	}
	p.parse(fields, err)
	return nil
}

// parse parses the fields of a record, unless its quotes are wrong.
func (p *csvParser) parse(fields [][]byte, quotes error) {
	if quotes != nil {
		p.record(p.rr.first, ErrQuote, "want quotes around whole fields, doubled inside, and closed: fix the line")
	} else {
		p.row(fields)
	}
}

func (p *csvParser) another() textParser {
	return &csvParser{rowParser: p.rowParser.another(), o: p.o, targets: p.targets}
}

// start looks at the first record: it matches a header, and recognises a wrong separator and a
// header that was not announced.
func (p *csvParser) start(fields [][]byte, quoteErr error) error {
	if quoteErr == nil && p.o.Header {
		targets, err := p.matchHeader(fields)
		if err == nil {
			p.targets = targets
			return nil
		}
		if fix, ok := p.otherSeparator(); ok {
			return p.separatorError(fields, fix)
		}
		return err
	}
	if quoteErr == nil && len(fields) == len(p.targets) {
		if p.isHeader(fields) {
			return fmt.Errorf("%w: line %d holds the schema's names, want rows: set Header", ErrHeader, p.rr.first)
		}
		return nil
	}
	if fix, ok := p.otherSeparator(); ok {
		return p.separatorError(fields, fix)
	}
	if quoteErr != nil && p.o.Header {
		return fmt.Errorf("%w in the header, line %d: fix the line", ErrQuote, p.rr.first)
	}
	return nil // an ordinary problem of this record; parse reports it
}

func (p *csvParser) separatorError(fields [][]byte, fix CSVOptions) error {
	set := fmt.Sprintf("Comma to %q", fix.comma())
	if fix.Blanks {
		set = "Blanks"
	}
	return fmt.Errorf("%w %s: line %d gives %s, want %d (%w): set %s", ErrSeparator, p.o.separator(), p.rr.first, count(len(fields)+p.rr.extra, "field"), len(p.targets), ErrRagged, set)
}

// otherSeparator looks for the separator that makes the first record fit, in its first guessBytes.
func (p *csvParser) otherSeparator() (CSVOptions, bool) {
	head := p.rr.head[:min(len(p.rr.head), guessBytes)]
	for _, sep := range []rune{',', ';', '\t', '|', ':', ' ', 0} {
		o := p.o
		o.Comma, o.Blanks = sep, sep == 0 // a sep of 0 stands for Blanks
		if o.separator() == p.o.separator() || sep != 0 && sep == p.o.Comment {
			continue
		}
		if fields, ok := splitLine(head, o); ok && p.fits(fields, len(head) < len(p.rr.head)) {
			return o, true
		}
	}
	return CSVOptions{}, false
}

// fits reports whether the fields may be the first record's, the first of them where the line was cut.
func (p *csvParser) fits(fields [][]byte, cut bool) bool {
	switch {
	case len(fields) < 2:
		return false
	case p.o.Header && cut:
		return p.areNames(fields[:len(fields)-1])
	case p.o.Header:
		_, err := p.matchHeader(fields)
		return err == nil
	}
	return !cut && len(fields) == len(p.targets)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// row parses the fields into p.x and p.y, or reports what is wrong with them.
func (p *csvParser) row(fields [][]byte) {
	if len(fields) != len(p.targets) {
		p.record(p.rr.first, ErrRagged, fmt.Sprintf("got %d, want %d: fix the line, or quote fields that hold the separator", len(fields)+p.rr.extra, len(p.targets)))
		return
	}
	ok := true
	for i, field := range fields {
		col := p.targets[i]
		if col < 0 || p.cells[col] == nil {
			continue
		}
		c := p.cells[col]
		var v float64
		var f fault
		if p.quoted != nil && p.quoted[i] {
			v, f = c.quoted(field)
		} else {
			v, f = c.parse(field)
		}
		if f != fine {
			p.refuse(p.rr.fieldLine(i), i+1, col, f)
			ok = false
			continue
		}
		p.set(col, v)
	}
	if ok {
		p.accept(p.rr.first)
	}
}
