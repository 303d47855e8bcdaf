package notebooks

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// TestReadmeShowsTheQuickstart: the README's Go code stands in the cells of the quickstart, word for
// word, or of the template for data of one's own, and its chain is the package's example, whose output
// is checked.
func TestReadmeShowsTheQuickstart(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	quickstart, template := codeOf(t, "quickstart.ipynb"), codeOf(t, "own_data.ipynb")
	example, err := os.ReadFile(filepath.Join("..", "dpkit", "example_test.go"))
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
		if !strings.Contains(quickstart, b[1]) && !strings.Contains(flat(template), flat(b[1])) {
			t.Errorf("the README shows code that is neither in the quickstart nor in own_data.ipynb:\n%s", b[1])
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

// TestTemplateKeepsRowsPrivate: whoever copies the template publishes nothing that no ε covers, and the README sends
// them there.
func TestTemplateKeepsRowsPrivate(t *testing.T) {
	code := codeOf(t, "own_data.ipynb")
	for _, word := range []string{"Public(", "OnPublic", "Split(", "Demo(", "Infer", "output: "} {
		if strings.Contains(code, word) {
			t.Errorf("the template's code has %q", word)
		}
	}
	for i, function := range []string{"load", "session", "plan"} {
		mark := regexp.MustCompile(fmt.Sprintf(`// %s .*Change %d: .*\nfunc %[1]s\(`, function, i+1))
		if !mark.MatchString(code) {
			t.Errorf("the template does not mark func %s as change %d", function, i+1)
		}
	}
	for _, file := range []string{filepath.Join("..", "README.md"), filepath.Join("..", "docs", "own-data.md")} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "Copy `notebooks/own_data.ipynb` beside itself") {
			t.Errorf("%s does not name the template", file)
		}
	}
}

// TestErrorsOfOwnData: the errors that docs/own-data.md explains are in the code.
func TestErrorsOfOwnData(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "own-data.md"))
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, folder := range []string{"frames", "dpkit", "accountant"} {
		err := filepath.WalkDir(filepath.Join("..", filepath.FromSlash(folder)), func(file string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			source, err := os.ReadFile(file)
			code.Write(source)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	_, table, _ := strings.Cut(string(text), "| error says |")
	rows := regexp.MustCompile("(?m)^\\| (`[^|]+`) \\|").FindAllStringSubmatch(table, -1)
	if len(rows) < 10 {
		t.Fatalf("found %d rows with errors, want at least 10", len(rows))
	}
	for _, row := range rows {
		for _, phrase := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			if !strings.Contains(code.String(), strings.ReplaceAll(phrase[1], "…", "%q")) {
				t.Errorf("no error says %q", phrase[1])
			}
		}
	}
}

// codeOf returns the code cells of a notebook.
func codeOf(t *testing.T, file string) string {
	t.Helper()
	notebook, err := nb.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cells strings.Builder
	for _, c := range notebook.Cells {
		if c.Type == "code" {
			cells.WriteString(c.Source + "\n\n")
		}
	}
	return cells.String()
}
