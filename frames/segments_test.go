package frames

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// textCase is a text and who reads it.
type textCase struct {
	name   string
	schema Schema
	parser func(s Schema) (textFile, error)
	text   string
	fails  error // of the reader, behind the text
}

type textFile interface {
	fileParser
	textParser
}

// outcomeOf reads a text in segments of so many bytes, by so many goroutines.
func outcomeOf(t *testing.T, c textCase, bytes, workers int) (frame *Frame, failure error) {
	t.Helper()
	p, err := c.parser(c.schema)
	if err != nil {
		t.Fatal(err)
	}
	p.common().segments = segmentation{bytes, bytes, workers}
	var text io.Reader = strings.NewReader(c.text)
	if c.fails != nil {
		text = io.MultiReader(text, iotest.ErrReader(c.fails))
	}
	return parseReaders(p, c.schema, c.name, text)
}

// compareSegments holds a text that is read in segments to the same read at once by one goroutine: rows, counts of clamped cells, and errors with lines.
func compareSegments(t *testing.T, c textCase, bytes, workers int) {
	t.Helper()
	want, wantErr := outcomeOf(t, c, len(c.text)+1, 1)
	got, err := outcomeOf(t, c, bytes, workers)
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("%.200q in %d bytes by %d:\ngot  %v\nwant %v", c.text, bytes, workers, err, wantErr)
	}
	var load, wantLoad *LoadError
	if errors.As(err, &load) != errors.As(wantErr, &wantLoad) || load != nil && (load.Stopped != wantLoad.Stopped || load.LoneCR != wantLoad.LoneCR || load.More != wantLoad.More || !reflect.DeepEqual(load.counts, wantLoad.counts)) {
		t.Fatalf("%.200q in %d bytes by %d: got %+v, want %+v", c.text, bytes, workers, load, wantLoad)
	}
	if want == nil || got == nil {
		if want != got {
			t.Fatalf("got %v, want %v", got, want)
		}
		return
	}
	if got.Fingerprint(nil) != want.Fingerprint(nil) || got.Rows() != want.Rows() || !reflect.DeepEqual(got.Clamped(), want.Clamped()) {
		t.Fatalf("%.200q in %d bytes by %d: got %d rows, clamped %v, want %d, %v, or other cells", c.text, bytes, workers, got.Rows(), got.Clamped(), want.Rows(), want.Clamped())
	}
}

