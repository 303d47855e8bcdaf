package frames

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dpkit-go/dpnb/internal/single"
)

// bombBytes bounds what a reader may allocate on a hostile file, from its first to its last byte: the sum of all
// allocations, which does not depend on when memory is collected, is at least the peak.
const bombBytes = 1 << 30

// packedBomb is head and then so many MiB of a repeated text in gzip, a member of each: small files of gigabytes.
func packedBomb(t testing.TB, head, repeat string, mib int) []byte {
	t.Helper()
	member := func(text string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	part := member(strings.Repeat(repeat, max(1, (1<<20)/len(repeat))))
	return append(member(head), bytes.Repeat(part, mib)...)
}

// allocated is the number of bytes that do allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func bombSchema(t testing.TB) Schema {
	t.Helper()
	s, err := NewSchema(Numeric("a", 0, 9), Category("b", "1", "2").MayMiss(), NumericLabel("y", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestBombs: a file that would not fit into memory ends in an error that says where, and reading it allocates less than 1 GiB in all.
func TestBombs(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // collecting takes longer than reading: buffers are large and few
	const arff = "@relation r\n@attribute a real\n@attribute b {1,2}\n@attribute y real\n@data\n"
	s := bombSchema(t)
	csv := func(o CSVOptions) func(string) error {
		return func(path string) error { _, err := ReadCSV(path, s, o); return err }
	}
	readARFF := func(path string) error { _, err := ReadARFF(path, s, ARFFOptions{}); return err }
	svm := func(path string) error { _, err := OpenLibSVM(path, s, LibSVMOptions{}); return err }
	draft := func(path string) error { _, err := ARFFSchema(path, ARFFOptions{}); return err }
	infer := func(o CSVOptions) func(string) error {
		return func(path string) error { _, err := InferPublicSchema(path, o); return err }
	}
	for _, c := range []struct {
		name         string
		head, repeat string
		mib          int
		read         func(path string) error
		is           error
		line         int    // of the first problem; 0 if it has none
		says         string // in the error
	}{
		{"csv: a line of zeros", "1,", "\x00", 2000, csv(CSVOptions{}), ErrLimit, 1, "67108864 bytes"},
		{"csv: a line of zeros, header", "a,b,y\n", "\x00", 2000, csv(CSVOptions{Header: true}), ErrLimit, 2, "67108864 bytes"},
		{"csv: a header of zeros", "", "\x00", 2000, csv(CSVOptions{Header: true}), ErrLimit, 1, "67108864 bytes"},
		{"csv: a quote in one line", "0,1,0\n1,\"", "a", 1500, csv(CSVOptions{}), ErrLimit, 2, "close their quotes"},
		{"csv: a quote over lines", "0,1,0\n1,\"", "aaa\n", 1500, csv(CSVOptions{}), ErrLimit, 2, "close their quotes"},
		{"csv: a quote over empty lines", "1,\"", "\n", 200, csv(CSVOptions{MaxRecord: 1 << 20}), ErrLimit, 1, "close their quotes"},
		{"csv: a comment", "#", "a", 1500, csv(CSVOptions{Comment: '#'}), ErrLimit, 1, "67108864 bytes"},
		{"csv: carriage returns", "0,1,0\r", "0,1,0\r", 200, csv(CSVOptions{}), ErrLimit, 1, "line 1 holds a carriage return"},
		{"csv: bad rows", "", "x,y,z\n", 1000, csv(CSVOptions{}), ErrNumber, 1, "10002 problems up to line 3334, where reading stopped"},
		{"csv: bad quotes", "0,1,0\n", "1,\"a\n", 200, csv(CSVOptions{}), ErrQuote, 2, "10000 problems up to line 20001"},
		{"csv: separators alone", "", ",", 60, csv(CSVOptions{}), ErrRagged, 1, "got 62914561, want 3"},
		{"csv: quotes and separators", "", `"",`, 60, csv(CSVOptions{}), ErrRagged, 1, "got 20971501, want 3"},
		{"csv: separators of two bytes", "", "§", 60, csv(CSVOptions{Comma: '§'}), ErrRagged, 1, "got 31457281, want 3"},
		{"csv: a header of separators", "a", ",", 60, csv(CSVOptions{Header: true}), ErrHeader, 0, "got 62914561 fields"},
		{"csv: a header of one name", "a", ",A", 60, csv(CSVOptions{Header: true}), ErrHeader, 0, "31457280 fields not in the schema"},
		{"csv: another separator", "a", ";b", 60, csv(CSVOptions{}), ErrRagged, 1, "got 1, want 3"},
		{"csv: an endless number", "", "1", 60, csv(CSVOptions{}), ErrRagged, 1, "got 1, want 3"},
		{"csv: a number of many digits", "0,1,0\n0,1,", "1", 60, csv(CSVOptions{}), ErrNumber, 2, "[0, 1]"},
		{"blanks: a line of zeros", "1 ", "\x00", 2000, csv(CSVOptions{Blanks: true}), ErrLimit, 1, "67108864 bytes"},
		{"blanks: words", "", "a ", 60, csv(CSVOptions{Blanks: true}), ErrRagged, 1, "got 31457280, want 3"},
		{"blanks: doubled quotes", "0 \"", `""`, 60, csv(CSVOptions{Blanks: true}), ErrQuote, 1, "quotes"},
		{"arff: no line end", "@relation ", "r", 2000, readARFF, ErrLimit, 1, "67108864 bytes"},
		{"arff: a row of zeros", arff, "\x00", 2000, readARFF, ErrLimit, 6, "67108864 bytes"},
		{"arff: attributes", "@relation r\n", "@attribute a real\n", 2000, readARFF, ErrLimit, 1048578, "1048576 attributes"},
		{"arff: escapes", arff, `'\a',`, 60, readARFF, ErrRagged, 6, "got 12582901, want 3"},
		{"arff: escapes, open", arff, `'\a' , '`, 60, readARFF, ErrQuote, 6, "closed on the same line"},
		{"arff: a sparse row", arff + "{", "0 1,", 60, readARFF, ErrQuote, 6, "closing brace"},
		{"arff: bad rows", arff, "{7 1}\n", 200, readARFF, ErrIndex, 6, "10000 problems up to line 10005"},
		{"arff: levels", "@attribute b {", "1,", 60, readARFF, ErrHeader, 0, "one pair of braces"},
		{"draft: no line end", "@attribute b {", "x,", 2000, draft, ErrLimit, 1, "67108864 bytes"},
		{"draft: attributes", "", "@attribute a real\n", 2000, draft, ErrLimit, 1048577, "1048576 attributes"},
		{"draft: long attributes", "", "@attribute " + strings.Repeat("a", 1000) + " real\n", 2000, draft, ErrLimit, 66053, "header"},
		{"draft: levels", "", "@attribute b {" + strings.Repeat("1,", 1<<15) + "1}\n", 64, draft, ErrLimit, 128, "4194304 levels"},
		{"libsvm: a line of zeros", "1 ", "\x00", 2000, svm, ErrLimit, 1, "67108864 bytes"},
		{"libsvm: a comment", "1 #", "a", 2000, svm, ErrLimit, 1, "67108864 bytes"},
		{"libsvm: one index", "1", " 1:1", 60, svm, ErrIndex, 1, "ascending"},
		{"libsvm: bad rows", "", "1 1:x\n", 1000, svm, ErrNumber, 1, "10000 problems up to line 5000"},
		{"infer: a line of zeros", "1,", "\x00", 2000, infer(CSVOptions{}), ErrLimit, 1, "67108864 bytes"},
		{"infer: separators alone", "", ",", 60, infer(CSVOptions{}), ErrLimit, 1, "62914561 fields"},
		{"infer: a header of quotes", "", `"",`, 60, infer(CSVOptions{Header: true}), ErrLimit, 1, "20971501 fields"},
		{"infer: a quote over lines", "1,2\n3,\"", "a\n", 200, infer(CSVOptions{}), ErrLimit, 2, "close their quotes"},
		{"infer: carriage returns", "a,b\r1,2\r", "3,4\r", 1, infer(CSVOptions{}), ErrEmpty, 0, "line 1 holds a carriage return"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "bomb")
			if err := os.WriteFile(path, packedBomb(t, c.head, c.repeat, c.mib), 0o600); err != nil {
				t.Fatal(err)
			}
			var err error
			n := allocated(func() { err = c.read(path) })
			if n > bombBytes {
				t.Errorf("allocated %d MiB", n>>20)
			}
			var load *LoadError
			if !errors.Is(err, c.is) || !errors.As(err, &load) {
				t.Fatalf("got %T %.300v, want a LoadError that wraps %v", err, err, c.is)
			}
			if !strings.Contains(err.Error(), c.says) || len(err.Error()) > 4000 {
				t.Errorf("got %d bytes %.600v, want %q", len(err.Error()), err, c.says)
			}
			var place *CellError
			if errors.As(load.Problems[0], &place) != (c.line > 0) || place != nil && place.Line != c.line {
				t.Errorf("got %.300v, want line %d", load.Problems[0], c.line)
			}
		})
	}
}

// TestMaxRecordIsExact: a line and a record may have MaxRecord bytes, line feeds inside included, and no
// more, also where that is about the size of a buffer.
func TestMaxRecordIsExact(t *testing.T) {
	s, err := NewSchema(Ignored("id"), Numeric("a", 0, 9))
	if err != nil {
		t.Fatal(err)
	}
	svm, err := NewSchema(Numeric("a", 0, 9), Ignored("id"), NumericLabel("y", 0, 9))
	if err != nil {
		t.Fatal(err)
	}
	const arff = "@attribute id string\n@attribute a real\n@data\n"
	for _, n := range []int{64, 1<<16 - 2, 1<<16 - 1, 1 << 16, 1<<16 + 1, 1<<17 + 3} {
		for _, c := range []struct {
			name, before, after string // of a line's filler
			line                int
			read                func(text string) error
		}{
			{"csv", "", ",1", 2, func(text string) error {
				_, err := ParseCSV(strings.NewReader("x,1\n"+text), "t", s, CSVOptions{MaxRecord: n})
				return err
			}},
			{"csv, a byte at a time", "", ",1", 1, func(text string) error {
				_, err := ParseCSV(iotest.OneByteReader(strings.NewReader(text)), "t", s, CSVOptions{MaxRecord: n})
				return err
			}},
			{"quoted", `"`, `",1`, 1, func(text string) error {
				_, err := ParseCSV(strings.NewReader(text), "t", s, CSVOptions{MaxRecord: n})
				return err
			}},
			{"quoted over lines", "\"\n\r\n", "\n\",1", 2, func(text string) error {
				_, err := ParseCSV(strings.NewReader("x,1\n"+text), "t", s, CSVOptions{MaxRecord: n - len("\r")}) // which does not count
				return err
			}},
			{"comment", "#", "", 1, func(text string) error {
				_, err := ParseCSV(strings.NewReader(text+"\nx,1"), "t", s, CSVOptions{MaxRecord: n, Comment: '#'})
				return err
			}},
			{"blanks", "", "  1", 1, func(text string) error {
				_, err := ParseCSV(strings.NewReader(text), "t", s, CSVOptions{MaxRecord: n, Blanks: true})
				return err
			}},
			{"arff", "", ",1", 4, func(text string) error {
				_, err := ParseARFF(strings.NewReader(arff+text), "t", s, ARFFOptions{MaxRecord: n})
				return err
			}},
			{"libsvm", "1 1:2 2:", "", 1, func(text string) error {
				_, err := ParseLibSVM(strings.NewReader(text), "t", svm, LibSVMOptions{MaxRecord: n})
				return err
			}},
		} {
			for _, end := range []string{"", "\n", "\r\n"} {
				for over := range 2 {
					size := n + over - len(c.before) - len(c.after)
					err := c.read(c.before + strings.Repeat("x", size) + c.after + end)
					var place *CellError
					if (err != nil) != (over > 0) || err != nil && (!errors.Is(err, ErrLimit) || !errors.As(err, &place) || place.Line != c.line) {
						t.Errorf("%s, limit %d, %d bytes over, end %q: got %.300v", c.name, n, over, end, err)
					}
				}
			}
		}
	}
}

// TestNoLimitCutsNoLine: with a limit near the largest int, which no sum with it may pass, long lines and records are read as they are.
func TestNoLimitCutsNoLine(t *testing.T) {
	s, err := NewSchema(Ignored("id"), Numeric("a", 0, 9))
	if err != nil {
		t.Fatal(err)
	}
	for _, quote := range []string{"", `"`} {
		text := quote + strings.Repeat("x", 1<<18) + quote + ",1\n"
		f, err := ParseCSV(strings.NewReader(text+text), "t", s, CSVOptions{MaxRecord: math.MaxInt})
		if err != nil || f.Rows() != 2 {
			t.Errorf("quote %q: got %.300v, want two rows", quote, err)
		}
	}
}

func TestMaxRecordRefused(t *testing.T) {
	s := bombSchema(t)
	_, csv := ParseCSV(strings.NewReader("1"), "t", s, CSVOptions{MaxRecord: -1})
	_, arff := ParseARFF(strings.NewReader("1"), "t", s, ARFFOptions{MaxRecord: -1})
	_, svm := ParseLibSVM(strings.NewReader("1"), "t", s, LibSVMOptions{MaxRecord: -1})
	_, draft := ARFFSchema("t", ARFFOptions{MaxRecord: -1})
	_, infer := InferPublicSchema("t", CSVOptions{MaxRecord: -1})
	for name, err := range map[string]error{"csv": csv, "arff": arff, "svm": svm, "draft": draft, "infer": infer} {
		if !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), "MaxRecord -1") {
			t.Errorf("%s: got %v, want ErrOptions", name, err)
		}
	}
}

