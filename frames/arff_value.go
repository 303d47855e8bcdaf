package frames

import (
	"bytes"
	"fmt"
)

// arffValue is a value without its quotes and escapes, or without the blanks around it.
type arffValue struct {
	text   []byte
	quoted bool
}

// nextARFFValue returns the first value of a list, what follows its separator, and whether there
// is a next one. An unquoted quote, brace or per cent sign, which Weka reads in other ways, is refused.
func nextARFFValue(list []byte, sep byte) (v arffValue, rest []byte, more bool, err error) {
	list = skipBlanks(list)
	if len(list) == 0 || list[0] != '\'' && list[0] != '"' {
		i := bytes.IndexByte(list, sep)
		if i < 0 {
			i = len(list)
		} else {
			rest, more = list[i+1:], true
		}
		v.text = trimSpace(list[:i])
		if len(v.text) > 0 && v.text[0] == '{' {
			return v, nil, false, fmt.Errorf("%w: got a brace where a value belongs, such as a weight, want values: drop it, or quote the value", ErrRagged)
		}
		if bytes.ContainsAny(v.text, "'\"%{}") {
			return v, nil, false, fmt.Errorf("%w: want quotes around a value that holds a quote, brace or per cent sign: quote it", ErrQuote)
		}
		return v, rest, more, nil
	}
	text, rest, ok := cutARFFQuoted(list)
	rest = skipBlanks(rest)
	if !ok || len(rest) > 0 && rest[0] != sep {
		return v, nil, false, errARFFQuote()
	}
	v = arffValue{text, true}
	if len(rest) == 0 {
		return v, nil, false, nil
	}
	return v, rest[1:], true, nil
}

func errARFFQuote() error {
	return fmt.Errorf("%w: want quotes around whole values, escaped by a backslash inside, and closed on the same line: fix the line", ErrQuote)
}

// cutARFFQuoted returns the text in the quotes that b starts with, and what follows them.
func cutARFFQuoted(b []byte) (text, rest []byte, ok bool) {
	mark, escapes, i := b[0], 0, 1
	for ; i < len(b) && b[i] != mark; i++ {
		if b[i] == '\\' {
			escapes++
			i++
		}
	}
	if i >= len(b) {
		return nil, nil, false
	}
	text, rest = b[1:i], b[i+1:]
	if escapes == 0 {
		return text, rest, true
	}
	plain := make([]byte, 0, len(text)-escapes)
	for k := 0; k < len(text); k++ {
		if text[k] == '\\' {
			k++
			plain = append(plain, unescapeARFF(text[k]))
		} else {
			plain = append(plain, text[k])
		}
	}
	return plain, rest, true
}

func unescapeARFF(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// cutBrace returns what stands before the first closing brace outside quotes, and what follows it.
func cutBrace(b []byte) (body, after []byte, ok bool) {
	var mark byte // of the quotes that are open
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case mark != 0 && c == '\\':
			i++
		case mark != 0 && c == mark:
			mark = 0
		case mark == 0 && (c == '\'' || c == '"'):
			mark = c
		case mark == 0 && c == '}':
			return b[:i], trimSpace(b[i+1:]), true
		}
	}
	return nil, nil, false
}
