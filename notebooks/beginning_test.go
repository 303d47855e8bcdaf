package notebooks

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// TestNotebooksBeginWithImports: nothing stands in a notebook that the builder of cells does, and errors end a cell by package cell.
func TestNotebooksBeginWithImports(t *testing.T) {
	notebooks := 0
	for _, root := range []string{".", filepath.Join("..", "tutorials")} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				if err == nil && (e.Name() == "testdata" || e.Name() == "node_modules") {
					return filepath.SkipDir
				}
				return err
			}
			if filepath.Ext(path) != ".ipynb" {
				return nil
			}
			n, err := nb.ReadFile(path)
			if err != nil {
				return err
			}
			notebooks++
			for i, c := range n.Cells {
				for _, word := range []string{"$GONB_DIR", "%goflags", "%noautoget", "func check(", "panic(err)"} {
					if c.Type == "code" && strings.Contains(c.Source, word) {
						t.Errorf("%s, cell %d of %d has %q", path, i+1, len(n.Cells), word)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if notebooks < 20 {
		t.Errorf("%d notebooks, want all of them", notebooks)
	}
}
