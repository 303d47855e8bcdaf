package page

import (
	"html"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb/sanitize"
)

func TestHighlightGo(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"keyword and type", "var x int", `<span class="hl-k">var</span> x <span class="hl-t">int</span>`},
		{"call and string", `f("a<b")`, `<span class="hl-f">f</span>(<span class="hl-s">&#34;a&lt;b&#34;</span>)`},
		{"number and comment", "1.5 // c", `<span class="hl-n">1.5</span> <span class="hl-c">// c</span>`},
		{"constant", "nil", `<span class="hl-b">nil</span>`},
		{"field of a predeclared name", "x.len", `x.len`},
		{"main line", "%% -v\nx", "<span class=\"hl-m\">%% -v</span>\nx"},
		{"command", "%noautoget\n!*go get x \\\n  y\nx", "<span class=\"hl-m\">%noautoget</span>\n<span class=\"hl-m\">!*go get x \\</span>\n<span class=\"hl-m\">  y</span>\nx"},
		{"command in a comment", "//gonb:%%\nx", "<span class=\"hl-m\">//gonb:%%</span>\nx"},
		{"remainder is not a command", "a %\nb", "a %\nb"},
		{"other language", "%%bash\nfor x", "<span class=\"hl-m\">%%bash</span>\nfor x"},
		{"string over a command", "`a\n!b\nc`", "<span class=\"hl-s\">`a\n</span><span class=\"hl-m\">!b</span><span class=\"hl-s\">\nc`</span>"},
		{"not Go", "\"a\n#é", "<span class=\"hl-s\">&#34;a</span>\n#é"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := highlightGo(c.in); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

// FuzzHighlightGo: the text of the output is the source.
func FuzzHighlightGo(f *testing.F) {
	for _, s := range []string{"%%\nfunc f() {}", "`a\r\nb`", "/* \r\n!x", "'", "\"\\", "%%bash\n<", "0x_p", "\ufeffx"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := highlightGo(s)
		safe(t, got)
		if text := html.UnescapeString(anyTag.ReplaceAllString(got, "")); text != html.UnescapeString(html.EscapeString(sanitize.Text(s))) {
			t.Fatalf("%q became %q", s, text)
		}
	})
}

func TestANSI(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "a<b", "a&lt;b"},
		{"colour", "\x1b[31ma\x1b[0mb", `<span class="ansi-fg1">a</span>b`},
		{"bold and bright", "\x1b[1;92ma\x1b[22mb\x1b[mc", `<span class="ansi-bold ansi-fg10">a</span><span class="ansi-fg10">b</span>c`},
		{"ground", "\x1b[37;41ma", `<span class="ansi-fg7 ansi-bg1">a</span>`},
		{"inverse", "\x1b[7ma\x1b[27;31;7mb", `<span class="ansi-inverse">a</span><span class="ansi-fg0 ansi-bg1">b</span>`},
		{"palette", "\x1b[38;5;1ma\x1b[38;5;208mb\x1b[48;5;255mc", `<span class="ansi-fg1">a</span><span style="color:#ff8700">b</span><span style="color:#ff8700;background:#eeeeee">c</span>`},
		{"true colour", "\x1b[38;2;1;2;300ma", `<span style="color:#0102ff">a</span>`},
		{"over lines", "\x1b[32ma\nb", "<span class=\"ansi-fg2\">a\n</span><span class=\"ansi-fg2\">b</span>"},
		{"carriage return", "10%\r20%\r\nx\ry", "20%\ny"},
		{"colour that is written over", "\x1b[31m1\r2", `<span class="ansi-fg1">2</span>`},
		{"cursor and title", "\x1b[2K\x1b[1Aa\x1b]0;title\ab\x1b]8;;x\x1b\\c\x1b(B", "abcB"},
		{"cut off", "a\x1b[3", "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ansiHTML(c.in); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

// FuzzANSI: the output is balanced and has no control character left.
func FuzzANSI(f *testing.F) {
	for _, s := range []string{"\x1b[38;5ma", "\x1b[38;2;;ma", "\x1b[;;1mb\r\x1b", "\x1b]\x1b\\", "\x1b[999999999999999999ma"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := ansiHTML(s)
		safe(t, got)
		if strings.ContainsAny(got, "\x1b\r\a") {
			t.Fatalf("%q became %q", s, got)
		}
	})
}
