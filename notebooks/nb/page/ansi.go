package page

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb/sanitize"
)

// ansiStyle is the state that SGR sequences set (ECMA-48, 8.3.117). Colours are "" for the
// default, a digit 0–15 for the palette, or #rrggbb.
type ansiStyle struct {
	fg, bg                                        string
	bold, dim, italic, underline, inverse, strike bool
}

// ansiHTML turns terminal text into HTML: colours become spans, a carriage return goes back to
// the start of its line, every other control sequence goes.
func ansiHTML(s string) string {
	var b strings.Builder
	var style ansiStyle
	s = strings.ReplaceAll(s, "\r\n", "\n")
	for i, line := range strings.SplitAfter(s, "\n") {
		if i > 0 && line == "" {
			break
		}
		if cr := strings.LastIndexByte(strings.TrimRight(line, "\r\n"), '\r'); cr >= 0 {
			for _, part := range ansiSplit(line[:cr]) { // what is written over still sets colours
				style.apply(part.sgr)
			}
			line = line[cr+1:]
		}
		for _, part := range ansiSplit(strings.ReplaceAll(line, "\r", "")) {
			style.apply(part.sgr)
			if part.text != "" {
				b.WriteString(style.wrap(sanitize.Escape(part.text)))
			}
		}
	}
	return b.String()
}

// ansiPart is a text and the SGR parameters before it; "" for none.
type ansiPart struct{ sgr, text string }

func ansiSplit(s string) []ansiPart {
	var parts []ansiPart
	cur := ansiPart{}
	for s != "" {
		i := strings.IndexByte(s, 0x1B)
		if i < 0 {
			cur.text += s
			break
		}
		cur.text += s[:i]
		s = s[i+1:]
		switch {
		case strings.HasPrefix(s, "["): // CSI: parameters, then one final byte
			j := 1
			for j < len(s) && (s[j] < 0x40 || s[j] > 0x7E) && s[j] != 0x1B && s[j] != '\n' {
				j++
			}
			if j < len(s) && s[j] == 'm' {
				parts = append(parts, cur)
				cur = ansiPart{sgr: s[1:j] + "m"}
			}
			if j < len(s) && s[j] >= 0x40 && s[j] <= 0x7E {
				j++
			}
			s = s[j:]
		case strings.HasPrefix(s, "]"): // OSC: to BEL or ESC backslash
			j := strings.IndexAny(s, "\a\x1b")
			if j < 0 {
				s = ""
			} else if s[j] == '\a' {
				s = s[j+1:]
			} else {
				s = strings.TrimPrefix(s[j+1:], `\`)
			}
		case s != "" && s[0] < 0x80 && s[0] != '\n':
			s = s[1:]
		}
	}
	return append(parts, cur)
}

// apply changes the style by the parameters of one SGR sequence, given with its "m".
func (a *ansiStyle) apply(sgr string) {
	if sgr == "" {
		return
	}
	codes := strings.FieldsFunc(strings.TrimSuffix(sgr, "m"), func(r rune) bool { return r == ';' || r == ':' })
	if len(codes) == 0 {
		codes = []string{"0"}
	}
	for i := 0; i < len(codes); i++ {
		n, err := strconv.Atoi(codes[i])
		if err != nil {
			continue
		}
		switch {
		case n == 0:
			*a = ansiStyle{}
		case n == 1:
			a.bold = true
		case n == 2:
			a.dim = true
		case n == 3:
			a.italic = true
		case n == 4:
			a.underline = true
		case n == 7:
			a.inverse = true
		case n == 9:
			a.strike = true
		case n == 22:
			a.bold, a.dim = false, false
		case n == 23:
			a.italic = false
		case n == 24:
			a.underline = false
		case n == 27:
			a.inverse = false
		case n == 29:
			a.strike = false
		case n >= 30 && n <= 37:
			a.fg = strconv.Itoa(n - 30)
		case n >= 40 && n <= 47:
			a.bg = strconv.Itoa(n - 40)
		case n >= 90 && n <= 97:
			a.fg = strconv.Itoa(n - 90 + 8)
		case n >= 100 && n <= 107:
			a.bg = strconv.Itoa(n - 100 + 8)
		case n == 39:
			a.fg = ""
		case n == 49:
			a.bg = ""
		case n == 38 || n == 48:
			c, used := ansiColour(codes[i+1:])
			i += used
			if n == 38 {
				a.fg = c
			} else {
				a.bg = c
			}
		}
	}
}

// ansiColour reads 5;n or 2;r;g;b.
func ansiColour(codes []string) (colour string, used int) {
	at := func(i int) int {
		if i >= len(codes) {
			return 0
		}
		n, _ := strconv.Atoi(codes[i])
		return min(max(n, 0), 255)
	}
	if len(codes) == 0 {
		return "", 0
	}
	if codes[0] == "2" {
		return fmt.Sprintf("#%02x%02x%02x", at(1), at(2), at(3)), min(4, len(codes))
	}
	n := at(1)
	used = min(2, len(codes))
	switch {
	case n < 16:
		return strconv.Itoa(n), used
	case n < 232: // a cube of 6×6×6
		level := func(v int) int {
			if v == 0 {
				return 0
			}
			return 55 + 40*v
		}
		n -= 16
		return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6)), used
	}
	grey := 8 + 10*(n-232)
	return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey), used
}

func (a ansiStyle) wrap(text string) string {
	var classes []string
	var css []string
	add := func(on bool, class string) {
		if on {
			classes = append(classes, class)
		}
	}
	add(a.bold, "ansi-bold")
	add(a.dim, "ansi-dim")
	add(a.italic, "ansi-italic")
	add(a.underline, "ansi-underline")
	add(a.strike, "ansi-strike")
	fg, bg := a.fg, a.bg
	if a.inverse {
		if fg, bg = bg, fg; fg == "" && bg == "" {
			classes = append(classes, "ansi-inverse")
		} else if bg == "" {
			bg = "7"
		} else if fg == "" {
			fg = "0"
		}
	}
	for _, c := range []struct{ value, class, property string }{{fg, "ansi-fg", "color"}, {bg, "ansi-bg", "background"}} {
		if strings.HasPrefix(c.value, "#") {
			css = append(css, c.property+":"+c.value)
		} else {
			add(c.value != "", c.class+c.value)
		}
	}
	if len(classes)+len(css) == 0 {
		return text
	}
	open := "<span"
	if len(classes) > 0 {
		open += ` class="` + strings.Join(classes, " ") + `"`
	}
	if len(css) > 0 {
		open += ` style="` + strings.Join(css, ";") + `"`
	}
	return open + ">" + text + "</span>"
}
