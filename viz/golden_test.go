package viz

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

func TestGolden(t *testing.T) {
	names := map[string]bool{}
	for name, v := range views(t) {
		t.Run(name, func(t *testing.T) {
			golden(t, name+".txt", v.Text())
			if v.fig == nil { // the bytes of an image may change with the library
				golden(t, name+".html", strings.Replace(v.HTML(), style, "", 1))
			} else {
				golden(t, name+".alt.txt", v.alt+"\n")
			}
		})
		names[name] = true
	}
	// A golden file that no test reads proves nothing.
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, f := range files {
		name, _, _ := strings.Cut(filepath.Base(f), ".")
		if !names[name] {
			t.Errorf("%s belongs to no example", f)
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s\nwant:\n%s", name, got, want)
	}
}
