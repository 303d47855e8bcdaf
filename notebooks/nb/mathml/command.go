package mathml

import (
	"strings"
)

// command parses what follows a control sequence. It returns nil for one that draws nothing.
func (p *parser) command(name string) *node {
	if s, ok := symbols().byName[name]; ok {
		return p.symbol(s)
	}
	if limits, ok := functions[name]; ok {
		return function(functionText(name), limits)
	}
	if width, ok := spaces[name]; ok {
		return space(width)
	}
	if font, ok := fonts[name]; ok {
		n := p.fontArg(font)
		if font == "rm" && n.tag == "mi" {
			n.letter = true
		}
		return n
	}
	if a, ok := accents[name]; ok {
		return p.accent(a)
	}
	if size, ok := bigSize(name); ok {
		class := map[byte]atomClass{'l': classOpen, 'r': classClose, 'm': classRel}[name[len(name)-1]]
		d := fence(p.delimiter(), class)
		return d.set("stretchy", "true").set("symmetric", "true").set("minsize", size).set("maxsize", size)
	}
	switch name {
	case "frac", "cfrac":
		return p.fraction()
	case "dfrac":
		return elem("mstyle", p.fraction()).set("displaystyle", "true")
	case "tfrac":
		return elem("mstyle", p.fraction()).set("displaystyle", "false").set("scriptlevel", "0")
	case "binom", "dbinom", "tbinom":
		return generalFraction("choose", p.innerArg(false), p.innerArg(false))
	case "sqrt":
		if index, ok := p.optional(); ok {
			sub := &parser{src: index, depth: p.depth + 1, script: 2}
			i := sub.row(func(token) bool { return false })
			if sub.err != nil {
				p.fail("in the index of a root: %v", sub.err)
			}
			return elem("mroot", p.innerArg(p.display), i)
		}
		return elem("msqrt", p.innerArg(p.display))
	case "left":
		return p.fenced()
	case "middle":
		return fence(p.delimiter(), classRel).set("stretchy", "true").set("form", "infix")
	case "begin":
		return p.environment(strings.TrimSpace(p.raw()))
	case "text", "textrm", "textnormal", "mbox", "hbox", "textup", "textsf", "textsc", "textbf", "textit", "texttt", "emph":
		return p.text(name)
	case "operatorname", "operatorname*":
		return p.operatorName(name == "operatorname*")
	case "mathop", "mathbin", "mathrel", "mathopen", "mathclose", "mathpunct", "mathord", "mathinner":
		return p.reclass(name)
	case "overset", "stackrel", "underset":
		over := p.scriptArg()
		base := p.innerArg(p.display)
		n := scripts(base, nil, over, true)
		if name == "underset" {
			n = scripts(base, over, nil, true)
		}
		if op := base.operator(); name == "stackrel" {
			n.class = classRel
		} else if op != nil {
			n.class = textClass(op.text) // also of {=}, as amsmath does
		}
		return n
	case "xrightarrow", "xleftarrow", "xlongrightarrow":
		return p.longArrow(name)
	case "substack":
		return p.substack()
	case "not":
		n := p.arg()
		if n.tag == "mo" || n.tag == "mi" {
			n.text += "\u0338"
		}
		return n
	case "bmod":
		return operator(symbol{text: "mod"}, classBin)
	case "pmod", "pod":
		open := "(mod "
		if name == "pod" {
			open = "("
		}
		return elem("mrow", space("0.5em"), leaf("mtext", strings.ReplaceAll(open, " ", "\u00a0"), classOrd), p.arg(), leaf("mtext", ")", classOrd))
	case "phantom", "hphantom", "vphantom":
		n := elem("mphantom", p.arg())
		if name == "vphantom" {
			return elem("mpadded", n).set("width", "0")
		}
		return n
	case "boxed", "fbox":
		return elem("mrow", p.arg()).set("class", "tex-box")
	case "color":
		p.raw()
		return nil
	case "textcolor", "colorbox":
		p.raw()
		return p.arg()
	case "mathstrut", "strut", "nonumber", "notag", "hline", "hfill", "allowbreak", "nobreak", "protect", "ensuremath", "relax", "limits", "nolimits", "centering":
		return nil
	case "label", "vspace":
		p.raw()
		return nil
	case "hspace", "hspace*", "mspace", "mkern", "kern", "hskip", "mskip":
		return p.length()
	case "tag", "tag*":
		p.tag = p.raw()
		return nil
	case "eqref", "ref":
		return leaf("mtext", "("+p.raw()+")", classOrd)
	case "href":
		p.raw()
		return p.arg()
	case "tiny", "scriptsize", "footnotesize", "small", "normalsize", "large", "Large", "LARGE", "huge", "Huge":
		return nil
	case "":
		p.fail("a backslash at the end")
		return nil
	}
	return leaf("mtext", `\`+name, classOrd).set("class", "tex-error").set("title", "unknown command")
}

// fraction parses both parts; they are in text style, also in \dfrac.
func (p *parser) fraction() *node {
	return elem("mfrac", p.innerArg(false), p.innerArg(false))
}

func generalFraction(name string, top, bottom *node) *node {
	f := elem("mfrac", top, bottom)
	if name == "over" {
		return f
	}
	f.set("linethickness", "0")
	if name == "atop" {
		return f
	}
	return elem("mrow", fence("(", classOpen).set("stretchy", "true"), f, fence(")", classClose).set("stretchy", "true"))
}

// fenced parses \left … \middle … \right.
func (p *parser) fenced() *node {
	open := p.delimiter()
	body := p.row(func(t token) bool { return t.is("right") })
	if !p.next().is("right") {
		p.fail(`\left has no \right`)
	}
	closing := p.delimiter()
	n := elem("mrow")
	n.class = classInner
	if open != "" {
		n.kids = append(n.kids, fence(open, classOpen).set("stretchy", "true"))
	}
	n.kids = append(n.kids, body.kids...)
	if closing != "" {
		n.kids = append(n.kids, fence(closing, classClose).set("stretchy", "true"))
	}
	return n
}

// delimiter reads a delimiter; "." is the empty one.
func (p *parser) delimiter() string {
	t := p.next()
	if t.kind == 'n' { // a dot before a digit: \left.5
		p.pos = t.end - len(t.text)
		if p.src[p.pos] == '.' {
			p.pos++
			return ""
		}
	}
	if t.kind == '\\' {
		if d, ok := delimiters[t.text]; ok {
			return d
		}
		if s, ok := symbols().byName[t.text]; ok && (s.class == classOpen || s.class == classClose || strings.HasSuffix(t.text, "arrow")) {
			return s.text
		}
	} else if t.kind == 'c' {
		if t.text == "." {
			return ""
		}
		if d, ok := delimiters[t.text]; ok {
			return d
		}
		if strings.Contains("⟨⟩⌊⌋⌈⌉‖∣", t.text) {
			return t.text
		}
	}
	p.fail("a delimiter, got %q, want one such as ( or \\langle or .", t.text)
	return ""
}

// accent parses the argument of \hat and its kin. \underbrace and \overbrace take scripts
// under and over.
func (p *parser) accent(a accent) *node {
	base := p.innerArg(p.display)
	if a.rule != "" {
		return elem("mrow", base).set("class", a.rule)
	}
	mark := leaf("mo", a.mark, classOrd).set("stretchy", "false")
	if a.stretchy {
		mark.set("stretchy", "true")
	}
	n := elem("mover", base, mark).set("accent", "true")
	if a.under {
		n = elem("munder", base, mark).set("accentunder", "true")
	}
	n.stack = a.brace
	if !a.brace {
		n.class = base.class
	}
	return n
}

func (p *parser) operatorName(limits bool) *node {
	n := p.fontArg("rm")
	var b strings.Builder
	if !n.flat(&b) || b.Len() == 0 {
		n = elem("mrow", n)
		n.class, n.limits = classOp, limits
		return n
	}
	return function(b.String(), limits)
}

// flat writes the text of a row of identifiers, numbers, operators and spaces.
func (n *node) flat(b *strings.Builder) bool {
	switch n.tag {
	case "mspace":
		b.WriteString("\u2009")
	case "mi", "mn", "mtext":
		b.WriteString(n.text)
	case "mo":
		b.WriteString(strings.ReplaceAll(n.text, "−", "-"))
	case "mrow":
		for _, k := range n.kids {
			if !k.flat(b) {
				return false
			}
		}
	default:
		return false
	}
	return true
}

func function(text string, limits bool) *node {
	n := leaf("mi", text, classOp)
	n.limits = limits
	if len([]rune(text)) == 1 {
		n.set("mathvariant", "normal")
	}
	return n
}

func (p *parser) reclass(name string) *node {
	n := elem("mrow", p.innerArg(p.display))
	switch name {
	case "mathop":
		n.class, n.limits = classOp, true
	case "mathbin", "mathrel":
		n.kids = []*node{space("0.25em"), n.kids[0], space("0.25em")}
	}
	return n
}

func (p *parser) longArrow(name string) *node {
	arrow := "→"
	if name == "xleftarrow" {
		arrow = "←"
	}
	under, below := p.optional()
	over := p.scriptArg()
	op := leaf("mo", arrow, classRel).set("stretchy", "true")
	wide := elem("mrow", space("0.5em"), over, space("0.5em"))
	var sub *node
	if below {
		inner := &parser{src: under, depth: p.depth + 1, script: 1}
		sub = inner.row(func(token) bool { return false })
		if inner.err != nil {
			p.fail("under an arrow: %v", inner.err)
		}
	}
	return scripts(op, sub, wide, true)
}

// length reads the argument of a space command: {1em} or a bare 1em.
func (p *parser) length() *node {
	s := ""
	if t := p.peek(); t.kind == '{' {
		s = p.raw()
	} else {
		rest := p.src[p.pos:]
		lead := len(rest) - len(strings.TrimLeft(rest, " "))
		i := lead
		for i < len(rest) && strings.IndexByte("+-.0123456789", rest[i]) >= 0 {
			i++
		}
		for j := 0; j < 2 && i < len(rest) && isLetter(rest[i]); j++ {
			i++
		}
		s = rest[lead:i]
		p.pos += i
	}
	return space(texLength(s))
}
