package nb

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPrograms: every file of a carried program, and of the package that one imports, is carried, for every system.
func TestPrograms(t *testing.T) {
	for _, program := range []string{"cellgo", "gate", "gomod", "prebuilt"} {
		want, err := filepath.Glob(program + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		want = slices.DeleteFunc(want, func(file string) bool { return strings.HasSuffix(file, "_test.go") })
		got, err := fs.Glob(Programs(), program+"/*")
		if err != nil || len(got) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v (%v)", program, got, want, err)
		}
	}
}
