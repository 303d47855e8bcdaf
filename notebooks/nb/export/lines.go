package export

import (
	"go/scanner"
	"go/token"
)

// word is a token of a Go file and its line.
type word struct {
	text string
	line int
}

// words lists the tokens, without comments and without the semicolons that line ends stand for.
func words(src []byte) (list []word) {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return list
		}
		if tok == token.SEMICOLON {
			continue
		}
		if text == "" {
			text = tok.String()
		}
		list = append(list, word{text, file.Line(pos)})
	}
}

// alignLines gives the lines of a formatted file the origin that they have in the unformatted one. The
// formatter changes few tokens (it groups declarations, rewrites literals), so both lists are walked
// side by side, and where they part, to the nearest place where they meet again.
func alignLines(before *source, after []byte) []Position {
	old, formatted := words(before.bytes()), words(after)
	lines := 0
	for _, b := range after {
		if b == '\n' {
			lines++
		}
	}
	origins := make([]Position, lines+1)
	for i, j := 0, 0; i < len(old) && j < len(formatted); {
		if old[i].text != formatted[j].text {
			di, dj := meet(old[i:], formatted[j:])
			i, j = i+di, j+dj
			continue
		}
		if at := &origins[formatted[j].line-1]; at.Cell == 0 {
			*at = before.origins[old[i].line-1]
		}
		i, j = i+1, j+1
	}
	return origins
}

// meet returns the fewest tokens to skip on each side until three agree.
func meet(a, b []word) (int, int) {
	const reach, agree = 200, 3
	for sum := 1; sum < reach; sum++ {
		for i := max(0, sum-len(b)); i <= min(sum, len(a)); i++ {
			j := sum - i
			n := 0
			for n < agree && i+n < len(a) && j+n < len(b) && a[i+n].text == b[j+n].text {
				n++
			}
			if n == agree {
				return i, j
			}
		}
	}
	return len(a), len(b)
}
