package kernel

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// What a failed cell wraps.
var (
	ErrCell    = errors.New("the cell failed")
	ErrTimeout = errors.New("the cell took too long")
	ErrInput   = errors.New("the cell asks for input, which a run without a user cannot give")
	ErrOutput  = errors.New("the cell prints too much")
)

// CellError says which cell failed, where and why. Numbers count from 1.
type CellError struct {
	Cell   int    // number among the code cells that are not empty: the n of In[n]
	Line   int    // line of the cell, 0 where unknown
	Reason string // one line
	Detail string // compiler messages or the end of stderr, without colours; may be empty
	Err    error  // ErrCell, ErrTimeout, ErrInput, ErrOutput

	Compiler bool // Detail is the compiler's
}

func (e *CellError) Error() string {
	where := fmt.Sprintf("cell %d", e.Cell)
	if e.Line > 0 {
		where += fmt.Sprintf(" line %d", e.Line)
	}
	msg := fmt.Sprintf("nb: %s: %s", where, e.Reason)
	if e.Detail != "" {
		msg += "\n" + e.Detail
	}
	return msg
}

func (e *CellError) Unwrap() error { return e.Err }

const detailLines = 30

var (
	// GoNB's mark before a position in a stack trace, and in a compiler message.
	traceMark   = regexp.MustCompile(`\[\[ Cell \[(\d+)\] Line (\d+) \]\]`)
	compileMark = regexp.MustCompile(`^Cell\[(\d+)\]: Line (\d+)\n`)
)

// fail describes a cell for which GoNB answered with an error. source is the cell's, stderr the end of
// what it printed.
func fail(number int, source string, reply content, stderr string) *CellError {
	e := &CellError{Cell: number, Reason: firstLine(nb.StripANSI(reply.EValue)), Err: ErrCell}
	if lines, line := compilerMessages(number, reply.Traceback); len(lines) > 0 {
		e.Reason, e.Line, e.Detail, e.Compiler = "does not compile", line, strings.Join(lines, "\n"), true
		return e
	}
	for _, m := range traceMark.FindAllStringSubmatch(stderr, -1) {
		if cell, line := atoi(m[1]), atoi(m[2]); cell == number {
			e.Line = line
			break
		}
	}
	if e.Line == 0 {
		e.Line = traceLine(source, stderr)
	}
	e.Detail = stderr
	if says, where := checked(number, stderr); where != nil {
		e.Reason, e.Detail = says, strings.Join(where, "\n")
		if strings.Contains(says, "\n") {
			e.Reason, e.Detail = "it ended with an error", strings.Join(append([]string{says}, where...), "\n")
		}
		return e
	}
	if e.Detail == "" && strings.Contains(reply.EValue, "\n") {
		e.Detail = lastLines(nb.StripANSI(reply.EValue), detailLines)
	}
	return e
}

// checkPath is a line that cell.Check prints last, with GoNB's mark.
var checkPath = regexp.MustCompile(`^at .*/main\.go:\d+$`)

// checked reads what cell.Check prints: an error and the lines that led there, of which where has those of other cells. It is nil where
// something else ended the cell.
func checked(number int, stderr string) (says string, where []string) {
	lines := strings.Split(strings.TrimRight(stderr, "\n"), "\n")
	end := len(lines)
	for end > 0 && checkPath.MatchString(lines[end-1]) {
		end--
	}
	if end == 0 || end == len(lines) {
		return "", nil
	}
	where = []string{}
	for _, l := range lines[end:] {
		if m := traceMark.FindStringSubmatch(l); m != nil && atoi(m[1]) != number {
			where = append(where, fmt.Sprintf("in cell %s line %s", m[1], m[2]))
		}
	}
	return strings.Join(lines[:end], "\n"), where
}

// tracePath is a position in the program that GoNB made of the cells.
var tracePath = regexp.MustCompile(`(/[^\s:]*/main\.go):(\d+)`)

// traceLine finds the line of the cell that a stack trace goes through where GoNB set no mark: it looks for
// one path and number in each piece that it reads, and the runtime writes them in pieces. The
// program's line is looked up in the cell; a line that stands there twice is no answer.
func traceLine(source, stderr string) int {
	for _, m := range tracePath.FindAllStringSubmatch(stderr, -1) {
		program, err := os.ReadFile(m[1])
		if err != nil {
			continue
		}
		lines := strings.Split(string(program), "\n")
		n := atoi(m[2])
		if n < 1 || n > len(lines) {
			continue
		}
		want, found := strings.TrimSpace(lines[n-1]), 0
		if want == "" {
			continue
		}
		for i, line := range strings.Split(source, "\n") {
			if strings.TrimSpace(line) == want {
				if found != 0 {
					found = 0
					break
				}
				found = i + 1
			}
		}
		if found != 0 {
			return found
		}
	}
	return 0
}

// compilerMessages reads GoNB's traceback of a build: one entry for each message, which starts with
// the position and ends with the message. line is the first one in the cell itself.
func compilerMessages(number int, traceback []string) (lines []string, line int) {
	for _, entry := range traceback {
		entry = nb.StripANSI(entry)
		m := compileMark.FindStringSubmatch(entry)
		if m == nil {
			continue
		}
		text := entry[strings.LastIndexByte(strings.TrimRight(entry, "\n"), '\n')+1:]
		lines = append(lines, fmt.Sprintf("cell %s line %s: %s", m[1], m[2], advise(strings.TrimSpace(text))))
		if line == 0 && atoi(m[1]) == number {
			line = atoi(m[2])
		}
	}
	return lines, line
}

// advise adds the way out to a compiler message that means another thing in a notebook.
func advise(message string) string {
	if strings.HasPrefix(message, "expected declaration, found ") {
		return message + ": outside functions a cell holds declarations; put statements after a line %%"
	}
	if s, ok := strings.CutSuffix(message, "; to add it:"); ok { // the command is Go's next line
		return s + ": add it with !*go get and its path in a cell before"
	}
	return message
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s) // the callers pass digits; too many of them are position 0: unknown
	return n
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(s)
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	if len(lines) > n {
		lines = append([]string{"…"}, lines[len(lines)-n:]...)
	}
	return strings.Join(lines, "\n")
}
