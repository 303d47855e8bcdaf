package page

import (
	"go/scanner"
	"go/token"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/sanitize"
)

// highlightGo marks up a GoNB cell: Go, with lines that start with % or ! for the kernel. Every
// byte of the source is in the output, whether it is valid Go or not.
func highlightGo(source string) string {
	source = sanitize.Text(source)
	classes := make([]byte, len(source)) // one letter per byte, 0 for plain
	goSource := highlightMagic(source, classes)
	if goSource != "" {
		highlightTokens(goSource, classes)
	}
	var b strings.Builder
	for i := 0; i < len(source); {
		j := i + 1
		for j < len(source) && classes[j] == classes[i] {
			j++
		}
		if text := sanitize.Escape(source[i:j]); classes[i] == 0 || strings.TrimSpace(source[i:j]) == "" {
			b.WriteString(text)
		} else {
			b.WriteString(`<span class="hl-` + string(classes[i]) + `">` + text + `</span>`)
		}
		i = j
	}
	return b.String()
}

// highlightMagic marks the kernel's lines and returns the source with them blanked, or "" when
// the whole cell belongs to another program (%%bash and its like).
func highlightMagic(source string, classes []byte) string {
	goSource := []byte(source)
	continued := false
	first := true
	for at := 0; at < len(source); {
		line, _, _ := strings.Cut(source[at:], "\n")
		bare := strings.TrimPrefix(line, "//gonb:")
		magic := continued || strings.HasPrefix(bare, "%") || strings.HasPrefix(bare, "!")
		if magic {
			for i := at; i < at+len(line); i++ {
				classes[i] = 'm'
				goSource[i] = ' '
			}
		}
		continued = magic && strings.HasSuffix(line, `\`)
		if first && strings.TrimSpace(line) != "" {
			first = false
			if word, _, _ := strings.Cut(strings.TrimSpace(bare), " "); magic && !nb.IsGo(word) {
				return ""
			}
		}
		at += len(line) + 1
	}
	return string(goSource)
}

func highlightTokens(source string, classes []byte) {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, []byte(source), func(token.Position, string) {}, scanner.ScanComments)
	mark := func(from, n int, class byte) {
		for i := from; i < from+n && i < len(classes); i++ {
			if classes[i] == 0 {
				classes[i] = class
			}
		}
	}
	type ident struct{ at, n int }
	var last *ident // an identifier that may turn out to be called
	prev := token.ILLEGAL
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return
		}
		at := file.Offset(pos)
		if tok == token.LPAREN && last != nil {
			mark(last.at, last.n, 'f')
		}
		last = nil
		switch {
		case tok.IsKeyword():
			mark(at, len(lit), 'k')
		case tok == token.IDENT:
			if c := highlightPredeclared[lit]; c != 0 && prev != token.PERIOD {
				mark(at, len(lit), c)
			} else {
				last = &ident{at, len(lit)}
			}
		case tok == token.STRING, tok == token.CHAR:
			mark(at, highlightLength(source, at, lit), 's')
		case tok == token.INT, tok == token.FLOAT, tok == token.IMAG:
			mark(at, len(lit), 'n')
		case tok == token.COMMENT:
			mark(at, highlightLength(source, at, lit), 'c')
		}
		prev = tok
	}
}

// highlightLength is how much of the source a literal covers; the scanner drops carriage returns.
func highlightLength(source string, at int, lit string) int {
	n := 0
	for i := at; i < len(source) && n < len(lit); i++ {
		if source[i] == lit[n] {
			n++
		} else if source[i] != '\r' {
			break
		}
		if n == len(lit) {
			return i - at + 1
		}
	}
	return n
}

// highlightPredeclared holds Go's predeclared names: t type, b constant, f function.
var highlightPredeclared = func() map[string]byte {
	m := map[string]byte{}
	for class, names := range map[byte]string{
		't': "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr",
		'b': "true false nil iota",
		'f': "append cap clear close complex copy delete imag len make max min new panic print println real recover",
	} {
		for _, name := range strings.Fields(names) {
			m[name] = class
		}
	}
	return m
}()
