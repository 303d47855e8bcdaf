package sanitize

import (
	"strings"
)

// cleanStyle cleans the declarations of a style attribute: nothing that loads, runs or leaves its
// place on the page stays.
func cleanStyle(css, idPrefix string) string {
	var out []string
	for _, d := range splitCSS(css, ';') {
		property, value, ok := strings.Cut(d, ":")
		property = strings.ToLower(strings.TrimSpace(property))
		value = strings.TrimSpace(value)
		if !ok || property == "" || value == "" || !safeProperty(property) {
			continue
		}
		if value, ok = safeValue(property, value, idPrefix); ok {
			out = append(out, property+": "+value)
		}
	}
	return strings.Join(out, "; ")
}

func safeProperty(p string) bool {
	for i := 0; i < len(p); i++ {
		if c := p[i]; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return p != "behavior" && p != "-moz-binding"
}

// safeValue refuses escapes, comments and every function that can fetch; of url() it keeps
// references inside the same output.
func safeValue(property, value, idPrefix string) (string, bool) {
	low := strings.ToLower(value)
	for _, bad := range []string{"\\", "/*", "<", "@", "{", "}", "expression", "javascript:", "image-set", "image(", "src(", "element(", "paint(", "import"} {
		if strings.Contains(low, bad) {
			return "", false
		}
	}
	if property == "position" && !strings.HasPrefix(low, "relative") && !strings.HasPrefix(low, "static") && !strings.HasPrefix(low, "absolute") {
		return "", false
	}
	if !strings.Contains(low, "url(") {
		return value, true
	}
	var b strings.Builder
	for {
		i := strings.Index(strings.ToLower(value), "url(")
		if i < 0 {
			b.WriteString(value)
			return b.String(), true
		}
		end := strings.IndexByte(value[i:], ')')
		if end < 0 {
			return "", false
		}
		ref := strings.Trim(strings.TrimSpace(value[i+4:i+end]), `"'`)
		if !strings.HasPrefix(ref, "#") || strings.ContainsAny(ref, " \"'();") {
			return "", false
		}
		b.WriteString(value[:i] + "url(#" + idPrefix + ref[1:] + ")")
		value = value[i+end+1:]
	}
}

// cleanSheet cleans a style element and confines its rules to the elements inside scope, a
// selector. Of the at-rules only @media stays.
func cleanSheet(css, scope, idPrefix string) string {
	var b strings.Builder
	sheetRules(&b, stripComments(css), scope, idPrefix, 0)
	return b.String()
}

func sheetRules(b *strings.Builder, css, scope, idPrefix string, depth int) {
	for depth < 4 {
		open := strings.IndexByte(css, '{')
		if open < 0 {
			return
		}
		head := css[:open]
		if semi := strings.LastIndexByte(head, ';'); semi >= 0 {
			head = head[semi+1:] // @import "…"; and its like
		}
		head = strings.TrimSpace(head)
		end := matchingBrace(css, open)
		if end < 0 {
			return
		}
		body := css[open+1 : end]
		css = css[end+1:]
		switch {
		case strings.ContainsAny(head, "<\\\x00"):
		case strings.HasPrefix(strings.ToLower(head), "@media"):
			b.WriteString(head + "{")
			sheetRules(b, body, scope, idPrefix, depth+1)
			b.WriteString("}")
		case strings.HasPrefix(head, "@"), strings.ContainsAny(body, "{}"), head == "":
		default:
			if style := cleanStyle(body, idPrefix); style != "" {
				var selectors []string
				for _, s := range splitCSS(head, ',') {
					s = strings.TrimSpace(s)
					if low := strings.ToLower(s); low == ":root" || low == "html" || low == "body" {
						selectors = append(selectors, scope)
						continue
					}
					selectors = append(selectors, scope+" "+strings.ReplaceAll(s, "#", "#"+idPrefix))
				}
				b.WriteString(strings.Join(selectors, ",") + "{" + style + "}\n")
			}
		}
	}
}

func matchingBrace(css string, open int) int {
	depth := 0
	var quote byte
	for i := open; i < len(css); i++ {
		switch c := css[i]; {
		case quote != 0:
			if c == quote || c == '\n' {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func stripComments(css string) string {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(css, "/*")
		b.WriteString(before)
		if !ok {
			break
		}
		if _, css, ok = strings.Cut(after, "*/"); !ok {
			break
		}
		b.WriteByte(' ')
	}
	return strings.NewReplacer("<!--", " ", "-->", " ", "<![CDATA[", " ", "]]>", " ").Replace(b.String())
}

// splitCSS splits at sep outside quotes and parentheses.
func splitCSS(css string, sep byte) []string {
	var out []string
	depth, start := 0, 0
	var quote byte
	for i := 0; i < len(css); i++ {
		switch c := css[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[':
			depth++
		case (c == ')' || c == ']') && depth > 0:
			depth--
		case c == sep && depth == 0:
			out = append(out, css[start:i])
			start = i + 1
		}
	}
	return append(out, css[start:])
}
