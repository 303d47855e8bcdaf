package frames_test

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

func svmSchema(t testing.TB) frames.Schema {
	return mustSchema(t, frames.Numeric("a", -2, 2), frames.Numeric("b", -2, 2), frames.Numeric("c", 0, 1), frames.Label("y", "-1", "1"))
}

const (
	svmText = "-1 1:0.5 3:1\n+1 2:-2.0\n"
	svmRows = "0.5|0|1|-1\n0|-2|0|1\n"
)

// packed returns the text as gzip in two members.
func packed(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	for _, part := range []string{text[:len(text)/2], text[len(text)/2:]} {
		w := gzip.NewWriter(&b)
		if _, err := io.WriteString(w, part); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// svmBzip2 is svmText as bzip2, packed by libbzip2.
func svmBzip2(t testing.TB) string {
	t.Helper()
	b, err := hex.DecodeString("425a683931415926535963b5bea300000358000010400b7a1020003100d34d03534d368f52370895a51280ec2f337e2ee48a70a120c76b7d46")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestParseLibSVM(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		o    frames.LibSVMOptions
	}{
		"plain":            {text: svmText},
		"no last line end": {text: strings.TrimSuffix(svmText, "\n")},
		"CRLF":             {text: strings.ReplaceAll(svmText, "\n", "\r\n")},
		"blanks":           {text: " -1\t1:0.5  3:1 \t\n\n   \n+1 2:-2.0\t\n"},
		"comments":         {text: "# made by hand\n-1 1:0.5 3:1 # 2:1\n+1 2:-2.0#\n"},
		"labels by value":  {text: "-1.0 1:0.5 3:1e0\n1.000 2:-2\n"},
		"explicit zeros":   {text: "-1 1:0.5 2:0 3:1\n1 1:-0 2:-2 3:0.0\n"},
		"zero-based":       {text: "-1 0:0.5 2:1\n+1 1:-2.0\n", o: frames.LibSVMOptions{ZeroBased: true}},
		"gzip":             {text: packed(t, svmText)},
		"bzip2":            {text: svmBzip2(t)},
		"byte order mark":  {text: "\ufeff" + svmText},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := frames.ParseLibSVM(strings.NewReader(tc.text), "test", svmSchema(t), tc.o)
			if err != nil {
				t.Fatal(err)
			}
			if got := cells(f); got != svmRows {
				t.Errorf("got\n%s\nwant\n%s", got, svmRows)
			}
		})
	}
}

// Categories are matched by value, an ignored column keeps its index, and zeros are held to the schema.
func TestLibSVMColumns(t *testing.T) {
	read := func(text string, cols ...frames.Column) (string, map[string]int, error) {
		f, err := frames.ParseLibSVM(strings.NewReader(text), "test", mustSchema(t, cols...), frames.LibSVMOptions{})
		if err != nil {
			return "", nil, err
		}
		return cells(f), f.Clamped(), nil
	}
	got, _, err := read("7 1:2 2:9 3:1\n8.5 3:0.5\n", frames.Category("k", "0", "2"), frames.Ignored("i"), frames.Numeric("x", 0, 1))
	if want := "2|1\n0|0.5\n"; err != nil || got != want {
		t.Errorf("no label: got %q and %v, want %q", got, err, want)
	}
	got, clamped, err := read("7 1:2\n8.5\n7 1:0\n7 1:0.5\n", frames.Numeric("x", 1, 2).Clamped(), frames.NumericLabel("y", 0, 10))
	if want := "2|7\n1|8.5\n1|7\n1|7\n"; err != nil || got != want || clamped["x"] != 3 {
		t.Errorf("clamped: got %q, %v and %v, want %q and 3 clamped", got, clamped, err, want)
	}
	_, _, err = read("7 1:1\n8.5\n", frames.Numeric("x", 1, 2), frames.NumericLabel("y", 0, 10))
	if !errors.Is(err, frames.ErrBounds) || !strings.Contains(err.Error(), `line 2, column "x": implicit 0`) {
		t.Errorf("implicit zero: got %v, want ErrBounds in line 2", err)
	}
	_, _, err = read("7\n", frames.Category("k", "1", "2"), frames.NumericLabel("y", 0, 10))
	if !errors.Is(err, frames.ErrLevel) {
		t.Errorf("implicit level: got %v, want ErrLevel", err)
	}
	a, b := frames.Numeric("a", 0, 1), frames.Numeric("b", 0, 1)
	a.Block, b.Block = "k", "k"
	if _, _, err := read("7 1:1 2:1\n", a, b); !errors.Is(err, frames.ErrBounds) || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("block: got %v, want ErrBounds in line 1", err)
	}
	for name, levels := range map[string][]string{"words": {"no", "yes"}, "same number": {"1", "1.0"}} {
		if _, _, err := read("7\n", frames.Label("y", levels...)); !errors.Is(err, frames.ErrSchema) {
			t.Errorf("%s: got %v, want ErrSchema", name, err)
		}
	}
}

