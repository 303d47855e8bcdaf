package export

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
)

// cell is one code cell as the kernel reads it.
type cell struct {
	number   int
	source   string
	special  string // %%bash and the like: no Go
	commands []command
	directives

	isTest  bool     // %test
	args    []string // of the program
	opener  string   // "%%", "%exec" or ""
	opening int      // its line
	dropped []int    // lines that begin with package: the kernel drops them

	text string // Go code, a package clause before it: line n of the cell is line n+1
	fset *token.FileSet
	file *ast.File // nil where there is no Go in the cell

	types map[string]bool // names of types that the cell sees: a call of one is a conversion
}

const packageClause = "package main\n"

var realPackage = regexp.MustCompile(`^package\s+\w+\s*(//.*)?$`)

// readCell reads a cell by the kernel's rules.
func readCell(number int, source string, p *problems) *cell {
	c := &cell{number: number, source: source}
	lines := strings.Split(source, "\n")
	if c.special = cellCommand(lines[0]); c.special != "" {
		return c
	}
	used := make([]bool, len(lines))
	var lex lexer
	for i := 0; i < len(lines); i++ {
		if !isCommand(lines[i]) {
			if m := directiveLine.FindStringSubmatch(lines[i]); m != nil && lex.in == 0 {
				if err := c.set(m[1]); err != nil {
					p.add(number, i+1, "%v", err)
				}
				lines[i] = ""
			}
			lex.line(lines[i])
			continue
		}
		if place := lex.place(); place != "" {
			p.add(number, i+1, "a line of a %s begins with %c, which the kernel executes as a command: indent it", place, trimPrefix(lines[i])[0])
		}
		text, n := joinLines(lines, i)
		for j := range n {
			used[i+j] = true
		}
		c.command(i+1, text, p)
		i += n - 1
	}
	c.compose(lines, used, p)
	return c
}

// command reads one command line, joined.
func (c *cell) command(line int, text string, p *problems) {
	kind, rest := text[0], strings.TrimLeft(text[1:], " \t")
	if rest == "" {
		p.add(c.number, line, "%c without a command ends the kernel: remove it", kind)
		return
	}
	if kind == '!' {
		c.commands = append(c.commands, command{line: line, shell: rest})
		return
	}
	words := splitWords(rest)
	if len(words) == 0 {
		return
	}
	c.commands = append(c.commands, command{line: line, words: words})
	bad := func(format string, args ...any) { p.add(c.number, line, format, args...) }
	switch name := words[0]; name {
	case "%", "main", "args", "test": // the last of them decides the arguments
		c.args = words[1:]
		c.isTest = c.isTest || name == "test"
	case "exec":
		if len(words) == 1 {
			bad("%%exec has no function name, want %%exec name [arguments]")
			return
		}
		c.args = words[2:]
	case "env":
		if _, _, ok := envPair(words); !ok {
			bad("%%env: got %d words, want %%env NAME value or %%env NAME=value", len(words)-1)
		}
	case "cd":
		if len(words) > 2 {
			bad("%%cd: got %d words, want one folder", len(words)-1)
		}
	case "reset":
		if len(words) > 2 || len(words) == 2 && words[1] != "go.mod" {
			bad("%%reset: got %q, want nothing or go.mod", words[1:])
		}
	case "wasm":
		bad("%%wasm cells run in a browser and cannot be tests: mark the cell with //| eval: false")
	case "capture", "autoget", "goflags", "goworkfix", "help", "list", "ls", "noautoget", "remove", "rm", "track",
		"untrack", "version", "widgets", "widgets_hb", "with_inputs", "with_password":
	default:
		if isCellCommand("%" + name) {
			bad("%%%s stands inside a cell, want it in the first line", name)
		} else {
			bad("GoNB does not know %%%s: see %%help", name)
		}
	}
}

// envPair returns what an %env command sets.
func envPair(words []string) (name, value string, ok bool) {
	if len(words) == 2 {
		// GoNB splits at an = that has two characters before it, or more.
		if i := strings.IndexByte(words[1], '='); i > 1 {
			return words[1][:i], words[1][i+1:], true
		}
		return "", "", false
	}
	if len(words) != 3 {
		return "", "", false
	}
	return words[1], words[2], true
}

// compose makes Go of the lines: one line for each.
func (c *cell) compose(lines []string, used []bool, p *problems) {
	out := make([]string, len(lines))
	empty, closing := true, ""
	for i, line := range lines {
		if !used[i] && strings.TrimSpace(line) != "" {
			empty = false
		}
		if opener := opensMain(line); opener != "" {
			if c.opener != "" {
				p.add(c.number, i+1, "a second main (%s) in the cell, the first is in line %d: the kernel takes one: split the cell", strings.Fields(trimPrefix(line))[0], c.opening)
				continue
			}
			c.opener, c.opening = opener, i+1
			if opener == "%%" {
				out[i], closing = "func main() {", "\n}\n"
			} else if words := splitWords(trimPrefix(line)[1:]); len(words) > 1 {
				out[i] = "func main() { " + words[1] + "() }"
			}
			continue
		}
		switch {
		case used[i]:
		case strings.HasPrefix(line, "package"):
			if !realPackage.MatchString(line) {
				c.dropped = append(c.dropped, i+1)
			}
		default:
			out[i] = line
		}
	}
	if empty && !c.isTest { // the kernel runs nothing, not even the function of an %exec
		c.opener = ""
		return
	}
	c.text = packageClause + strings.Join(out, "\n") + closing
	c.fset = token.NewFileSet()
	file, err := parser.ParseFile(c.fset, "", c.text, parser.ParseComments|parser.SkipObjectResolution)
	if err == nil {
		c.file = file
		return
	}
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		p.add(c.number, 1, "%v", err)
		return
	}
	list.RemoveMultiples()
	for i, e := range list {
		if i == 5 {
			break
		}
		line := min(max(e.Pos.Line-1, 1), len(lines))
		msg := e.Msg
		if c.opener == "" && (strings.Contains(msg, "non-declaration statement outside function body") || strings.HasPrefix(msg, "expected declaration")) {
			msg += ": put %% on a line above the statements"
		}
		p.add(c.number, line, "%s", msg)
	}
}

// line returns the line of the cell that holds a position.
func (c *cell) line(pos token.Pos) int { return c.fset.Position(pos).Line - 1 }

// between returns the source from one position to another.
func (c *cell) between(from, to token.Pos) string {
	return c.text[c.fset.Position(from).Offset:c.fset.Position(to).Offset]
}
