package export

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// NewNotebook makes a notebook for a folder. Inside a module its cells import that module and what it requires, as the builder of
// cells arranges (package kernel); elsewhere its first code cell fetches this project at the version of nb.
func NewNotebook(ctx context.Context, title, dir string) (*nb.Notebook, error) {
	mod, err := goCommand(ctx, dir, "env", "GOMOD")
	if err != nil {
		return nil, err
	}
	n := &nb.Notebook{
		NBFormat: 4, NBFormatMinor: 5,
		Metadata: map[string]json.RawMessage{
			"kernelspec":    json.RawMessage(`{"display_name":"Go (gonb)","language":"go","name":"gonb"}`),
			"language_info": json.RawMessage(`{"file_extension":".go","mimetype":"text/x-go","name":"go"}`),
		},
	}
	n.Cells = []*nb.Cell{
		{Type: "markdown", ID: "title", Source: "# " + title},
		{Type: "code", ID: "hello", Source: "import \"fmt\"\n\n%%\nfmt.Println(\"hello\")"},
	}
	if mod = strings.TrimSpace(mod); mod == "" || mod == os.DevNull {
		n.Cells[0].Source += "\n\nThe first cell fetches dpnb."
		fetch := &nb.Cell{Type: "code", ID: "module", Source: "!*go get " + modulePath + "@" + selfVersion() + "\n%noautoget"}
		n.Cells = slices.Insert(n.Cells, 1, fetch)
	}
	return n, nil
}

// Imports lists the packages that a notebook's cells import, sorted. Cells that the kernel could not
// read either are passed over.
func Imports(n *nb.Notebook) []string {
	seen := map[string]bool{}
	for i, c := range codeCells(n) {
		list, _ := readCell(i+1, c.Source, &problems{}).items(&problems{})
		for _, it := range list {
			if it.kind == kindImport && importable.MatchString(it.path) && it.path != "C" {
				seen[it.path] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// importable are paths that a shell takes as one word as they stand.
var importable = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./~+-]*$`)

// WarmUp makes a notebook for a folder that has the kernel compile packages and run a trivial cell, so
// that the first cell of a user finds them in the build cache. Without packages it takes those of this
// project that notebooks import.
func WarmUp(ctx context.Context, dir string, packages []string) (*nb.Notebook, error) {
	n, err := NewNotebook(ctx, "warm-up", dir)
	if err != nil {
		return nil, err
	}
	if len(packages) == 0 {
		for _, name := range []string{"dpkit", "frames", "viz"} {
			packages = append(packages, modulePath+"/"+name)
		}
	}
	build := &nb.Cell{Type: "code", ID: "build", Source: "!*go build " + strings.Join(packages, " ")}
	n.Cells = slices.Insert(n.Cells, len(n.Cells)-1, build)
	return n, nil
}
