package mathml

import (
	"strings"
	"unicode/utf8"
)

// A token is one of TeX in math mode. Kinds: 0 end, '\\' command (text is its name),
// 'n' number, 'c' any other character, and the special characters { } ^ _ & ' ~ themselves.
type token struct {
	kind byte
	text string
	end  int // where the next token starts
}

func (t token) is(command string) bool { return t.kind == '\\' && t.text == command }

// peek reads the next token and leaves it in place. Spaces and comments are skipped.
func (p *parser) peek() token {
	s, i := p.src, p.pos
	for i < len(s) {
		if c := s[i]; c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			i++
		} else if c == '%' {
			nl := strings.IndexByte(s[i:], '\n')
			if nl < 0 {
				i = len(s)
			} else {
				i += nl + 1
			}
		} else {
			break
		}
	}
	if i >= len(s) {
		return token{end: len(s)}
	}
	switch c := s[i]; {
	case c == '\\':
		j := i + 1
		for j < len(s) && isLetter(s[j]) {
			j++
		}
		if j == i+1 && j < len(s) {
			_, size := utf8.DecodeRuneInString(s[j:])
			j += size
		} else if j < len(s) && s[j] == '*' && s[i+1:j] == "operatorname" {
			j++
		}
		return token{'\\', s[i+1 : j], j}
	case strings.IndexByte("{}^_&'~", c) >= 0:
		return token{c, s[i : i+1], i + 1}
	case c >= '0' && c <= '9', c == '.' && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9':
		j, dot := i, false
		for j < len(s) && (s[j] >= '0' && s[j] <= '9' || s[j] == '.' && !dot && j+1 < len(s) && s[j+1] >= '0' && s[j+1] <= '9') {
			dot = dot || s[j] == '.'
			j++
		}
		return token{'n', s[i:j], j}
	default:
		_, size := utf8.DecodeRuneInString(s[i:])
		return token{'c', s[i : i+size], i + size}
	}
}

func (p *parser) next() token {
	t := p.peek()
	p.pos = t.end
	return t
}

// raw reads a {…} argument as source text, without its braces.
func (p *parser) raw() string {
	t := p.next()
	if t.kind != '{' {
		if t.kind == 0 || t.kind == '}' {
			p.fail("an argument in braces is missing")
		}
		return t.text
	}
	depth, start := 1, p.pos
	for i := start; i < len(p.src); i++ {
		switch p.src[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				p.pos = i + 1
				return p.src[start:i]
			}
		}
	}
	p.fail("a closing brace is missing")
	return ""
}

// optional reads a […] argument as source text; ok is false when there is none.
func (p *parser) optional() (s string, ok bool) {
	t := p.peek()
	if t.kind != 'c' || t.text != "[" {
		return "", false
	}
	depth := 0
	for i := t.end; i < len(p.src); i++ {
		switch p.src[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			depth--
		case ']':
			if depth <= 0 {
				s = p.src[t.end:i]
				p.pos = i + 1
				return s, true
			}
		}
	}
	return "", false
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
