package page

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb/mathml"
	"github.com/dpkit-go/dpnb/notebooks/nb/sanitize"
)

// markdownMath takes the formulas out of a text before markdown sees them, as Jupyter does, so
// that _ and * and | in them stay what they are, and puts them back afterwards. A formula is
// held by a number between two private-use characters.
type markdownMath struct {
	formulas []markdownFormula
}

type markdownFormula struct {
	source  string // with its delimiters
	tex     string
	display bool
}

const (
	markdownHold = "\uE000"
	markdownFree = "\uE001"
)

var (
	markdownHeld       = regexp.MustCompile("(?:\uE000|%EE%80%80)([0-9]+)(?:\uE001|%EE%80%81)")
	markdownFenceLine  = regexp.MustCompile("^[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*(`{3,}[^`]*|~{3,}.*)$")
	markdownQuoteStart = regexp.MustCompile(`(?m)^[ \t]{0,3}>[ ]?`)
	markdownBlankLine  = regexp.MustCompile(`\n[ \t>]*\n`)
)

// extract replaces every formula in s by its holder.
func (m *markdownMath) extract(s string) string {
	s = strings.NewReplacer(markdownHold, "", markdownFree, "").Replace(s)
	var out strings.Builder
	for i := 0; i < len(s); {
		if i == 0 || s[i-1] == '\n' {
			if end := markdownFenceEnd(s, i); end > i {
				out.WriteString(s[i:end])
				i = end
				continue
			}
		}
		n, f := markdownNext(s, i)
		if f != nil {
			if line := s[strings.LastIndexByte(s[:i], '\n')+1 : i]; strings.HasPrefix(strings.TrimLeft(line, " "), ">") {
				f.tex = markdownQuoteStart.ReplaceAllString(f.tex, "")
			}
			out.WriteString(markdownHold + strconv.Itoa(len(m.formulas)) + markdownFree)
			m.formulas = append(m.formulas, *f)
		} else {
			out.WriteString(s[i : i+n])
		}
		i += n
	}
	return out.String()
}

// markdownFenceEnd is the end of the fenced code block that starts at line i, or i.
func markdownFenceEnd(s string, i int) int {
	line, _, _ := strings.Cut(s[i:], "\n")
	m := markdownFenceLine.FindStringSubmatch(line)
	if m == nil {
		return i
	}
	mark := m[1][:1]
	width := len(m[1]) - len(strings.TrimLeft(m[1], mark))
	for at := i + len(line) + 1; at < len(s); {
		line, _, _ := strings.Cut(s[at:], "\n")
		at += len(line) + 1
		if bare := strings.Trim(line, " \t>"); len(bare) >= width && strings.Trim(bare, mark) == "" {
			return min(at, len(s))
		}
	}
	return len(s)
}

// markdownNext reads what starts at s[i]: a formula, or n bytes to copy.
func markdownNext(s string, i int) (n int, f *markdownFormula) {
	rest := s[i:]
	switch rest[0] {
	case '`':
		run := len(rest) - len(strings.TrimLeft(rest, "`"))
		return markdownCodeSpan(rest, run), nil
	case '<':
		if strings.HasPrefix(rest, "<!--") {
			if end := strings.Index(rest, "-->"); end > 0 {
				return end + 3, nil
			}
		}
	case '$':
		return markdownDollar(rest)
	case '\\':
		for _, d := range []struct {
			open, close string
			display     bool
		}{{`\\(`, `\\)`, false}, {`\\[`, `\\]`, true}, {`\(`, `\)`, false}, {`\[`, `\]`, true}} {
			if strings.HasPrefix(rest, d.open) {
				if end := markdownClose(rest, len(d.open), d.close); end > 0 && strings.TrimSpace(rest[len(d.open):end]) != "" {
					return end + len(d.close), &markdownFormula{rest[:end+len(d.close)], rest[len(d.open):end], d.display}
				}
			}
		}
		if env, ok := strings.CutPrefix(rest, `\begin{`); ok {
			name, _, _ := strings.Cut(env, "}")
			if display, known := mathml.Environment(name); known {
				if end := markdownEnvironment(rest, name); end > 0 {
					return end, &markdownFormula{rest[:end], rest[:end], display}
				}
			}
		}
		return min(2, len(rest)), nil
	}
	n = 1 + strings.IndexAny(rest[1:], "`<$\\\n")
	if n == 0 {
		return len(rest), nil
	}
	if rest[n] == '\n' {
		n++ // the next call starts at a line
	}
	return n, nil
}