func textCases(t testing.TB) []textCase {
	s, err := NewSchema(Numeric("a", -2, 5).Clamped(), Category("b", "u", "v").MayMiss(), Ignored("c"), Numeric("d", 0, 1).MayMiss(), Label("e", "n", "p"))
	if err != nil {
		t.Fatal(err)
	}
	people, err := NewSchema(Person("who").Per(Day, "day"), Date("day", "2024-01-01", "2024-03-31"), Numeric("x", 0, 9))
	if err != nil {
		t.Fatal(err)
	}
	notes, err := NewSchema(Text("note").MayMiss(), Numeric("x", 0, 9999))
	if err != nil {
		t.Fatal(err)
	}
	typed := ""
	for i := range 400 {
		typed += fmt.Sprintf("n%d,%d\n,%d\n", i*i%97, i, i)
	}
	svm, err := LibSVMSchema(LibSVMDomain{Features: 5, Lo: 0, Hi: 1, Clamp: true, LabelLo: 0, LabelHi: 1})
	if err != nil {
		t.Fatal(err)
	}
	csv := func(o CSVOptions) func(s Schema) (textFile, error) {
		return func(s Schema) (textFile, error) { return newCSVParser("t", s, o) }
	}
	arff := func(s Schema) (textFile, error) { return newARFFParser("t", s, ARFFOptions{}) }
	libsvm := func(s Schema) (textFile, error) { return newLibSVMParser("t", s, LibSVMOptions{}) }
	good := strings.Repeat("1,u,x,0.5,n\n2,,y,,p\r\n9,u,\"a, b\",1,n\n", 20)
	over := strings.Repeat("1,\"v\",\"w\n\n\",0.5,n\n", 20)
	header := "@relation r\n@attribute a real\n@attribute b {u,x}\n@attribute c string\n@attribute d real\n@attribute e {n,p}\n% c\n@data\n"
	return []textCase{
		{"csv", s, csv(CSVOptions{}), good, nil},
		{"csv, mark and header", s, csv(CSVOptions{Header: true}), "\ufeffe,d,c,b,a\n" + strings.Repeat("n,1,z,u,3\n\n", 20), nil},
		{"csv, header over lines", s, csv(CSVOptions{Header: true}), "\n\"e\",\"d\nd\",c,b,a\n" + good, nil},
		{"csv, a header not announced", s, csv(CSVOptions{}), "a,b,c,d,e\n" + good, nil},
		{"csv, records over lines", s, csv(CSVOptions{}), over + good + over, nil},
		{"csv, no line end", s, csv(CSVOptions{}), strings.TrimSuffix(good, "\n"), nil},
		{"csv, an open quote", s, csv(CSVOptions{}), good + "1,\"u\n" + good, nil},
		{"csv, quotes inside", s, csv(CSVOptions{}), over + "1,u\"v,x,0.5,n\n" + over + "1,\"u\"v,x,0.5,n\n" + good, nil},
		{"csv, comments and a lone CR", s, csv(CSVOptions{Comment: '#', TrimSpace: true}), "# x\n" + good + "  \n1,u,a\rb,1,n\n#\"\n" + good, nil},
		{"csv, problems", s, csv(CSVOptions{}), good + strings.Repeat("1,z,x,7,n\n1,u\n1,u,x,0.5,n\n", 7) + good, nil},
		{"csv, ten thousand problems", s, csv(CSVOptions{}), good + strings.Repeat("1,z,x,7,q\n"+over, 200) + strings.Repeat("1,z,x,7,q\n", 4000), nil},
		{"csv, a long line", s, csv(CSVOptions{MaxRecord: 40}), good + strings.Repeat("1", 41) + "\n" + good, nil},
		{"csv, as long as may be", s, csv(CSVOptions{MaxRecord: 40}), good + "1,u," + strings.Repeat("x", 30) + ",1,n\r\n" + good, nil},
		{"csv, a long record", s, csv(CSVOptions{MaxRecord: 40}), good + "1,\"" + strings.Repeat("u\n", 30) + "\",1,1,n\n" + good, nil},
		{"csv, a failing reader", s, csv(CSVOptions{}), good + "1,u,x", errors.New("lost")},
		{"csv, a failing reader in quotes", s, csv(CSVOptions{}), over + "1,v,\"w\nu", errors.New("lost")},
		{"csv, a failing reader between lines", s, csv(CSVOptions{}), good, errors.New("lost")},
		{"csv, a failing header", s, csv(CSVOptions{Header: true}), "a,b", errors.New("lost")},
		{"csv, empty", s, csv(CSVOptions{}), "\n\n", nil},
		{"csv, header alone", s, csv(CSVOptions{Header: true}), "a,b,c,d,e\n\n", nil},
		{"csv, UTF-16", s, csv(CSVOptions{Encoding: UTF16}), utf16Text(good), nil},
		{"csv, German", s, csv(CSVOptions{Comma: ';', Number: NumberFormat{Decimal: ','}}), strings.Repeat("-1,25;u;x;0,5;n\n", 30), nil},
		{"csv, people's days", people, csv(CSVOptions{}), strings.Repeat("p1,2024-01-05,3\np2,2024-02-29,4\n", 15), nil},
		{"csv, nobody", people, csv(CSVOptions{}), strings.Repeat("p1,2024-01-05,3\n,2024-02-29,4\n", 15), nil},
		{"csv, texts", notes, csv(CSVOptions{}), typed, nil},
		{"csv, texts with space", notes, csv(CSVOptions{}), typed + " n3,4\n" + typed, nil},
		{"blanks", s, csv(CSVOptions{Blanks: true}), strings.Repeat("1 u x 0.5 n\n 2 \"u\"  y NA p \n", 15) + "1 \"u\n", nil},
		{"arff", s, arff, header + strings.Repeat("1,u,x,0.5,n\n% \n{0 3, 4 p}\n2,?,'a\\'b',?,p\n", 15), nil},
		{"arff, problems", s, arff, header + strings.Repeat("1,u,x,0.5,n\n1,'u,x\n{9 1}\n", 5), nil},
		{"arff, header alone", s, arff, header, nil},
		{"arff, half a header", s, arff, header[:30], nil},
		{"libsvm", svm, libsvm, strings.Repeat("1 1:0.5 3:7\n0 # none\n\n1 5:1\n", 15), nil},
		{"libsvm, problems", svm, libsvm, strings.Repeat("1 1:0.5 3:7\n0 3:1 2:1\n1 5:x\n", 5), nil},
		{"libsvm, empty", svm, libsvm, "# nothing\n", nil},
	}
}

