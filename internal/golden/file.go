package golden

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var given = flag.String("golden", "",
	"golden file that the tests of golden files run, alone, absolute or relative to the root of the repository; the committed ones of testdata/golden where it is empty")

// Given is the file that the flag -golden names; empty where it names none.
func Given() string { return *given }

// Files are the paths of the files that a test runs: the one that the flag names, else the committed ones of these names,
// without their extension.
func Files(t testing.TB, committed ...string) []string {
	t.Helper()
	if Given() != "" {
		return []string{At(t, Given())}
	}
	if len(committed) == 0 {
		t.Fatal("golden: no file")
	}
	var out []string
	for _, name := range committed {
		out = append(out, At(t, filepath.Join("testdata", "golden", name+".json")))
	}
	return out
}

// Committed reads the committed file of a name, without its extension, whatever the flag says.
func Committed(t testing.TB, name string) []byte {
	t.Helper()
	return Read(t, At(t, filepath.Join("testdata", "golden", name+".json")))
}

// Read reads a file.
func Read(t testing.TB, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// At is a path, absolute or relative to the root of the repository: the first directory with a go.mod, from the test's upwards.
func At(t testing.TB, path string) string {
	t.Helper()
	if filepath.IsAbs(path) {
		return path
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, path)
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("golden: no go.mod above the test's directory")
		}
		dir = up
	}
}

// Groups are the members of the object that a file is.
func Groups(t testing.TB, raw []byte) map[string]json.RawMessage {
	t.Helper()
	var groups map[string]json.RawMessage
	if err := json.Unmarshal(raw, &groups); err != nil {
		t.Fatal(err)
	}
	return groups
}

// Names fails unless the text of a file, relative to the root of the repository, names a group in quotation marks: one that a package
// leaves to another is checked there.
func Names(t testing.TB, file, group string) {
	t.Helper()
	if text := string(Read(t, At(t, file))); !strings.Contains(text, strconv.Quote(group)) {
		t.Errorf("group %q: %s does not check it", group, file)
	}
}
