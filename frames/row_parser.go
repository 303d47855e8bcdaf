package frames

import (
	"fmt"
	"io"
)

// rowParser holds the cells of one row after another to the schema, for the readers of all formats.
type rowParser struct {
	name      string
	schema    Schema
	cells     []*cellParser // by schema column; nil for ignored columns
	blocks    *blockCheck
	rowValues // of the current row
	errs      *LoadError
	rr        *recordReader      // of a text
	shards    bool               // the file is one of several
	stamp     func(r *rowValues) // writes the period of a person; nil: none
	folded    map[string]string  // the schema's names by their folded forms; nil until a name does not fit
	segments  segmentation       // of a text
}

// common is the part of a textParser.
func (p *rowParser) common() *rowParser { return p }

// another parses rows of the same text, in another goroutine.
func (p *rowParser) another() rowParser {
	cells := make([]*cellParser, len(p.cells))
	for i, c := range p.cells {
		if c != nil {
			cells[i] = c.another()
		}
	}
	return rowParser{
		name: p.name, schema: p.schema, cells: cells, blocks: p.blocks, rowValues: rowValues{x: make([]float64, len(p.x))},
		errs: &LoadError{}, rr: p.rr.another(), stamp: p.stamp,
	}
}

func newRowParser(name string, s Schema, o CSVOptions) (rowParser, error) {
	if s.Len() == 0 {
		return rowParser{}, fmt.Errorf("frames: %s: got a schema without columns, want the file's: make it with NewSchema: %w", name, ErrSchema)
	}
	for column := range o.MissingIn {
		if _, ok := s.s.byName[column]; !ok {
			return rowParser{}, fmt.Errorf("frames: options: MissingIn holds %q, want names of columns: fix the name: %w", column, ErrOptions)
		}
	}
	for column := range o.NumberIn {
		if i, ok := s.s.byName[column]; !ok || !s.s.cols[i].number() {
			return rowParser{}, fmt.Errorf("frames: options: NumberIn holds %q, want names of columns of numbers: fix the name: %w", column, ErrOptions)
		}
	}
	return rowParser{
		name: name, schema: s, cells: newCellParsers(s, o), blocks: newBlockCheck(s),
		rowValues: rowValues{x: make([]float64, len(s.s.features))}, errs: &LoadError{Name: name}, stamp: s.stamper(),
		segments: segmentsOf(s),
	}, nil
}

func newCellParsers(s Schema, o CSVOptions) []*cellParser {
	cells := make([]*cellParser, s.Len())
	all := make([]cellParser, s.Len())
	common := newMarkers(o.missing())
	for i := range s.s.cols {
		c := &s.s.cols[i]
		if c.Kind == KindIgnored {
			continue
		}
		missing := common
		if own, ok := o.MissingIn[c.Name]; ok {
			missing = newMarkers(missingMarkers(own))
		}
		all[i] = newCellParser(c, missing, o.TrimSpace)
		if c.number() {
			all[i].format = newNumberReader(o.number(c.Name))
		}
		cells[i] = &all[i]
	}
	return cells
}

// set puts an accepted value of a column that is not ignored into the row.
func (p *rowParser) set(col int, v float64) {
	switch j := p.blocks.position[col]; {
	case j >= 0:
		p.x[j] = v
	case col == p.schema.s.person:
		p.person = p.cells[col].id
	default:
		p.y = v
	}
}

// accept holds the complete row to the promises that span columns.
func (p *rowParser) accept(line int) {
	if !p.blocks.ok(p.x) {
		p.record(line, ErrBounds, p.blocks.explain(p.x))
	}
}

// refuse reports a cell; field counts from 1.
func (p *rowParser) refuse(line, field, col int, f fault) {
	c := p.cells[col]
	p.errs.add(c.sentinel(f), func() error {
		return &CellError{Line: line, Field: field, Column: c.col.Name, Err: c.explain(f)}
	})
}

// record reports a problem of a whole record.
func (p *rowParser) record(line int, sentinel error, text string) {
	p.errs.add(sentinel, func() error {
		return &CellError{Line: line, Err: fmt.Errorf("%w: %s", sentinel, text)}
	})
}

// read starts to read a text. Records keep so many fields as columns are declared, and some more to tell which.
func (p *rowParser) read(text io.Reader, o CSVOptions) error {
	rr, err := newRecordReader(text, o)
	if err != nil {
		return p.fatal(err)
	}
	rr.keep = p.schema.Len() + spareFields
	p.rr = rr
	return nil
}

// pass gives the current row to sink unless something was wrong before it, and ends the reading where too much was.
func (p *rowParser) pass(sink func(r rowValues) error) error {
	switch {
	case len(p.errs.Problems) == 0:
		if p.stamp != nil {
			p.stamp(&p.rowValues)
		}
		return sink(p.rowValues)
	case p.errs.full():
		return p.stop()
	}
	return nil
}

// inShards says that the file is one of several, each of which may have no rows.
func (p *rowParser) inShards() { p.shards = true }

// stop is the verdict on a text that is not read to its end.
func (p *rowParser) stop() error {
	p.errs.Stopped, p.errs.LoneCR = p.rr.line, p.rr.cr
	return p.errs
}

// fatal is the error that ends reading at once.
func (p *rowParser) fatal(err error) error {
	e := &LoadError{Name: p.name, Problems: []error{err}}
	if p.rr != nil {
		e.LoneCR = p.rr.cr
	}
	return e
}

// broken ends reading at a line or record beyond a limit, or for the reader's own error.
func (p *rowParser) broken(err error) error {
	if place, ok := limited(err); ok {
		p.errs.Problems = append(p.errs.Problems, place)
		return p.stop()
	}
	return fmt.Errorf("frames: %s: read after line %d: %w", p.name, p.rr.line, err)
}

// end is the verdict on a file of so many records, header included, and rows.
func (p *rowParser) end(records, rows int) error {
	switch {
	case records == 0:
		return p.fatal(fmt.Errorf("the file is empty, want records: check the path: %w", ErrEmpty))
	case rows == 0 && !p.shards:
		return p.fatal(fmt.Errorf("got a header and no rows, want at least 1 row: check the file: %w", ErrEmpty))
	}
	if p.rr != nil {
		p.errs.LoneCR = p.rr.cr
	}
	return p.errs.err()
}

func (p *rowParser) clamped() map[string]int { return clampedCounts(p.cells) }

func clampedCounts(cells []*cellParser) map[string]int {
	out := map[string]int{}
	for _, c := range cells {
		if c != nil && c.col.Clamp {
			out[c.col.Name] = c.clamped
		}
	}
	return out
}
