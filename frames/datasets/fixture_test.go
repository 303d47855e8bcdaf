package datasets_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// fixtureRows is the number of rows of a generated file.
const fixtureRows = 11

// withFixture writes generated files to the places under a new DPNB_DATA and returns what a loader
// is to find there: every third cell that may miss does.
func withFixture(t *testing.T, f file) file {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("DPNB_DATA", dir)
	var s frames.Schema
	if f.schema != nil {
		s = f.schema()
	}
	texts := f.fixture(t, s)
	if len(texts) != len(f.places) {
		t.Fatalf("%d fixtures for %d places", len(texts), len(f.places))
	}
	for i, text := range texts {
		put(t, dir, f.places[i], text)
	}
	f.rows = fixtureRows
	if strings.HasPrefix(f.places[0], "ijcnn1/") { // the one dataset in two parts
		f.rows *= 2
	}
	f.missing = map[string]int{}
	for _, c := range s.Features() {
		for row := range fixtureRows {
			if c.Missing && row%3 == 1 {
				f.missing[c.Name]++
			}
		}
	}
	return f
}

func put(t *testing.T, dir, place, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(place))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// cell is a value of the column for a row.
func cell(c frames.Column, row int, missing string) string {
	switch {
	case c.Missing && row%3 == 1:
		return missing
	case c.Kind == frames.KindIgnored:
		return fmt.Sprint("x", row)
	case len(c.Levels) > 0:
		return c.Levels[row%len(c.Levels)]
	}
	return fmt.Sprintf("%.3f", c.Lo+(c.Hi-c.Lo)*float64(row+1)/(fixtureRows+1))
}

func lines(s frames.Schema, sep, missing string) string {
	var b strings.Builder
	for row := range fixtureRows {
		for i, c := range s.Columns() {
			if i > 0 {
				b.WriteString(sep)
			}
			b.WriteString(cell(c, row, missing))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func csvFixture(sep string, header bool) func(*testing.T, frames.Schema) []string {
	return func(_ *testing.T, s frames.Schema) []string {
		text := lines(s, sep, "?")
		if header {
			var names []string
			for _, c := range s.Columns() {
				names = append(names, `"`+c.Name+`"`)
			}
			text = strings.Join(names, sep) + "\n" + text
		}
		return []string{text}
	}
}

func pimaFixture(_ *testing.T, s frames.Schema) []string { return []string{lines(s, ",", "0")} }

func arffFixture(_ *testing.T, s frames.Schema) []string {
	var b strings.Builder
	b.WriteString("% made by a test\n@relation r\n")
	for _, c := range s.Columns() {
		kind := "numeric"
		if len(c.Levels) > 0 {
			kind = "{" + strings.Join(c.Levels, ",") + "}"
		}
		fmt.Fprintf(&b, "@attribute '%s' %s\n", c.Name, kind)
	}
	b.WriteString("@data\n" + lines(s, ",\t", "?"))
	return []string{strings.ReplaceAll(b.String(), "\n", "\r\n")}
}

// svmFixture writes one feature per row, as plain text: the reader looks at the content, not at the name.
func svmFixture(base, parts int) func(*testing.T, frames.Schema) []string {
	return func(_ *testing.T, s frames.Schema) []string {
		var b strings.Builder
		for row := range fixtureRows {
			fmt.Fprintf(&b, "%d %d:1\n", 2*(row%2)-1, base+row*(s.Len()-2)/(fixtureRows-1))
		}
		return strings.Split(strings.TrimSuffix(strings.Repeat(b.String()+"\x00", parts), "\x00"), "\x00")
	}
}

func idxFixture(t *testing.T, _ frames.Schema) []string {
	image := make([]byte, 28*28*fixtureRows)
	label := make([]byte, fixtureRows)
	for i := range image {
		image[i] = byte(i)
	}
	for i := range label {
		label[i] = []byte{3, 8}[i%2]
	}
	return []string{packIDX(t, image, fixtureRows, 28, 28), packIDX(t, label, fixtureRows)}
}

func packIDX(t *testing.T, values []byte, dims ...uint32) string {
	t.Helper()
	head := []byte{0, 0, 8, byte(len(dims))}
	for _, d := range dims {
		head = binary.BigEndian.AppendUint32(head, d)
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(append(head, values...)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
