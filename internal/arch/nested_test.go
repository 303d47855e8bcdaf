package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// nestedRules are the packages of the core that modules of their own may import, as rules has them. Their tests may import dpkit too: whoever
// reads data by them does. Tests beside their notebooks name what cells import.
var nestedRules = map[string][]string{
	"beam":      {"dpkit$", "frames$", "internal/remote", "internal/flock", "parquet$", "sqlsource$", "accountant/ledger", "internal/hostile", "internal/pgtest"}, // the last three: tests
	"parquet":   {"frames$", "internal/hostile"},                                                                                                                  // hostile: tests
	"sqlsource": {"frames$", "internal/hostile", "internal/pgtest"},                                                                                               // the last two: tests
}

// TestNestedModules: a module inside the repository uses the core beside it, through its public face, and the core knows nothing of what it needs.
func TestNestedModules(t *testing.T) {
	root := filepath.Join("..", "..")
	core, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != root && notOurs(e.Name()):
			return filepath.SkipDir
		case e.Name() != "go.mod" || filepath.Dir(path) == root:
			return nil
		}
		dir := filepath.Dir(path)
		rel, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		found[name] = true
		mod, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		up := strings.Repeat("../", strings.Count(name, "/")+1)
		for _, want := range []string{"module " + module + name + "\n", "replace " + strings.TrimSuffix(module, "/") + " => " + up + "\n"} {
			if !strings.Contains(string(mod), want) {
				t.Errorf("%s lacks the line %q", path, want)
			}
		}
		if strings.Contains(string(core), module+name) {
			t.Errorf("go.mod of the core requires %s", name)
		}
		return nested(t, dir, name)
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range nestedRules {
		if !found[name] {
			t.Errorf("no module %s: drop its rule", name)
		}
	}
}

// nested holds the imports of a module to its rule.
func nested(t *testing.T, dir, name string) error {
	allowed, ok := nestedRules[name]
	if !ok {
		t.Errorf("module %s has no rule: add it to the table", name)
	}
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		imports, err := importsOf(path)
		if err != nil {
			return err
		}
		for _, to := range imports {
			to, ours := strings.CutPrefix(to, module)
			rel, _ := filepath.Rel(dir, path)
			own := under(to, name) || strings.HasSuffix(path, "_test.go") && (to == "dpkit" ||
				filepath.Dir(rel) == "notebooks" && (to == "viz" || to == "notebooks/cell")) // as its notebooks do
			if ours && !own && !slices.ContainsFunc(allowed, func(p string) bool { return under(to, p) }) {
				t.Errorf("%s imports %s: module %s may import only %v", path, to, name, allowed)
			}
		}
		return nil
	})
}
