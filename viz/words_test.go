package viz

import (
	"strings"
	"testing"
	"unicode"
)

func TestClean(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"plain":             {"hours-per-week", "hours-per-week"},
		"Greek and CJK":     {"ε 日本", "ε 日本"},
		"newline":           {"a\nb", `a\nb`},
		"terminal escape":   {"a\x1b[2Jb", `a\x1b[2Jb`},
		"right-to-left":     {"a\u202Eb", `a\u202eb`},
		"line separator":    {"a\u2028b", `a\u2028b`},
		"not UTF-8":         {"a\xffb", `a\xffb`},
		"C1 control":        {"a\u009bb", `a\u009bb`},
		"real replacement":  {"a\uFFFDb", "a\uFFFDb"},
		"zero-width joiner": {"a\u200db", "a\u200db"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := clean(c.in); got != c.want {
				t.Errorf("clean(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestColumns(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "τ so far": 8, "日本": 4, "e\u0301": 1, "a\u200db": 2} {
		if got := columns(s); got != want {
			t.Errorf("columns(%q) = %d, want %d", s, got, want)
		}
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("one two three", 5)
	f.Add("averyveryverylongword and\nmore", 4)
	f.Add("日本語 テキスト", 3)
	f.Fuzz(func(t *testing.T, s string, n int) {
		s = clean(strings.ReplaceAll(s, "\n", " "))
		n = 2 + (n%100+100)%100 // a wide rune takes two columns
		lines := wrap(s, n)
		for _, l := range lines {
			if columns(l) > n && !isPath(l) { // which sticks out
				t.Errorf("wrap(%q, %d): line %q has %d columns", s, n, l, columns(l))
			}
		}
		squeeze := func(s string) string {
			return strings.Map(func(r rune) rune {
				if unicode.IsSpace(r) {
					return -1
				}
				return r
			}, s)
		}
		if got := squeeze(strings.Join(lines, "")); got != squeeze(s) {
			t.Errorf("wrap(%q, %d) lost text: %q", s, n, got)
		}
	})
}

func TestTextFits(t *testing.T) {
	for name, v := range views(t) {
		for _, l := range strings.Split(v.Text(), "\n") {
			if columns(l) > lineWidth+1 {
				t.Errorf("%s: a line has %d columns: %s", name, columns(l), l)
			}
			if strings.TrimRight(l, " ") != l {
				t.Errorf("%s: trailing space: %q", name, l)
			}
		}
	}
}
