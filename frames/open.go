package frames

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Format is a way to store rows that [Open] knows by the end of a file's name.
type Format struct {
	Name       string   // for errors
	Extensions []string // in lower case with the dot, as ".csv"; without that of a packing
	// Open returns the rows of what the path stands for: a file, a pattern or a folder ([Shards]). Unless the source is of this package
	// all through ([Fixed]), Open puts it under [Check]: a format need not be trusted.
	Open func(path string, s Schema) (Source, error)
}

// formats are those that were registered, by extension.
var formats = struct {
	sync.Mutex
	of map[string]Format
}{of: map[string]Format{
	".csv":    {"CSV", []string{".csv"}, openText(0, ".csv")},
	".tsv":    {"CSV with tabs", []string{".tsv", ".tab"}, openText('\t', ".tsv", ".tab")},
	".tab":    {"CSV with tabs", []string{".tsv", ".tab"}, openText('\t', ".tsv", ".tab")},
	".arff":   {"ARFF", []string{".arff"}, openARFFs},
	".libsvm": {"libsvm", []string{".libsvm"}, openLibSVMs},
}}

// RegisterFormat makes a format known to [Open], as importing the package of an image format does to package image: packages call it in an
// init function. It panics if an extension is taken or is none, since no program wants that.
func RegisterFormat(f Format) {
	formats.Lock()
	defer formats.Unlock()
	for _, e := range f.Extensions {
		if _, taken := formats.of[e]; taken || f.Open == nil || extension("x"+e) != e {
			panic(fmt.Sprintf("frames: register format %s: extension %q is taken or none, or Open is nil", f.Name, e))
		}
		formats.of[e] = f
	}
}

// Open returns the rows of what the path stands for as a source that was held to the schema and that a session can stand on: a file, a
// pattern such as "part-*.csv", or a folder of shards ([Shards]), all of one format, by the ends of their names. Known are .csv,
// .tsv, .tab, .arff and .libsvm, packed or not, and what other packages register: import _ "github.com/dpkit-go/dpnb/parquet" for .parquet.
//
// Of a CSV file Open reads from the first record whether it is a header (at least half of its fields are names of columns) and which of comma, semicolon,
// tab and bar makes it fit the schema. Nothing else is guessed: [OpenCSV] has options for the rest.
func Open(path string, s Schema) (Source, error) {
	if s.Len() == 0 {
		return nil, fmt.Errorf("frames: %s: got a schema without columns, want the file's: make it with NewSchema: %w", path, ErrSchema)
	}
	src, err := ofFormat(path, s)
	if err != nil || Fixed(src) {
		return src, err
	}
	checked, err := Check(context.Background(), src)
	var load *LoadError
	if errors.As(err, &load) {
		load.Name = path
	}
	return source(checked, err)
}

// OpenAs is [Open] of what another process has opened before, and told by [Opened]: what a package beside this one reads is read at each Scan alone,
// and what this package reads (but CSV, for which there is [OpenCSVAs]) once before. It fails with [ErrChanged], at the latest behind the last row of a Scan, where the rows
// are not those that were opened.
func OpenAs(ctx context.Context, path string, s Schema, told []byte) (Source, error) {
	if _, _, err := readOpened(s, told); err != nil {
		return nil, err
	}
	src, err := ofFormat(path, s)
	var unread *fs.PathError
	switch {
	case errors.As(err, &unread) && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil: // it could be opened before
		return nil, fmt.Errorf("%w: %w", ErrChanged, err)
	case !Fixed(src):
		return source(CheckAs(src, told))
	}
	now, err := Opened(ctx, src)
	if err != nil {
		return nil, err
	}
	is, err := Again(now)
	was, bad := Again(told)
	if err = errors.Join(err, bad); err == nil && !bytes.Equal(is, was) {
		err = fmt.Errorf("frames: %s: the SHA-256 of the rows differs, want the rows that were opened: open it again: %w", path, ErrChanged)
	}
	if err != nil {
		return nil, err
	}
	return src, nil
}

