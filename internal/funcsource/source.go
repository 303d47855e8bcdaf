package funcsource

import (
	"go/scanner"
	"go/token"
	"path"
	"strconv"
)

// source is a file of Go as tokens. A parser would tell a little more, and make each cell's program a tenth larger.
type source struct {
	tokens   []word
	declared map[string][]span // declarations of the file by name; of a type its methods too
	imported map[string]string // paths by the names that they have, as far as these can be told
	tops     []span            // declarations
}

type word struct {
	kind token.Token
	text string
	line int
}

// span is tokens from and up to another.
type span struct{ from, to int }

func read(data []byte) *source {
	s := &source{declared: map[string][]span{}, imported: map[string]string{}}
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(data))
	var scan scanner.Scanner
	scan.Init(file, data, func(token.Position, string) {}, 0)
	for {
		pos, kind, text := scan.Scan()
		if kind == token.EOF {
			break
		}
		if kind.IsOperator() {
			text = kind.String() // ";" for the end of a line, too
		}
		s.tokens = append(s.tokens, word{kind, text, file.Line(pos)})
	}
	s.declarations()
	return s
}

func (s *source) kind(i int) token.Token {
	if i < 0 || i >= len(s.tokens) {
		return token.EOF
	}
	return s.tokens[i].kind
}

// closing is the token behind the bracket that closes the one at i.
func (s *source) closing(i int) int {
	depth := 0
	for ; i < len(s.tokens); i++ {
		switch s.tokens[i].kind {
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			if depth--; depth <= 0 {
				return i + 1
			}
		}
	}
	return i
}

// end is the semicolon that ends what begins at i, or a bracket that closes what it is in.
func (s *source) end(i int) int {
	for i < len(s.tokens) {
		switch s.tokens[i].kind {
		case token.SEMICOLON, token.RPAREN, token.RBRACE, token.RBRACK:
			return i
		case token.LPAREN, token.LBRACE, token.LBRACK:
			i = s.closing(i)
		default:
			i++
		}
	}
	return i
}

// declarations finds those of the file.
func (s *source) declarations() {
	for i := 0; i < len(s.tokens); i++ {
		from := i
		switch first := s.kind(i); first {
		case token.FUNC:
			i = s.end(i)
			s.function(span{from, i})
		case token.VAR, token.TYPE, token.CONST, token.IMPORT:
			if s.kind(i+1) != token.LPAREN {
				i = s.end(i)
				s.declare(first, span{from + 1, i}, span{from + 1, i})
				continue
			}
			group := span{i + 2, s.closing(i+1) - 1}
			for at := group.from; at < group.to; at = s.end(at) + 1 {
				whole := span{at, s.end(at)}
				if first == token.CONST { // a constant may repeat the one before
					whole = group
				}
				s.declare(first, span{at, s.end(at)}, whole)
			}
			i = s.end(group.to + 1)
		}
	}
}

func (s *source) function(at span) {
	s.tops = append(s.tops, at)
	name := at.from + 1
	if s.kind(name) == token.LPAREN { // of a method it is the receiver's type
		for end := s.closing(name) - 1; name < end && s.kind(name+1) != token.RPAREN && s.kind(name+1) != token.LBRACK; name++ {
		}
	}
	s.add(name, at)
}

func (s *source) add(name int, at span) {
	if s.kind(name) == token.IDENT {
		text := s.tokens[name].text
		s.declared[text] = append(s.declared[text], at)
	}
}

// declare notes the names of one specification, whose text is whole.
func (s *source) declare(kind token.Token, spec, whole span) {
	if kind == token.IMPORT {
		s.imports(spec)
		return
	}
	s.tops = append(s.tops, spec)
	for i := spec.from; i < spec.to; i += 2 {
		s.add(i, whole)
		if s.kind(i+1) != token.COMMA {
			return
		}
	}
}

func (s *source) imports(spec span) {
	for i := spec.from; i < spec.to; i++ {
		if to, err := strconv.Unquote(s.tokens[i].text); s.kind(i) == token.STRING && err == nil {
			name := path.Base(to)
			if s.kind(i-1) == token.IDENT && i > spec.from {
				name = s.tokens[i-1].text
			}
			s.imported[name] = to
		}
	}
}

// names reports whether the token at i is a name of its own, and not that of a field, a method or another package's.
func (s *source) names(i int) bool { return s.kind(i) == token.IDENT && s.kind(i-1) != token.PERIOD }

// functions are those that begin on a line.
func (s *source) functions(line int) (found []span) {
	for i, t := range s.tokens {
		if at := s.functionAt(i); t.line == line && at.to > i {
			found = append(found, at)
		}
	}
	return found
}

// functionAt is the function with a body that begins at i, nothing where none does.
func (s *source) functionAt(i int) span {
	if s.kind(i) != token.FUNC {
		return span{}
	}
	for to := i + 1; to < len(s.tokens); {
		switch s.kind(to) {
		case token.LPAREN, token.LBRACK:
			to = s.closing(to)
		case token.LBRACE:
			return span{i, s.closing(to)}
		case token.SEMICOLON, token.COMMA, token.RPAREN, token.RBRACK, token.RBRACE: // a type
			return span{}
		default:
			to++
		}
	}
	return span{}
}

// parameters are the names in the head of a function, which mean nothing outside it; its own name counts as one.
func (s *source) parameters(at span) map[string]bool {
	own := map[string]bool{}
	if s.kind(at.from) != token.FUNC {
		return own
	}
	for i := at.from; i < at.to && s.kind(i) != token.LBRACE; i++ {
		// A name is followed by another one or by a type; a type by what ends it.
		if s.kind(i) == token.IDENT && s.kind(i-1) != token.PERIOD && s.kind(i+1) != token.PERIOD && (s.kind(i-1) == token.LPAREN || s.kind(i-1) == token.COMMA) && s.kind(i+1) != token.RPAREN {
			own[s.tokens[i].text] = true
		}
	}
	return own
}

// calls are the calls of a function, of whichever package, that begin on a line.
func (s *source) calls(name string, line int) (found []span) {
	for i, t := range s.tokens {
		if t.line == line && t.kind == token.IDENT && t.text == name && s.kind(i+1) == token.LPAREN {
			found = append(found, span{i, s.closing(i + 1)})
		}
	}
	return found
}

// assigned are the statements that give a local variable a value, in the declaration that at is in.
func (s *source) assigned(name string, at span) (found []span) {
	for _, top := range s.tops {
		if at.from < top.from || at.from >= top.to {
			continue
		}
		for from := top.from; from < top.to; {
			to := from
			for to < top.to && s.kind(to) != token.SEMICOLON && s.kind(to) != token.LBRACE && s.kind(to) != token.RBRACE {
				to++
			}
			if s.assigns(name, span{from, to}) {
				found = append(found, span{from, max(to, s.end(from))})
			}
			from = to + 1
		}
	}
	return found
}

func (s *source) assigns(name string, at span) bool {
	there := false
	for i := at.from; i < at.to; i++ {
		switch kind := s.kind(i); {
		case kind == token.DEFINE, kind == token.ASSIGN, kind == token.INC, kind == token.DEC, kind >= token.ADD_ASSIGN && kind <= token.AND_NOT_ASSIGN:
			return there
		case s.names(i) && s.tokens[i].text == name:
			there = true
		}
	}
	return there && s.kind(at.from) == token.VAR
}