// utf16Text is a text of ASCII in UTF-16 with its mark.
func utf16Text(text string) string {
	b := []byte("\xff\xfe")
	for _, c := range []byte(text) {
		b = append(b, c, 0)
	}
	return string(b)
}

// TestSegments: however a text is parted, and by how many it is parsed, rows and errors are the same.
func TestSegments(t *testing.T) {
	for _, c := range textCases(t) {
		t.Run(c.name, func(t *testing.T) {
			sizes := []int{1, 2, 5, 13, 40, 100, 333, 1000}
			if len(c.text) > 1<<16 {
				sizes = []int{1000, 4096, 16000}
			}
			for _, bytes := range sizes {
				for _, workers := range []int{1, 3} {
					compareSegments(t, c, bytes, workers)
				}
			}
		})
	}
}

// TestSegmentsOfRandomText: texts of the characters that matter, wherever they are cut.
func TestSegmentsOfRandomText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	c := textCases(t)[0]
	pieces := []string{"1,u,x,0.5,n\n", "1,u,x,0.5,n\r\n", "\"", "\"\"", ",", "\n", "\r", "1", "\"v\nw\"", "1,v,\"v\nw\",1,p\n", "#"}
	for range 1000 {
		var text strings.Builder
		for range r.IntN(30) {
			text.WriteString(pieces[r.IntN(len(pieces))])
		}
		c.text = text.String()
		compareSegments(t, c, 1+r.IntN(20), 1+r.IntN(3))
	}
}

// TestSegmentsOfSparseRows: rows that take much more memory than their text are given in parts.
func TestSegmentsOfSparseRows(t *testing.T) {
	const d = 30_000
	s, err := LibSVMSchema(LibSVMDomain{Features: d, Lo: 0, Hi: 1, LabelLo: 0, LabelHi: 1})
	if err != nil {
		t.Fatal(err)
	}
	p, err := newLibSVMParser("t", s, LibSVMOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p.segments = segmentation{1 << 10, 4 << 10, 3}
	rows, most := 0, 0
	err = p.run([]io.Reader{strings.NewReader(strings.Repeat("1 7:1\n", 3000))}, func(b *Block) error {
		rows, most = rows+b.Rows, max(most, b.Rows)
		if b.X[6] != 1 || b.X[d-1] != 0 {
			return errors.New("other cells")
		}
		return nil
	})
	if err != nil || rows != 3000 || most*d > segmentCells+d {
		t.Fatalf("got %d rows, %d at a time, %v", rows, most, err)
	}
}

// FuzzSegments: how a text is parted changes nothing.
func FuzzSegments(f *testing.F) {
	f.Add("1,u,x,0.5,n\n1,v,\"a\n\nb\",1,p\n", uint8(3), uint8(2), false)
	f.Add("e,d,c,b,a\r\nn,1,\"z\",u,3\n\"n", uint8(9), uint8(1), true)
	f.Add("1,u,a\rb,0.5,n\n1,u\"\n\n", uint8(1), uint8(3), false)
	f.Fuzz(func(t *testing.T, text string, bytes, workers uint8, header bool) {
		c := textCases(t)[0]
		c.text = text
		c.parser = func(s Schema) (textFile, error) {
			return newCSVParser("t", s, CSVOptions{Header: header, Comment: '#', MaxRecord: 200})
		}
		compareSegments(t, c, 1+int(bytes), 1+int(workers%4))
	})
}
