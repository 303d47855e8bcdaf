package sanitizetest

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	unsafeElements   = " script iframe object embed link base meta form button textarea select foreignobject animate set applet frame template noscript "
	voidElements     = " br hr img input col wbr " // have no end
	unsafeAttributes = " srcset srcdoc action formaction ping "
)

// Unsafe reads HTML with the lexer of encoding/xml, which shares nothing with the sanitiser, and says what of it must not be in a
// page: it could run, fetch or submit something, or it is not balanced. It is nil for HTML that may be there.
func Unsafe(s string) error {
	d := xml.NewDecoder(strings.NewReader(s))
	d.Strict, d.Entity = false, xml.HTMLEntity
	var open []string
	for {
		tok, err := d.RawToken()
		switch {
		case errors.Is(err, io.EOF) && len(open) > 0:
			return fmt.Errorf("unbalanced: %v left open in %q", open, s)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("not well-formed: %w in %q", err, s)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			if what := unsafeElement(e); what != "" {
				return fmt.Errorf("%s in %q", what, s)
			}
			if name := qualified(e.Name); !strings.Contains(voidElements, " "+name+" ") {
				open = append(open, name)
			}
		case xml.EndElement:
			name := qualified(e.Name)
			if strings.Contains(voidElements, " "+name+" ") {
				continue // of <br/>
			}
			if len(open) == 0 || open[len(open)-1] != name {
				return fmt.Errorf("unbalanced: </%s> where %v is open in %q", name, open, s)
			}
			open = open[:len(open)-1]
		}
	}
}

func qualified(n xml.Name) string {
	return strings.ToLower(strings.TrimPrefix(n.Space+":"+n.Local, ":"))
}

// unsafeElement names what must not be there: the element or one of its attributes.
func unsafeElement(e xml.StartElement) string {
	if strings.Contains(unsafeElements, " "+strings.ToLower(e.Name.Local)+" ") {
		return "element " + e.Name.Local
	}
	for _, a := range e.Attr {
		name, value := strings.ToLower(a.Name.Local), strings.ToLower(a.Value)
		if strings.HasPrefix(name, "on") || strings.Contains(unsafeAttributes, " "+name+" ") {
			return "attribute " + name
		}
		squeezed := strings.Join(strings.Fields(value), "")
		switch name {
		case "href", "src":
			if hasPrefix(squeezed, "javascript:", "vbscript:", "data:text") ||
				name == "src" && hasPrefix(strings.ReplaceAll(squeezed, `\`, "/"), "http:", "https:", "//") {
				return fmt.Sprintf("%s=%q", name, value)
			}
		case "style":
			if strings.Contains(strings.ReplaceAll(value, "url(#", ""), "url(") {
				return fmt.Sprintf("style %q", value)
			}
		}
	}
	return ""
}

func hasPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
