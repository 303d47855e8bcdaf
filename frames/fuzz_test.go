package frames

import (
	"encoding/csv"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
)

// records reads all records of a text, with the line of each field.
func records(text string, o CSVOptions) (out [][]string, lines [][]int, err error) {
	rr, err := newRecordReader(strings.NewReader(text), o)
	if err != nil {
		return nil, nil, err
	}
	for {
		fields, err := rr.next()
		if errors.Is(err, io.EOF) {
			return out, lines, nil
		}
		if err != nil {
			return nil, nil, err
		}
		var rec []string
		var at []int
		for i, f := range fields {
			rec = append(rec, string(f))
			at = append(at, rr.fieldLine(i))
		}
		out, lines = append(out, rec), append(lines, at)
	}
}

// FuzzRecordReader holds the record reader to encoding/csv: the same records and lines on valid
// input, a quote error where encoding/csv has one.
func FuzzRecordReader(f *testing.F) {
	f.Add("a,b\n1,2\n", byte(','), byte(0))
	f.Add("\"a\r\nb\",\"c\"\"d\"\r\n\n#x\n", byte(','), byte('#'))
	f.Add("a;\"b\";\n;\r", byte(';'), byte('"'))
	f.Add("\"a\" \"b\"\n\"c", byte(' '), byte(0))
	f.Fuzz(func(t *testing.T, text string, comma, comment byte) {
		o := CSVOptions{Comma: rune(comma), Comment: rune(comment)}
		if o.validate() != nil || strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
			return
		}
		r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
		r.Comma, r.Comment, r.FieldsPerRecord = o.comma(), o.Comment, -1
		var want [][]string
		var wantLines [][]int
		var wantErr error
		for {
			rec, err := r.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				wantErr = err
				break
			}
			var at []int
			for i := range rec {
				line, _ := r.FieldPos(i)
				at = append(at, line)
			}
			want, wantLines = append(want, rec), append(wantLines, at)
		}
		got, lines, err := records(text, o)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: got error %v, encoding/csv has %v", text, err, wantErr)
		}
		if err != nil {
			return
		}
		for _, keep := range []int{1, 2} { // fields that are not kept are counted
			rr, err := newRecordReader(strings.NewReader(text), o)
			if err != nil {
				t.Fatal(err)
			}
			rr.keep = keep
			for i := range want {
				fields, err := rr.next()
				if err != nil || len(fields) != min(keep, len(want[i])) || len(fields)+rr.extra != len(want[i]) || string(fields[0]) != want[i][0] {
					t.Fatalf("%q, record %d, keep %d: got %q, %d more and %v, want %q", text, i, keep, fields, rr.extra, err, want[i])
				}
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%q: got %d records %q, want %d %q", text, len(got), got, len(want), want)
		}
		for i := range got {
			if strings.Join(got[i], "\x00") != strings.Join(want[i], "\x00") || len(got[i]) != len(want[i]) {
				t.Fatalf("%q, record %d: got %q, want %q", text, i, got[i], want[i])
			}
			for j := range lines[i] {
				if lines[i][j] != wantLines[i][j] {
					t.Fatalf("%q, record %d: got lines %v, want %v", text, i, lines[i], wantLines[i])
				}
			}
		}
	})
}

// FuzzParseCSV: no input panics, an error comes without a frame and never repeats a cell, and the
// rows of a frame keep the schema's promises.
func FuzzParseCSV(f *testing.F) {
	s, err := NewSchema(Numeric("a", -2, 5), Category("b", "u", "v").MayMiss(), Ignored("c"), Numeric("d", 0, 1).Clamped().MayMiss(), Label("e", "n", "p"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add("1,u,,0.5,n\n2,?,x,NA,p\n", false, false, byte(','))
	f.Add("e,d,c,b,a\nn,7,\"x\ny\",u,-2\n", true, false, byte(','))
	f.Add("1;u;;0.5;n\nSECRET;SECRET;SECRET;SECRET;SECRET\n", false, true, byte(';'))
	f.Add("SECRET\n\"SECRET\n", true, true, byte(','))
	f.Fuzz(func(t *testing.T, text string, header, trim bool, comma byte) {
		o := CSVOptions{Header: header, TrimSpace: trim, Comma: rune(comma)}
		if strings.ContainsRune(secret, rune(comma)) {
			return
		}
		frame, err := ParseCSV(strings.NewReader(strings.ReplaceAll(text, "SECRET", secret)), "fuzz", s, o)
		if (frame == nil) == (err == nil) {
			t.Fatalf("%q: got frame %v and error %v", text, frame, err)
		}
		if err != nil {
			if strings.Contains(err.Error(), secret) {
				t.Fatalf("%q: the error repeats a cell: %v", text, err)
			}
			return
		}
		if frame.Rows() < 1 {
			t.Fatalf("%q: a frame without rows", text)
		}
		if err := frame.Scan(t.Context(), func(b *Block) error {
			for i := range b.Rows {
				x, y := b.Row(i), b.Y[i]
				if !(x[0] >= -2 && x[0] <= 5) || !(math.IsNaN(x[1]) || x[1] == 0 || x[1] == 1) || !(math.IsNaN(x[2]) || x[2] >= 0 && x[2] <= 1) || y != 0 && y != 1 {
					t.Fatalf("%q: row %d breaks the schema: %v %v", text, i, x, y)
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzParseNumber holds the number parser to strconv.ParseFloat, bit for bit.
func FuzzParseNumber(f *testing.F) {
	for _, s := range []string{"0", "-0", "1.5", "123456789012345", "1234567890123456.7", ".5", "5.", ".", "1e-9", "+3", "1e400", "0x1p-2", "inf", "1_0", "9007199254740993", "0.1234567890123456789"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := parseNumber([]byte(text))
		want, err := strconv.ParseFloat(text, 64)
		accept := err == nil && !strings.ContainsAny(text, "xXpP_iInN")
		if ok != accept {
			t.Fatalf("%q: got accepted %v, want %v", text, ok, accept)
		}
		if ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%q: got %v, want %v", text, got, want)
		}
	})
}
