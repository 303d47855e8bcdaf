package frames

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
)

// CSVFile is a source that reads a CSV file anew at every Scan, in constant memory, for files
// larger than memory. It formats as its schema and row count.
type CSVFile struct {
	path   string
	schema Schema
	o      CSVOptions
	rows   int
	size   int // rows per block

	// What depends on cells; a function hides it from printers, as in Frame.
	private func() (sum [32]byte, clamped map[string]int)
}

// OpenCSV checks the whole file once, as [ReadCSV] does, and remembers its row count and SHA-256.
func OpenCSV(path string, s Schema, o CSVOptions) (*CSVFile, error) {
	o.Missing = o.missing()
	f := &CSVFile{path: path, schema: s, o: o, size: blockRows}
	p, sum, err := f.pass(context.Background(), func([]float64, float64) error { f.rows++; return nil })
	if err != nil {
		return nil, err
	}
	f.private = func() ([32]byte, map[string]int) { return sum, p.clamped() }
	return f, nil
}

// Schema is the public domain of the file.
func (f *CSVFile) Schema() Schema { return f.schema }

// Rows is the number of rows.
func (f *CSVFile) Rows() int { return f.rows }

// Clamped is [Frame.Clamped] of the file: private, for the data's curator.
func (f *CSVFile) Clamped() map[string]int {
	_, clamped := f.private()
	return clamped
}

// Scan implements [Source]. It fails with [ErrChanged] if the file is no longer the one that was
// opened; fn may then have seen rows of the new file, so drop what it gathered.
func (f *CSVFile) Scan(ctx context.Context, fn func(*Block) error) error {
	b := newBlock(f.schema, min(f.size, f.rows))
	var stop error // fn's or ctx's, as opposed to the file's
	_, sum, err := f.pass(ctx, func(x []float64, y float64) error {
		if b.push(x, y); b.Rows < f.size {
			return nil
		}
		if stop = fn(b); stop == nil {
			b.advance()
			stop = stopped(ctx, b.First)
		}
		return stop
	})
	opened, _ := f.private()
	switch {
	case stop != nil:
		return stop
	case err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		return fmt.Errorf("frames: %s: scan: %w: %w", f.path, ErrChanged, err)
	case sum != opened:
		return fmt.Errorf("frames: %s: scan: the file's SHA-256 differs, want the file that was opened: open it again: %w", f.path, ErrChanged)
	case b.Rows > 0:
		return fn(b)
	}
	return nil
}

// pass reads the file once.
func (f *CSVFile) pass(ctx context.Context, sink func([]float64, float64) error) (*csvParser, [32]byte, error) {
	var sum [32]byte
	if err := stopped(ctx, 0); err != nil {
		return nil, sum, err
	}
	p, err := newCSVParser(f.path, f.schema, f.o)
	if err != nil {
		return nil, sum, err
	}
	file, err := openFile(f.path)
	if err != nil {
		return nil, sum, err
	}
	defer file.Close()
	h := sha256.New()
	if err := p.run(io.TeeReader(file, h), sink); err != nil {
		return nil, sum, err
	}
	return p, [32]byte(h.Sum(nil)), nil
}

// Format writes String whatever the verb and flags.
func (f *CSVFile) Format(s fmt.State, _ rune) { io.WriteString(s, f.String()) }

// String describes the file's table by its schema and row count.
func (f *CSVFile) String() string {
	return fmt.Sprintf("file of %d rows (private)\n%s", f.rows, f.schema)
}
