package sanitize

import "strings"

func htmlSetsColour(css string) bool {
	for _, d := range htmlSplitCSS(strings.NewReplacer("{", ";", "}", ";").Replace(css), ';') {
		property, value, _ := strings.Cut(d, ":")
		property, value = strings.TrimSpace(property), strings.TrimSpace(value)
		if (property == "color" || strings.HasPrefix(property, "background")) && value != "inherit" && value != "transparent" && value != "none" && value != "currentColor" {
			return true
		}
	}
	return false
}

func htmlIsCheckbox(t htmlToken) bool {
	for _, a := range t.attrs {
		if strings.EqualFold(a.name, "type") {
			return strings.EqualFold(a.value, "checkbox")
		}
	}
	return false
}

func htmlMediaData(t htmlToken) bool {
	for _, a := range t.attrs {
		if strings.EqualFold(a.name, "src") {
			return htmlMedia(a.value)
		}
	}
	return false
}

func htmlMedia(u string) bool {
	return strings.HasPrefix(u, "data:audio/") || strings.HasPrefix(u, "data:video/")
}

// htmlDataImage says whether u is an image inside the page.
func htmlDataImage(u string) bool {
	for _, mime := range []string{"png", "jpeg", "jpg", "gif", "webp", "avif", "bmp", "svg+xml"} {
		if rest, ok := strings.CutPrefix(u, "data:image/"+mime); ok && rest != "" && (rest[0] == ';' || rest[0] == ',') {
			return true
		}
	}
	return false
}

// htmlCleanURL removes what a browser ignores in a URL: white space at the ends, line breaks
// and control characters.
func htmlCleanURL(u string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return -1
		}
		return r
	}, strings.TrimSpace(u))
}

// htmlURLKind is the scheme of u, or "external" for //host, or "relative".
func htmlURLKind(u string) string {
	u = strings.ReplaceAll(htmlCleanURL(u), `\`, "/")
	if strings.HasPrefix(u, "//") {
		return "external"
	}
	if i := strings.IndexAny(u, ":/?#"); i >= 0 && u[i] == ':' {
		return strings.ToLower(u[:i])
	}
	return "relative"
}

// Base64 keeps the characters of base64; notebooks break lines in it.
func Base64(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '+' || r == '/' || r == '=' {
			return r
		}
		return -1
	}, s)
}
