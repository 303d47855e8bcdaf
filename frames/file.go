package frames

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
)

// File is a source that reads its file (or pair of files, or shards one behind the other) anew at every Scan, in constant memory,
// for data larger than memory. It formats as its schema and row count.
type File struct {
	name   string // in errors
	parts  []part
	schema Schema
	rows   int
	size   int // rows per block

	// What depends on cells; a function hides it from printers, as in Frame.
	private func() opened
}

// opened is what the first pass over a file learnt.
type opened struct {
	sum     [32]byte // SHA-256 of the bytes
	content shard    // of the rows
	clamped map[string]int
	people  int
}

// fileParser reads the rows of one format once.
type fileParser interface {
	run(files []io.Reader, sink func(*Block) error) error
	clamped() map[string]int
}

// openFiles checks the whole file once and remembers its row count and the hashes of its bytes and rows.
func openFiles(name string, s Schema, parts ...part) (*File, error) {
	f := &File{name: name, parts: parts, schema: s, size: blockRows}
	rows, seen := newRowHashes(s), newCrowd(s)
	defer rows.end()
	clamped, sum, err := f.pass(context.Background(), func(b *Block) error {
		f.rows += b.Rows
		rows.add(b)
		seen.add(b.Person...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if f.rows == 0 {
		return nil, noRows(name)
	}
	f.size = min(blockRows, rowsWithin(blockBytes, len(s.s.features)))
	o := opened{sum, rows.sum(), clamped, seen.count()}
	f.private = func() opened { return o }
	return f, nil
}

// Schema is the public domain of the file.
func (f *File) Schema() Schema { return f.schema }

// Rows is the number of rows.
func (f *File) Rows() int { return f.rows }

// Clamped is [Frame.Clamped] of the file: private, for the data's curator.
func (f *File) Clamped() map[string]int {
	return maps.Clone(f.private().clamped)
}

// Scan implements [Source]. It fails with [ErrChanged] if the file is no longer the one that was
// opened; fn may then have seen rows of the new file, so drop what it gathered.
func (f *File) Scan(ctx context.Context, fn func(*Block) error) error {
	b := newBlock(f.schema, min(f.size, f.rows))
	var stop error // fn's or ctx's, as opposed to the file's
	_, sum, err := f.pass(ctx, func(in *Block) error {
		for at := 0; at < in.Rows && stop == nil; {
			n := min(f.size-b.Rows, in.Rows-at, f.rows-b.First-b.Rows)
			if n == 0 {
				stop = fmt.Errorf("frames: %s: scan: the file has more rows than it had, want the file that was opened: open it again: %w", f.name, ErrChanged)
				break
			}
			b.append(in, at, n)
			at += n
			if b.Rows < f.size {
				continue
			}
			if stop = fn(b); stop == nil {
				b.advance()
				stop = stopped(ctx, b.First)
			}
		}
		return stop
	})
	switch {
	case stop != nil:
		return stop
	case err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		return fmt.Errorf("frames: %s: scan: %w: %w", f.name, ErrChanged, err)
	case sum != f.private().sum:
		return fmt.Errorf("frames: %s: scan: the file's SHA-256 differs, want the file that was opened: open it again: %w", f.name, ErrChanged)
	case b.Rows > 0:
		return fn(b)
	}
	return nil
}

// pass reads the files once and returns the counts of clamped cells and the hash of the bytes.
func (f *File) pass(ctx context.Context, sink func(*Block) error) (map[string]int, [32]byte, error) {
	var sum [32]byte
	if err := stopped(ctx, 0); err != nil {
		return nil, sum, err
	}
	what := "scan"
	if f.private == nil {
		what = "load"
	}
	m := newMeter(what, f.name, f.schema, f.rows, pathsOf(f.parts)...)
	defer m.done()
	sink = m.counted(sink)
	all, clamped := sha256.New(), map[string]int{} // of the files' sums
	for _, part := range f.parts {
		p, err := part.parser()
		if err != nil {
			return nil, sum, err
		}
		sums, err := part.run(p, m, sink)
		if err != nil {
			return nil, sum, err
		}
		for _, sum := range sums {
			all.Write(sum[:])
		}
		addCounts(clamped, p.clamped())
	}
	return clamped, [32]byte(all.Sum(nil)), nil
}

// readFiles loads files into memory.
func readFiles(name string, s Schema, parts ...part) (*Frame, error) {
	var t *table
	clamped := map[string]int{}
	m := newMeter("load", name, s, 0, pathsOf(parts)...)
	defer m.done()
	for _, part := range parts {
		p, err := part.parser() // which has looked at the schema
		if err != nil {
			return nil, err
		}
		if t == nil {
			t = newTable(s)
		}
		err = withFiles(part.paths, func(files []io.Reader) error {
			for i := range files {
				files[i] = m.reader(files[i])
			}
			return run(p, part.paths[0], files, m.counted(t.take))
		})
		if err != nil {
			return nil, err
		}
		addCounts(clamped, p.clamped())
	}
	t.clamped = clamped
	f := newFrame(t)
	if f.Rows() == 0 {
		return nil, noRows(name)
	}
	return f, nil
}

// noRows is the error of shards that hold headers alone.
func noRows(name string) error {
	return &LoadError{Name: name, Problems: []error{fmt.Errorf("got shards without rows, want at least 1 row: check the path: %w", ErrEmpty)}}
}

// parseReaders loads streams into memory; name stands for them in errors.
func parseReaders(p fileParser, s Schema, name string, files ...io.Reader) (*Frame, error) {
	t := newTable(s)
	if err := run(p, name, files, t.take); err != nil {
		return nil, err
	}
	t.clamped = p.clamped()
	return newFrame(t), nil
}

// run unpacks the streams and parses them.
func run(p fileParser, name string, files []io.Reader, sink func(*Block) error) error {
	texts := make([]io.Reader, len(files))
	for i, file := range files {
		var err error
		if texts[i], err = unpack(file, name); err != nil {
			return err
		}
	}
	return p.run(texts, sink)
}

// withFiles calls do with the opened files.
func withFiles(paths []string, do func([]io.Reader) error) error {
	files := make([]io.Reader, len(paths))
	for i, path := range paths {
		file, err := openFile(path)
		if err != nil {
			return err
		}
		defer file.Close()
		files[i] = file
	}
	return do(files)
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

// Format writes String whatever the verb and flags.
func (f *File) Format(s fmt.State, _ rune) { io.WriteString(s, f.String()) }

// String describes the file's table by its schema and row count.
func (f *File) String() string {
	if _, ok := f.schema.Person(); ok { // how many rows people have is private
		return fmt.Sprintf("file of the rows of %s (private)\n%s", countPeople(f.private().people), f.schema)
	}
	return fmt.Sprintf("file of %d rows (private)\n%s", f.rows, f.schema)
}
