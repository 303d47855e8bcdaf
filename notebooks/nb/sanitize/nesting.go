package sanitize

import (
	"html"
	"strings"
)

// impliedEnds lists, for a start tag, the open elements that it ends.
var impliedEnds = map[string]string{
	"li": "li p", "dt": "dt dd p", "dd": "dt dd p", "td": "td th p", "th": "td th p", "tr": "td th tr p", "tbody": "td th tr thead tbody p",
	"tfoot": "td th tr tbody p", "p": "p", "ul": "p", "ol": "p", "div": "p", "table": "p", "pre": "p", "blockquote": "p", "h1": "p", "h2": "p", "h3": "p", "hr": "p",
}

// implyEnd closes what a browser closes by itself, so that unclosed items stay siblings.
func (z *sanitizer) implyEnd(name string) {
	closes := impliedEnds[name]
	for len(z.stack) > 0 && closes != "" {
		if top := z.stack[len(z.stack)-1].name; !strings.Contains(" "+closes+" ", " "+top+" ") {
			return
		}
		z.pop()
	}
}

func (z *sanitizer) end(name string) {
	for _, n := range []string{name, strings.ToLower(name)} {
		for i := len(z.stack) - 1; i >= 0; i-- {
			if z.stack[i].name == n {
				for len(z.stack) > i {
					z.pop()
				}
				return
			}
		}
	}
}

func (z *sanitizer) pop() {
	o := z.stack[len(z.stack)-1]
	z.stack = z.stack[:len(z.stack)-1]
	if z.Heading != nil && len(o.name) == 2 && o.name[0] == 'h' && o.name[1] >= '1' && o.name[1] <= '6' && !o.silent {
		z.closeHeading(int(o.name[1] - '0'))
	}
	z.rawName = ""
	z.out.WriteString(o.emit)
}

func (z *sanitizer) closeHeading(level int) {
	s := z.out.String()
	if z.headingAt > len(s) {
		return
	}
	tag, id := s[strings.LastIndexByte(s[:z.headingAt-1], '<'):z.headingAt], ""
	if _, after, ok := strings.Cut(tag, ` id="`); ok {
		id, _, _ = strings.Cut(after, `"`)
	}
	z.Heading(level, html.UnescapeString(id), s[z.headingAt:])
}
