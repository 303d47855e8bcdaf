package nb

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// The notebooks that come with GoNB were written by Jupyter: an independent sample of its format.
func gonbNotebooks(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/janpfeifer/gonb").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "examples", "tests", "*.ipynb"))
	if err != nil || len(files) < 10 {
		t.Fatalf("found %d notebooks in the GoNB module (%v), want at least 10", len(files), err)
	}
	return files
}

func TestRoundTripIsByteIdentical(t *testing.T) {
	for _, path := range append(gonbNotebooks(t), "testdata/codec/jupyter.ipynb") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			n, err := ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := n.Write(&got); err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want) {
				t.Errorf("differs at byte %d", firstDifference(got.Bytes(), want))
			}
		})
	}
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

func TestDecodeForms(t *testing.T) {
	n, err := Read(strings.NewReader(`{"nbformat":4,"nbformat_minor":5,"metadata":{"language_info":{"name":"go"}},"cells":[
		{"cell_type":"code","source":"a\nb","outputs":[{"output_type":"stream","name":"stdout","text":"x\ny"}]},
		{"cell_type":"code","source":["a\n","b"]},
		{"cell_type":"markdown","source":"","attachments":{"p":{"image/png":["ab","cd"]}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := n.Cells[0].Source, n.Cells[1].Source; a != "a\nb" || a != b {
		t.Errorf("source: string %q, list %q, want the same", a, b)
	}
	if got := n.Cells[0].Outputs[0].Text; got != "x\ny" {
		t.Errorf("text %q", got)
	}
	if got := n.Cells[2].Attachments["p"]["image/png"]; got != "abcd" {
		t.Errorf("attachment %q", got)
	}
	if got := n.Language(); got != "go" {
		t.Errorf("language %q", got)
	}
	ids := map[string]bool{}
	for _, c := range n.Cells {
		ids[c.ID] = true
	}
	if len(ids) != 3 || ids[""] {
		t.Errorf("ids %v, want three different ones", ids)
	}
	if got := reflect.TypeOf(n.Cells[1].Outputs); len(n.Cells[1].Outputs) != 0 {
		t.Errorf("outputs %v", got)
	}
}

func TestOldMinorGetsNoIDs(t *testing.T) {
	n, err := Read(strings.NewReader(`{"nbformat":4,"nbformat_minor":4,"metadata":{},"cells":[{"cell_type":"raw","metadata":{},"source":"x"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := n.Write(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), `"id"`) {
		t.Errorf("an id in a 4.4 notebook:\n%s", &b)
	}
}

func TestDecodeErrors(t *testing.T) {
	cells := func(s string) string {
		return "{\"nbformat\":4,\"metadata\":{},\n\"cells\":[\n{\"cell_type\":\"raw\",\"source\":\"\"},\n" + s + "]}"
	}
	for _, tc := range []struct{ name, in, want string }{
		{"empty", "", "x.ipynb:1: not a Jupyter notebook"},
		{"text", "hello", "x.ipynb:1: not a Jupyter notebook: invalid character 'h'"},
		{"syntax", "{\n\"nbformat\": 4,\n}", "x.ipynb:3:"},
		{"trailing", "{}\n{}", "x.ipynb:2:"},
		{"list", "[]", "want an object"},
		{"other JSON", "{}", "no nbformat field"},
		{"format 3", `{"nbformat":3,"worksheets":[]}`, "got nbformat 3, want 4: open and save"},
		{"format type", `{"nbformat":"4"}`, "nbformat: got a string, want a whole number"},
		{"no cells", `{"nbformat":4}`, "no list of cells"},
		{"cells type", `{"nbformat":4,"cells":{}}`, "cells: got {, want a list"},
		{"cell type", cells("3"), "x.ipynb:4: not a Jupyter notebook: cells[1]: got a number, want an object"},
		{"null cell", cells("null"), "cells[1]: got null, want an object"},
		{"no cell_type", cells("{}"), "cells[1].cell_type: missing"},
		{"source", cells(`{"cell_type":"raw","source":3}`), "x.ipynb:4: not a Jupyter notebook: cells[1].source: got a number, want a string or a list of strings"},
		{"metadata", cells(`{"cell_type":"raw","metadata":[]}`), "cells[1].metadata: got a list, want an object"},
		{"output", cells(`{"cell_type":"code","outputs":[true]}`), "cells[1].outputs[0]: got a boolean, want an object"},
		{"output type", cells(`{"cell_type":"code","outputs":[{}]}`), "cells[1].outputs[0].output_type: missing"},
		{"text", cells(`{"cell_type":"code","outputs":[{"output_type":"stream","text":{}}]}`), "cells[1].outputs[0].text: got an object"},
		{"attachment", cells(`{"cell_type":"markdown","attachments":{"a":{"b":1}}}`), "cells[1].attachments: got an object, want an object of MIME objects with string values"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Parse("x.ipynb", []byte(tc.in))
			if !errors.Is(err, ErrNotNotebook) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an ErrNotNotebook with %q", err, tc.want)
			}
		})
	}
	if _, err := ReadFile("testdata/missing.ipynb"); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "testdata/missing.ipynb") {
		t.Errorf("missing file: %v", err)
	}
}

func TestSplitLinesLikePython(t *testing.T) {
	// The want column is what CPython 3.12 prints for s.splitlines(True).
	for _, tc := range []struct {
		in   string
		want []any
	}{
		{"", []any{}},
		{"a", []any{"a"}},
		{"a\n", []any{"a\n"}},
		{"\n\n", []any{"\n", "\n"}},
		{"a\r\nb\rc\n", []any{"a\r\n", "b\r", "c\n"}},
		{"a\vb\fc\x1cd\x1de\x1ef", []any{"a\v", "b\f", "c\x1c", "d\x1d", "e\x1e", "f"}},
		{"a\u0085b\u2028c\u2029d", []any{"a\u0085", "b\u2028", "c\u2029", "d"}},
		{"a\x1fb\u00a0c", []any{"a\x1fb\u00a0c"}},
	} {
		if got := splitLines(tc.in); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("splitLines(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
}

func TestWriteFileAtomic(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "n.ipynb"), filepath.Join(dir, "link.ipynb")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	err := WriteFileAtomic(link, func(w io.Writer) error {
		io.WriteString(w, "half")
		return boom
	})
	if !errors.Is(err, boom) {
		t.Errorf("got %v, want %v", err, boom)
	}
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("after a failed write the file holds %q", got)
	}
	n := &Notebook{NBFormat: 4, NBFormatMinor: 5, Cells: []*Cell{{Type: "raw", Source: "x"}}}
	if err := n.WriteFile(link); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); err != nil {
		t.Errorf("the link was replaced instead of its target: %v", err)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600 as before", info.Mode())
	}
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("%d files in the folder, want 2: a temporary file is left", len(files))
	}
}

func FuzzDecode(f *testing.F) {
	seed, err := os.ReadFile("testdata/codec/jupyter.ipynb")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := Parse("fuzz", data)
		if err != nil {
			return
		}
		first, err := n.encode()
		if err != nil {
			t.Fatalf("a notebook that was read cannot be written: %v", err)
		}
		again, err := Parse("fuzz", first)
		if err != nil {
			t.Fatalf("a notebook that was written cannot be read: %v\n%s", err, first)
		}
		second, err := again.encode()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, second) {
			t.Fatalf("writing is not stable:\n%s\n%s", first, second)
		}
	})
}
