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

// wrap breaks s at spaces into lines of at most n columns, and inside a word that is longer.
func wrap(s string, n int) []string {
	var lines []string
	for _, part := range strings.Split(s, "\n") {
		line, used := "", 0
		for _, word := range strings.Fields(part) {
			for {
				gap := 0
				if used > 0 {
					gap = 1
				}
				if w := columns(word); used+gap+w <= n {
					line, used = line+strings.Repeat(" ", gap)+word, used+gap+w
					break
				}
				if used > 0 {
					lines, line, used = append(lines, line), "", 0
					continue
				}
				var head string
				head, word = cut(word, n)
				lines = append(lines, head)
			}
		}
		lines = append(lines, line)
	}
	return lines
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
