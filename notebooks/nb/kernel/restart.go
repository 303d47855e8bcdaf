package kernel

import (
	"context"
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// restart starts a kernel in place of one that ended, and gives it again what the cells that succeeded
// had declared and set.
func (r *run) restart(ctx context.Context, n *nb.Notebook, done []CellReport) error {
	r.Progress(Event{Kind: Note, Text: "starting the kernel again"})
	r.kernel.close()
	k, err := startKernel(ctx, r.setup)
	if err != nil {
		return err
	}
	r.kernel = k
	silent := *r
	silent.Progress = func(Event) {}
	for i, cr := range done {
		source := declarations(n.Cells[cr.Index].Source)
		if cr.Status != OK || source == "" {
			continue
		}
		var again CellReport
		silent.cell(ctx, &nb.Cell{Type: "code", Source: source}, &again, Event{Cell: i + 1})
		if again.Err != nil {
			return fmt.Errorf("nb: %w: after a restart, the declarations of cell %d fail: %w", ErrUnavailable, i+1, again.Err)
		}
	}
	return nil
}

// declarations is what of a cell a new kernel has to know: its declarations without main, the settings,
// and the shell lines that work in the kernel's own folder (!*), which is a new one. Other shell lines
// left what they did on the disk. It is empty where nothing is left.
func declarations(source string) string {
	c, ok := nb.ParseGoCell(source)
	if !ok {
		return ""
	}
	var b strings.Builder
	for _, cmd := range c.Commands {
		word, _, _ := strings.Cut(strings.TrimSpace(cmd.Text[1:]), " ")
		switch {
		case cmd.Text[0] == '!' && !strings.HasPrefix(word, "*"):
		case cmd.Text[0] == '%' && (word == "test" || word == "exec" || word == "capture" || strings.HasPrefix(word, "with_")):
		default:
			b.WriteString(strings.TrimSuffix(source[cmd.From:cmd.To], "\n") + "\n")
		}
	}
	b.Write(c.Declarations())
	return strings.TrimSpace(b.String())
}
