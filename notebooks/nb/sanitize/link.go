package sanitize

import "strings"

// externalImage writes a link in place of an image that would be fetched.
func (z *sanitizer) externalImage(t token) bool {
	src, alt := "", ""
	for _, a := range t.attrs {
		switch strings.ToLower(a.name) {
		case "src", "href", "xlink:href":
			src = a.value
		case "alt":
			alt = a.value
		}
	}
	if _, ok := z.attachment(src); ok || isDataImage(src) {
		return false
	}
	switch urlKind(src) {
	case "relative":
		return src == "" || t.name == "image"
	case "http", "https", "external":
		z.removed = true
		if z.foreign() == "" {
			z.linkInstead(token{attrs: []attr{{"src", src}, {"title", alt}}}, "image")
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
func (z *sanitizer) linkInstead(t token, what string) {
	if what == "link" || what == "track" || what == "source" || z.foreign() != "" {
		return
	}
	src, label := "", ""
	for _, a := range t.attrs {
		switch strings.ToLower(a.name) {
		case "src", "data":
			src = cleanURL(a.value)
		case "title":
			label = a.value
		}
	}
	if k := urlKind(src); src == "" || k != "http" && k != "https" && k != "external" && k != "relative" {
		return
	}
	if label == "" {
		label = what + ": " + src
	}
	z.out.WriteString(`<a class="external" href="` + Escape(src) + `" rel="noopener noreferrer">` + Escape(label) + `</a>`)
}
