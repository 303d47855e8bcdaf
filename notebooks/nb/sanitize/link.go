package sanitize

import "strings"

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
	z.out.WriteString(`<a class="external" href="` + Escape(src) + `" rel="noopener noreferrer">` + Escape(label) + `</a>`)
}
