package mathml

import "strings"

// text parses the argument of \text and its kin: spaces count, and $…$ goes back to mathematics.
func (p *parser) text(name string) *node {
	parts := strings.Split(p.raw(), "$")
	var kids []*node
	for i, s := range parts {
		if i%2 == 1 && i < len(parts)-1 {
			inner := &parser{src: s, depth: p.depth + 1, script: p.script}
			n := inner.row(func(token) bool { return false })
			if inner.err != nil {
				p.fail("inside text: %v", inner.err)
			}
			kids = append(kids, n)
		} else if s != "" {
			kids = append(kids, textRun(name, s))
		}
	}
	n := group(kids)
	if n.tag == "mrow" {
		n.class = classOrd
	}
	return n
}

func textRun(command, s string) *node {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			j := i + 1
			for j < len(s) && isLetter(s[j]) {
				j++
			}
			word := s[i+1 : j]
			if sym, ok := symbols().byName[word]; word != "" && ok {
				b.WriteString(sym.text)
				i = j - 1
			} else if word == "" && j < len(s) && strings.IndexByte(`\_%&#{} ,`, s[j]) >= 0 {
				b.WriteString(strings.NewReplacer(`\`, " ", ",", "\u2009").Replace(s[j : j+1]))
				i = j
			} else {
				b.WriteByte(c)
			}
		case '{', '}':
		case '~', ' ', '\n', '\t':
			b.WriteString("\u00a0") // MathML trims plain spaces at the ends
		default:
			b.WriteByte(c)
		}
	}
	out := strings.NewReplacer("``", "“", "''", "”", "---", "—", "--", "–", "`", "‘", "'", "’").Replace(b.String())
	n := leaf("mtext", out, classOrd)
	switch command {
	case "textbf", "textit", "texttt", "emph", "textsf":
		n.set("class", "tex-"+strings.Replace(command, "emph", "textit", 1))
	}
	return n
}
