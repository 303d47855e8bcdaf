package frames_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// rows gathers a source and checks the promises of Scan.
func rows(t testing.TB, src frames.Source) (x, y []float64) {
	t.Helper()
	next := 0
	_, labelled := src.Schema().Label()
	err := src.Scan(context.Background(), func(b *frames.Block) error {
		if b.First != next || b.Rows < 1 || b.Cols != len(src.Schema().Features()) || len(b.X) != b.Rows*b.Cols {
			t.Errorf("block at %d: First %d, Rows %d, Cols %d, %d values", next, b.First, b.Rows, b.Cols, len(b.X))
		}
		if labelled != (b.Y != nil) || labelled && len(b.Y) != b.Rows {
			t.Errorf("block at %d: %d labels for %d rows, schema has a label: %v", next, len(b.Y), b.Rows, labelled)
		}
		for i := range b.Rows {
			x = append(x, b.Row(i)...)
		}
		y = append(y, b.Y...)
		next += b.Rows
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if next != src.Rows() {
		t.Errorf("scanned %d rows, want %d", next, src.Rows())
	}
	return x, y
}

// same compares values with NaN equal to NaN.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })
}

// manyPeople is a CSV text of n rows and its values.
func manyPeople(n int) (text string, x, y []float64) {
	var b strings.Builder
	jobs := []string{"clerk", "nurse", "smith", "?"}
	for i := range n {
		gain, g := fmt.Sprint(i%90), float64(i%90)
		if i%7 == 0 {
			gain, g = "", math.NaN()
		}
		fmt.Fprintf(&b, "%d,%s,id%d,%s,%s\n", i%100, jobs[i%4], i, gain, []string{"low", "high"}[i%2])
		job := float64(i % 4)
		if i%4 == 3 {
			job = math.NaN()
		}
		x = append(x, float64(i%100), job, g)
		y = append(y, float64(i%2))
	}
	return b.String(), x, y
}

func openText(t testing.TB, text string) *frames.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := frames.OpenCSV(path, people(t), frames.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Every source of the same rows yields the same blocks' content and the same fingerprint.
func TestSourcesAgree(t *testing.T) {
	for _, n := range []int{1, 2, 1023, 1024, 1025, 3000} {
		text, x, y := manyPeople(n)
		f, err := parse(people(t), text, frames.CSVOptions{})
		if err != nil {
			t.Fatal(err)
		}
		sources := map[string]frames.Source{"frame": f, "file": openText(t, text)}
		for _, size := range []int{-1, 1, 7, n, n + 1, 5000} {
			sources[fmt.Sprintf("blocks of %d", size)] = f.Blocks(size)
		}
		for name, src := range sources {
			gotX, gotY := rows(t, src)
			if !same(gotX, x) || !same(gotY, y) {
				t.Errorf("%d rows, %s: other values", n, name)
			}
			sum, err := frames.Fingerprint(t.Context(), src, []byte("key"))
			if err != nil || sum != f.Fingerprint([]byte("key")) {
				t.Errorf("%d rows, %s: another fingerprint, or %v", n, name, err)
			}
			if again, err := frames.Fingerprint(t.Context(), struct{ frames.Source }{src}, []byte("key")); err != nil || again != sum {
				t.Errorf("%d rows, %s: another fingerprint from a scan, or %v", n, name, err)
			}
			if fingerprintOf(t, src, "job", "income") != fingerprintOf(t, f, "job", "income") || fingerprintOf(t, src, "job") != fingerprintOf(t, struct{ frames.Source }{src}, "job") {
				t.Errorf("%d rows, %s: another fingerprint of columns", n, name)
			}
			c, err := frames.Collect(t.Context(), src)
			if err != nil || c.Fingerprint([]byte("key")) != sum {
				t.Errorf("%d rows, %s: Collect differs, or %v", n, name, err)
			}
		}
	}
}

// TestFixed: only what this package holds to its schema, and to what was there, is fixed.
func TestFixed(t *testing.T) {
	text, _, _ := manyPeople(5)
	f, err := parse(people(t), text, frames.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	file := openText(t, text)
	own := struct{ frames.Source }{f}
	checked, err := frames.Check(t.Context(), own)
	if err != nil {
		t.Fatal(err)
	}
	both := func(a, b frames.Source) frames.Source {
		src, err := frames.Concat(a, b)
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	var noFrame *frames.Frame
	var noFile *frames.File
	for _, c := range []struct {
		name string
		src  frames.Source
		want bool
	}{
		{"frame", f, true},
		{"blocks", f.Blocks(2), true},
		{"file", file, true},
		{"both", both(f, file), true},
		{"the caller's own", own, false},
		{"one of the caller's own", both(file, own), false},
		{"nothing", nil, false},
		{"no frame", noFrame, false},
		{"no file", noFile, false},
		{"checked", checked, true},
		{"checked and a file", both(checked, file), true},
		{"nothing checked", &frames.Checked{}, false},
	} {
		if got := frames.Fixed(c.src); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// TestFingerprintOfAnOpenedFile stands for the rows of then, whatever becomes of the file.
func TestFingerprintOfAnOpenedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.csv")
	for _, text := range []string{"1,clerk,x,5,low\n", "2,clerk,x,5,low\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := frames.OpenCSV(path, people(t), frames.CSVOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want, err := parse(people(t), text, frames.CSVOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("3,clerk,x,5,low\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if fingerprintOf(t, f, "age", "income") != fingerprintOf(t, want, "age", "income") {
			t.Error("the fingerprint of a file is not that of the rows it was opened with")
		}
		if _, err := frames.Fingerprint(t.Context(), f, []byte("k")); !errors.Is(err, frames.ErrChanged) {
			t.Errorf("got %v, want ErrChanged", err)
		}
		if err := f.Scan(t.Context(), func(*frames.Block) error { return nil }); !errors.Is(err, frames.ErrChanged) {
			t.Errorf("got %v, want ErrChanged", err)
		}
	}
}

func TestScanStops(t *testing.T) {
	text, _, _ := manyPeople(5000)
	f, err := parse(people(t), text, frames.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range map[string]frames.Source{"frame": f, "blocks": f.Blocks(100), "file": openText(t, text)} {
		t.Run(name, func(t *testing.T) {
			why := errors.New("the user left")
			ctx, cancel := context.WithCancelCause(t.Context())
			calls := 0
			err := src.Scan(ctx, func(*frames.Block) error { calls++; cancel(why); return nil })
			if calls != 1 || !errors.Is(err, why) {
				t.Errorf("cancelled in the first block: got %d calls and %v", calls, err)
			}
			if err := src.Scan(ctx, func(*frames.Block) error { t.Error("called"); return nil }); !errors.Is(err, why) {
				t.Errorf("cancelled before: got %v", err)
			}
			stop := errors.New("enough")
			calls = 0
			err = src.Scan(t.Context(), func(*frames.Block) error { calls++; return stop })
			if calls != 1 || err != stop {
				t.Errorf("stopped by the function: got %d calls and %v", calls, err)
			}
			if _, err := frames.Fingerprint(ctx, src, nil); !errors.Is(err, why) {
				t.Errorf("Fingerprint: got %v", err)
			}
			if _, err := frames.Collect(ctx, src); !errors.Is(err, why) {
				t.Errorf("Collect: got %v", err)
			}
		})
	}
}

func TestOpenCSV(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.csv")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, _, _ := manyPeople(100)
	write(text + "1,clerk,x,500,low\n")
	f, err := frames.OpenCSV(path, people(t), frames.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if f.Rows() != 101 || f.Clamped()["gain"] != 1 || strings.Contains(f.String(), "500") {
		t.Errorf("got %d rows, clamped %v, text %s", f.Rows(), f.Clamped(), f)
	}
	scan := func() error { return f.Scan(t.Context(), func(*frames.Block) error { return nil }) }
	for name, changed := range map[string]string{
		"other value": text + "2,clerk,x,500,low\n",
		"more rows":   text + text,
		"bad row":     text + "2,baker,x,500,low\n",
		"empty":       "",
	} {
		write(changed)
		if err := scan(); !errors.Is(err, frames.ErrChanged) {
			t.Errorf("%s: got %v, want ErrChanged", name, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := scan(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("removed: got %v, want os.ErrNotExist", err)
	}
	write("1,baker,x,5,low\n")
	if _, err := frames.OpenCSV(path, people(t), frames.CSVOptions{}); !errors.Is(err, frames.ErrLevel) {
		t.Errorf("bad file: got %v, want ErrLevel", err)
	}
	if _, err := frames.OpenCSV(path, people(t), frames.CSVOptions{Comma: '\n'}); !errors.Is(err, frames.ErrOptions) {
		t.Errorf("bad options: got %v, want ErrOptions", err)
	}
}

func TestFromBlock(t *testing.T) {
	s := people(t)
	nan := math.NaN()
	good := frames.Block{Rows: 2, Cols: 3, X: []float64{30, 0, 500, math.Copysign(0, -1), nan, nan}, Y: []float64{1, 0}}
	f, err := frames.FromBlock(s, &good)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := cells(f), "30|clerk|100|high\n0|NA|NA|low\n"; got != want || f.Clamped()["gain"] != 1 {
		t.Errorf("got %v and\n%s", f.Clamped(), got)
	}
	with := func(i int, v float64) frames.Block {
		b := good
		b.X = slices.Clone(b.X)
		b.X[i] = v
		return b
	}
	for name, tc := range map[string]struct {
		b  frames.Block
		is error
	}{
		"shape":         {frames.Block{Rows: 2, Cols: 3, X: good.X[:5], Y: good.Y}, frames.ErrRagged},
		"columns":       {frames.Block{Rows: 3, Cols: 2, X: good.X, Y: []float64{0, 0, 0}}, frames.ErrRagged},
		"labels":        {frames.Block{Rows: 2, Cols: 3, X: good.X}, frames.ErrRagged},
		"no rows":       {frames.Block{Cols: 3}, frames.ErrEmpty},
		"bounds":        {with(0, 121), frames.ErrBounds},
		"infinite":      {with(2, math.Inf(1)), frames.ErrNumber},
		"missing":       {with(0, nan), frames.ErrMissing},
		"code":          {with(1, 3), frames.ErrLevel},
		"half a code":   {with(1, 0.5), frames.ErrLevel},
		"missing label": {frames.Block{Rows: 2, Cols: 3, X: good.X, Y: []float64{1, nan}}, frames.ErrMissing},
		"label's code":  {frames.Block{Rows: 2, Cols: 3, X: good.X, Y: []float64{1, 2}}, frames.ErrLevel},
	} {
		if f, err := frames.FromBlock(s, &tc.b); !errors.Is(err, tc.is) || f != nil {
			t.Errorf("%s: got %v, want %v", name, err, tc.is)
		}
	}
	if _, err := frames.FromBlock(frames.Schema{}, &good); !errors.Is(err, frames.ErrSchema) {
		t.Errorf("no schema: got %v", err)
	}
	a, b := frames.Numeric("a", 0, 1), frames.Numeric("b", 0, 1)
	a.Block, b.Block = "k", "k"
	if _, err := frames.FromBlock(mustSchema(t, a, b), &frames.Block{Rows: 1, Cols: 2, X: []float64{1, 1}}); !errors.Is(err, frames.ErrBounds) {
		t.Errorf("two levels of one category: got %v, want ErrBounds", err)
	}
}

func TestFingerprint(t *testing.T) {
	s := people(t)
	sum := func(s frames.Schema, text, key string) [32]byte {
		t.Helper()
		f, err := parse(s, text, frames.CSVOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return f.Fingerprint([]byte(key))
	}
	const a, b = "1,clerk,x,5,low\n", "2,?,x,,high\n"
	base := sum(s, a+b, "k")
	for name, got := range map[string][32]byte{
		"ignored cells": sum(s, strings.ReplaceAll(a+b, "x", "y"), "k"),
		"spelling":      sum(s, "1.0,clerk,x,5e0,low\n"+b, "k"),
	} {
		if got != base {
			t.Errorf("%s changes the fingerprint", name)
		}
	}
	wider := s.Columns()
	wider[0].Hi = 121
	for name, got := range map[string][32]byte{
		"key":     sum(s, a+b, "l"),
		"order":   sum(s, b+a, "k"),
		"row":     sum(s, a+b+b, "k"),
		"value":   sum(s, strings.Replace(a, "1", "3", 1)+b, "k"),
		"level":   sum(s, strings.Replace(a, "clerk", "nurse", 1)+b, "k"),
		"missing": sum(s, strings.Replace(a, "clerk", "?", 1)+b, "k"),
		"label":   sum(s, strings.Replace(a, "low", "high", 1)+b, "k"),
		"schema":  sum(mustSchema(t, wider...), a+b, "k"),
	} {
		if got == base {
			t.Errorf("%s does not change the fingerprint", name)
		}
	}
}

// TestFrameReadsRanges: any range has the rows that a scan has there, whatever the block held before, and a block changes nothing of the frame.
func TestFrameReadsRanges(t *testing.T) {
	s := must(frames.NewSchema(frames.Person("id"), frames.Numeric("x", 0, 9).MayMiss(), frames.Category("c", "a", "b").MayMiss(), frames.Label("y", "no", "yes")))
	f := must(frames.ParseCSV(strings.NewReader("id,x,c,y\np,1,a,no\nq,,b,yes\np,3,,no\nr,4,a,yes\n"), "t", s, frames.CSVOptions{Header: true}))
	var all frames.Block
	var r frames.Ranger = f
	r.ReadRange(&all, 0, 4)
	b := &frames.Block{Empty: make([]bool, 7), X: make([]float64, 1)}
	for first := range 5 {
		for n := range 5 - first {
			r.ReadRange(b, first, n)
			if b.First != first || b.Rows != n || b.Cols != 2 || b.Empty != nil || len(b.X) != 2*n {
				t.Fatalf("rows %d to %d: got %+v", first, first+n, b)
			}
			for i := range n {
				if !slices.EqualFunc(b.Row(i), all.Row(first+i), func(v, w float64) bool { return v == w || v != v && w != w }) ||
					b.Y[i] != all.Y[first+i] || b.Person[i] != all.Person[first+i] {
					t.Errorf("row %d of %d from %d on differs", i, n, first)
				}
			}
			for i := range b.X {
				b.X[i] = 77
			}
			clear(b.Y)
			clear(b.Person)
		}
	}
	var again frames.Block
	if r.ReadRange(&again, 0, 4); fmt.Sprint(again) != fmt.Sprint(all) {
		t.Error("a block changed the frame")
	}
}
