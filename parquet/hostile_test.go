package parquet_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/parquet"
)

// forged is a file of one required column of doubles, made by hand.
type forged struct {
	codec  format.CompressionCodec
	rows   int64
	pages  []forgedPage
	footer func(m *format.FileMetaData)
	kind   format.Type
}

type forgedPage struct {
	header format.PageHeader
	body   []byte
}

func (f forged) bytes(t testing.TB) []byte {
	t.Helper()
	marshal := func(v any) []byte {
		b, err := thrift.Marshal(new(thrift.CompactProtocol), v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	file := []byte("PAR1")
	for _, p := range f.pages {
		file = append(append(file, marshal(&p.header)...), p.body...)
	}
	if f.kind == 0 {
		f.kind = format.Double
	}
	meta := format.FileMetaData{
		Version: 1, NumRows: f.rows,
		Schema: []format.SchemaElement{
			{Name: "root", NumChildren: thrift.New[int32](1)},
			{Name: "age", Type: thrift.New(f.kind), RepetitionType: thrift.New(format.Required)},
		},
		RowGroups: []format.RowGroup{{NumRows: f.rows, Columns: []format.ColumnChunk{{MetaData: format.ColumnMetaData{
			Type: f.kind, Encoding: []format.Encoding{format.Plain}, PathInSchema: []string{"age"}, Codec: f.codec, NumValues: f.rows, DataPageOffset: 4,
			TotalCompressedSize: int64(len(file) - 4), TotalUncompressedSize: int64(len(file) - 4),
		}}}}},
	}
	if f.footer != nil {
		f.footer(&meta)
	}
	footer := marshal(&meta)
	file = append(file, footer...)
	return append(binary.LittleEndian.AppendUint32(file, uint32(len(footer))), "PAR1"...)
}

// page is a data page of version 1 with plain values.
func page(values int32, packed, unpacked int, body []byte) forgedPage {
	return forgedPage{format.PageHeader{
		Type: format.DataPage, CompressedPageSize: int32(packed), UncompressedPageSize: int32(unpacked),
		DataPageHeader: thrift.New(format.DataPageHeader{NumValues: values, Encoding: format.Plain, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE}),
	}, body}
}

func doubles(v ...float64) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestForged: what a file declares without having it, or beyond what is read, is an error that says where, and costs little memory; what it says of
// its values is not believed.
func TestForged(t *testing.T) {
	one := doubles(1)
	zeros := make([]byte, 200<<20)
	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	if _, err := w.Write(zeros); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	zs := enc.EncodeAll(zeros, nil)
	snappy := append(binary.AppendUvarint(nil, 1<<32-1), 0, 0, 0)
	encoded := func(e format.Encoding, values int32, body []byte) forgedPage {
		p := page(values, len(body), len(body), body)
		p.header.DataPageHeader.V.Encoding = e
		return p
	}
	dictionary := func(values int32, body []byte) forgedPage {
		return forgedPage{format.PageHeader{
			Type: format.DictionaryPage, CompressedPageSize: int32(len(body)), UncompressedPageSize: int32(len(body)),
			DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: values, Encoding: format.Plain}),
		}, body}
	}
	delta := func(block, minis, count uint64) []byte {
		b := binary.AppendUvarint(binary.AppendUvarint(nil, block), minis)
		return append(binary.AppendUvarint(b, count), make([]byte, 20)...)
	}
	statistics := format.Statistics{Min: doubles(0), Max: doubles(1), MinValue: doubles(0), MaxValue: doubles(1)}
	for _, c := range []struct {
		name string
		f    forged
		is   error
		says string
	}{
		{"sound", forged{rows: 2, pages: []forgedPage{page(1, 8, 8, one), page(1, 8, 8, one)}}, nil, ""},
		{"values outside their statistics", forged{rows: 1, pages: []forgedPage{page(1, 8, 8, doubles(731))}, footer: func(m *format.FileMetaData) {
			m.RowGroups[0].Columns[0].MetaData.Statistics = statistics
		}}, frames.ErrBounds, `row 1, column "age"`},
		{"a page of gigabytes", forged{rows: 1, pages: []forgedPage{page(1, 8, math.MaxInt32, one)}}, frames.ErrLimit, `column "age", row group 1, page 1: it declares 8 bytes, unpacked 2147483647`},
		{"a page beyond its column", forged{rows: 1, pages: []forgedPage{page(1, 9, 9, one)}}, parquet.ErrFormat, "more than its column has left"},
		{"a negative page", forged{rows: 1, pages: []forgedPage{page(1, -9, 8, one)}}, parquet.ErrFormat, "it declares -9 bytes"},
		{"too many values", forged{rows: 1 << 40, pages: []forgedPage{page(math.MaxInt32, 8, 8, one)}}, parquet.ErrFormat, "its values end early"},
		{"too few pages", forged{rows: 1 << 40, pages: []forgedPage{page(1, 8, 8, one)}}, parquet.ErrFormat, "fewer pages than its rows need"},
		{"more values than rows", forged{rows: 1, pages: []forgedPage{page(2, 16, 16, doubles(1, 1))}}, parquet.ErrFormat, "it declares 2 rows, where its row group has 1 left"},
		{"negative values", forged{rows: 1, pages: []forgedPage{page(-1, 8, 8, one)}}, parquet.ErrFormat, "it declares -1 rows"},
		{"snappy of gigabytes", forged{codec: format.Snappy, rows: 1, pages: []forgedPage{page(1, len(snappy), 8, snappy)}}, parquet.ErrFormat, "does not unpack"},
		{"gzip of more", forged{codec: format.Gzip, rows: 1, pages: []forgedPage{page(1, gz.Len(), 8, gz.Bytes())}}, parquet.ErrFormat, "does not unpack"},
		{"zstd of more", forged{codec: format.Zstd, rows: 1, pages: []forgedPage{page(1, len(zs), 8, zs)}}, parquet.ErrFormat, "does not unpack"},
		{"brotli of nothing", forged{codec: format.Brotli, rows: 1, pages: []forgedPage{page(1, 8, 8, one)}}, parquet.ErrFormat, "does not unpack"},
		{"lz4 of nothing", forged{codec: format.Lz4Raw, rows: 1, pages: []forgedPage{page(1, 8, 60<<20, one)}}, parquet.ErrFormat, "does not unpack"},
		{"an unknown packing", forged{codec: 77, rows: 1, pages: []forgedPage{page(1, 8, 8, one)}}, parquet.ErrFormat, "it is packed by"},
		{"an unknown encoding", forged{rows: 1, pages: []forgedPage{encoded(77, 1, one)}}, parquet.ErrFormat, "it is encoded as"},
		{"no dictionary", forged{rows: 1, pages: []forgedPage{encoded(format.RLEDictionary, 1, []byte{1, 2, 0})}}, parquet.ErrFormat, "its column has none"},
		{"a value that is in no dictionary", forged{rows: 1, pages: []forgedPage{dictionary(1, one), encoded(format.RLEDictionary, 1, []byte{3, 2, 7})}}, parquet.ErrFormat, "page 2: a value is not in its dictionary"},
		{"a dictionary of gigabytes", forged{rows: 1, pages: []forgedPage{dictionary(math.MaxInt32, one), encoded(format.RLEDictionary, 1, []byte{3, 2, 0})}}, parquet.ErrFormat, "more than it has"},
		{"two dictionaries", forged{rows: 1, pages: []forgedPage{dictionary(1, one), dictionary(1, one)}}, parquet.ErrFormat, "second dictionary"},
		{"wide indexes", forged{rows: 1, pages: []forgedPage{dictionary(1, one), encoded(format.RLEDictionary, 1, []byte{99, 2, 0})}}, parquet.ErrFormat, "not in their encoding"},
		{"runs without end", forged{rows: 1, pages: []forgedPage{dictionary(1, one), encoded(format.RLEDictionary, 1, append([]byte{1}, bytes.Repeat([]byte{0, 0}, 100)...))}}, parquet.ErrFormat, "its values end early"},
		{"differences in huge blocks", forged{kind: format.Int64, rows: 9, pages: []forgedPage{encoded(format.DeltaBinaryPacked, 9, delta(1<<40, 4, 9))}}, parquet.ErrFormat, "the header of differences"},
		{"differences in no parts", forged{kind: format.Int64, rows: 9, pages: []forgedPage{encoded(format.DeltaBinaryPacked, 9, delta(128, 0, 9))}}, parquet.ErrFormat, "the header of differences"},
		{"differences that end", forged{kind: format.Int64, rows: 9, pages: []forgedPage{encoded(format.DeltaBinaryPacked, 9, delta(128, 4, 2))}}, parquet.ErrFormat, "its values end early"},
		{"a wrong checksum", forged{rows: 1, pages: func() []forgedPage {
			p := page(1, 8, 8, one)
			p.header.CRC = 1
			return []forgedPage{p}
		}()}, parquet.ErrFormat, "its checksum differs"},
		{"data outside the file", forged{rows: 1, pages: []forgedPage{page(1, 8, 8, one)}, footer: func(m *format.FileMetaData) {
			m.RowGroups[0].Columns[0].MetaData.TotalCompressedSize = 1 << 40
		}}, parquet.ErrFormat, "outside the file"},
		{"data before the file", forged{rows: 1, pages: []forgedPage{page(1, 8, 8, one)}, footer: func(m *format.FileMetaData) {
			m.RowGroups[0].Columns[0].MetaData.DataPageOffset = math.MinInt64
		}}, parquet.ErrFormat, "outside the file"},
		{"another column", forged{rows: 1, pages: []forgedPage{page(1, 8, 8, one)}, footer: func(m *format.FileMetaData) {
			m.RowGroups[0].Columns[0].MetaData.PathInSchema = []string{"pay"}
		}}, parquet.ErrFormat, "another column in its place"},
		{"another type", forged{rows: 1, pages: []forgedPage{page(1, 8, 8, one)}, footer: func(m *format.FileMetaData) {
			m.RowGroups[0].Columns[0].MetaData.Type = format.Int64
		}}, parquet.ErrFormat, "another column in its place"},
		{"another file", forged{rows: 1, pages: []forgedPage{page(1, 8, 8, one)}, footer: func(m *format.FileMetaData) {
			m.RowGroups[0].Columns[0].FilePath = "/etc/passwd"
		}}, parquet.ErrFormat, "lies in another file"},
		{"no columns", forged{rows: 1, footer: func(m *format.FileMetaData) { m.RowGroups[0].Columns = nil }}, parquet.ErrFormat, "row group 1 has 0 columns"},
		{"negative rows", forged{rows: -5}, parquet.ErrFormat, "declares -5 rows"},
		{"no schema", forged{footer: func(m *format.FileMetaData) { m.Schema = nil }}, parquet.ErrFormat, "declares no columns"},
		{"a schema that promises more", forged{footer: func(m *format.FileMetaData) { m.Schema[0].NumChildren.V = math.MaxInt32 }}, parquet.ErrFormat, "promises more columns"},
		{"a schema that promises less", forged{footer: func(m *format.FileMetaData) { m.Schema[0].NumChildren.V = 0 }}, parquet.ErrFormat, "belong to nothing"},
		{"a column twice", forged{footer: func(m *format.FileMetaData) {
			m.Schema[0].NumChildren.V = 2
			m.Schema = append(m.Schema, m.Schema[1])
		}}, parquet.ErrFormat, "two columns of one name"},
		{"lengths of gigabytes", forged{footer: func(m *format.FileMetaData) {
			m.Schema[1].Type, m.Schema[1].TypeLength = thrift.New(format.FixedLenByteArray), thrift.New[int32](math.MaxInt32)
		}}, parquet.ErrFormat, "a length of 2147483647"},
		{"a date of doubles", forged{footer: func(m *format.FileMetaData) {
			m.Schema[1].LogicalType.Value = &format.DateType{}
		}}, parquet.ErrFormat, "contradicts itself"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.parquet")
			if err := os.WriteFile(path, c.f.bytes(t), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := frames.NewSchema(frames.Numeric("age", 0, 120))
			if err != nil {
				t.Fatal(err)
			}
			n := allocated(func() { _, err = parquet.Open(path, s) })
			if c.is == nil && err != nil || !errors.Is(err, c.is) || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %v and %q", err, c.is, c.says)
			}
			if n > 160<<20 {
				t.Errorf("allocated %d MiB", n>>20)
			}
		})
	}
}

