package export

import "strings"

// command is a special command of a cell: %words, or a shell line.
type command struct {
	line  int // 1-based
	shell string
	words []string // nil for a shell line
}

// trimPrefix drops the mark that hides a command from Go tools.
func trimPrefix(line string) string { return strings.TrimPrefix(line, "//gonb:") }

// isCommand says whether the kernel takes the line as a command.
func isCommand(line string) bool {
	line = trimPrefix(line)
	return len(line) > 1 && (line[0] == '%' || line[0] == '!')
}

// joinLines reads the command that begins at lines[i], over trailing backslashes, and returns how many
// lines it has.
func joinLines(lines []string, i int) (text string, n int) {
	for ; i < len(lines); i++ {
		text += trimPrefix(lines[i])
		n++
		if !strings.HasSuffix(text, `\`) {
			break
		}
		text = text[:len(text)-1] + " "
	}
	return text, n
}

// splitWords splits a command as GoNB does: words may be quoted, a backslash counts inside quotes only,
// and every byte becomes a rune of its own (so that é arrives as Ã©).
func splitWords(s string) (words []string) {
	var word []rune
	started, quoted := false, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case !quoted && (c == ' ' || c == '\t' || c == '\n'):
			if started {
				words = append(words, string(word))
			}
			word, started = nil, false
			continue
		case c == '"':
			quoted = !quoted
			started = true
			continue
		case c == '\\' && quoted:
			if i++; i == len(s) {
				continue
			}
			switch c = s[i]; c {
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			}
		}
		word = append(word, rune(c))
		started = true
	}
	if started {
		words = append(words, string(word))
	}
	return words
}

// cellCommand returns the command of a cell that is no Go code, such as %%bash; "" for Go.
func cellCommand(first string) string {
	words := splitWords(trimPrefix(first))
	if len(words) > 0 && isCellCommand(words[0]) {
		return words[0]
	}
	return ""
}

func isCellCommand(word string) bool {
	switch word {
	case "%%writefile", "%%script", "%%bash", "%%sh", "%%gx":
		return true
	}
	return false
}

// opensMain returns the kind of main that the line opens: "%%" for %% and %main, "%exec", or "".
func opensMain(line string) string {
	line = trimPrefix(line)
	switch {
	case strings.HasPrefix(line, "%main"), line == "%%", strings.HasPrefix(line, "%% "), strings.HasPrefix(line, "%%\t"):
		return "%%"
	case strings.HasPrefix(line, "%exec"):
		return "%exec"
	}
	return ""
}
