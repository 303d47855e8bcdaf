package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/hostile"
)

// noLoaders are packages whose exported functions return rows that another package loads.
var noLoaders = map[string]string{"frames/datasets": "known files, by the loaders of package frames"}

// TestLoaders: a package that loads rows holds every loader that it exports to the table of
// identities, of which none may make two one.
func TestLoaders(t *testing.T) {
	root := filepath.Join("..", "..")
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !e.IsDir():
			return nil
		case path != root && (notOurs(e.Name()) || e.Name() == "internal"), e.Name() == "studies": // which users do not load by
			return filepath.SkipDir
		}
		if name, _ := filepath.Rel(root, path); filepath.ToSlash(name) == "notebooks/nb" {
			return filepath.SkipDir // the tool
		}
		sources, err := hostile.Sources(path)
		if err != nil || len(sources) == 0 {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		found[name] = true
		if noLoaders[name] != "" {
			return nil
		}
		tests, err := filepath.Glob(filepath.Join(path, "*_test.go"))
		if err != nil {
			return err
		}
		var text strings.Builder
		for _, test := range tests {
			b, err := os.ReadFile(test)
			if err != nil {
				return err
			}
			text.Write(b)
		}
		for _, call := range []string{"hostile.RunIdentities(", "hostile.Covers("} {
			if !strings.Contains(text.String(), call) {
				t.Errorf("%s loads rows by %v, and none of its tests calls %s): hold each to the table of identities, as package frames does", name, sources, call)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"frames", "parquet", "sqlsource", "sqlsource/pgcopy", "beam"} {
		if !found[name] {
			t.Errorf("no loader was found in %s", name)
		}
	}
	for name := range noLoaders {
		if !found[name] {
			t.Errorf("%s has a reason and no source: drop it", name)
		}
	}
}
