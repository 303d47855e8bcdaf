package notebooks

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// TestReadmeShowsTheQuickstart: the README's Go code stands in the quickstart's cells, word for
// word, or in an example of package frames, and its chain is the package's example, whose output is
// checked.
func TestReadmeShowsTheQuickstart(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	notebook, err := nb.ReadFile("quickstart.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	var cells strings.Builder
	for _, c := range notebook.Cells {
		if c.Type == "code" {
			cells.WriteString(c.Source + "\n\n")
		}
	}
	example, err := os.ReadFile(filepath.Join("..", "dpkit", "example_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	loader, err := os.ReadFile(filepath.Join("..", "frames", "example_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	indent := regexp.MustCompile(`(?m)^\t+`)
	flat := func(code string) string { return indent.ReplaceAllString(code, "") }
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(readme), -1)
	if len(blocks) == 0 {
		t.Fatal("the README has no Go code")
	}
	examples := 0
	for _, b := range blocks {
		if !strings.Contains(cells.String(), b[1]) && !strings.Contains(flat(string(loader)), flat(b[1])) {
			t.Errorf("the README shows code that is neither in the quickstart nor in an example of frames:\n%s", b[1])
		}
		if strings.Contains(string(example), b[1]) {
			examples++
		}
	}
	if examples == 0 {
		t.Error("no Go code of the README is in the package's example")
	}
	for _, command := range []string{"go run ./notebooks/cmd/nb run notebooks/quickstart.ipynb\n", "go test ./...\n"} {
		if !strings.Contains(string(readme), command) {
			t.Errorf("the README lacks the command %q", command)
		}
	}
}
