package frames

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// unlikeSchema has the kinds of columns whose cells do not stand for themselves: two of texts, a person per week, a block.
func unlikeSchema(t *testing.T) Schema {
	t.Helper()
	block := func(name string) Column { return Column{Name: name, Kind: KindNumeric, Hi: 1, Block: "b"}.MayMiss() }
	s, err := NewSchema(Person("p").Per(Week, "day"), Date("day", "2024-01-01", "2024-03-31"), Text("page"), block("b1"), block("b2"), Text("note").MayMiss(), Label("y", "no", "yes"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func unlikeRows(rows int) []byte {
	var b bytes.Buffer
	for i := range rows {
		note, block := fmt.Sprintf("note %d ä", i%17), []string{"1,0", "0,1", "NA,NA", "0.5,0.5"}[i%4]
		if i%5 == 0 {
			note = "NA"
		}
		fmt.Fprintf(&b, "p%d,2024-%02d-%02d,/page/%d,%s,%s,%s\n", i%50, 1+i%3, 1+i%28, i%301, block, note, []string{"no", "yes"}[i%2])
	}
	return b.Bytes()
}

// TestCacheOfUnlikeColumns: tables of texts, of people per period and of blocks come out of a cache as they were read, under a schema that has not seen the
// texts, and one that was spoilt is read anew.
func TestCacheOfUnlikeColumns(t *testing.T) {
	dir := t.TempDir()
	path, c := filepath.Join(dir, "t.csv"), Cache{Folder: filepath.Join(dir, "cache")}
	for _, rows := range []int{4, pageRows + 77} {
		if err := os.WriteFile(path, unlikeRows(rows), 0o600); err != nil {
			t.Fatal(err)
		}
		want, err := ReadCSV(path, unlikeSchema(t), CSVOptions{})
		if err != nil {
			t.Fatal(err)
		}
		read := func(what string) {
			t.Helper()
			for _, time := range []string{"first", "again"} {
				s := unlikeSchema(t)
				got, err := c.ReadCSV(path, s, CSVOptions{})
				if err != nil {
					t.Fatalf("%s, %s: %v", what, time, err)
				}
				sameFrames(t, what+", "+time, got, want)
				for _, name := range []string{"page", "note"} {
					had, _ := want.Schema().Column(name)
					has, _ := s.Column(name)
					if a, b := had.parts().texts.all(), has.parts().texts.all(); len(a) == 0 || fmt.Sprint(a) != fmt.Sprint(b) {
						t.Errorf("%s, %s: column %q knows %q, want %q", what, time, name, b, a)
					}
				}
			}
		}
		read("fresh")
		was := keptFile(t, c)
		whole, err := os.ReadFile(was)
		if err != nil {
			t.Fatal(err)
		}
		at := bytes.LastIndex(whole, []byte("note 1 ä"))
		for name, spoil := range map[string]func(b []byte) []byte{
			"a text":                func(b []byte) []byte { b[at+5] = '9'; return b },
			"not UTF-8":             func(b []byte) []byte { b[at] = 0xff; return b },
			"a blank before it":     func(b []byte) []byte { b[at] = ' '; return b },
			"a length":              func(b []byte) []byte { binary.LittleEndian.PutUint16(b[at-2:], math.MaxUint16); return b },
			"the last text cut off": func(b []byte) []byte { return b[:len(b)-3] },
			"texts alone cut off":   func(b []byte) []byte { return b[:bytes.Index(b, []byte("/page/0"))-10] },
			"one text more":         func(b []byte) []byte { return append(b, 1, 0, 'z') },
		} {
			if err := os.Remove(was); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(was, spoil(bytes.Clone(whole)), 0o600); err != nil {
				t.Fatal(err)
			}
			read(name)
		}
		if _, err := c.Remove(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCacheOfForgedRows: with all hashes right, cells that do not fit one another, and texts that are not those of the cells, are no table.
func TestCacheOfForgedRows(t *testing.T) {
	dir := t.TempDir()
	s := unlikeSchema(t)
	f, err := ParseCSV(bytes.NewReader(unlikeRows(200)), "t.csv", s, CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	open := func(name string, change func(t *table)) error {
		path := filepath.Join(dir, name)
		made := f.data().subset([]int{0, 1, 2, 3, 4, 5})
		change(made)
		if err := keep(dir, path, newFrame(made), [32]byte{1}, [32]byte{2}); err != nil {
			t.Fatal(err)
		}
		_, err := openKept(path, unlikeSchema(t), [32]byte{1}, [32]byte{2})
		return err
	}
	if err := open("right", func(*table) {}); err != nil {
		t.Errorf("as it was read: %v", err)
	}
	number := func(column, row int, v float64) func(*table) {
		return func(t *table) {
			binary.LittleEndian.PutUint64(t.columns[column].pages[0][8*row:], math.Float64bits(v))
		}
	}
	for name, change := range map[string]func(*table){
		"half of a block":          number(2, 0, math.NaN()),
		"a block that is longer":   number(3, 0, 1),
		"another week":             func(t *table) { t.columns[6].pages[0][len(personKey{})+3]++ },
		"another day":              number(0, 0, 60),
		"a text that may not miss": number(1, 0, math.NaN()),
		"no code of a text":        number(1, 0, 0.3),
	} {
		if err := open("forged", change); !errors.Is(err, errStale) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
