package export

// lexer follows Go's text from line to line, as far as needed to know where a line begins: in code, in
// a raw string or in a comment.
type lexer struct{ in byte } // 0: code, '`': raw string, '*': comment

// place names where the next line begins, "" for code.
func (l *lexer) place() string {
	switch l.in {
	case '`':
		return "raw string"
	case '*':
		return "comment"
	}
	return ""
}

func (l *lexer) line(s string) {
	for i := 0; i < len(s); i++ {
		switch {
		case l.in == '`':
			if s[i] == '`' {
				l.in = 0
			}
		case l.in == '*':
			if s[i] == '*' && i+1 < len(s) && s[i+1] == '/' {
				l.in = 0
				i++
			}
		case s[i] == '`':
			l.in = '`'
		case s[i] == '"' || s[i] == '\'':
			quote := s[i]
			for i++; i < len(s) && s[i] != quote; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		case s[i] == '/' && i+1 < len(s) && s[i+1] == '/':
			return
		case s[i] == '/' && i+1 < len(s) && s[i+1] == '*':
			l.in = '*'
			i++
		}
	}
}
