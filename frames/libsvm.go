package frames

import (
	"bytes"
	"fmt"
	"io"
)

// LibSVMOptions says how a libsvm file is written. The zero value: indices from 1.
type LibSVMOptions struct {
	// ZeroBased says that indices start at 0, as some tools write them.
	ZeroBased bool
	// MaxRecord is the number of bytes that a line may have; 0 means 64 MiB. A longer one ends the reading with [ErrLimit].
	MaxRecord int
}

// ReadLibSVM loads a libsvm (SVMlight) file of private rows into memory and holds every cell to
// the schema, as [ReadCSV] does with the same errors. A line is "label index:value …" with
// ascending indices; text from # on is a comment. The schema's columns without the label, in
// order, have the indices 1, 2, …; an ignored column has an index and is not read. A schema
// without a label drops the file's.
//
// An index that a line leaves out has the value 0, which must lie in the column's bounds. The frame
// is dense: rows × features × 8 bytes, however sparse the file. Cells are numbers: levels of a
// class label or category must be numbers too and are matched by value ("+1" is "1.0"), digit by
// digit however long they are. There is no missing cell. Refused are qid and cost fields (ranking).
func ReadLibSVM(path string, s Schema, o LibSVMOptions) (*Frame, error) {
	parts, err := partsOf(path, func(name string) (*libSVMParser, error) { return newLibSVMParser(name, s, o) })
	if err != nil {
		return nil, err
	}
	return readFiles(path, s, parts...)
}

// ParseLibSVM is [ReadLibSVM] from a reader; name stands for the file in errors.
func ParseLibSVM(r io.Reader, name string, s Schema, o LibSVMOptions) (*Frame, error) {
	p, err := newLibSVMParser(name, s, o)
	if err != nil {
		return nil, err
	}
	return parseReaders(p, s, name, r)
}

// OpenLibSVM checks the whole file once, as [ReadLibSVM] does, and returns it as a source.
func OpenLibSVM(path string, s Schema, o LibSVMOptions) (*File, error) {
	parts, err := partsOf(path, func(name string) (*libSVMParser, error) { return newLibSVMParser(name, s, o) })
	if err != nil {
		return nil, err
	}
	return openFiles(path, s, parts...)
}

type libSVMParser struct {
	rowParser
	o       LibSVMOptions
	base    int              // the first index
	columns []int            // schema column of each index
	numbers []map[string]int // by schema column: level code of each number, as appendDecimal spells it; nil without levels
	decimal []byte           // scratch
	zero    []float64        // by feature: the value of an omitted cell
	check   []int            // schema columns in which an omitted cell is refused or clamped
	seen    []bool           // by schema column, of check only
}

func newLibSVMParser(name string, s Schema, o LibSVMOptions) (*libSVMParser, error) {
	if err := validateMaxRecord(o.MaxRecord); err != nil {
		return nil, err
	}
	rows, err := newRowParser(name, s, CSVOptions{})
	if err != nil {
		return nil, err
	}
	p := &libSVMParser{rowParser: rows, o: o, base: 1, numbers: make([]map[string]int, s.Len()), zero: make([]float64, len(rows.x)), seen: make([]bool, s.Len())}
	if o.ZeroBased {
		p.base = 0
	}
	if c, ok := s.Person(); ok {
		return nil, fmt.Errorf("frames: %s: column %q names a person, which a libsvm file cannot: convert it to CSV: %w", name, c.Name, ErrSchema)
	}
	for i, c := range s.s.cols {
		if c.Kind == KindText {
			return nil, fmt.Errorf("frames: %s: column %q has texts, which a libsvm file has not: convert it to CSV: %w", name, c.Name, ErrSchema)
		}
		if c.IsDate() {
			return nil, fmt.Errorf("frames: %s: column %q has dates, which a libsvm file has not: convert it to CSV: %w", name, c.Name, ErrSchema)
		}
		if i != s.s.label {
			p.columns = append(p.columns, i)
		}
		if c.classes() {
			if p.numbers[i], err = levelNumbers(c); err != nil {
				return nil, fmt.Errorf("frames: %s: %w", name, err)
			}
		}
		if c.feature() {
			j := rows.blocks.position[i]
			before := rows.cells[i].clamped
			var f fault
			if p.zero[j], f = p.number(i, 0, zeroText); f != fine || rows.cells[i].clamped > before {
				p.check = append(p.check, i)
				rows.cells[i].clamped = before
			}
		}
	}
	return p, nil
}

// levelNumbers maps the numbers that a column's levels spell to their codes.
func levelNumbers(c Column) (map[string]int, error) {
	codes := make(map[string]int, len(c.Levels))
	for code, l := range c.Levels {
		_, ok := parseNumber([]byte(l))
		if !ok && l == c.Rest {
			continue // no number of the file spells it: it takes those that no level does
		}
		if !ok {
			return nil, fmt.Errorf("column %q: level %q is not a number, want numbers as a libsvm file has: rename the level: %w", c.Name, l, ErrSchema)
		}
		v := string(appendDecimal(nil, []byte(l)))
		if first, dup := codes[v]; dup {
			return nil, fmt.Errorf("column %q: levels %q and %q are the same number, want unique numbers: drop one: %w", c.Name, c.Levels[first], l, ErrSchema)
		}
		codes[v] = code
	}
	return codes, nil
}

func (p *libSVMParser) run(files []io.Reader, sink func(*Block) error) error {
	return readText(p, files[0], CSVOptions{MaxRecord: p.o.MaxRecord}, sink)
}