// TestForgedFooter: lists that claim more elements than there are bytes, and structs without end.
func TestForgedFooter(t *testing.T) {
	for name, footer := range map[string][]byte{
		"a list of billions":     append([]byte{0x15, 2, 0x19, 0xfc}, binary.AppendUvarint(nil, 1<<31-1)...),
		"a text of gigabytes":    append([]byte{0x68}, binary.AppendUvarint(nil, 1<<31-1)...),
		"structs in structs":     bytes.Repeat([]byte{0x1c}, 1<<20),
		"lists in lists":         bytes.Repeat([]byte{0x19}, 1<<20),
		"elements of one byte":   append(append([]byte{0x19, 0xfc}, binary.AppendUvarint(nil, 8<<20)...), make([]byte, 8<<20)...),
		"an unknown kind":        {0x1e},
		"a number without end":   bytes.Repeat([]byte{0x16, 0xff, 0xff}, 20),
		"nothing":                {},
		"a map of billions":      append([]byte{0x1b}, binary.AppendUvarint(nil, 1<<40)...),
		"what misses the schema": {0},
	} {
		path := filepath.Join(t.TempDir(), "t.parquet")
		file := append([]byte("PAR1"), footer...)
		file = append(binary.LittleEndian.AppendUint32(file, uint32(len(footer))), "PAR1"...)
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		var err error
		n := allocated(func() { _, err = parquet.Open(path, smallSchema(t)) })
		if !errors.Is(err, parquet.ErrFormat) || n > 64<<20 {
			t.Errorf("%s: got %v and %d MiB", name, err, n>>20)
		}
	}
}

