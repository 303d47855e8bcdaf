package frames_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/hostile"
)

func line(row int) string { return fmt.Sprint("line ", row) }

func atRow(row int) string { return fmt.Sprint("row ", row) }

// fields are the cells of a row as files have them.
func fields(s frames.Schema, r hostile.Row) []string {
	cell := func(v *string) string {
		if v == nil {
			return "NA"
		}
		return *v
	}
	x := "NA"
	if r.X != nil {
		x = strconv.FormatFloat(*r.X, 'g', -1, 64)
	}
	if _, ok := s.Column("c"); !ok {
		return []string{x, cell(r.Y)}
	}
	return []string{x, cell(r.C), cell(r.Y)}
}

// textOf is a file of rows: a head, and a line for each.
func textOf(s frames.Schema, rows []hostile.Row, head string, line func(cells []string) string) string {
	b := head
	for _, r := range rows {
		b += line(fields(s, r)) + "\n"
	}
	return b
}

func byCommas(cells []string) string { return strings.Join(cells, ",") }

const arffHead = "@relation r\n@attribute x numeric\n@attribute c {a,b}\n@attribute y {no,yes}\n@data\n"

func arffLine(cells []string) string {
	return strings.ReplaceAll(strings.ReplaceAll(byCommas(cells), "NA", "?"), ", a", ",' a'")
}

