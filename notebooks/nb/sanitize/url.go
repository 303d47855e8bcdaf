package sanitize

import "strings"

func setsColour(css string) bool {
	for _, d := range splitCSS(strings.NewReplacer("{", ";", "}", ";").Replace(css), ';') {
		property, value, _ := strings.Cut(d, ":")
		property, value = strings.TrimSpace(property), strings.TrimSpace(value)
		if (property == "color" || strings.HasPrefix(property, "background")) && value != "inherit" && value != "transparent" && value != "none" && value != "currentColor" {
			return true
		}
	}
	return false
}

func isCheckbox(t token) bool {
	for _, a := range t.attrs {
		if strings.EqualFold(a.name, "type") {
			return strings.EqualFold(a.value, "checkbox")
		}
	}
	return false
}

func hasMedia(t token) bool {
	for _, a := range t.attrs {
		if strings.EqualFold(a.name, "src") {
			return isMedia(a.value)
		}
	}
	return false
}

func isMedia(u string) bool {
	return strings.HasPrefix(u, "data:audio/") || strings.HasPrefix(u, "data:video/")
}

// isDataImage says whether u is an image inside the page.
func isDataImage(u string) bool {
	for _, mime := range []string{"png", "jpeg", "jpg", "gif", "webp", "avif", "bmp", "svg+xml"} {
		if rest, ok := strings.CutPrefix(u, "data:image/"+mime); ok && rest != "" && (rest[0] == ';' || rest[0] == ',') {
			return true
		}
	}
	return false
}

// cleanURL removes what a browser ignores in a URL: white space at the ends, line breaks
// and control characters.
func cleanURL(u string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return -1
		}
		return r
	}, strings.TrimSpace(u))
}

// urlKind is the scheme of u, or "external" for //host, or "relative".
func urlKind(u string) string {
	u = strings.ReplaceAll(cleanURL(u), `\`, "/")
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
