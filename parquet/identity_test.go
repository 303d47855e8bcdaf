package parquet_test

import (
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/hostile"
	"github.com/dpkit-go/dpnb/parquet"
)

var noTexts = map[string]string{hostile.AsText: "Parquet files are not read for it"}

// readers are the sources of this package.
var readers = map[string]func(path string, s frames.Schema) (frames.Source, error){
	"Open": func(path string, s frames.Schema) (frames.Source, error) {
		if src, err := parquet.Open(path, s); err == nil {
			return src, nil
		} else {
			return nil, err
		}
	},
	"Read": func(path string, s frames.Schema) (frames.Source, error) {
		if f, err := parquet.Read(path, s); err == nil {
			return f, nil
		} else {
			return nil, err
		}
	},
}

// columnOf is a row with a value of a type in column v.
type columnOf[T any] struct {
	V T       `parquet:"v"`
	X float64 `parquet:"x"`
}

// TestIdentities: no reader makes one person or level of two, whether texts are annotated as such,
// stand in a dictionary or in a folder's name.
func TestIdentities(t *testing.T) {
	type encoded struct {
		V string  `parquet:"v,dict"`
		X float64 `parquet:"x"`
	}
	loader := func(write func(t testing.TB, folder string, texts []string) (path string), read func(path string, s frames.Schema) (frames.Source, error)) hostile.Loader {
		return hostile.Loader{Without: noTexts, Read: func(t testing.TB, s frames.Schema, texts []string) (frames.Source, error) {
			return read(write(t, t.TempDir(), texts), s)
		}}
	}
	forms := map[string]func(t testing.TB, folder string, texts []string) string{
		"texts": func(t testing.TB, folder string, texts []string) string {
			return write(t, filepath.Join(folder, "t.parquet"), rowsOf(texts))
		},
		"bytes": func(t testing.TB, folder string, texts []string) string {
			var all [][]byte
			for _, text := range texts {
				all = append(all, []byte(text))
			}
			return write(t, filepath.Join(folder, "t.parquet"), rowsOf(all))
		},
		"a dictionary": func(t testing.TB, folder string, texts []string) string {
			var all []encoded
			for _, text := range texts {
				all = append(all, encoded{V: text})
			}
			return write(t, filepath.Join(folder, "t.parquet"), all)
		},
	}
	loaders := map[string]hostile.Loader{}
	for name, read := range readers {
		for form, write := range forms {
			in := loader(write, read)
			loaders[name] = in
			t.Run(name+" of "+form, func(t *testing.T) { hostile.RunIdentities(t, in) })
		}
	}
	hostile.Covers(t, ".", loaders, nil)
}

