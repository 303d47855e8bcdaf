package noise

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// Randomness for privacy comes from this package alone. These directories (not those below
// them) may import another source, for what they say.
var allowed = map[string]map[string]string{
	"accountant/ledger":     {"crypto/rand": "record identities and keys"},
	"bench":                 {"math/rand/v2": "made-up rows"},
	"dpkit/internal/attack": {"math/rand/v2": "made-up rows of searches for broken bounds"},
	"dpkit/internal/rows":   {"crypto/rand": "the key of a private file that the process alone reads"},
	"examples/service":      {"math/rand/v2": "made-up rows"},
	"frames":                {"math/rand/v2": "public train/test splits"},
	"frames/datasets":       {"math/rand/v2": "synthetic data"},
	"notebooks/nb/kernel":   {"crypto/rand": "protocol keys"},
	// The random numbers of a tested cell, not noise.
	"notebooks/nb/celltest": {"math/rand": "the seed directive"},
	// Studies of published curves draw made-up rows, splits and what printed algorithms do.
	"notebooks/studies/decisions":        {"math/rand/v2": "synthetic data, and seeds of others' mechanisms"},
	"notebooks/studies/decisions/others": {"math/rand/v2": "others' mechanisms as published, for comparison"},
	"notebooks/studies/fivecalls":        {"math/rand/v2": "synthetic data"},
	"notebooks/studies/linear":           {"math/rand/v2": "baselines as printed"},
	"notebooks/studies/mixing":           {"math/rand/v2": "synthetic data, and the algorithms as printed"},
	"notebooks/studies/perinstance":      {"math/rand/v2": "synthetic data"},
	"notebooks/studies/preprocessing":    {"math/rand/v2": "synthetic data"},
	"notebooks/studies/relativegaussian": {"math/rand/v2": "synthetic data, splits, and the mechanism as printed"},
	"notebooks/studies/unbounded":        {"math/rand/v2": "synthetic data"},
	"viz":                                {"crypto/rand": "names of progress bars"},
}

var guarded = []string{"crypto/rand", "golang.org/x/exp/rand", "math/rand", "math/rand/v2"}

func TestRandomnessComesFromThisPackage(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	bad, files, err := strayRandomness(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	if files < 5 {
		t.Fatalf("walked %d Go files below %s, want the module's", files, root)
	}
	for _, b := range bad {
		t.Error(b)
	}
}

// strayRandomness returns the offences in the Go files of a module, nested modules included,
// and how many files it read.
func strayRandomness(module fs.FS) (bad []string, files int, err error) {
	err = fs.WalkDir(module, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() {
			if name != "." && (base == "testdata" || base == "vendor" || base[0] == '.' || base[0] == '_') {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") {
			return nil
		}
		files++
		dir := path.Dir(name)
		if dir == "internal/noise" {
			return nil
		}
		src, err := fs.ReadFile(module, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if slices.Contains(guarded, imported) && allowed[dir][imported] == "" {
				bad = append(bad, fmt.Sprintf("%s: imports %s, want internal/noise: take a *noise.Source, or enter the directory in the list of exceptions with its reason", name, imported))
			}
		}
		return nil
	})
	return bad, files, err
}

func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the test's directory")
		}
		dir = parent
	}
}

func TestStrayRandomness(t *testing.T) {
	module := func(name, imports string) fstest.MapFS {
		return fstest.MapFS{name: {Data: []byte("package p\n\nimport " + imports + "\n")}}
	}
	tests := []struct {
		name       string
		fs         fstest.MapFS
		bad, files int
	}{
		{"offence", module("dpkit/a.go", `"math/rand"`), 1, 1},
		{"renamed and grouped", module("dpkit/a.go", `("fmt"; r "math/rand/v2"; _ "crypto/rand")`), 2, 1},
		{"excluded by a build tag", fstest.MapFS{"viz/sub/a.go": {Data: []byte("//go:build never\n\npackage p\n\nimport `crypto/rand`\n")}}, 1, 1},
		{"nested module", module("beam/x/a.go", `"golang.org/x/exp/rand"`), 1, 1},
		{"other imports", module("dpkit/a.go", `"math"`), 0, 1},
		{"test file", module("dpkit/a_test.go", `"math/rand"`), 0, 0},
		{"this package", module("internal/noise/a.go", `"crypto/rand"`), 0, 1},
		{"below this package", module("internal/noise/sub/a.go", `"crypto/rand"`), 1, 1},
		{"exception", module("accountant/ledger/a.go", `"crypto/rand"`), 0, 1},
		{"exception for another import", module("accountant/ledger/a.go", `"math/rand/v2"`), 1, 1},
		{"below an exception", module("frames/sub/a.go", `"math/rand/v2"`), 1, 1},
		{"testdata", module("dpkit/testdata/a.go", `"math/rand"`), 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bad, files, err := strayRandomness(tt.fs)
			if err != nil || len(bad) != tt.bad || files != tt.files {
				t.Errorf("got %q in %d files, error %v, want %d in %d", bad, files, err, tt.bad, tt.files)
			}
		})
	}
	if _, _, err := strayRandomness(fstest.MapFS{"a.go": {Data: []byte("not Go")}}); err == nil {
		t.Error("a file that does not parse: got no error")
	}
}
