package nb

import (
	"html"
	"strings"
)

// htmlMaxNesting bounds how deep elements nest; deeper tags are dropped.
const htmlMaxNesting = 200

// htmlSanitizer rebuilds untrusted HTML from an allowlist. Scripts, event handlers, frames and
// forms vanish; what a browser would fetch from another place becomes a link; the result is
// balanced, so it cannot close the elements that it is put into.
type htmlSanitizer struct {
	idPrefix    string                              // put before every id and every reference to one
	scope       string                              // selector that style elements are confined to
	slugIDs     bool                                // ids become heading slugs, so that links written for other viewers work
	attachments map[string]map[string]string        // attachment:name → MIME → base64
	text        func(text string, code bool) string // HTML for a text; nil escapes it
	attr        func(value string) string           // text for an attribute; nil keeps it
	heading     func(level int, id, inner string)   // called for every heading
	out         strings.Builder
	stack       []htmlOpen
	tables      int
	headingAt   int
	colours     bool // sets a background or a text colour
	relative    bool // has images that are relative to the page
	removed     bool // had something that was taken out
	rawName     string
}

type htmlOpen struct {
	name   string // as written in the output
	emit   string // what closes it
	silent bool   // has no tag in the output and swallows its content
}

// sanitize returns the clean form of s.
func (z *htmlSanitizer) sanitize(s string) string {
	s = mathClean(s)
	htmlTokens(s, z.token)
	for len(z.stack) > 0 {
		z.pop()
	}
	return z.out.String()
}

func (z *htmlSanitizer) token(t htmlToken) (raw bool) {
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

func (z *htmlSanitizer) writeText(s string) {
	switch {
	case z.rawName == "style":
		z.rawName = ""
		css := htmlSheet(s, z.scope, z.idPrefix)
		z.colours = z.colours || htmlSetsColour(css)
		z.out.WriteString(css)
	case z.swallowing():
	case z.text != nil:
		z.out.WriteString(z.text(s, z.within("code") || z.within("pre")))
	default:
		z.out.WriteString(htmlEscape(s))
	}
}

func (z *htmlSanitizer) swallowing() bool {
	return len(z.stack) > 0 && z.stack[len(z.stack)-1].silent
}

func (z *htmlSanitizer) within(name string) bool {
	for _, o := range z.stack {
		if o.name == name {
			return true
		}
	}
	return false
}

// foreign is "svg" or "math" inside these, else "".
func (z *htmlSanitizer) foreign() string {
	for i := len(z.stack) - 1; i >= 0; i-- {
		if n := z.stack[i].name; n == "svg" || n == "math" {
			return n
		}
	}
	return ""
}

func (z *htmlSanitizer) start(t htmlToken) (raw bool) {
	in := z.foreign()
	name := t.name
	if in != "svg" {
		name = strings.ToLower(name)
	}
	low := strings.ToLower(name)
	raw = htmlRawElements[low] && in == ""
	allowed := htmlElements[name]
	attrs := htmlAttrs
	switch {
	case in == "svg" || name == "svg":
		allowed, attrs = htmlSVG[name], htmlSVGAttrs
	case in == "math" || name == "math":
		allowed, attrs = htmlMathML[name], htmlMathAttrs
	}
	void := htmlVoid[name] && in == ""
	switch {
	case z.swallowing() || htmlDropped[low] || len(z.stack) >= htmlMaxNesting:
		z.removed = true
		if !void && !(t.self && in != "") {
			z.stack = append(z.stack, htmlOpen{name: name, silent: true})
		}
		return raw
	case low == "iframe" || low == "object" || low == "embed" || low == "source" || low == "track" || low == "link" || low == "frame":
		z.removed = true
		z.linkInstead(t, low)
		if raw {
			z.stack = append(z.stack, htmlOpen{name: name, silent: true})
		}
		return raw
	case name == "title" && in == "":
		z.stack = append(z.stack, htmlOpen{name: name, silent: true})
		return raw
	case name == "style" && z.scope != "":
		z.out.WriteString("<style>")
		z.stack = append(z.stack, htmlOpen{name: name, emit: "</style>"})
		z.rawName = "style"
		return true
	case name == "style" || name == "audio" && !htmlMediaData(t) || name == "video" && !htmlMediaData(t) || name == "input" && !htmlIsCheckbox(t):
		z.removed = true
		if name == "style" {
			z.stack = append(z.stack, htmlOpen{name: name, silent: true})
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
func (z *htmlSanitizer) open(name string, t htmlToken, attrs map[string]bool, in string, void bool) {
	emit := "</" + name + ">"
	if name == "table" && !z.within("table") {
		z.tables++
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
		if seen[key] || !(attrs[key] || htmlCommonAttr(key)) {
			continue
		}
		seen[key] = true
		if v, ok := z.attribute(name, key, a.value); ok {
			z.out.WriteString(" " + key + `="` + htmlEscape(v) + `"`)
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
	z.stack = append(z.stack, htmlOpen{name: name, emit: emit})
}

func htmlEscape(s string) string { return html.EscapeString(mathClean(s)) }
