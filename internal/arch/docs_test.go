package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestErrataAreTests: every test that docs/errata.md names exists in the package that it names.
func TestErrataAreTests(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "errata.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("\\| `([a-z/]+)` `(Test[A-Za-z0-9_]+)` \\|").FindAllStringSubmatch(string(text), -1)
	if len(named) < 10 {
		t.Fatalf("found %d tests in docs/errata.md, want a test in each row", len(named))
	}
	for _, n := range named {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(n[1]), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range files {
			code, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			found = found || regexp.MustCompile(`(?m)^func `+n[2]+`\(`).Match(code)
		}
		if !found {
			t.Errorf("docs/errata.md names %s of %s, which is not there", n[2], n[1])
		}
	}
}
