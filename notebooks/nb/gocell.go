package nb

import "strings"

// goCell is a code cell as the kernel takes it apart: command lines, declarations, and the statements
// that it puts into func main. code has the length of the source, and spaces where the kernel takes
// something out, so that a place in one is the place in the other.
type goCell struct {
	source   string
	code     []byte
	opener   int // where the line %% or %main begins, len(source) where there is none
	body     int // where the statements begin, len(source) where there are none
	commands []commandLine
}

// commandLine is a line that the kernel executes, with those that it continues on.
type commandLine struct {
	from, to int    // in the source
	text     string // of the first line, without the mark //gonb:
}

// splitGoCell takes a cell apart by the kernel's rules. ok is false for a cell that is no Go, such as
// one that begins with %%bash.
func splitGoCell(source string) (c goCell, ok bool) {
	c = goCell{source: source, code: []byte(source), opener: len(source), body: len(source)}
	if first, _, _ := strings.Cut(source, "\n"); !isGo(first) {
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
		case isCommand && opensMain(text) && c.opener == len(source):
			c.opener, c.body, end = from, to, &c.body
		case isCommand:
			c.commands = append(c.commands, commandLine{from, to, text})
			end = &c.commands[len(c.commands)-1].to
		}
		dropped := strings.HasPrefix(line, "package") // the kernel drops what looks like a package clause
		if isCommand || continues || dropped {
			blank(c.code[from:to])
		}
		continues = (isCommand || continues) && strings.HasSuffix(text, `\`)
	}
	return c, true
}

// isGo says whether a cell that begins with this line is one of Go.
func isGo(first string) bool {
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
