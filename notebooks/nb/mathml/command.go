package mathml

import (
	"strings"
)

// command parses what follows a control sequence. It returns nil for one that draws nothing.
func (p *mathParser) command(name string) *mathNode {
	if s, ok := mathSymbols().byName[name]; ok {
		return p.symbol(s)
	}
	if limits, ok := mathFunctions[name]; ok {
		return mathFunction(mathFunctionText(name), limits)
	}
	if width, ok := mathSpaces[name]; ok {
		return mathSpace(width)
	}
	if font, ok := mathFonts[name]; ok {
		n := p.fontArg(font)
		if font == "rm" && n.tag == "mi" {
			n.letter = true
		}
		return n
	}
	if a, ok := mathAccents[name]; ok {
		return p.accent(a)
	}
	if size, ok := mathBigSize(name); ok {
		class := map[byte]mathClass{'l': mathOpen, 'r': mathClose, 'm': mathRel}[name[len(name)-1]]
		d := mathFence(p.delimiter(), class)
		return d.set("stretchy", "true").set("symmetric", "true").set("minsize", size).set("maxsize", size)
	}
	switch name {
	case "frac", "cfrac":
		return p.fraction()
	case "dfrac":
		return mathElem("mstyle", p.fraction()).set("displaystyle", "true")
	case "tfrac":
		return mathElem("mstyle", p.fraction()).set("displaystyle", "false").set("scriptlevel", "0")
	case "binom", "dbinom", "tbinom":
		return mathOver("choose", p.innerArg(false), p.innerArg(false))
	case "sqrt":
		if index, ok := p.optional(); ok {
			sub := &mathParser{src: index, depth: p.depth + 1, script: 2}
			i := sub.row(func(mathTok) bool { return false })
			if sub.err != nil {
				p.fail("in the index of a root: %v", sub.err)
			}
			return mathElem("mroot", p.innerArg(p.display), i)
		}
		return mathElem("msqrt", p.innerArg(p.display))
	case "left":
		return p.fenced()
	case "middle":
		return mathFence(p.delimiter(), mathRel).set("stretchy", "true").set("form", "infix")
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
		n := mathScripts(base, nil, over, true)
		if name == "underset" {
			n = mathScripts(base, over, nil, true)
		}
		if op := base.operator(); name == "stackrel" {
			n.class = mathRel
		} else if op != nil {
			n.class = mathTextClass(op.text) // also of {=}, as amsmath does
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
		return mathOperator(mathSymbol{text: "mod"}, mathBin)
	case "pmod", "pod":
		open := "(mod "
		if name == "pod" {
			open = "("
		}
		return mathElem("mrow", mathSpace("0.5em"), mathLeaf("mtext", strings.ReplaceAll(open, " ", "\u00a0"), mathOrd), p.arg(), mathLeaf("mtext", ")", mathOrd))
	case "phantom", "hphantom", "vphantom":
		n := mathElem("mphantom", p.arg())
		if name == "vphantom" {
			return mathElem("mpadded", n).set("width", "0")
		}
		return n
	case "boxed", "fbox":
		return mathElem("mrow", p.arg()).set("class", "tex-box")
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
		return mathLeaf("mtext", "("+p.raw()+")", mathOrd)
	case "href":
		p.raw()
		return p.arg()
	case "tiny", "scriptsize", "footnotesize", "small", "normalsize", "large", "Large", "LARGE", "huge", "Huge":
		return nil
	case "":
		p.fail("a backslash at the end")
		return nil
	}
	return mathLeaf("mtext", `\`+name, mathOrd).set("class", "tex-error").set("title", "unknown command")
}

// fraction parses both parts; they are in text style, also in \dfrac.
func (p *mathParser) fraction() *mathNode {
	return mathElem("mfrac", p.innerArg(false), p.innerArg(false))
}

func mathOver(name string, top, bottom *mathNode) *mathNode {
	f := mathElem("mfrac", top, bottom)
	if name == "over" {
		return f
	}
	f.set("linethickness", "0")
	if name == "atop" {
		return f
	}
	return mathElem("mrow", mathFence("(", mathOpen).set("stretchy", "true"), f, mathFence(")", mathClose).set("stretchy", "true"))
}

// fenced parses \left … \middle … \right.
func (p *mathParser) fenced() *mathNode {
	open := p.delimiter()
	body := p.row(func(t mathTok) bool { return t.is("right") })
	if !p.next().is("right") {
		p.fail(`\left has no \right`)
	}
	closing := p.delimiter()
	n := mathElem("mrow")
	n.class = mathInner
	if open != "" {
		n.kids = append(n.kids, mathFence(open, mathOpen).set("stretchy", "true"))
	}
	n.kids = append(n.kids, body.kids...)
	if closing != "" {
		n.kids = append(n.kids, mathFence(closing, mathClose).set("stretchy", "true"))
	}
	return n
}

// delimiter reads a delimiter; "." is the empty one.
func (p *mathParser) delimiter() string {
	t := p.next()
	if t.kind == 'n' { // a dot before a digit: \left.5
		p.pos = t.end - len(t.text)
		if p.src[p.pos] == '.' {
			p.pos++
			return ""
		}
	}
	if t.kind == '\\' {
		if d, ok := mathDelimiters[t.text]; ok {
			return d
		}
		if s, ok := mathSymbols().byName[t.text]; ok && (s.class == mathOpen || s.class == mathClose || strings.HasSuffix(t.text, "arrow")) {
			return s.text
		}
	} else if t.kind == 'c' {
		if t.text == "." {
			return ""
		}
		if d, ok := mathDelimiters[t.text]; ok {
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
func (p *mathParser) accent(a mathAccent) *mathNode {
	base := p.innerArg(p.display)
	if a.rule != "" {
		return mathElem("mrow", base).set("class", a.rule)
	}
	mark := mathLeaf("mo", a.mark, mathOrd).set("stretchy", "false")
	if a.stretchy {
		mark.set("stretchy", "true")
	}
	n := mathElem("mover", base, mark).set("accent", "true")
	if a.under {
		n = mathElem("munder", base, mark).set("accentunder", "true")
	}
	n.stack = a.brace
	if !a.brace {
		n.class = base.class
	}
	return n
}

func (p *mathParser) operatorName(limits bool) *mathNode {
	n := p.fontArg("rm")
	var b strings.Builder
	if !n.flat(&b) || b.Len() == 0 {
		n = mathElem("mrow", n)
		n.class, n.limits = mathOp, limits
		return n
	}
	return mathFunction(b.String(), limits)
}

// flat writes the text of a row of identifiers, numbers, operators and spaces.
func (n *mathNode) flat(b *strings.Builder) bool {
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

func mathFunction(text string, limits bool) *mathNode {
	n := mathLeaf("mi", text, mathOp)
	n.limits = limits
	if len([]rune(text)) == 1 {
		n.set("mathvariant", "normal")
	}
	return n
}

func (p *mathParser) reclass(name string) *mathNode {
	n := mathElem("mrow", p.innerArg(p.display))
	switch name {
	case "mathop":
		n.class, n.limits = mathOp, true
	case "mathbin", "mathrel":
		n.kids = []*mathNode{mathSpace("0.25em"), n.kids[0], mathSpace("0.25em")}
	}
	return n
}

func (p *mathParser) longArrow(name string) *mathNode {
	arrow := "→"
	if name == "xleftarrow" {
		arrow = "←"
	}
	under, below := p.optional()
	over := p.scriptArg()
	op := mathLeaf("mo", arrow, mathRel).set("stretchy", "true")
	wide := mathElem("mrow", mathSpace("0.5em"), over, mathSpace("0.5em"))
	var sub *mathNode
	if below {
		inner := &mathParser{src: under, depth: p.depth + 1, script: 1}
		sub = inner.row(func(mathTok) bool { return false })
		if inner.err != nil {
			p.fail("under an arrow: %v", inner.err)
		}
	}
	return mathScripts(op, sub, wide, true)
}

// length reads the argument of a space command: {1em} or a bare 1em.
func (p *mathParser) length() *mathNode {
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
		for j := 0; j < 2 && i < len(rest) && mathIsLetter(rest[i]); j++ {
			i++
		}
		s = rest[lead:i]
		p.pos += i
	}
	return mathSpace(mathLength(s))
}
