package frames

import "fmt"

// rowParser holds the cells of one row after another to the schema, for the readers of all formats.
type rowParser struct {
	name   string
	schema Schema
	cells  []*cellParser // by schema column; nil for ignored columns
	blocks *blockCheck
	x      []float64 // the current row's features, by position in the schema's features
	y      float64
	errs   *LoadError
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
	return rowParser{
		name: name, schema: s, cells: newCellParsers(s, o), blocks: newBlockCheck(s),
		x: make([]float64, len(s.s.features)), errs: &LoadError{Name: name},
	}, nil
}

func newCellParsers(s Schema, o CSVOptions) []*cellParser {
	cells := make([]*cellParser, s.Len())
	for i, c := range s.s.cols {
		if c.Kind == KindIgnored {
			continue
		}
		missing, own := o.MissingIn[c.Name]
		if !own {
			missing = o.Missing
		}
		cells[i] = newCellParser(c, missingMarkers(missing), o.TrimSpace)
	}
	return cells
}

// set puts an accepted value of a column that is not ignored into the row.
func (p *rowParser) set(col int, v float64) {
	if j := p.blocks.position[col]; j >= 0 {
		p.x[j] = v
	} else {
		p.y = v
	}
}

// accept reports whether the complete row keeps the promises that span columns.
func (p *rowParser) accept(line int) bool {
	if p.blocks.ok(p.x) {
		return true
	}
	p.record(line, ErrBounds, p.blocks.explain(p.x))
	return false
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

// fatal is the error that ends reading at once.
func (p *rowParser) fatal(err error) error {
	return &LoadError{Name: p.name, Problems: []error{err}}
}

// broken is the reader's own error.
func (p *rowParser) broken(line int, err error) error {
	return fmt.Errorf("frames: %s: read after line %d: %w", p.name, line, err)
}

// end is the verdict on a file of so many records, header included, and rows.
func (p *rowParser) end(records, rows int) error {
	switch {
	case records == 0:
		return p.fatal(fmt.Errorf("the file is empty, want records: check the path: %w", ErrEmpty))
	case rows == 0:
		return p.fatal(fmt.Errorf("got a header and no rows, want at least 1 row: check the file: %w", ErrEmpty))
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