// TestProblemsBeforeALimit: what was wrong before a line that ends the reading is told with it.
func TestProblemsBeforeALimit(t *testing.T) {
	text := strings.Repeat("9,1,7\n", 15) + strings.Repeat("x", 100)
	_, err := ParseCSV(strings.NewReader(text), "t", bombSchema(t), CSVOptions{MaxRecord: 50})
	var load *LoadError
	if !errors.As(err, &load) || load.Stopped != 16 || load.More != 5 || len(load.Problems) != 11 {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"16 problems up to line 16, where reading stopped", "line 16: line or record beyond the limit of 50 bytes", "5 × outside"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	if !errors.Is(err, ErrLimit) || !errors.Is(err, ErrBounds) {
		t.Errorf("got %v, want both sentinels", err)
	}
}

// TestLoneCarriageReturns: files of old systems are one long line to a reader; the error says so, and only then.
func TestLoneCarriageReturns(t *testing.T) {
	s := bombSchema(t)
	one, err := NewSchema(Numeric("a", 0, 9))
	if err != nil {
		t.Fatal(err)
	}
	const arff = "@relation r\r@attribute a real\r@attribute b {1,2}\r@attribute y real\r@data\r"
	for _, c := range []struct {
		name string
		line int // that the error names; 0 for none
		err  error
	}{
		{"csv", 1, second(ParseCSV(strings.NewReader("1,1,0\r2,1,0\r"), "t", s, CSVOptions{}))},
		{"csv, header", 1, second(ParseCSV(strings.NewReader("a,b,y\r2,1,0\r"), "t", s, CSVOptions{Header: true}))},
		{"csv, one column", 1, second(ParseCSV(strings.NewReader("1\r2\r"), "t", one, CSVOptions{}))},
		{"csv, one column, header", 1, second(ParseCSV(strings.NewReader("a\r2\r"), "t", one, CSVOptions{Header: true}))},
		{"csv, another separator", 1, second(ParseCSV(strings.NewReader("a;b;y\r2;1;0\r"), "t", s, CSVOptions{Header: true}))},
		{"csv, in part", 3, second(ParseCSV(strings.NewReader("1,1,0\r\n1,1,0\n1,1,0\r2,1,0\n9,9,9\n"), "t", s, CSVOptions{}))},
		{"csv, doubled", 1, second(ParseCSV(strings.NewReader("1,1,0\r\r\n1,1,0\r\r\n"), "t", s, CSVOptions{}))},
		{"blanks", 1, second(ParseCSV(strings.NewReader("1 1 0\r2 1 0\r"), "t", s, CSVOptions{Blanks: true}))},
		{"arff", 1, second(ParseARFF(strings.NewReader(arff+"1,1,0\r"), "t", s, ARFFOptions{}))},
		{"arff, rows", 6, second(ParseARFF(strings.NewReader(strings.ReplaceAll(arff, "\r", "\n")+"1,1,0\r2,2,0\r"), "t", s, ARFFOptions{}))},
		{"libsvm", 1, second(ParseLibSVM(strings.NewReader("0 1:1 2:1\r1 1:2 2:1\r"), "t", s, LibSVMOptions{}))},
		{"libsvm, comment", 1, second(ParseLibSVM(strings.NewReader("# rows\r1 1:2\r"), "t", s, LibSVMOptions{}))},
		{"bad rows", 0, second(ParseCSV(strings.NewReader("1,1,7\r\n2,1,7\r\n"), "t", s, CSVOptions{}))},
		{"a last row", 0, second(ParseCSV(strings.NewReader("1,1,7\r"), "t", s, CSVOptions{}))},
	} {
		var load *LoadError
		if !errors.As(c.err, &load) || load.LoneCR != c.line {
			t.Errorf("%s: got %v, want line %d", c.name, c.err, c.line)
		} else if strings.Contains(c.err.Error(), fmt.Sprintf("line %d holds a carriage return", c.line)) != (c.line > 0) {
			t.Errorf("%s: got %v", c.name, c.err)
		}
	}
	if _, err := ParseCSV(strings.NewReader("1,\"1\",0\n"), "t", s, CSVOptions{}); err != nil {
		t.Error(err)
	}
	text, err := NewSchema(Category("a", "x", "y"), Ignored("id"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ParseCSV(strings.NewReader("x,\"two\rlines\"\ny,z\n"), "t", text, CSVOptions{}); err != nil {
		t.Errorf("a quoted carriage return: %v", err)
	}
	path := filepath.Join(t.TempDir(), "draft")
	if err := os.WriteFile(path, []byte(arff), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ARFFSchema(path, ARFFOptions{}); err == nil || !strings.Contains(err.Error(), "line 1 holds a carriage return") {
		t.Errorf("draft: got %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestOtherSeparatorOfLongLines: a header longer than what is looked at still tells its separator; a row of numbers does not.
func TestOtherSeparatorOfLongLines(t *testing.T) {
	single.Goroutine(t)
	var cols []Column
	var names, row []string
	for i := range 20_000 {
		cols = append(cols, Numeric(fmt.Sprintf("column%d", i), 0, 9))
		names, row = append(names, cols[i].Name), append(row, "1.25")
	}
	s, err := NewSchema(cols...)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		o          CSVOptions
		is         error
		says       string
	}{
		{"header", strings.Join(names, ";") + "\n" + strings.Join(row, ";"), CSVOptions{Header: true}, ErrSeparator, "line 1 gives 1 field, want 20000 (wrong number of fields): set Comma to ';'"},
		{"header, blanks", strings.Join(names, "  ") + "\n" + strings.Join(row, "  "), CSVOptions{Header: true}, ErrSeparator, "set Blanks"},
		{"other names", strings.ReplaceAll(strings.Join(names, ";"), "column7", "c7") + "\n1", CSVOptions{Header: true}, ErrHeader, "got 1 field"},
		{"row", strings.Join(row, ";") + "\n", CSVOptions{}, ErrRagged, "got 1, want 20000"},
		{"right", strings.Join(names, ";") + "\n" + strings.Join(row, ";"), CSVOptions{Header: true, Comma: ';'}, nil, ""},
	} {
		_, err := ParseCSV(strings.NewReader(c.text), "t", s, c.o)
		if !errors.Is(err, c.is) || err != nil && (!strings.Contains(err.Error(), c.says) || len(err.Error()) > 1000) {
			t.Errorf("%s: got %.1000v, want %q", c.name, err, c.says)
		}
	}
}

// TestWideTables: columns that are declared are read however many there are, at a memory that their cells explain.
func TestWideTables(t *testing.T) {
	const n = 200_000
	cols := make([]Column, n, n+1)
	header, row, pairs := make([]string, n), make([]string, n), make([]string, n)
	for i := range cols {
		cols[i] = Numeric(fmt.Sprintf("c%d", i+1), 0, 9).MayMiss()
		header[i], row[i], pairs[i] = cols[i].Name, fmt.Sprint(i%9), fmt.Sprintf("%d:%d", i+1, i%9)
	}
	s, err := NewSchema(cols...)
	if err != nil {
		t.Fatal(err)
	}
	labelled, err := NewSchema(append(cols, NumericLabel("y", 0, 9))...)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	rows := strings.Repeat(strings.Join(row, ",")+"\n", 3)
	csv := write("csv", rows)
	named := write("named", strings.Join(header, ",")+"\n"+rows)
	svm := write("svm", strings.Repeat("1 "+strings.Join(pairs, " ")+"\n", 3))
	arff := write("arff", "@attribute "+strings.Join(header, " real\n@attribute ")+" real\n@data\n"+rows)
	for _, c := range []struct {
		name string
		read func() (Source, error)
	}{
		{"csv", func() (Source, error) { return ReadCSV(csv, s, CSVOptions{}) }},
		{"csv, a file", func() (Source, error) { return OpenCSV(csv, s, CSVOptions{}) }},
		{"csv, header", func() (Source, error) { return ReadCSV(named, s, CSVOptions{Header: true}) }},
		{"arff", func() (Source, error) { return ReadARFF(arff, s, ARFFOptions{}) }},
		{"libsvm", func() (Source, error) { return ReadLibSVM(svm, labelled, LibSVMOptions{}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var src Source
			var err error
			used := allocated(func() {
				if src, err = c.read(); err != nil {
					return
				}
				err = src.Scan(t.Context(), func(b *Block) error {
					for k := range b.Rows {
						for i, v := range b.Row(k) {
							if v != float64(i%9) {
								return fmt.Errorf("row %d, column %d: got %v", b.First+k, i, v)
							}
						}
					}
					return nil
				})
			})
			if err != nil || src.Rows() != 3 {
				t.Fatalf("got %.300v", err)
			}
			if used > 1000*n {
				t.Errorf("allocated %d bytes a column", used/n)
			}
		})
	}
	t.Run("infer", func(t *testing.T) {
		var got Schema
		used := allocated(func() { got, err = InferPublicSchema(named, CSVOptions{Header: true}) })
		if err != nil || got.Len() != n || used > 1000*n {
			t.Errorf("got %d columns, %d bytes each, %v", got.Len(), used/n, err)
		}
	})
	t.Run("draft", func(t *testing.T) {
		var got ARFFDraft
		used := allocated(func() { got, err = ARFFSchema(arff, ARFFOptions{}) })
		if err != nil || len(got.Columns) != n || used > 1000*n {
			t.Errorf("got %d columns, %d bytes each, %v", len(got.Columns), used/n, err)
		}
	})
}

// TestGuessedLevels: a column of text that names its rows is no category, and the levels of all columns are bounded.
func TestGuessedLevels(t *testing.T) {
	single.Goroutine(t)
	var b strings.Builder
	for i := range maxGuessedLevels + 1 {
		fmt.Fprintf(&b, "u%d,%d,v%d\n", i, i, i%maxGuessedLevels)
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := InferPublicSchema(path, CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cols := s.Columns()
	if cols[0].Kind != KindIgnored || cols[1].Kind != KindNumeric || len(cols[2].Levels) != maxGuessedLevels {
		t.Errorf("got %v, %v and %d levels", cols[0].Kind, cols[1].Kind, len(cols[2].Levels))
	}

	in := &inference{guesses: make([]guess, 2)}
	long := strings.Repeat("x", 16<<20)
	for i := range 20 {
		g := &in.guesses[i%2]
		g.text = true
		if err = in.collect(g, []byte(fmt.Sprint(i, long))); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrLimit) {
		t.Errorf("got %v, want ErrLimit", err)
	}
}

// TestContentOfWideTables: a file of many columns has the content that it has in memory, where columns are hashed one by one.
func TestContentOfWideTables(t *testing.T) {
	for _, n := range []int{1, 1 << 14, 1<<14 + 1, 60_000} {
		cols := make([]Column, n)
		for i := range cols {
			cols[i] = Numeric(fmt.Sprintf("c%d", i), 0, 9)
		}
		s, err := NewSchema(cols...)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "t.csv")
		row := strings.TrimSuffix(strings.Repeat("1.5,", n), ",") + "\n"
		if err := os.WriteFile(path, []byte(strings.Repeat(row, 20)), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := OpenCSV(path, s, CSVOptions{})
		if err != nil {
			t.Fatal(err)
		}
		memory, err := ReadCSV(path, s, CSVOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var sums [2][32]byte
		for i, src := range []Source{file, memory} {
			c, err := ContentOf(t.Context(), src)
			if err != nil {
				t.Fatal(err)
			}
			if sums[i], err = c.Fingerprint([]byte("key"), "c0"); err != nil {
				t.Fatal(err)
			}
		}
		if sums[0] != sums[1] {
			t.Errorf("%d columns: the contents differ", n)
		}
	}
}

// TestFold: texts have the same folded form where strings.EqualFold holds them equal.
func TestFold(t *testing.T) {
	texts := []string{"", "a", "A", "k", "K", "\u212a", "ſ", "s", "S", "ß", "ẞ", "σ", "ς", "Σ", "İ", "i", "ı", "I", "é", "É", "\xff", "\ufffd", "a b", "A B"}
	for _, a := range texts {
		for _, b := range texts {
			if got, want := fold(a) == fold(b), strings.EqualFold(a, b); got != want {
				t.Errorf("%q and %q: got %v, want %v", a, b, got, want)
			}
		}
	}
}