func TestParseLibSVMRefuses(t *testing.T) {
	const good = "1 1:0.5\n"
	type place struct{ line, field int }
	for name, tc := range map[string]struct {
		text  string
		is    error
		at    place
		wants []string
	}{
		"bounds":         {good + "1 2:2.5\n", frames.ErrBounds, place{2, 2}, []string{`"b"`, "[-2, 2]"}},
		"NaN":            {"1 1:nan\n", frames.ErrNumber, place{1, 2}, nil},
		"no value":       {"1 1:\n", frames.ErrNumber, place{1, 2}, nil},
		"blank value":    {"1 1: 0.5\n", frames.ErrNumber, place{1, 2}, nil},
		"two colons":     {"1 1:0.5:2\n", frames.ErrNumber, place{1, 2}, nil},
		"class":          {"2 1:0.5\n", frames.ErrLevel, place{1, 1}, []string{`"y"`}},
		"class in words": {"high 1:0.5\n", frames.ErrLevel, place{1, 1}, nil},
		"many labels":    {"1,-1 1:0.5\n", frames.ErrLevel, place{1, 1}, nil},
		"no label":       {"1:0.5\n", frames.ErrRagged, place{1, 0}, []string{"label"}},
		"index 0":        {"1 0:0.5\n", frames.ErrIndex, place{1, 2}, []string{"from 1 to 3", "ZeroBased"}},
		"index too high": {"1 1:0.5 4:1\n", frames.ErrIndex, place{1, 3}, nil},
		"huge index":     {"1 99999999999999999999999999:1\n", frames.ErrIndex, place{1, 2}, nil},
		"descends":       {"1 2:1 1:1\n", frames.ErrIndex, place{1, 3}, []string{"ascending"}},
		"repeats":        {"1 2:1 2:1\n", frames.ErrIndex, place{1, 3}, nil},
		"sign":           {"1 -1:1\n", frames.ErrIndex, place{1, 2}, nil},
		"no colon":       {"1 2\n", frames.ErrIndex, place{1, 2}, nil},
		"qid":            {"1 qid:3 1:1\n", frames.ErrIndex, place{1, 2}, []string{"qid"}},
		"empty":          {"", frames.ErrEmpty, place{}, nil},
		"comments only":  {"# nothing\n\n", frames.ErrEmpty, place{}, nil},
		"UTF-16":         {"\xff\xfe1\x00", frames.ErrEncoding, place{}, nil},
		"half a gzip":    {packed(t, svmText)[:30], io.ErrUnexpectedEOF, place{}, nil},
		"gzip header":    {"\x1f\x8b\x08", io.ErrUnexpectedEOF, place{}, []string{"unpack"}},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := frames.ParseLibSVM(strings.NewReader(tc.text), "test.svm", svmSchema(t), frames.LibSVMOptions{})
			if !errors.Is(err, tc.is) || f != nil {
				t.Fatalf("got %v, want %v", err, tc.is)
			}
			var at *frames.CellError
			if errors.As(err, &at) != (tc.at.line > 0) || at != nil && (at.Line != tc.at.line || at.Field != tc.at.field) {
				t.Errorf("got place %+v, want %+v in %v", at, tc.at, err)
			}
			for _, want := range append(tc.wants, "test.svm") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v lacks %q", err, want)
				}
			}
			for _, secret := range []string{"2.5", "high", "nan", "9999"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%v repeats %q", err, secret)
				}
			}
		})
	}
}

func TestOpenLibSVM(t *testing.T) {
	var b strings.Builder
	var x, y []float64
	for i := range 2500 {
		v := float64(i%5)/4 - 0.5
		fmt.Fprintf(&b, "%d 2:%g\n", 2*(i%2)-1, v)
		x, y = append(x, 0, v, 0), append(y, float64(i%2))
	}
	for name, text := range map[string]string{"plain": b.String(), "gzip": packed(t, b.String())} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, "a.svm", text)
			f, err := frames.ReadLibSVM(path, svmSchema(t), frames.LibSVMOptions{})
			if err != nil {
				t.Fatal(err)
			}
			src, err := frames.OpenLibSVM(path, svmSchema(t), frames.LibSVMOptions{})
			if err != nil {
				t.Fatal(err)
			}
			checkFile(t, src, f, x, y, path)
		})
	}
}

func TestLibSVMSchema(t *testing.T) {
	s, err := frames.LibSVMSchema(frames.LibSVMDomain{Features: 2, Lo: -1, Hi: 1, Clamp: true, Labels: []string{"-1", "1"}})
	if err != nil {
		t.Fatal(err)
	}
	want := mustSchema(t, frames.Numeric("f1", -1, 1).Clamped(), frames.Numeric("f2", -1, 1).Clamped(), frames.Label("label", "-1", "1"))
	if s.Hash() != want.Hash() {
		t.Errorf("got\n%v\nwant\n%v", s, want)
	}
	if s, err := frames.LibSVMSchema(frames.LibSVMDomain{Features: 1, Hi: 1, LabelHi: 5}); err != nil || s.Columns()[1].Hi != 5 {
		t.Errorf("numeric label: got\n%v and %v", s, err)
	}
	for name, d := range map[string]frames.LibSVMDomain{"no features": {Hi: 1, LabelHi: 1}, "no bounds": {Features: 1, LabelHi: 1}, "no label": {Features: 1, Hi: 1}} {
		if _, err := frames.LibSVMSchema(d); !errors.Is(err, frames.ErrSchema) {
			t.Errorf("%s: got %v, want ErrSchema", name, err)
		}
	}
}
