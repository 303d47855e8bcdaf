package nb

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// restart starts a kernel in place of one that ended, and gives it again what the cells that succeeded
// had declared and set.
func (r *run) restart(ctx context.Context, n *Notebook, done []CellReport) error {
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
		silent.cell(ctx, &Cell{Type: "code", Source: source}, &again, Event{Cell: i + 1})
		if again.Err != nil {
			return fmt.Errorf("nb: %w: after a restart, the declarations of cell %d fail: %w", ErrKernel, i+1, again.Err)
		}
	}
	return nil
}

// declarations is what of a cell a new kernel has to know: its declarations without main, the settings,
// and the shell lines that work in the kernel's own folder (!*), which is a new one. Other shell lines
// left what they did on the disk. It is empty where nothing is left.
func declarations(source string) string {
	c, ok := splitGoCell(source)
	if !ok {
		return ""
	}
	var b strings.Builder
	for _, cmd := range c.commands {
		word, _, _ := strings.Cut(strings.TrimSpace(cmd.text[1:]), " ")
		switch {
		case cmd.text[0] == '!' && !strings.HasPrefix(word, "*"):
		case cmd.text[0] == '%' && (word == "test" || word == "exec" || word == "capture" || strings.HasPrefix(word, "with_")):
		default:
			b.WriteString(strings.TrimSuffix(source[cmd.from:cmd.to], "\n") + "\n")
		}
	}
	b.WriteString(string(withoutMain(c.code[:c.opener])))
	return strings.TrimSpace(b.String())
}

// withoutMain blanks a func main that is written out.
func withoutMain(code []byte) []byte {
	const open = "package p\n"
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", open+string(code), parser.SkipObjectResolution)
	if err != nil {
		return code // the kernel took it once, and says why not now
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "main" {
			blank(code[fset.Position(f.Pos()).Offset-len(open) : fset.Position(f.End()).Offset-len(open)])
		}
	}
	return code
}
