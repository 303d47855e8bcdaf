package parquet_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	pq "github.com/parquet-go/parquet-go"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/parquet"
)

// entry is a row with every type that a column can be read from, in every encoding that the library writes.
type entry struct {
	Plain    float64    `parquet:"plain,plain"`
	Split    float64    `parquet:"split,split"`
	Dict     float64    `parquet:"dict,dict"`
	May      *float64   `parquet:"may,optional"`
	MayDict  *float64   `parquet:"may_dict,optional,dict"`
	Single   float32    `parquet:"single"`
	SplitF   *float32   `parquet:"split_f,optional,split"`
	Int      int64      `parquet:"int,delta"`
	IntPlain int32      `parquet:"int_plain"`
	IntDict  *int32     `parquet:"int_dict,optional,dict"`
	Unsigned uint64     `parquet:"unsigned"`
	Money    int64      `parquet:"money,decimal(2:18)"`
	Cents    int32      `parquet:"cents,decimal(2:9)"`
	Wide     [16]byte   `parquet:"wide,decimal(3:38)"`
	Bool     bool       `parquet:"bool"`
	Day      int32      `parquet:"day,date"`
	Micros   time.Time  `parquet:"micros,timestamp(microsecond)"`
	Millis   *time.Time `parquet:"millis,optional,timestamp(millisecond)"`
	DayText  string     `parquet:"day_text"`
	Level    string     `parquet:"level"`
	LevelD   *string    `parquet:"level_dict,optional,dict"`
	LevelP   string     `parquet:"level_plain,plain"`
	LevelX   string     `parquet:"level_delta,delta"`
	LevelN   int64      `parquet:"level_int,dict"`
	Who      string     `parquet:"who"`
	Unused   []int64    `parquet:"unused,list"`
	Class    bool       `parquet:"class"`
}

