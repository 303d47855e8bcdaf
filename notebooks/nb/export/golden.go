package export

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// golden is what a notebook stores as the output of a cell.
type golden struct {
	text     string
	displays []string
	tail     bool
}

// goldens decides which cells have a stored output.
type goldens struct{ counted, any bool }

func newGoldens(n *nb.Notebook) (g goldens) {
	for _, c := range n.Cells {
		g.counted = g.counted || c.ExecutionCount > 0
		g.any = g.any || len(c.Outputs) > 0
	}
	return g
}

// of returns a cell's stored output, nil where it was never executed. Without execution counts, which
// `nb clean` drops, a notebook with outputs is taken as executed as a whole.
func (g goldens) of(c *cell, stored *nb.Cell) *golden {
	if stored.ExecutionCount == 0 && len(stored.Outputs) == 0 && (g.counted || !g.any) {
		return nil
	}
	out := &golden{}
	var text strings.Builder
	for _, o := range stored.Outputs {
		switch {
		case o.Type == "stream" && o.Name == "stdout":
			text.WriteString(o.Text)
		case o.Type == "display_data":
			out.displays = append(out.displays, mimeTypes(o.Data))
		}
	}
	out.text, out.tail = c.withoutCommands(text.String())
	return out
}

func mimeTypes(data map[string]json.RawMessage) string {
	var types []string
	for t := range data {
		types = append(types, t)
	}
	slices.Sort(types)
	return strings.Join(types, ",")
}

// withoutCommands cuts off what the kernel printed for the cell's %commands. They run before the
// program, so that this is the beginning. tail: more than that may stand there, of shell lines and of
// commands that show something.
func (c *cell) withoutCommands(text string) (rest string, tail bool) {
	for _, cmd := range c.commands {
		if cmd.words == nil {
			tail = true
			continue
		}
		pattern := ""
		switch cmd.words[0] {
		case "env":
			name, value, _ := envPair(cmd.words)
			pattern = regexp.QuoteMeta(fmt.Sprintf("Set: %s=%q\n", name, value))
		case "cd":
			pattern = `(Changed directory to|Current directory:) ".*"\n`
		case "goflags":
			pattern = `%goflags=\[.*\]\n`
		case "reset":
			pattern = `\* State reset: .*\n`
		case "rm", "remove":
			pattern = `(\. removed \S+ \S+\n)*`
		case "help", "ls", "list", "version", "widgets", "widgets_hb":
			tail = true
		}
		if pattern != "" && !tail {
			text = strings.TrimPrefix(text, regexp.MustCompile("^"+pattern).FindString(text))
		}
	}
	return text, tail
}