// TestIdentitiesOfFolders: the names of two folders are not one person or level.
func TestIdentitiesOfFolders(t *testing.T) {
	var texts []string
	for _, text := range hostile.Identities() {
		if len(text) < 80 { // escaped it is the name of a folder
			texts = append(texts, text)
		}
	}
	type row struct {
		X float64 `parquet:"x"`
	}
	taken := map[string]bool{}
	for _, text := range texts {
		path := write(t, filepath.Join(t.TempDir(), "v="+url.PathEscape(text), "t.parquet"), []row{{}})
		for _, kind := range []frames.Column{frames.Person("v"), frames.Category("v", "a", "7", "true").Other("none of them")} {
			s, err := frames.NewSchema(kind, frames.Numeric("x", 0, 1))
			if err != nil {
				t.Fatal(err)
			}
			f, err := parquet.Read(path, s)
			if err != nil {
				continue
			}
			var got string
			if err := f.Scan(t.Context(), func(b *frames.Block) error {
				if b.Person != nil {
					id := [16]byte(b.Person[0])
					got = string(id[:])
				} else if code := int(b.X[0]); code < 3 {
					got = kind.Levels[code]
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			switch {
			case kind.Kind == frames.KindPerson && taken[got]:
				t.Errorf("%q is another person, too", text)
			case kind.Kind == frames.KindPerson:
				taken[got] = true
			case got != "" && got != text:
				t.Errorf("%q is the level %q", text, got)
			}
		}
	}
	if len(taken) < 80 {
		t.Errorf("%d of %d folders were people", len(taken), len(texts))
	}
}

func rowsOf[T any](values []T) (rows []columnOf[T]) {
	for _, v := range values {
		rows = append(rows, columnOf[T]{V: v})
	}
	return rows
}

// TestIdentitiesOfTypes: a column of another type than text is identifiers by its one spelling, or
// is refused.
func TestIdentitiesOfTypes(t *testing.T) {
	named, levels := []string{hostile.AsPerson, hostile.AsCategory, hostile.AsLabel}, []string{hostile.AsCategory, hostile.AsLabel}
	day := time.Date(2024, 1, 31, 0, 0, 0, 0, time.UTC)
	type cents struct {
		V int64   `parquet:"v,decimal(2:18)"`
		X float64 `parquet:"x"`
	}
	type whole struct {
		V int64   `parquet:"v,decimal(0:18)"`
		X float64 `parquet:"x"`
	}
	type wide struct {
		V [16]byte `parquet:"v,decimal(0:38)"`
		X float64  `parquet:"x"`
	}
	type date struct {
		V int32   `parquet:"v,date"`
		X float64 `parquet:"x"`
	}
	type micros struct {
		V time.Time `parquet:"v,timestamp(microsecond)"`
		X float64   `parquet:"x"`
	}
	type ofDay struct {
		V int32   `parquet:"v,time(millisecond)"`
		X float64 `parquet:"x"`
	}
	type id struct {
		V [16]byte `parquet:"v,uuid"`
		X float64  `parquet:"x"`
	}
	bytes16 := func(last ...byte) (all [][16]byte) {
		for _, b := range last {
			v := [16]byte{1, 0xff, 2, 0xfe, 3, 0xfd, 4, 5, 6, 7, 8, 9, 10, 11, 12, b}
			all = append(all, v)
		}
		return all
	}
	hashes := bytes16(' ', '\n', '\t', 0, 'x', 0x85) // what is no text has no space around it
	var slices [][]byte
	for _, h := range hashes {
		slices = append(slices, h[:])
	}
	var ids []id
	for _, h := range bytes16(' ', '\n', 0) {
		ids = append(ids, id{V: h})
	}
	bytesAlone := map[string]string{hostile.AsText: noTexts[hostile.AsText], hostile.AsCategory: "a level is text", hostile.AsLabel: "a level is text"}
	for name, c := range map[string]typed{
		"INT64":   of(rowsOf([]int64{math.MinInt64, math.MaxInt64, math.MaxInt64 - 1, 1 << 53, 1<<53 + 1, 0, 7}), named),
		"UINT64":  of(rowsOf([]uint64{math.MaxUint64, math.MaxUint64 - 1, 18000000000000000001, 18000000000000000002, 0}), named),
		"INT32":   of(rowsOf([]int32{math.MinInt32, math.MaxInt32, -1, 0}), named),
		"UINT32":  of(rowsOf([]uint32{math.MaxUint32, math.MaxInt32, 1 << 31, 0}), named),
		"UINT8":   of(rowsOf([]uint8{255, 128, 127, 0}), named),
		"BOOLEAN": of(rowsOf([]bool{true, false}), levels),
		"DOUBLE":  of(rowsOf([]float64{1, 1.5, 1 << 53, 1<<53 + 2}), nil),
		"FLOAT":   of(rowsOf([]float32{1, 1.5, 1 << 24, 1<<24 + 2}), nil),

		"DECIMAL":                   of([]cents{{V: 100}, {V: 101}, {V: 1<<53 + 1}}, nil),
		"DECIMAL without decimals":  of([]whole{{V: 1 << 53}, {V: 1<<53 + 1}}, nil),
		"DECIMAL of 16 bytes":       of([]wide{{V: [16]byte{15: 1}}, {V: [16]byte{15: 2}}}, nil),
		"DATE":                      of([]date{{V: 19753}, {V: 19754}}, nil),
		"TIMESTAMP":                 of([]micros{{V: day}, {V: day.Add(time.Hour)}}, nil),
		"TIME":                      of([]ofDay{{V: 1}, {V: 2}}, nil),
		"UUID":                      of(ids, named, "01ff02fe-03fd-0405-0607-08090a0b0c20", "01ff02fe-03fd-0405-0607-08090a0b0c0a", "01ff02fe-03fd-0405-0607-08090a0b0c00"),
		"FIXED_LEN_BYTE_ARRAY":      of(rowsOf(hashes), named[:1]),
		"BYTE_ARRAY of binary data": of(rowsOf(slices), named[:1]),
	} {
		for reader, read := range readers {
			t.Run(reader+" of "+name, func(t *testing.T) {
				in := hostile.Typed{Rows: c.rows, Levels: c.levels, Takes: c.takes, Without: noTexts, Read: func(t testing.TB, s frames.Schema) (frames.Source, error) {
					return read(c.write(t, filepath.Join(t.TempDir(), "t.parquet")), s)
				}}
				if len(c.takes) == 1 {
					in.Without = bytesAlone
				}
				hostile.RunTyped(t, in)
			})
		}
	}
}

// typed is a file with a column of a type.
type typed struct {
	write         func(t testing.TB, path string) string
	rows          int
	levels, takes []string
}

// of is the file of rows, whose values have these spellings, or those of package fmt.
func of[T any](rows []T, takes []string, levels ...string) typed {
	c := typed{func(t testing.TB, path string) string { return write(t, path, rows) }, len(rows), levels, takes}
	for _, r := range rows {
		if len(levels) == 0 {
			c.levels = append(c.levels, fmt.Sprint(reflect.ValueOf(r).Field(0)))
		}
	}
	return c
}
