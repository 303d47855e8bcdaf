package frames_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

func fingerprintOf(t *testing.T, src frames.Source, columns ...string) [32]byte {
	t.Helper()
	c, err := frames.ContentOf(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := c.Fingerprint([]byte("key"), columns...)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func tableOf(t *testing.T, cols []frames.Column, rows ...[]float64) *frames.Frame {
	t.Helper()
	s, err := frames.NewSchema(cols...)
	if err != nil {
		t.Fatal(err)
	}
	d := len(s.Features())
	b := &frames.Block{Rows: len(rows), Cols: d}
	for _, row := range rows {
		b.X = append(b.X, row[:d]...)
		if len(row) > d {
			b.Y = append(b.Y, row[d])
		}
	}
	f, err := frames.FromBlock(s, b)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestContentTellsColumnsApart: the fingerprint of some columns is that of their cells, names, declarations and order, and of
// nothing else.
func TestContentTellsColumnsApart(t *testing.T) {
	a, b, c := frames.Numeric("a", 0, 9), frames.Numeric("b", 0, 9).MayMiss(), frames.Category("c", "x", "y")
	y := frames.NumericLabel("y", 0, 1)
	rows := [][]float64{{1, 2, 0, 0.5}, {3, math.NaN(), 1, 0.25}, {5, 6, 1, 1}}
	base := tableOf(t, []frames.Column{a, b, c, y}, rows...)
	want := fingerprintOf(t, base, "a", "c")
	swapped := func(i, j int) [][]float64 {
		out := append([][]float64{}, rows...)
		out[i], out[j] = out[j], out[i]
		return out
	}
	change := func(i, j int, v float64) [][]float64 {
		out := append([][]float64{}, rows...)
		out[i] = append([]float64{}, out[i]...)
		out[i][j] = v
		return out
	}
	for _, k := range []struct {
		name string
		f    *frames.Frame
		cols []string
		same bool
	}{
		{"itself", base, []string{"a", "c"}, true},
		{"a corrected bound elsewhere", tableOf(t, []frames.Column{a, frames.Numeric("b", -5, 99).MayMiss(), c, y}, rows...), []string{"a", "c"}, true},
		{"another cell elsewhere", tableOf(t, []frames.Column{a, b, c, y}, change(1, 1, 7)...), []string{"a", "c"}, true},
		{"another label", tableOf(t, []frames.Column{a, b, c, frames.NumericLabel("y", -1, 1)}, rows...), []string{"a", "c"}, true},
		{"a bound", tableOf(t, []frames.Column{frames.Numeric("a", 0, 10), b, c, y}, rows...), []string{"a", "c"}, false},
		{"a name", tableOf(t, []frames.Column{frames.Numeric("d", 0, 9), b, c, y}, rows...), []string{"d", "c"}, false},
		{"levels", tableOf(t, []frames.Column{a, b, frames.Category("c", "y", "x"), y}, rows...), []string{"a", "c"}, false},
		{"a cell", tableOf(t, []frames.Column{a, b, c, y}, change(1, 0, 4)...), []string{"a", "c"}, false},
		{"the order of rows", tableOf(t, []frames.Column{a, b, c, y}, swapped(0, 1)...), []string{"a", "c"}, false},
		{"a row less", tableOf(t, []frames.Column{a, b, c, y}, rows[:2]...), []string{"a", "c"}, false},
		{"the order of columns", base, []string{"c", "a"}, false},
		{"a column less", base, []string{"a"}, false},
		{"a column more", base, []string{"a", "c", "y"}, false},
	} {
		if got := fingerprintOf(t, k.f, k.cols...) == want; got != k.same {
			t.Errorf("%s: same is %v, want %v", k.name, got, k.same)
		}
	}
	content, err := frames.ContentOf(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	if sum, _ := content.Fingerprint([]byte("other key"), "a", "c"); sum == want {
		t.Error("the key makes no difference")
	}
	for _, cols := range [][]string{{"a", "a"}, {"z"}, {"A"}} {
		if _, err := content.Fingerprint(nil, cols...); !errors.Is(err, frames.ErrSchema) {
			t.Errorf("%q: got %v, want ErrSchema", cols, err)
		}
	}
	if all, err := content.Fingerprint(nil); err != nil || all == [32]byte{} {
		t.Errorf("no column: %x, %v", all, err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x"} {
		if got := fmt.Sprintf(verb, content); got != "content of rows" {
			t.Errorf("%s prints %s", verb, got)
		}
	}
}

// TestContentOfShards: shards count in any order, and how often each is there; their borders are part of what they are.
func TestContentOfShards(t *testing.T) {
	cols := []frames.Column{frames.Numeric("a", 0, 9), frames.Numeric("b", 0, 9)}
	f, g, h := tableOf(t, cols, []float64{1, 2}, []float64{3, 4}), tableOf(t, cols, []float64{5, 6}), tableOf(t, cols, []float64{3, 4}, []float64{5, 6})
	one := tableOf(t, cols, []float64{1, 2})
	concat := func(s ...frames.Source) frames.Source {
		src, err := frames.Concat(s...)
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	want := fingerprintOf(t, concat(f, g), "a", "b")
	for _, k := range []struct {
		name string
		src  frames.Source
		same bool
	}{
		{"another order", concat(g, f), true},
		{"nested", concat(concat(g), concat(f)), true},
		{"a file in place of a frame", concat(g, openAs(t, cols, "1,2\n3,4\n")), true},
		{"other borders", concat(one, h), false},
		{"twice", concat(f, g, g), false},
		{"one of them twice, another gone", concat(f, f), false},
	} {
		if got := fingerprintOf(t, k.src, "a", "b") == want; got != k.same {
			t.Errorf("%s: same is %v, want %v", k.name, got, k.same)
		}
	}
}

func openAs(t *testing.T, cols []frames.Column, text string) *frames.File {
	t.Helper()
	s, err := frames.NewSchema(cols...)
	if err != nil {
		t.Fatal(err)
	}
	path := t.TempDir() + "/f.csv"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := frames.OpenCSV(path, s, frames.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}