// ofFormat opens a path by its format.
func ofFormat(path string, s Schema) (Source, error) {
	f, err := formatOf(path)
	if err != nil {
		return nil, err
	}
	return f.Open(path, s)
}

// source drops the pointer of an error.
func source[S Source](src S, err error) (Source, error) {
	if err != nil {
		return nil, err
	}
	return src, nil
}

// formatOf finds the format of a path, of one without an extension by those of its files.
func formatOf(path string) (Format, error) {
	formats.Lock()
	known := maps.Clone(formats.of)
	formats.Unlock()
	if f, ok := known[extension(path)]; ok {
		return f, nil
	}
	files, err := Shards(path)
	if err != nil {
		return Format{}, err
	}
	first := files[0]
	for _, file := range files {
		f, ok := known[extension(file)]
		if !ok {
			return Format{}, fmt.Errorf("frames: %s: got the extension %q, want one of %s: import the package that reads it, or call the reader that fits, such as OpenCSV: %w",
				file, extension(file), strings.Join(slices.Sorted(maps.Keys(known)), ", "), ErrOptions)
		}
		if f.Name != known[extension(first)].Name {
			return Format{}, fmt.Errorf("frames: %s: got files of two formats, %s and %s, want one: name the files by a pattern: %w", path, first, file, ErrOptions)
		}
	}
	return known[extension(first)], nil
}

func openARFFs(path string, s Schema) (Source, error) {
	parts, err := partsOf(path, func(name string) (*arffParser, error) { return newARFFParser(name, s, ARFFOptions{}) }, ".arff")
	if err != nil {
		return nil, err
	}
	return source(openFiles(path, s, parts...))
}

func openLibSVMs(path string, s Schema) (Source, error) {
	parts, err := partsOf(path, func(name string) (*libSVMParser, error) { return newLibSVMParser(name, s, LibSVMOptions{}) }, ".libsvm")
	if err != nil {
		return nil, err
	}
	return source(openFiles(path, s, parts...))
}

// openText is the reader of CSV.
func openText(comma rune, extensions ...string) func(string, Schema) (Source, error) {
	return func(path string, s Schema) (Source, error) {
		o, err := csvLook(path, s, CSVOptions{Comma: comma}, extensions)
		if err != nil {
			return nil, err
		}
		return source(openCSV(path, s, o, extensions...))
	}
}

// csvLook completes options by the first record of the first file.
func csvLook(path string, s Schema, o CSVOptions, extensions []string) (CSVOptions, error) {
	paths, err := Shards(path, extensions...)
	if err != nil {
		return o, err
	}
	var head []byte
	err = withFiles(paths[:1], func(files []io.Reader) error {
		text, err := unpack(files[0], paths[0])
		if err != nil {
			return err
		}
		if rr, err := newRecordReader(text, o); err == nil { // what is wrong with the text, reading the file says with its place
			_, _ = rr.next()
			head = rr.head
		}
		return nil
	})
	if err != nil {
		return o, err
	}
	p, err := newCSVParser(paths[0], s, o)
	if err != nil {
		return o, err
	}
	cut := len(head) > guessBytes
	head = head[:min(len(head), guessBytes)]
	for _, comma := range []rune{o.comma(), ',', ';', '\t', '|'} {
		fields, ok := splitLine(head, CSVOptions{Comma: comma})
		names := p.mostNames(fields)
		if ok && (names && (len(fields) > 1 || s.Len() == 1) || !names && !cut && len(fields) == s.Len()) {
			o.Comma, o.Header = comma, names
			return o, nil
		}
	}
	return o, nil
}

// mostNames reports whether at least half of the fields are names of columns, up to case and space.
func (p *rowParser) mostNames(fields [][]byte) bool {
	n := 0
	for _, f := range fields {
		if p.nearName(f) != "" {
			n++
		}
	}
	return n > 0 && 2*n >= len(fields)
}