// markdownCodeSpan is the length of the code span that s starts with, or of its backticks when
// they do not open one.
func markdownCodeSpan(s string, run int) int {
	limit := markdownParagraph(s)
	for at := run; at < limit; {
		i := strings.IndexByte(s[at:limit], '`')
		if i < 0 {
			break
		}
		at += i
		k := len(s[at:limit]) - len(strings.TrimLeft(s[at:limit], "`"))
		if k == run {
			return at + k
		}
		at += k
	}
	return run
}

// markdownDollar applies Pandoc's rule: the opening $ has a non-space after it, the closing $ a
// non-space before it and no digit after it. Display mathematics has two.
func markdownDollar(s string) (int, *markdownFormula) {
	limit := markdownParagraph(s)
	if strings.HasPrefix(s, "$$") {
		if end := markdownClose(s, 2, "$$"); end > 0 && strings.TrimSpace(s[2:end]) != "" {
			return end + 2, &markdownFormula{s[:end+2], s[2:end], true}
		}
		return 2, nil
	}
	if len(s) < 3 || strings.IndexByte(" \t\n$", s[1]) >= 0 {
		return 1, nil
	}
	depth := 0
	for i := 1; i < limit; i++ {
		switch s[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			depth--
		case '`':
			return 1, nil
		case '$':
			if depth > 0 {
				continue
			}
			if strings.IndexByte(" \t\n", s[i-1]) >= 0 || i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' {
				return 1, nil // an amount of money, or the start of another formula
			}
			return i + 1, &markdownFormula{s[:i+1], s[1:i], false}
		}
	}
	return 1, nil
}

// markdownClose finds a closing delimiter before the paragraph ends.
func markdownClose(s string, from int, closing string) int {
	limit := markdownParagraph(s)
	for i := from; i+len(closing) <= limit; i++ {
		if strings.HasPrefix(s[i:], closing) {
			return i
		}
		if s[i] == '\\' {
			i++
		}
	}
	return -1
}

func markdownParagraph(s string) int {
	if at := markdownBlankLine.FindStringIndex(s); at != nil {
		return at[0]
	}
	return len(s)
}

// markdownEnvironment is the end of the environment that s starts with, or 0.
func markdownEnvironment(s, name string) int {
	begin, end := `\begin{`+name+`}`, `\end{`+name+`}`
	depth := 0
	for i := 0; i < len(s); i++ {
		if strings.HasPrefix(s[i:], begin) {
			depth++
		} else if strings.HasPrefix(s[i:], end) {
			if depth--; depth == 0 {
				return i + len(end)
			}
		}
	}
	return 0
}

// restore is the HTML of a text in which formulas are held; in code it is their source.
func (m *markdownMath) restore(text string, code bool) string {
	if code {
		return sanitize.Escape(m.restoreSource(text))
	}
	var b strings.Builder
	last := 0
	for _, at := range markdownHeld.FindAllStringSubmatchIndex(text, -1) {
		n, err := strconv.Atoi(text[at[2]:at[3]])
		if err != nil || n >= len(m.formulas) {
			continue
		}
		b.WriteString(sanitize.Escape(text[last:at[0]]))
		b.WriteString(m.formulas[n].html())
		last = at[1]
	}
	b.WriteString(sanitize.Escape(text[last:]))
	return b.String()
}

// restoreSource puts the formulas back as they were written.
func (m *markdownMath) restoreSource(text string) string {
	return markdownHeld.ReplaceAllStringFunc(text, func(held string) string {
		n, err := strconv.Atoi(markdownHeld.FindStringSubmatch(held)[1])
		if err != nil || n >= len(m.formulas) {
			return held
		}
		return m.formulas[n].source
	})
}

func (f markdownFormula) html() string {
	if f.display {
		return `<span class="math">` + mathml.FromLaTeX(f.tex, true) + `</span>`
	}
	return mathml.FromLaTeX(f.tex, false)
}
