package sanitize

import (
	"html"
	"strings"
	"unicode/utf8"
)

// maxNesting bounds how deep elements nest; deeper tags are dropped.
const maxNesting = 200

// Options are the choices of [HTML]. The zero value is ready for use.
type Options struct {
	IDPrefix    string                              // put before every id and every reference to one
	Scope       string                              // selector that style elements are confined to; "": style elements go
	ID          func(id string) string              // what becomes of ids and of references to them; nil keeps them
	Attachments map[string]map[string]string        // attachment:name → MIME → base64
	Text        func(text string, code bool) string // clean HTML for a text, within code or not; nil escapes it
	Attr        func(value string) string           // text for an attribute, which is escaped; nil keeps it
	Heading     func(level int, id, inner string)   // called for every heading with its clean HTML; may be nil
}

// Clean is HTML that cannot run or fetch anything.
type Clean struct {
	HTML     string
	Coloured bool // sets a background or a text colour
	Relative bool // has images that are relative to the page
	Removed  bool // something was taken out
}

// HTML rebuilds untrusted HTML from an allowlist. Scripts, event handlers, frames and forms vanish; what a browser would fetch from
// another place becomes a link; the result is balanced, so it cannot close the elements that it is put into.
func HTML(s string, o Options) Clean {
	z := &sanitizer{Options: o}
	tokens(Text(s), z.token)
	for len(z.stack) > 0 {
		z.pop()
	}
	return Clean{HTML: z.out.String(), Coloured: z.colours, Relative: z.relative, Removed: z.removed}
}

// sanitizer is the state of one call of HTML.
type sanitizer struct {
	Options
	out       strings.Builder
	stack     []openElement
	headingAt int
	colours   bool
	relative  bool
	removed   bool
	rawName   string
}

type openElement struct {
	name   string // as written in the output
	emit   string // what closes it
	silent bool   // has no tag in the output and swallows its content
}

func (z *sanitizer) token(t token) (raw bool) {
	switch t.kind {
	case 't':
		z.writeText(t.text)
	case 's':
		return z.start(t)
	case 'e':
		z.end(t.name)
	}
	return false
}

func (z *sanitizer) writeText(s string) {
	switch {
	case z.rawName == "style":
		z.rawName = ""
		css := cleanSheet(s, z.Scope, z.IDPrefix)
		z.colours = z.colours || setsColour(css)
		z.out.WriteString(css)
	case z.swallowing():
	case z.Text != nil:
		z.out.WriteString(z.Text(s, z.within("code") || z.within("pre")))
	default:
		z.out.WriteString(Escape(s))
	}
}

func (z *sanitizer) swallowing() bool {
	return len(z.stack) > 0 && z.stack[len(z.stack)-1].silent
}

func (z *sanitizer) within(name string) bool {
	for _, o := range z.stack {
		if o.name == name {
			return true
		}
	}
	return false
}

// foreign is "svg" or "math" inside these, else "".
func (z *sanitizer) foreign() string {
	for i := len(z.stack) - 1; i >= 0; i-- {
		if n := z.stack[i].name; n == "svg" || n == "math" {
			return n
		}
	}
	return ""
}

func (z *sanitizer) start(t token) (raw bool) {
	in := z.foreign()
	name := t.name
	if in != "svg" {
		name = strings.ToLower(name)
	}
	low := strings.ToLower(name)
	raw = rawElements[low] && in == ""
	allowed := htmlElements[name]
	attrs := htmlAttributes
	switch {
	case in == "svg" || name == "svg":
		allowed, attrs = svgElements[name], svgAttributes
	case in == "math" || name == "math":
		allowed, attrs = mathElements[name], mathAttributes
	}
	void := voidElements[name] && in == ""
	switch {
	case z.swallowing() || droppedElements[low] || len(z.stack) >= maxNesting:
		z.removed = true
		if !void && !(t.self && in != "") {
			z.stack = append(z.stack, openElement{name: name, silent: true})
		}
		return raw
	case low == "iframe" || low == "object" || low == "embed" || low == "source" || low == "track" || low == "link" || low == "frame":
		z.removed = true
		z.linkInstead(t, low)
		if raw {
			z.stack = append(z.stack, openElement{name: name, silent: true})
		}
		return raw
	case name == "title" && in == "":
		z.stack = append(z.stack, openElement{name: name, silent: true})
		return raw
	case name == "style" && z.Scope != "":
		z.out.WriteString("<style>")
		z.stack = append(z.stack, openElement{name: name, emit: "</style>"})
		z.rawName = "style"
		return true
	case name == "style" || name == "audio" && !hasMedia(t) || name == "video" && !hasMedia(t) || name == "input" && !isCheckbox(t):
		z.removed = true
		if name == "style" {
			z.stack = append(z.stack, openElement{name: name, silent: true})
			return true
		}
		if name != "input" {
			z.linkInstead(t, name)
		}
		return raw
	case !allowed:
		return raw // the tag goes, its content stays, textarea's as text
	}
	z.implyEnd(name)
	if (name == "img" || name == "image") && z.externalImage(t) {
		return false
	}
	z.open(name, t, attrs, in, void)
	return raw && !void
}

// open writes a start tag.
func (z *sanitizer) open(name string, t token, attrs map[string]bool, in string, void bool) {
	emit := "</" + name + ">"
	if name == "table" && !z.within("table") {
		z.out.WriteString(`<div class="table" role="region" aria-label="Table" tabindex="0">`)
		emit += "</div>"
	}
	z.out.WriteString("<" + name)
	seen := map[string]bool{}
	for _, a := range t.attrs {
		key := a.name
		if in != "svg" && name != "svg" {
			key = strings.ToLower(key)
		}
		if seen[key] || !(attrs[key] || commonAttribute(key)) {
			continue
		}
		seen[key] = true
		if v, ok := z.attribute(name, key, a.value); ok {
			z.out.WriteString(" " + key + `="` + Escape(v) + `"`)
		}
	}
	switch name {
	case "a":
		z.out.WriteString(` rel="noopener noreferrer"`)
	case "img":
		if !seen["alt"] {
			z.out.WriteString(` alt=""`)
		}
	case "input":
		z.out.WriteString(` disabled`)
	case "audio", "video":
		if !seen["controls"] {
			z.out.WriteString(` controls`)
		}
	}
	z.out.WriteString(">")
	if void {
		return
	}
	if t.self && in != "" {
		z.out.WriteString("</" + name + ">")
		return
	}
	if len(name) == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6' {
		z.headingAt = z.out.Len()
	}
	z.stack = append(z.stack, openElement{name: name, emit: emit})
}

// Escape returns a text as HTML, for use between tags and in quoted attributes, without what [Text] removes.
func Escape(s string) string { return html.EscapeString(Text(s)) }

// Text removes what XML cannot carry: invalid UTF-8, control characters and noncharacters.
func Text(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, r == 0xFFFE, r == 0xFFFF, r < ' ' && r != '\n' && r != '\t', r == 0x7F:
			return -1
		}
		return r
	}, s)
}
