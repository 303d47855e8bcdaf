package frames_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// put writes files of a folder, packed where the name says so.
func put(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if strings.HasSuffix(name, ".gz") {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			if _, err := w.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			text = b.String()
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// constant is a source that nobody checked.
type constant struct {
	schema frames.Schema
	v      float64
}

func (c constant) Schema() frames.Schema { return c.schema }
func (c constant) Rows() int             { return 1 }
func (c constant) Scan(_ context.Context, fn func(*frames.Block) error) error {
	return fn(&frames.Block{Rows: 1, Cols: 1, X: []float64{c.v}})
}

func init() {
	frames.RegisterFormat(frames.Format{Name: "constants", Extensions: []string{".constant"}, Open: func(path string, s frames.Schema) (frames.Source, error) {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return constant{s, float64(len(text))}, nil
	}})
}

const openHeader = "age,job,gain,income\n"

// TestOpen: one table, however it is written, with one fingerprint.
func TestOpen(t *testing.T) {
	s := people(t)
	a, b := "30,clerk,5,low\n", "41.5,,,high\n0,smith,-3,low\n"
	swap := func(text string) string { return strings.ReplaceAll(text, ",", ";") }
	dir := put(t, map[string]string{
		"one.csv": openHeader + a + b, "ONE.CSV.gz": openHeader + a + b, "semi.csv": swap(openHeader + a + b), "bare.csv": "30,clerk,x1,5,low\n41.5,?,x2,NA,high\n0,smith,x3,-3,low\n",
		"one.tsv":    strings.ReplaceAll(openHeader+a+b, ",", "\t"),
		"part-1.csv": openHeader + a, "part-2.csv": openHeader, "part-3.csv": "gain,income,age,job\n,high,41.5,\n-3,low,0,smith\n",
		"tree/2/b.csv": openHeader + b, "tree/1/a.csv.gz": openHeader + a, "tree/_SUCCESS": "", "tree/.1.crc": "x", "tree/_tmp/c.csv": "x",
		"one.arff": "@relation r\n@attribute age real\n@attribute job {clerk,nurse,smith}\n@attribute gain real\n@attribute income {low,high}\n@data\n30,clerk,5,low\n41.5,?,?,high\n0,smith,-3,low\n",
		"a[1].csv": openHeader + a + b,
	})
	want, err := frames.ReadCSV(filepath.Join(dir, "one.csv"), s, frames.CSVOptions{Header: true})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"age", "job", "gain", "income"}
	for _, name := range []string{"one.csv", "ONE.CSV.gz", "semi.csv", "bare.csv", "one.tsv", "one.arff", "part-*.csv", "part-[1-3].csv", "tree", "tree/[12]/*", "tree/?/*.csv*", "a[1].csv"} {
		src, err := frames.Open(filepath.Join(dir, name), s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f, err := frames.Collect(t.Context(), src)
		if err != nil || cells(f) != cells(want) || !frames.Fixed(src) {
			t.Errorf("%s: got %v and\n%s", name, err, cells(f))
		}
		if fingerprintOf(t, src, names...) != fingerprintOf(t, want, names...) {
			t.Errorf("%s: another fingerprint", name)
		}
	}
	f, err := frames.ReadCSV(filepath.Join(dir, "part-*.csv"), s, frames.CSVOptions{Header: true})
	if err != nil || cells(f) != cells(want) {
		t.Errorf("in memory: got %v", err)
	}
}

// TestOpenRefuses says which file is wrong.
func TestOpenRefuses(t *testing.T) {
	s := people(t)
	rows := "30,clerk,5,low\n"
	dir := put(t, map[string]string{
		"one.csv": openHeader + rows, "part-1.csv": openHeader + rows, "part-2.csv": "age,job,gain,pay\n" + rows, "bad-1.csv": openHeader + rows, "bad-2.csv": openHeader + "30,baker,5,low\n",
		"none-1.csv": openHeader, "none-2.csv": openHeader, "void-1.csv": openHeader + rows, "void-2.csv": "", "x.dat": "", "mixed/a.csv": openHeader + rows, "mixed/b.arff": "", "notes/a.csv": openHeader + rows, "notes/readme.md": "",
		"odd.csv/a.csv": openHeader + rows, "odd.csv/readme.md": "", "utf16.csv": "\xff\xfea\x00",
	})
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		is   error
		says string
	}{
		{"part-*.csv", frames.ErrHeader, "part-2.csv"},
		{"bad-*.csv", frames.ErrLevel, "bad-2.csv: line 2"},
		{"none-*.csv", frames.ErrEmpty, "shards without rows"},
		{"void-*.csv", frames.ErrEmpty, "void-2.csv"},
		{"x.dat", frames.ErrOptions, `got the extension ".dat", want one of .arff, .constant, .csv`},
		{"gone.csv", fs.ErrNotExist, "check the path"},
		{"gone-*.csv", fs.ErrNotExist, "no file has a name like this"},
		{"a[.csv", frames.ErrOptions, "syntax error in pattern"},
		{"mixed", frames.ErrOptions, "two formats"},
		{"notes", frames.ErrOptions, `".md"`},
		{"odd.csv", frames.ErrOptions, "readme.md"},
		{"empty", fs.ErrNotExist, "without files"},
		{"utf16.csv", frames.ErrEncoding, "set Encoding to UTF16"},
	} {
		src, err := frames.Open(filepath.Join(dir, c.path), s)
		if src != nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %v and %q", c.path, err, c.is, c.says)
		}
	}
	if _, err := frames.Open(filepath.Join(dir, "one.csv"), frames.Schema{}); !errors.Is(err, frames.ErrSchema) {
		t.Errorf("no schema: got %v", err)
	}
}