func entrySchema(t testing.TB, more ...frames.Column) frames.Schema {
	t.Helper()
	days := func(name string) frames.Column { return frames.Date(name, "1969-12-01", "2030-12-31") }
	levels := func(name string) frames.Column { return frames.Category(name, "a", "bb", "ccc") }
	s, err := frames.NewSchema(append([]frames.Column{
		frames.Numeric("plain", -1e6, 1e6), frames.Numeric("split", -1e6, 1e6), frames.Numeric("dict", -1e6, 1e6),
		frames.Numeric("may", -1e6, 1e6).MayMiss(), frames.Numeric("may_dict", -1e6, 1e6).MayMiss(), frames.Numeric("single", -1e6, 1e6),
		frames.Numeric("split_f", -1e6, 1e6).MayMiss(), frames.Unbounded("int"), frames.Numeric("int_plain", -1e6, 1e6), frames.Numeric("int_dict", -1e6, 1e6).MayMiss(),
		frames.Unbounded("unsigned"), frames.Unbounded("money"), frames.Numeric("cents", -1e6, 1e6), frames.Unbounded("wide"), frames.Numeric("bool", 0, 1),
		days("day"), days("micros"), days("millis").MayMiss(), days("day_text"), levels("level"), levels("level_dict").MayMiss(),
		levels("level_plain"), levels("level_delta").Other("rest"), frames.Category("level_int", "-7", "0", "12"), frames.Person("who"), frames.Label("class", "false", "true"),
	}, more...)...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// entries are n rows, and the same as CSV.
func entries(n int) ([]entry, string) {
	var all []entry
	var csv strings.Builder
	csv.WriteString("plain,split,dict,may,may_dict,single,split_f,int,int_plain,int_dict,unsigned,money,cents,wide,bool,day,micros,millis,day_text,level,level_dict,level_plain,level_delta,level_int,who,class\n")
	levels := []string{"a", "bb", "ccc"}
	for i := range n {
		x := float64(i*7919%20011)/16 - 500
		day := time.Unix(0, 0).UTC().AddDate(0, 0, i*37%9000-20).Add(time.Duration(i%86400) * time.Second)
		e := entry{
			Plain: x, Split: -x, Dict: float64(i % 17), Single: float32(x), Int: int64(i)*1e12 - 5e14, IntPlain: int32(-i), Unsigned: math.MaxUint64 - uint64(i)<<40,
			Money: int64(i)*1_000_000_007_000_003 - 99, Cents: int32(i) - 1000, Bool: i%3 == 0, Day: int32(math.Floor(float64(day.Unix()) / 86400)), Micros: day, DayText: day.Format(time.DateOnly),
			Level: levels[i%3], LevelP: levels[i*i%3], LevelX: levels[i%2], LevelN: []int64{-7, 0, 12}[i%3], Who: fmt.Sprint("person ", i/3), Unused: []int64{1, 2}, Class: i%2 == 1,
		}
		if i%5 == 4 {
			e.LevelX = "what nobody lists"
		}
		e.Wide = [16]byte{15: byte(i), 14: byte(i >> 8)}
		wide := fmt.Sprintf("%d.%03d", i/1000, i%1000)
		if i%2 == 1 { // two's complement
			v := -i
			for k := range e.Wide {
				e.Wide[k] = byte(v >> min(8*(15-k), 62))
			}
			wide = "-" + wide
		}
		may, mayDict, single, intDict, millis, level := "", "", "", "", "", ""
		if i%7 != 0 {
			v := x * 2
			e.May, may = &v, fmt.Sprint(v)
		}
		if i%1000 < 600 { // long runs of missing cells
			v, k, f := float64(i%5), int32(i%11), float32(x)
			e.MayDict, e.IntDict, e.SplitF = &v, &k, &f
			mayDict, intDict, single = fmt.Sprint(v), fmt.Sprint(k), fmt.Sprint(float64(f))
			e.Millis, millis = &day, day.Format(time.DateOnly)
			e.LevelD, level = &levels[i%3], levels[i%3]
		}
		all = append(all, e)
		cents := func(v int64) string {
			sign := ""
			if v < 0 {
				sign, v = "-", -v
			}
			return fmt.Sprintf("%s%d.%02d", sign, v/100, v%100)
		}
		levelX := e.LevelX
		b := "0"
		if e.Bool {
			b = "1"
		}
		fmt.Fprintf(&csv, "%v,%v,%v,%s,%s,%v,%s,%d,%d,%s,%d,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%d,%s,%v\n", x, -x, e.Dict, may, mayDict, float64(e.Single), single, e.Int, e.IntPlain, intDict,
			e.Unsigned, cents(e.Money), cents(int64(e.Cents)), wide, b, e.DayText, e.DayText, millis, e.DayText, e.Level, level, e.LevelP, levelX, e.LevelN, e.Who, e.Class)
	}
	return all, csv.String()
}

// write writes rows by the library.
func write[T any](t testing.TB, path string, rows []T, options ...pq.WriterOption) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := pq.NewGenericWriter[T](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func names(s frames.Schema) (all []string) {
	for _, c := range s.Columns() {
		if c.Kind != frames.KindIgnored {
			all = append(all, c.Name)
		}
	}
	return all
}

func fingerprint(t testing.TB, src frames.Source) [32]byte {
	t.Helper()
	c, err := frames.ContentOf(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := c.Fingerprint([]byte("key"), names(src.Schema())...)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// text spells the rows of a source, which the test made.
func text(t testing.TB, src frames.Source) string {
	t.Helper()
	f, err := frames.Collect(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	p := frames.Public(f)
	for i := range p.Rows() {
		fmt.Fprintln(&b, strings.Join(p.Row(i), ","))
	}
	return b.String()
}

// differ names the columns in which two sources do.
func differ(t *testing.T, a, b frames.Source) (all []string) {
	t.Helper()
	for _, name := range names(a.Schema()) {
		x, err := frames.ContentOf(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		y, err := frames.ContentOf(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		p, _ := x.Fingerprint(nil, name)
		q, _ := y.Fingerprint(nil, name)
		if p != q {
			all = append(all, name)
		}
	}
	return all
}

// TestOpenAgreesWithCSV: the same rows in Parquet, of whatever types, encodings, packings, versions and sizes of pages and row groups, are
// those of a CSV file, with its fingerprint.
func TestOpenAgreesWithCSV(t *testing.T) {
	s := entrySchema(t)
	all, csv := entries(3000)
	want, err := frames.ParseCSV(strings.NewReader(csv), "t", s, frames.CSVOptions{Header: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, options := range map[string][]pq.WriterOption{
		"plain":              nil,
		"snappy, version 1":  {pq.Compression(&pq.Snappy), pq.DataPageVersion(1)},
		"gzip":               {pq.Compression(&pq.Gzip), pq.PageBufferSize(1000)},
		"zstd, small groups": {pq.Compression(&pq.Zstd), pq.MaxRowsPerRowGroup(777)},
		"brotli":             {pq.Compression(&pq.Brotli), pq.DataPageVersion(1), pq.PageBufferSize(3000)},
		"lz4":                {pq.Compression(&pq.Lz4Raw), pq.MaxRowsPerRowGroup(1)},
	} {
		rows := all
		if name == "lz4" {
			rows = all[:50]
		}
		path := write(t, filepath.Join(t.TempDir(), "t.parquet"), rows, options...)
		want := frames.Source(want)
		if name == "lz4" {
			lines := strings.SplitAfter(csv, "\n")
			if want, err = frames.ParseCSV(strings.NewReader(strings.Join(lines[:51], "")), "t", s, frames.CSVOptions{Header: true}); err != nil {
				t.Fatal(err)
			}
		}
		src, err := parquet.Open(path, s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if fingerprint(t, src) != fingerprint(t, want) {
			t.Errorf("%s: other rows in %q", name, differ(t, src, want))
		}
		if err := src.Scan(t.Context(), func(*frames.Block) error { return nil }); err != nil {
			t.Errorf("%s: a second pass: %v", name, err)
		}
		f, err := parquet.Read(path, s)
		if err != nil || fingerprint(t, f) != fingerprint(t, want) {
			t.Errorf("%s: in memory: other rows, or %v", name, err)
		}
		if opened, err := frames.Open(path, s); err != nil || !frames.Fixed(opened) {
			t.Errorf("%s: frames.Open: %v", name, err)
		}
	}
}

type small struct {
	Age  float64 `parquet:"age"`
	City *string `parquet:"city,optional,dict"`
}

func smallSchema(t testing.TB, more ...frames.Column) frames.Schema {
	t.Helper()
	s, err := frames.NewSchema(append([]frames.Column{frames.Numeric("age", 0, 120), frames.Category("city", "Bonn", "Trier").MayMiss()}, more...)...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func smalls(ages ...float64) []small {
	bonn := "Bonn"
	var all []small
	for i, a := range ages {
		all = append(all, small{Age: a})
		if i%2 == 0 {
			all[i].City = &bonn
		}
	}
	return all
}

// TestShards: folders, patterns and the values in folders' names are one table, in sorted order.
func TestShards(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "year=2023", "ward=a%20b", "part-0.parquet"), smalls(1, 2, 3))
	write(t, filepath.Join(dir, "year=2023", "ward=__HIVE_DEFAULT_PARTITION__", "part-1.parquet"), smalls(4))
	write(t, filepath.Join(dir, "year=2024", "ward=c", "part-0.parquet"), smalls(5, 6))
	write(t, filepath.Join(dir, "year=2024", "ward=c", "part-1.parquet"), smalls())
	for name, content := range map[string]string{"_SUCCESS": "", ".part.crc": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := smallSchema(t, frames.Category("ward", "a b", "c").MayMiss(), frames.NumericLabel("year", 2000, 2030))
	const want = "4,Bonn,NA,2023\n1,Bonn,a b,2023\n2,NA,a b,2023\n3,Bonn,a b,2023\n5,Bonn,c,2024\n6,NA,c,2024\n"
	for _, path := range []string{dir, filepath.Join(dir, "*", "*", "*.parquet")} {
		src, err := frames.Open(path, s)
		if err != nil {
			t.Fatal(err)
		}
		if got := text(t, src); got != want {
			t.Errorf("%s: got\n%swant\n%s", path, got, want)
		}
	}
	people := smallSchema(t, frames.Person("ward"))
	if _, err := parquet.Open(dir, people); !errors.Is(err, frames.ErrMissing) || !strings.Contains(err.Error(), `part-1.parquet, row 1, column "ward"`) {
		t.Errorf("nobody's rows: got %v", err)
	}
	days := smallSchema(t, frames.Date("year", "2020-01-01", "2030-01-01"))
	if _, err := parquet.Open(dir, days); !errors.Is(err, parquet.ErrType) || strings.Contains(err.Error(), "__HIVE") && !strings.Contains(err.Error(), "name of its folder") {
		t.Errorf("no days: got %v", err)
	}
}

// TestRefused: what is wrong, in which file, and where there.
func TestRefused(t *testing.T) {
	type other struct {
		Age  string  `parquet:"age"`
		City *string `parquet:"city,optional,dict"`
	}
	type whole struct {
		Age  int64   `parquet:"age"`
		City *string `parquet:"city,optional,dict"`
	}
	type lacking struct {
		Years float64 `parquet:"years"`
	}
	type nested struct {
		Age  []float64 `parquet:"age"`
		City string    `parquet:"city"`
	}
	type clock struct {
		Age  time.Duration `parquet:"age,time(microsecond)"`
		City string        `parquet:"city"`
	}
	rome := "Rome 731"
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("good.parquet"), smalls(1, 2, 3))
	write(t, at("lacking.parquet"), []lacking{{1}})
	write(t, at("nested.parquet"), []nested{{[]float64{1}, "Bonn"}})
	write(t, at("clock.parquet"), []clock{{1, "Bonn"}})
	write(t, at("text.parquet"), []other{{"731", nil}})
	write(t, at("types-1.parquet"), smalls(1))
	write(t, at("types-2.parquet"), []whole{{1, nil}})
	write(t, at("schemas-1.parquet"), smalls(1))
	write(t, at("schemas-2.parquet"), []lacking{{1}})
	write(t, at("bounds-1.parquet"), smalls(1, 2))
	write(t, at("bounds-2.parquet"), smalls(1, 731))
	write(t, at("nan.parquet"), smalls(1, math.NaN()))
	write(t, at("level.parquet"), []small{{1, nil}, {1, &rome}})
	write(t, at("none.parquet"), smalls())
	write(t, at("city=Bonn/both.parquet"), smalls(1))
	good, err := os.ReadFile(at("good.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"text.csv.parquet": "age,city\n1,Bonn\n", "empty.parquet": "", "cut.parquet": string(good[:len(good)-20]), "tail.parquet": string(good[len(good)-40:]),
		"footer.parquet": "PAR1\xff\xff\xff\x7fPAR1", "encrypted.parquet": "PARE....PARE",
	} {
		if err := os.WriteFile(at(name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	required, err := frames.NewSchema(frames.Numeric("age", 0, 120), frames.Category("city", "Bonn", "Trier"))
	if err != nil {
		t.Fatal(err)
	}
	texts, err := frames.NewSchema(frames.Text("city"), frames.Numeric("age", 0, 120))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		s    frames.Schema
		is   error
		says string
	}{
		{"good.parquet", required, frames.ErrMissing, `good.parquet, row 2, column "city"`},
		{"good.parquet", texts, frames.ErrSchema, `column "city": got a column of texts`},
		{"lacking.parquet", smallSchema(t), frames.ErrHeader, `column "age": header mismatch: the file has ["years"]`},
		{"nested.parquet", smallSchema(t), parquet.ErrType, `column "age": another type than the schema wants: got a nested`},
		{"clock.parquet", smallSchema(t), parquet.ErrType, "TIME"},
		{"text.parquet", smallSchema(t), parquet.ErrType, "BYTE_ARRAY (STRING)"},
		{"types-*.parquet", smallSchema(t), parquet.ErrType, `types-2.parquet: column "age": got INT64`},
		{"schemas-*.parquet", smallSchema(t), frames.ErrHeader, `schemas-2.parquet: column "age"`},
		{"bounds-*.parquet", smallSchema(t), frames.ErrBounds, `bounds-2.parquet, row 2, column "age"`},
		{"nan.parquet", smallSchema(t), frames.ErrMissing, "row 2"},
		{"level.parquet", smallSchema(t), frames.ErrLevel, `row 2, column "city"`},
		{"none.parquet", smallSchema(t), frames.ErrEmpty, "0 rows"},
		{"city=Bonn/both.parquet", smallSchema(t), frames.ErrHeader, "name of a folder"},
		{"text.csv.parquet", smallSchema(t), parquet.ErrFormat, "of another format"},
		{"empty.parquet", smallSchema(t), parquet.ErrFormat, "0 bytes"},
		{"cut.parquet", smallSchema(t), parquet.ErrFormat, "it was cut"},
		{"tail.parquet", smallSchema(t), parquet.ErrFormat, "it was cut"},
		{"footer.parquet", smallSchema(t), parquet.ErrFormat, "more than the file has"},
		{"encrypted.parquet", smallSchema(t), parquet.ErrFormat, "encrypted"},
		{"gone.parquet", smallSchema(t), fs.ErrNotExist, "check the path"},
		{"gone-*.parquet", smallSchema(t), fs.ErrNotExist, "no file"},
		{"good.parquet", frames.Schema{}, frames.ErrSchema, "without columns"},
	} {
		for how, open := range map[string]func() error{
			"open": func() error { _, err := parquet.Open(at(c.path), c.s); return err },
			"read": func() error { _, err := parquet.Read(at(c.path), c.s); return err },
		} {
			err := open()
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s, %s: got %v, want %v and %q", c.path, how, err, c.is, c.says)
			}
			if err != nil && strings.Contains(strings.ReplaceAll(err.Error(), dir, ""), "731") {
				t.Errorf("%s, %s: the error repeats a cell: %v", c.path, how, err)
			}
		}
	}
}

// TestChanges: a file that becomes another ends a scan with ErrChanged, before a row of it is seen.
func TestChanges(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "t.parquet"), smalls(1, 2, 3))
	src, err := parquet.Open(path, smallSchema(t))
	if err != nil {
		t.Fatal(err)
	}
	scan := func() error { return src.Scan(t.Context(), func(*frames.Block) error { return nil }) }
	write(t, path, smalls(1, 2, 4))
	if err := scan(); !errors.Is(err, frames.ErrChanged) {
		t.Errorf("another cell: got %v", err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content[:100], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := scan(); !errors.Is(err, frames.ErrChanged) {
		t.Errorf("cut: got %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := scan(); !errors.Is(err, frames.ErrChanged) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("gone: got %v", err)
	}
}

func TestScanStops(t *testing.T) {
	ages := make([]float64, 20_000)
	src, err := parquet.Open(write(t, filepath.Join(t.TempDir(), "t.parquet"), smalls(ages...)), smallSchema(t))
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	if err := src.Scan(t.Context(), func(*frames.Block) error { return enough }); err != enough {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	if err := src.Scan(ctx, func(*frames.Block) error { cancel(enough); return nil }); !errors.Is(err, enough) {
		t.Errorf("cancelled: got %v", err)
	}
}
