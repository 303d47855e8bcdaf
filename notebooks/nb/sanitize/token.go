package sanitize

import (
	"html"
	"strings"
)

// An token is a piece of HTML: text, a start tag or an end tag. Comments, declarations and
// processing instructions are not delivered.
type token struct {
	kind  byte   // 't' text (decoded), 's' start tag, 'e' end tag
	name  string // as written; names in SVG have capitals
	text  string
	attrs []attr
	self  bool // ends with "/>"
}

type attr struct{ name, value string }

// tokens splits HTML into tokens as the tokenizer of the HTML standard does (WHATWG, 13.2.5),
// to the precision that a rebuilding sanitiser needs: what it yields is written anew, with every
// text and value escaped, so a difference to a browser can lose markup but not let any through.
// yield gets the token and reads the raw text of an element such as script by returning true.
func tokens(s string, yield func(token) (raw bool)) {
	for len(s) > 0 {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			i = len(s)
		}
		if i > 0 {
			yield(token{kind: 't', text: html.UnescapeString(s[:i])})
			s = s[i:]
			continue
		}
		switch {
		case strings.HasPrefix(s, "<!--"):
			s = skipComment(s[4:])
		case strings.HasPrefix(s, "<![CDATA["):
			text, rest, _ := strings.Cut(s[9:], "]]>")
			yield(token{kind: 't', text: text})
			s = rest
		case len(s) > 1 && (s[1] == '!' || s[1] == '?'):
			_, s, _ = strings.Cut(s, ">")
		case len(s) > 2 && s[1] == '/' && isLetter(s[2]):
			t, rest := readTag(s[2:])
			t.kind = 'e'
			if rest != "" || strings.HasSuffix(s, ">") {
				yield(t)
			}
			s = rest
		case len(s) > 1 && s[1] == '/':
			_, s, _ = strings.Cut(s, ">")
		case len(s) > 1 && isLetter(s[1]):
			t, rest := readTag(s[1:])
			t.kind = 's'
			if rest == "" && !strings.HasSuffix(s, ">") {
				return // the input ends inside a tag
			}
			s = rest
			if yield(t) {
				text, after := rawText(s, t.name)
				yield(token{kind: 't', text: text})
				s = after
			}
		default:
			yield(token{kind: 't', text: "<"})
			s = s[1:]
		}
	}
}

func skipComment(s string) string {
	if strings.HasPrefix(s, ">") {
		return s[1:]
	}
	if strings.HasPrefix(s, "->") {
		return s[2:]
	}
	for i := 0; i+2 < len(s); i++ {
		if s[i] == '-' && s[i+1] == '-' {
			if s[i+2] == '>' {
				return s[i+3:]
			}
			if s[i+2] == '!' && i+3 < len(s) && s[i+3] == '>' {
				return s[i+4:]
			}
		}
	}
	return ""
}

// readTag reads a tag from its name on. The rest starts after the ">".
func readTag(s string) (t token, rest string) {
	i := 0
	for i < len(s) && !isSpace(s[i]) && s[i] != '/' && s[i] != '>' {
		i++
	}
	t.name = s[:i]
	for {
		for i < len(s) && (isSpace(s[i]) || s[i] == '/') {
			t.self = s[i] == '/'
			i++
		}
		if i >= len(s) {
			return t, ""
		}
		if s[i] == '>' {
			return t, s[i+1:]
		}
		t.self = false
		start := i
		i++ // the first character belongs to the name, even "="
		for i < len(s) && !isSpace(s[i]) && s[i] != '/' && s[i] != '>' && s[i] != '=' {
			i++
		}
		a := attr{name: s[start:i]}
		j := i
		for j < len(s) && isSpace(s[j]) {
			j++
		}
		if j < len(s) && s[j] == '=' {
			i = j + 1
			for i < len(s) && isSpace(s[i]) {
				i++
			}
			if i < len(s) && (s[i] == '"' || s[i] == '\'') {
				end := strings.IndexByte(s[i+1:], s[i])
				if end < 0 {
					return t, ""
				}
				a.value = s[i+1 : i+1+end]
				i += end + 2
			} else {
				start := i
				for i < len(s) && !isSpace(s[i]) && s[i] != '>' {
					i++
				}
				a.value = s[start:i]
			}
			a.value = html.UnescapeString(a.value)
		}
		t.attrs = append(t.attrs, a)
	}
}

// rawText cuts s at the end tag of an element whose content is not markup.
func rawText(s, name string) (text, rest string) {
	for i := 0; i+2+len(name) <= len(s); i++ {
		if s[i] == '<' && s[i+1] == '/' && strings.EqualFold(s[i+2:i+2+len(name)], name) {
			if j := i + 2 + len(name); j == len(s) || isSpace(s[j]) || s[j] == '/' || s[j] == '>' {
				return s[:i], s[i:]
			}
		}
	}
	return s, ""
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r' }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
