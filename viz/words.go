package viz

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// lineWidth is where text is wrapped.
const lineWidth = 100

// clean makes s printable on one line: control characters, directional overrides and bytes that
// are not UTF-8 become visible escapes, so that a name cannot move the cursor or reorder what
// stands around it.
func clean(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && s[i] != 0xEF:
			b.WriteString(`\x` + strconv.FormatUint(uint64(s[i])|0x100, 16)[1:])
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029':
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func cleanAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = clean(s)
	}
	return out
}

// columns is the width of s on a terminal.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += columnsOf(r)
	}
	return n
}

func columnsOf(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// wrap breaks s at spaces into lines of at most n columns. A word that is longer is broken before the calls of a chain,
// as in Clip(1).Mean(), else anywhere, unless it is a path: that sticks out, to be copied whole.
func wrap(s string, n int) []string {
	var lines []string
	for _, part := range strings.Split(s, "\n") {
		line, used := "", 0
		for _, word := range strings.Fields(part) {
			for {
				gap := 0
				if line != "" { // of no width too: marks that join what is not there
					gap = 1
				}
				if w := columns(word); used+gap+w <= n {
					line, used = line+strings.Repeat(" ", gap)+word, used+gap+w
					break
				}
				if line != "" {
					lines, line, used = append(lines, line), "", 0
					continue
				}
				if isPath(word) {
					line, used = word, columns(word)
					break
				}
				var head string
				head, word = cutWord(word, n)
				lines = append(lines, head)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// isPath reports whether a word is a path of a file, perhaps with a mark of punctuation around it.
func isPath(word string) bool {
	return strings.Count(strings.TrimLeft(word, "(\"'"), "/") > 1 && strings.HasPrefix(strings.TrimLeft(word, "(\"'"), "/")
}

// cutWord is cut for a word without spaces: behind the last ")" with a "." after it that fits, if there is one.
func cutWord(s string, n int) (head, tail string) {
	head, tail = cut(s, n)
	if i := strings.LastIndex(head+tail[:min(1, len(tail))], ")."); i >= 0 {
		return s[:i+1], s[i+1:]
	}
	return head, tail
}

// cut splits s after at most n columns, and after at least one rune.
func cut(s string, n int) (head, tail string) {
	used := 0
	for i, r := range s {
		if used += columnsOf(r); used > n && i > 0 {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// pad fills s with spaces to n columns.
func pad(s string, n int, right bool) string {
	fill := strings.Repeat(" ", max(0, n-columns(s)))
	if right {
		return fill + s
	}
	return s + fill
}

// isNumber reports whether s is a number as this package prints them.
func isNumber(s string) bool {
	_, err := strconv.ParseFloat(strings.NewReplacer("−", "-", "%", "", "×", "", " ", "").Replace(s), 64)
	return err == nil
}