func (p *libSVMParser) begin() (records int, row bool, err error) { return 0, false, nil }

func (p *libSVMParser) next() error {
	for {
		line, err := p.rr.readLine()
		if err != nil {
			return err
		}
		if i := bytes.IndexByte(line, '#'); i >= 0 {
			line = line[:i]
		}
		if line = skipBlanks(line); len(line) == 0 {
			continue
		}
		p.row(line, p.rr.line)
		return nil
	}
}

func (p *libSVMParser) another() textParser {
	q := *p
	q.rowParser, q.seen, q.decimal = p.rowParser.another(), make([]bool, len(p.seen)), nil
	return &q
}

// row parses a line that is not blank into p.x and p.y, or reports what is wrong with it.
func (p *libSVMParser) row(line []byte, number int) {
	copy(p.x, p.zero)
	for _, col := range p.check {
		p.seen[col] = false
	}
	label, line := cutWord(line)
	if bytes.IndexByte(label, ':') >= 0 {
		p.record(number, ErrRagged, "got index:value first, want a label: add the label")
		return
	}
	ok := true
	if col := p.schema.s.label; col >= 0 {
		ok = p.cell(col, label, number, 1)
	}
	last := p.base - 1
	for field := 2; len(line) > 0; field++ {
		index, n := 0, 0
		for n < len(line) && line[n] >= '0' && line[n] <= '9' && index <= len(p.columns) {
			index = 10*index + int(line[n]-'0')
			n++
		}
		if n == 0 || n == len(line) || line[n] != ':' || index <= last || index >= p.base+len(p.columns) {
			p.badIndex(line, number, field)
			return
		}
		last = index
		var value []byte
		value, line = cutWord(line[n+1:])
		ok = p.cell(p.columns[index-p.base], value, number, field) && ok
	}
	if p.omitted(number) && ok {
		p.accept(number)
	}
}

// cell parses a cell of any column into the row.
func (p *libSVMParser) cell(col int, text []byte, line, field int) bool {
	if p.cells[col] == nil {
		return true
	}
	p.seen[col] = true
	v, ok := parseNumber(text)
	f := faultNumber
	switch {
	case ok:
		v, f = p.number(col, v, text)
	case p.numbers[col] != nil:
		f = faultLevel
	}
	if f != fine {
		p.refuse(line, field, col, f)
		return false
	}
	p.set(col, v)
	return true
}

// zeroText is how a cell that is left out would read.
var zeroText = []byte{'0'}

// number holds a number and its text to the column's bounds or levels.
func (p *libSVMParser) number(col int, v float64, text []byte) (float64, fault) {
	if p.numbers[col] == nil {
		return p.cells[col].number(v)
	}
	p.decimal = appendDecimal(p.decimal[:0], text)
	code, ok := p.numbers[col][string(p.decimal)]
	if !ok {
		return p.cells[col].other(0, faultLevel)
	}
	return float64(code), fine
}

// omitted refuses or clamps the implicit zeros that the schema does not accept as they are.
func (p *libSVMParser) omitted(line int) bool {
	ok := true
	for _, col := range p.check {
		if p.seen[col] {
			continue
		}
		if v, f := p.number(col, 0, zeroText); f == fine {
			p.set(col, v)
		} else {
			p.errs.add(p.cells[col].sentinel(f), func() error {
				return &CellError{Line: line, Column: p.cells[col].col.Name, Err: fmt.Errorf("implicit 0: %w", p.cells[col].explain(f))}
			})
			ok = false
		}
	}
	return ok
}

// badIndex reports the field that line starts with.
func (p *libSVMParser) badIndex(line []byte, number, field int) {
	text := fmt.Sprintf("want index:value with ascending indices from %d to %d: fix the line, or declare more columns", p.base, p.base+len(p.columns)-1)
	switch {
	case bytes.HasPrefix(line, []byte("qid:")) || bytes.HasPrefix(line, []byte("cost:")):
		text = "got a qid or cost field, which belongs to ranking, want index:value: drop it"
	case p.base == 1 && bytes.HasPrefix(line, []byte("0:")):
		text += ", or set ZeroBased if its indices start at 0"
	}
	p.errs.add(ErrIndex, func() error {
		return &CellError{Line: number, Field: field, Err: fmt.Errorf("%w: %s", ErrIndex, text)}
	})
}

// LibSVMDomain are the public facts of a libsvm file from which [LibSVMSchema] makes a schema.
type LibSVMDomain struct {
	Features int      // number of features; they are named f1, f2, …
	Lo, Hi   float64  // bounds of every feature
	Clamp    bool     // clamp features to the bounds instead of refusing
	Labels   []string // levels of the class label, as numbers; nil for a label in [LabelLo, LabelHi]

	LabelLo, LabelHi float64
}

// LibSVMSchema returns the schema of a libsvm file whose features share one domain: the columns
// f1, f2, … and the label "label". Errors wrap [ErrSchema].
func LibSVMSchema(d LibSVMDomain) (Schema, error) {
	if d.Features < 1 {
		return Schema{}, fmt.Errorf("frames: libsvm: got %d features, want at least 1: take the number from the file's description: %w", d.Features, ErrSchema)
	}
	var cols []Column
	for i := range d.Features {
		c := Numeric(fmt.Sprint("f", i+1), d.Lo, d.Hi)
		c.Clamp = d.Clamp
		cols = append(cols, c)
	}
	if d.Labels != nil {
		return NewSchema(append(cols, Label("label", d.Labels...))...)
	}
	return NewSchema(append(cols, NumericLabel("label", d.LabelLo, d.LabelHi))...)
}
