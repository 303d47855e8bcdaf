package nb

import (
	"html"
	"net/url"
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

func htmlCommonAttr(key string) bool {
	switch key {
	case "id", "class", "style", "role", "lang", "dir", "title", "tabindex":
		return true
	}
	return strings.HasPrefix(key, "aria-") && htmlSafeProperty(key)
}

// attribute cleans a value; ok is false when the attribute goes.
func (z *htmlSanitizer) attribute(element, key, value string) (_ string, ok bool) {
	if z.attr != nil {
		value = z.attr(value)
	}
	switch {
	case key == "style":
		value = htmlStyle(value, z.idPrefix)
		z.colours = z.colours || htmlSetsColour(value)
		return value, value != ""
	case key == "bgcolor":
		z.colours = true
	case key == "href" && (element == "a"):
		return z.reference(value)
	case key == "href" || key == "xlink:href": // SVG: use, gradients, image
		if strings.HasPrefix(value, "#") {
			return "#" + z.idPrefix + value[1:], true
		}
		return value, element == "image" && htmlDataImage(value)
	case key == "src":
		if u, ok := z.attachment(value); ok {
			return u, true
		}
		if (element == "audio" || element == "video") && htmlMedia(value) || htmlDataImage(value) {
			return value, true
		}
		z.relative = true
		return htmlCleanURL(value), htmlURLKind(value) == "relative" && element == "img"
	case htmlIDAttrs[key] || key == "name":
		ids := strings.Fields(value)
		for i, id := range ids {
			if z.slugIDs {
				id = htmlSlug(id)
			}
			ids[i] = z.idPrefix + id
		}
		return strings.Join(ids, " "), len(ids) > 0
	case strings.Contains(strings.ToLower(value), "url("):
		return htmlSafeValue(key, value, z.idPrefix)
	}
	return value, true
}

// reference cleans the target of a link.
func (z *htmlSanitizer) reference(value string) (string, bool) {
	value = htmlCleanURL(value)
	if strings.HasPrefix(value, "#") {
		id := value[1:]
		if u, err := url.PathUnescape(id); err == nil {
			id = u
		}
		if z.slugIDs {
			id = htmlSlug(id)
		}
		return "#" + z.idPrefix + id, true
	}
	switch htmlURLKind(value) {
	case "http", "https", "mailto", "relative", "external":
		return value, true
	}
	return "", false
}

// attachment resolves attachment:name.
func (z *htmlSanitizer) attachment(value string) (string, bool) {
	name, ok := strings.CutPrefix(value, "attachment:")
	if !ok {
		return "", false
	}
	bundle := z.attachments[name]
	if bundle == nil {
		if u, err := url.PathUnescape(name); err == nil {
			bundle = z.attachments[u]
		}
	}
	for _, mime := range []string{"image/svg+xml", "image/png", "image/jpeg", "image/gif", "image/webp"} {
		if data, ok := bundle[mime]; ok {
			return "data:" + mime + ";base64," + htmlBase64(data), true
		}
	}
	return "", false
}

// externalImage writes a link in place of an image that would be fetched.
func (z *htmlSanitizer) externalImage(t htmlToken) bool {
	src, alt := "", ""
	for _, a := range t.attrs {
		switch strings.ToLower(a.name) {
		case "src", "href", "xlink:href":
			src = a.value
		case "alt":
			alt = a.value
		}
	}
	if _, ok := z.attachment(src); ok || htmlDataImage(src) {
		return false
	}
	switch htmlURLKind(src) {
	case "relative":
		return src == "" || t.name == "image"
	case "http", "https", "external":
		z.removed = true
		if z.foreign() == "" {
			z.linkInstead(htmlToken{attrs: []htmlAttr{{"src", src}, {"title", alt}}}, "image")
		}
		return true
	}
	z.removed = true
	if alt != "" {
		z.writeText(alt)
	}
	return true
}

// linkInstead writes a link to what an element would have loaded.
func (z *htmlSanitizer) linkInstead(t htmlToken, what string) {
	if what == "link" || what == "track" || what == "source" || z.foreign() != "" {
		return
	}
	src, label := "", ""
	for _, a := range t.attrs {
		switch strings.ToLower(a.name) {
		case "src", "data":
			src = htmlCleanURL(a.value)
		case "title":
			label = a.value
		}
	}
	if k := htmlURLKind(src); src == "" || k != "http" && k != "https" && k != "external" && k != "relative" {
		return
	}
	if label == "" {
		label = what + ": " + src
	}
	z.out.WriteString(`<a class="external" href="` + htmlEscape(src) + `" rel="noopener noreferrer">` + htmlEscape(label) + `</a>`)
}

// htmlImpliedEnds lists, for a start tag, the open elements that it ends.
var htmlImpliedEnds = map[string]string{
	"li": "li p", "dt": "dt dd p", "dd": "dt dd p", "td": "td th p", "th": "td th p", "tr": "td th tr p", "tbody": "td th tr thead tbody p",
	"tfoot": "td th tr tbody p", "p": "p", "ul": "p", "ol": "p", "div": "p", "table": "p", "pre": "p", "blockquote": "p", "h1": "p", "h2": "p", "h3": "p", "hr": "p",
}

// implyEnd closes what a browser closes by itself, so that unclosed items stay siblings.
func (z *htmlSanitizer) implyEnd(name string) {
	closes := htmlImpliedEnds[name]
	for len(z.stack) > 0 && closes != "" {
		if top := z.stack[len(z.stack)-1].name; !strings.Contains(" "+closes+" ", " "+top+" ") {
			return
		}
		z.pop()
	}
}

func (z *htmlSanitizer) end(name string) {
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

func (z *htmlSanitizer) pop() {
	o := z.stack[len(z.stack)-1]
	z.stack = z.stack[:len(z.stack)-1]
	if z.heading != nil && len(o.name) == 2 && o.name[0] == 'h' && o.name[1] >= '1' && o.name[1] <= '6' && !o.silent {
		z.closeHeading(int(o.name[1] - '0'))
	}
	z.rawName = ""
	z.out.WriteString(o.emit)
}

func (z *htmlSanitizer) closeHeading(level int) {
	s := z.out.String()
	if z.headingAt > len(s) {
		return
	}
	tag, id := s[strings.LastIndexByte(s[:z.headingAt-1], '<'):z.headingAt], ""
	if _, after, ok := strings.Cut(tag, ` id="`); ok {
		id, _, _ = strings.Cut(after, `"`)
	}
	z.heading(level, html.UnescapeString(id), s[z.headingAt:])
}

func htmlEscape(s string) string { return html.EscapeString(mathClean(s)) }
