package frames

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// IDXOptions says what the labels of an IDX pair are. The zero value: the digits of MNIST.
type IDXOptions struct {
	// Labels lists the label bytes that may occur, at least two, in the order of their codes; nil
	// means 0 to 9. The levels are their decimal spellings.
	Labels []uint8
}

// maxPixels bounds the values of one item, and with it what a damaged header can make a reader allocate.
const maxPixels = 1 << 16

// ReadIDX loads a pair of IDX files of unsigned bytes (LeCun, Cortes and Burges, "The MNIST
// database of handwritten digits") into memory: items of any dimensions, such as images, and one
// label for each. The schema is [IDXSchema]'s: features pixel1, pixel2, … in the file's order with
// bounds [0, 255], which the format makes true for every file, and the label "label". With labels
// "" there is none. The frame takes 8 bytes per pixel.
//
// Refused are other types than unsigned bytes, numbers of items that differ, a file that is
// shorter or longer than its header says, more than 65536 values per item, and labels that the
// options do not list. Errors are as [ReadCSV]'s, with rows counted from 1.
func ReadIDX(images, labels string, o IDXOptions) (*Frame, error) {
	s, err := IDXSchema(images, labels, o)
	if err != nil {
		return nil, err
	}
	return readFiles(images, s, idxPart(images, labels, s, o))
}

// OpenIDX checks the whole pair once, as [ReadIDX] does, and returns it as a source.
func OpenIDX(images, labels string, o IDXOptions) (*File, error) {
	s, err := IDXSchema(images, labels, o)
	if err != nil {
		return nil, err
	}
	o.Labels = slices.Clone(o.Labels) // the caller may change its own
	return openFiles(images, s, idxPart(images, labels, s, o))
}

// IDXSchema returns the schema of a pair of files from the header of the first, which holds
// dimensions only. No row is read.
func IDXSchema(images, labels string, o IDXOptions) (Schema, error) {
	var h idxHeader
	err := withFiles([]string{images}, func(files []io.Reader) error {
		text, err := unpack(files[0], images)
		if err != nil {
			return err
		}
		if h, err = readIDXHeader(text); err != nil {
			return idxError(images, err)
		}
		return nil
	})
	if err != nil {
		return Schema{}, err
	}
	return h.schema(labels != "", o)
}

// idxPart is a pair of files, or one without labels.
func idxPart(images, labels string, s Schema, o IDXOptions) part {
	p := part{paths: []string{images, labels}, parser: func() (fileParser, error) { return newIDXParser(images, s, o) }}
	if labels == "" {
		p.paths = p.paths[:1]
	}
	return p
}

func (h idxHeader) schema(labelled bool, o IDXOptions) (Schema, error) {
	cols := make([]Column, h.size, h.size+1)
	for i := range cols {
		cols[i] = Numeric(fmt.Sprint("pixel", i+1), 0, 255)
	}
	if labelled {
		var levels []string
		for _, l := range o.labels() {
			levels = append(levels, fmt.Sprint(l))
		}
		cols = append(cols, Label("label", levels...))
		if len(levels) == 0 {
			return Schema{}, fmt.Errorf("frames: options: got no Labels, want at least 2: list them, or leave Labels nil for 0 to 9: %w", ErrOptions)
		}
	}
	return NewSchema(cols...)
}

func (o IDXOptions) labels() []uint8 {
	if o.Labels == nil {
		return []uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	}
	return o.Labels
}

type idxParser struct {
	rowParser
	codes [256]float64 // level code of each label byte; -1 for those that are not listed
}

func newIDXParser(name string, s Schema, o IDXOptions) (*idxParser, error) {
	rows, err := newRowParser(name, s, CSVOptions{})
	if err != nil {
		return nil, err
	}
	p := &idxParser{rowParser: rows}
	for i := range p.codes {
		p.codes[i] = -1
	}
	for code, l := range o.labels() {
		p.codes[l] = float64(code)
	}
	return p, nil
}

func (p *idxParser) run(files []io.Reader, sink func(*Block) error) error {
	h, err := readIDXHeader(files[0])
	if err != nil {
		return idxError(p.name, err)
	}
	if h.size != len(p.x) {
		return p.fatal(fmt.Errorf("%w: got %d values per item, want %d as in the file before: read it again", ErrHeader, h.size, len(p.x)))
	}
	item, label := make([]byte, h.size), []byte{0}
	if len(files) == 2 {
		l, err := readIDXHeader(files[1])
		if err != nil {
			return idxError(p.name, fmt.Errorf("labels: %w", err))
		}
		if l.size != 1 || l.count != h.count {
			return p.fatal(fmt.Errorf("%w: got %d labels of %d values for %d items, want one label for each: pass the files that belong together", ErrRagged, l.count, l.size, h.count))
		}
	}
	rows := newBatch(p.schema, pendingRows, sink)
	for row := 1; row <= h.count; row++ {
		if _, err := io.ReadFull(files[0], item); err != nil {
			return idxError(p.name, fmt.Errorf("row %d of %d: %w", row, h.count, err))
		}
		for j, v := range item {
			p.x[j] = float64(v)
		}
		if len(files) == 2 {
			if _, err := io.ReadFull(files[1], label); err != nil {
				return idxError(p.name, fmt.Errorf("label of row %d of %d: %w", row, h.count, err))
			}
			if p.y = p.codes[label[0]]; p.y < 0 {
				c := p.cells[p.schema.s.label]
				p.errs.add(ErrLevel, func() error {
					return &CellError{Row: row, Column: c.col.Name, Err: fmt.Errorf("%w, want one of %d (%s): list it in Labels", ErrLevel, len(c.col.Levels), c.col.domain())}
				})
			}
		}
		if len(p.errs.Problems) == 0 {
			if err := rows.push(p.rowValues); err != nil {
				return err
			}
		}
	}
	if err := rows.flush(); err != nil {
		return err
	}
	for _, file := range files {
		switch n, err := io.ReadFull(file, item[:1]); {
		case n > 0:
			return p.fatal(fmt.Errorf("%w: a file goes on behind the %d items of its header, want its end: check the file", ErrRagged, h.count))
		case !errors.Is(err, io.EOF): // such as a wrong checksum of a packed file
			return idxError(p.name, err)
		}
	}
	return p.end(1, h.count)
}

// idxError is what ended reading: a fault of the content, or the reader's own error.
func idxError(name string, err error) error {
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("%w: the file ends too early, want all that its header says: get the whole file (%w)", ErrRagged, err)
	case !errors.Is(err, ErrHeader):
		return fmt.Errorf("frames: %s: read: %w", name, err)
	}
	return &LoadError{Name: name, Problems: []error{err}}
}