// TestDamaged: a file with some bytes changed, added or gone is an error that a caller can branch on, or rows of the schema; it is never a panic, and
// never much memory.
func TestDamaged(t *testing.T) {
	type row struct {
		Age  float64    `parquet:"age"`
		City *string    `parquet:"city,optional,dict"`
		Pay  int64      `parquet:"pay,delta"`
		Name string     `parquet:"name"`
		Day  *time.Time `parquet:"day,optional,timestamp(millisecond)"`
	}
	bonn, day := "Bonn", time.Date(2024, 2, 3, 4, 5, 6, 0, time.UTC)
	var rows []row
	for i := range 40 {
		r := row{Age: float64(i), Pay: int64(i * i), Name: strings.Repeat("n", i%4+1)}
		if i%3 > 0 {
			r.City, r.Day = &bonn, &day
		}
		rows = append(rows, r)
	}
	s := smallSchema(t, frames.Numeric("pay", 0, 2000), frames.Person("name"), frames.Date("day", "2024-01-01", "2024-12-31").MayMiss())
	dir := t.TempDir()
	var files [][]byte
	for _, o := range [][]pq.WriterOption{nil, {pq.DataPageVersion(1), pq.Compression(&pq.Snappy)}, {pq.Compression(&pq.Zstd), pq.MaxRowsPerRowGroup(16)}} {
		b, err := os.ReadFile(write(t, filepath.Join(dir, "seed.parquet"), rows, o...))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, b)
	}
	r := rand.New(rand.NewPCG(1, 2))
	path := filepath.Join(dir, "damaged.parquet")
	known := []error{
		parquet.ErrFormat, parquet.ErrType, frames.ErrHeader, frames.ErrLimit, frames.ErrEmpty, frames.ErrBounds, frames.ErrMissing, frames.ErrLevel, frames.ErrNumber,
	}
	opened := 0
	for i := range damages {
		b := bytes.Clone(files[i%len(files)])
		for range 1 + r.IntN(4) {
			at := r.IntN(len(b))
			if r.IntN(2) == 0 { // the footer, which steers all
				at = len(b) - 1 - r.IntN(min(len(b), 600))
			}
			switch r.IntN(5) {
			case 0:
				b[at] = byte(r.Uint32())
			case 1:
				b[at] ^= 1 << r.IntN(8)
			case 2:
				b[at] = []byte{0, 0xff, 0x7f, 0x80, 0x19, 0x1c, 0xfc}[r.IntN(7)]
			case 3:
				b = append(b[:at], b[min(len(b), at+1+r.IntN(8)):]...)
			case 4:
				b = append(b[:at], append([]byte{0xff, 0xff, 0xff, 0xff, 0x0f}, b[at:]...)...)
			}
			if len(b) == 0 {
				b = []byte{0}
			}
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		var src *frames.Checked
		var err error
		n := allocated(func() { src, err = parquet.Open(path, s) })
		if n > 192<<20 {
			t.Fatalf("damage %d: allocated %d MiB", i, n>>20)
		}
		if err == nil {
			opened++
			if src.Rows() < 1 {
				t.Fatalf("damage %d: %d rows", i, src.Rows())
			}
			continue
		}
		ok := false
		for _, k := range known {
			ok = ok || errors.Is(err, k)
		}
		if !ok || strings.Contains(err.Error(), "Bonn") && !strings.Contains(err.Error(), "want one of") {
			t.Fatalf("damage %d: got %v", i, err)
		}
	}
	if opened == 0 || opened == damages {
		t.Errorf("%d of %d files could be read", opened, damages)
	}
}

// damages are the files that TestDamaged makes.
const damages = 3000