// written is a text in a file.
func written(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// blockOf are rows as a program has them: levels by their codes, others by codes that no level has.
func blockOf(rows []hostile.Row) *frames.Block {
	code := func(v *string, levels ...string) float64 {
		if v == nil {
			return math.NaN()
		}
		if i := slices.Index(levels, *v); i >= 0 {
			return float64(i)
		}
		return 7
	}
	b := &frames.Block{Rows: len(rows), Cols: 2}
	for _, r := range rows {
		x := math.NaN()
		if r.X != nil {
			x = *r.X
		}
		b.X, b.Y = append(b.X, x, code(r.C, "a", "b")), append(b.Y, code(r.Y, "no", "yes"))
	}
	return b
}

// scan reads rows that were opened.
func scan(src frames.Source, err error) error {
	if err != nil {
		return err
	}
	return src.Scan(context.Background(), func(*frames.Block) error { return nil })
}

// wanting is the error of a frame.
func wanting(_ *frames.Frame, err error) error { return err }

// hostileSources are the sources of this package.
func hostileSources() map[string]hostile.Source {
	csv := func(read func(path string, s frames.Schema) error) hostile.Source {
		return hostile.Source{Place: line, Read: func(t testing.TB, s frames.Schema, rows []hostile.Row) error {
			return read(written(t, "t.csv", textOf(s, rows, "", byCommas)), s)
		}}
	}
	arff := func(read func(path string, s frames.Schema) error) hostile.Source {
		return hostile.Source{Place: func(row int) string { return line(row + 5) }, Read: func(t testing.TB, s frames.Schema, rows []hostile.Row) error {
			return read(written(t, "t.arff", textOf(s, rows, arffHead, arffLine)), s)
		}}
	}
	libsvm := func(read func(path string, s frames.Schema) error) hostile.Source { // whose classes are numbers
		return hostile.Source{Place: line, NoCategories: true, Without: map[string]string{"no number": "a feature that is not there is 0"}, Read: func(t testing.TB, s frames.Schema, rows []hostile.Row) error {
			classes := strings.NewReplacer("no", "0", "yes", "1")
			text := textOf(s, rows, "", func(cells []string) string { return classes.Replace(cells[1]) + " 1:" + cells[0] })
			return read(written(t, "t.libsvm", text), mustSchema(t, frames.Numeric("x", 0, 10), frames.Label("y", "0", "1")))
		}}
	}
	block := func(read func(s frames.Schema, b *frames.Block) error) hostile.Source {
		return hostile.Source{Place: atRow, Read: func(_ testing.TB, s frames.Schema, rows []hostile.Row) error { return read(s, blockOf(rows)) }}
	}
	kept := func(t testing.TB) frames.Cache { return frames.Cache{Folder: filepath.Join(t.TempDir(), "cache")} }
	through := func(in func(read func(string, frames.Schema) error) hostile.Source, read func(c frames.Cache, path string, s frames.Schema) error) hostile.Source {
		var folder frames.Cache
		out := in(func(path string, s frames.Schema) error { return read(folder, path, s) })
		inner := out.Read
		out.Read = func(t testing.TB, s frames.Schema, rows []hostile.Row) error {
			folder = kept(t)
			return inner(t, s, rows)
		}
		return out
	}
	o, svm := frames.CSVOptions{}, frames.LibSVMOptions{}
	return map[string]hostile.Source{
		"ReadCSV": csv(func(path string, s frames.Schema) error { return wanting(frames.ReadCSV(path, s, o)) }),
		"OpenCSV": csv(func(path string, s frames.Schema) error { f, err := frames.OpenCSV(path, s, o); return scan(f, err) }),
		"OpenCSVAs": csv(func(path string, s frames.Schema) error { // which a worker of shards opens anew: as what another process found of it
			f, err := frames.OpenCSV(path, s, o)
			if err != nil {
				return err
			}
			told, err := frames.Opened(context.Background(), f)
			if err != nil {
				return err
			}
			g, err := frames.OpenCSVAs(path, s, o, told)
			return scan(g, err)
		}),
		"ParseCSV": {Place: line, Read: func(_ testing.TB, s frames.Schema, rows []hostile.Row) error {
			return wanting(frames.ParseCSV(strings.NewReader(textOf(s, rows, "", byCommas)), "t", s, o))
		}},
		"ReadARFF": arff(func(path string, s frames.Schema) error {
			return wanting(frames.ReadARFF(path, s, frames.ARFFOptions{}))
		}),
		"OpenARFF": arff(func(path string, s frames.Schema) error {
			f, err := frames.OpenARFF(path, s, frames.ARFFOptions{})
			return scan(f, err)
		}),
		"ParseARFF": {Place: func(row int) string { return line(row + 5) }, Read: func(_ testing.TB, s frames.Schema, rows []hostile.Row) error {
			return wanting(frames.ParseARFF(strings.NewReader(textOf(s, rows, arffHead, arffLine)), "t", s, frames.ARFFOptions{}))
		}},
		"ReadLibSVM": libsvm(func(path string, s frames.Schema) error { return wanting(frames.ReadLibSVM(path, s, svm)) }),
		"OpenLibSVM": libsvm(func(path string, s frames.Schema) error {
			f, err := frames.OpenLibSVM(path, s, svm)
			return scan(f, err)
		}),
		"ParseLibSVM": libsvm(func(path string, s frames.Schema) error {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return wanting(frames.ParseLibSVM(bytes.NewReader(text), "t", s, svm))
		}),
		"Open": {Place: func(row int) string { return line(row + 1) }, Read: func(t testing.TB, s frames.Schema, rows []hostile.Row) error {
			src, err := frames.Open(written(t, "t.csv", textOf(s, rows, "x,c,y\n", byCommas)), s)
			return scan(src, err)
		}},
		"Cache.ReadCSV": through(csv, func(c frames.Cache, path string, s frames.Schema) error { return wanting(c.ReadCSV(path, s, o)) }),
		"Cache.ReadARFF": through(arff, func(c frames.Cache, path string, s frames.Schema) error {
			return wanting(c.ReadARFF(path, s, frames.ARFFOptions{}))
		}),
		"Cache.ReadLibSVM": through(libsvm, func(c frames.Cache, path string, s frames.Schema) error { return wanting(c.ReadLibSVM(path, s, svm)) }),
		"FromBlock":        block(func(s frames.Schema, b *frames.Block) error { return wanting(frames.FromBlock(s, b)) }),
		"Collect": block(func(s frames.Schema, b *frames.Block) error {
			return wanting(frames.Collect(context.Background(), always(s, *b)))
		}),
		"Check": block(func(s frames.Schema, b *frames.Block) error {
			src, err := frames.Check(context.Background(), always(s, *b))
			return scan(src, err)
		}),
		"FromRows": {Place: atRow, Read: func(_ testing.TB, s frames.Schema, rows []hostile.Row) error {
			type row struct {
				X *float64 `dpnb:"x"`
				C *string  `dpnb:"c"`
				Y *string  `dpnb:"y"`
			}
			return wanting(frames.FromRows(s, func(yield func(row) bool) {
				for _, r := range rows {
					if !yield(row(r)) {
						return
					}
				}
			}))
		}},
		"FromGota": {Place: atRow, Read: func(_ testing.TB, s frames.Schema, rows []hostile.Row) error {
			var x []any
			var c, y []any
			for _, r := range rows {
				add := func(to []any, v *string) []any {
					if v == nil {
						return append(to, nil)
					}
					return append(to, *v)
				}
				if c, y = add(c, r.C), add(y, r.Y); r.X == nil {
					x = append(x, nil)
				} else {
					x = append(x, *r.X)
				}
			}
			return wanting(frames.FromGota(dataframe.New(series.New(x, series.Float, "x"), series.New(c, series.String, "c"), series.New(y, series.String, "y")), s, frames.GotaOptions{}))
		}},
	}
}

// TestHostileRows: every source refuses rows that its schema does not allow, says where they are and repeats none of their cells.
func TestHostileRows(t *testing.T) {
	for name, in := range hostileSources() {
		t.Run(name, func(t *testing.T) { hostile.Run(t, in) })
	}
	hostile.Covers(t, ".", hostileSources(), map[string]string{
		"ReadIDX": "images have no cells but bytes: TestReadIDXRefuses", "OpenIDX": "the same",
		"Concat": "of sources that were held to their schemas", "Narrow": "of a frame", "Split": "of a frame", "Frame.Blocks": "of a frame", "PublicFrame.Frame": "of a frame",
		"CheckAs":    "what another process has checked, held to its fingerprint: TestFingerprintOfAnOpenedFile",
		"NewSharded": "rows that lie elsewhere, which package beam's reader opens: its tests",
	})
}
