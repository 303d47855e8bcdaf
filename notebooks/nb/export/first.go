package export

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// NewNotebook makes a notebook for a folder, with the first cell that lets its other cells import the
// module around the folder, or, outside of one, this project at the version of nb.
func NewNotebook(ctx context.Context, title, dir string) (*nb.Notebook, error) {
	first, err := firstCell(ctx, dir)
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
		{Type: "markdown", ID: "title", Source: "# " + title + "\n\nThe first cell ties the notebook's kernel to the module."},
		{Type: "code", ID: "module", Source: first},
		{Type: "code", ID: "hello", Source: "import \"fmt\"\n\n%%\nfmt.Println(\"hello\")"},
	}
	return n, nil
}

func firstCell(ctx context.Context, dir string) (string, error) {
	const rest = "\n%noautoget\n%goflags \"-ldflags=-s -w\""
	mod, err := goCommand(ctx, dir, "env", "GOMOD")
	if err != nil {
		return "", err
	}
	if mod = strings.TrimSpace(mod); mod == "" || mod == os.DevNull {
		version := selfVersion()
		return "!*go get " + modulePath + "@" + version + rest, nil
	}
	text, err := goCommand(ctx, filepath.Dir(mod), "mod", "edit", "-json")
	if err != nil {
		return "", err
	}
	var m goMod
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return "", err
	}
	tie := `!*r="$(dirname "$(go -C "$GONB_DIR" env GOMOD)")" && cp "$r/go.mod" "$r/go.sum" . && go mod edit -module=nb -require=MODULE@v0.0.0 -replace=MODULE="$r"`
	return strings.ReplaceAll(tie, "MODULE", m.Module.Path) + rest, nil
}