// TestOpenChecksWhatIsRegistered: what another package reads is held to the schema as files of this one are.
func TestOpenChecksWhatIsRegistered(t *testing.T) {
	s := mustSchema(t, frames.Numeric("a", 0, 3))
	dir := put(t, map[string]string{"good.constant": "xyz", "bad.constant": "wxyz"})
	src, err := frames.Open(filepath.Join(dir, "good.constant"), s)
	if err != nil || !frames.Fixed(src) {
		t.Errorf("got %v, fixed %v", err, frames.Fixed(src))
	}
	if _, err := frames.Open(filepath.Join(dir, "bad.constant"), s); !errors.Is(err, frames.ErrBounds) || !strings.Contains(err.Error(), `bad.constant: row 1, column "a"`) {
		t.Errorf("got %v, want ErrBounds with the place", err)
	}
	for name, f := range map[string]frames.Format{
		"taken":     {Name: "x", Extensions: []string{".csv"}, Open: func(string, frames.Schema) (frames.Source, error) { return nil, nil }},
		"no reader": {Name: "x", Extensions: []string{".xyz"}},
		"no dot":    {Name: "x", Extensions: []string{"xyz"}, Open: func(string, frames.Schema) (frames.Source, error) { return nil, nil }},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			frames.RegisterFormat(f)
		}()
	}
}

// TestShardsChange: a shard that is another than it was ends a scan, and so does one that is gone.
func TestShardsChange(t *testing.T) {
	dir := put(t, map[string]string{"part-1.csv": openHeader + "30,clerk,5,low\n", "part-2.csv": openHeader + "31,clerk,5,low\n"})
	src, err := frames.Open(filepath.Join(dir, "part-*.csv"), people(t))
	if err != nil {
		t.Fatal(err)
	}
	scan := func() error { return src.Scan(t.Context(), func(*frames.Block) error { return nil }) }
	if err := scan(); err != nil {
		t.Error(err)
	}
	second := filepath.Join(dir, "part-2.csv")
	if err := os.WriteFile(second, []byte(openHeader+"32,clerk,5,low\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := scan(); !errors.Is(err, frames.ErrChanged) {
		t.Errorf("another cell: got %v", err)
	}
	if err := os.Remove(second); err != nil {
		t.Fatal(err)
	}
	if err := scan(); !errors.Is(err, frames.ErrChanged) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("gone: got %v", err)
	}
}
