package nb

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// GoCell is a code cell as GoNB takes it apart: command lines, declarations, and the statements that it puts into func main. Places are
// bytes of the source.
type GoCell struct {
	Code     []byte        // the source with spaces where GoNB takes something out: a place in one is the place in the other
	Opener   int           // where the line %% or %main begins, len(Code) where there is none
	Body     int           // where the statements begin, len(Code) where there are none
	Commands []CommandLine // in order, those of func main included
}

// CommandLine is a line that GoNB executes, with those that it continues on.
type CommandLine struct {
	From, To int    // in the source
	Text     string // of the first line, without the mark //gonb:
}

// ParseGoCell takes a cell apart by GoNB's rules. ok is false for a cell that is no Go, see [IsGo].
func ParseGoCell(source string) (c GoCell, ok bool) {
	c = GoCell{Code: []byte(source), Opener: len(source), Body: len(source)}
	if !IsGo(source) {
		return c, false
	}
	offset, continues := 0, false
	var end *int // of the command that a line may continue
	for line := range strings.SplitAfterSeq(source, "\n") {
		from, to := offset, offset+len(line)
		offset = to
		text := strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "//gonb:")
		isCommand := len(text) > 1 && (text[0] == '!' || text[0] == '%')
		switch {
		case continues:
			*end = to
		case isCommand && opensMain(text) && c.Opener == len(source):
			c.Opener, c.Body, end = from, to, &c.Body
		case isCommand:
			c.Commands = append(c.Commands, CommandLine{from, to, text})
			end = &c.Commands[len(c.Commands)-1].To
		}
		dropped := strings.HasPrefix(line, "package") // the kernel drops what looks like a package clause
		if isCommand || continues || dropped {
			blank(c.Code[from:to])
		}
		continues = (isCommand || continues) && strings.HasSuffix(text, `\`)
	}
	return c, true
}

// Declarations is the Go above the statements, with spaces in place of a func main that is written out.
func (c GoCell) Declarations() []byte {
	const open = "package p\n"
	code := slices.Clone(c.Code[:c.Opener])
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", open+string(code), parser.SkipObjectResolution)
	if err != nil {
		return code // GoNB says why
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "main" {
			blank(code[fset.Position(f.Pos()).Offset-len(open) : fset.Position(f.End()).Offset-len(open)])
		}
	}
	return code
}

// IsGo says whether a code cell is one of Go: it is not where its first line hands it to another program, as %%bash does.
func IsGo(source string) bool {
	first, _, _ := strings.Cut(source, "\n")
	word, _, _ := strings.Cut(strings.TrimPrefix(first, "//gonb:"), " ")
	switch strings.TrimSpace(word) {
	case "%%writefile", "%%script", "%%bash", "%%sh", "%%gx":
		return false
	}
	return true
}

func opensMain(line string) bool {
	word := strings.Fields(line)
	return len(word) > 0 && (word[0] == "%%" || word[0] == "%main")
}

// blank leaves nothing but the line ends of a text.
func blank(text []byte) {
	for i, b := range text {
		if b != '\n' {
			text[i] = ' '
		}
	}
}
