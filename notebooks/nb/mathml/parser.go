package mathml

import (
	"fmt"
	"strings"
	"unicode"
)

// mathMaxDepth bounds the nesting of groups, so that no input can exhaust the stack.
const mathMaxDepth = 80

// mathParser is a recursive-descent parser of the LaTeX subset that notebooks use.
type mathParser struct {
	src     string
	pos     int
	depth   int
	display bool   // display style: limits go under and over
	script  int    // nesting of scripts: inner spacing is tight
	font    string // current alphabet: "", rm, bf, it, bi, bb, cal, frak, sf, tt
	tag     string // \tag of the current row
	err     error
}

// fail records the first error and ends the input.
func (p *mathParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("nb: formula: "+format, args...)
	}
	p.pos = len(p.src)
}

// formula parses the whole input: one row, or several as in an implicit aligned block.
func (p *mathParser) formula() *mathNode {
	rows := p.rows(func(mathTok) bool { return false })
	if p.err != nil {
		return nil
	}
	if len(rows) == 1 && len(rows[0].kids) == 1 && rows[0].tag == "mtr" {
		return mathGroup(rows[0].kids[0].kids)
	}
	class := "tex-gather"
	for _, r := range rows {
		if len(r.kids) > 1 {
			class = "tex-align"
		}
	}
	return p.table(rows, class).set("displaystyle", "true")
}

// row parses atoms up to a token that stop accepts, which stays unread.
func (p *mathParser) row(stop func(mathTok) bool) *mathNode {
	display, font := p.display, p.font
	defer func() { p.display, p.font = display, font }()
	if p.depth++; p.depth > mathMaxDepth {
		p.fail("nested deeper than %d", mathMaxDepth)
	}
	defer func() { p.depth-- }()
	var items []*mathNode
loop:
	for {
		t := p.peek()
		if t.kind == 0 || stop(t) {
			break
		}
		switch {
		case t.kind == '}', t.kind == '&', t.is("right"), t.is("end"), t.is("\\"), t.is("cr"), t.is("newline"):
			p.fail("%q has no partner here", p.src[p.pos:t.end])
		case t.is("over"), t.is("choose"), t.is("atop"):
			p.next()
			top := mathGroup(p.space(items))
			items = []*mathNode{mathOver(t.text, top, p.row(stop))}
			break loop
		case t.is("displaystyle"), t.is("textstyle"), t.is("scriptstyle"), t.is("scriptscriptstyle"):
			p.next()
			p.display = t.text == "displaystyle"
			style := mathElem("mstyle", p.row(stop)).set("displaystyle", fmt.Sprint(p.display))
			if strings.HasPrefix(t.text, "script") {
				style.set("scriptlevel", "1")
			}
			items = append(items, style)
			break loop
		case t.kind == '\\' && mathFontSwitch[t.text] != "":
			p.next()
			p.font = mathFontSwitch[t.text]
		default:
			if n := p.scripted(); n != nil {
				items = append(items, n)
			}
		}
	}
	return mathElem("mrow", p.space(items)...)
}

// scripted parses an atom with its primes, subscript and superscript.
func (p *mathParser) scripted() *mathNode {
	base := p.atom()
	var sub, sup *mathNode
	primes := 0
	for {
		switch t := p.peek(); {
		case t.kind == '\'':
			p.next()
			primes++
			continue
		case t.kind == '^' && sup == nil:
			p.next()
			sup = p.scriptArg()
			continue
		case t.kind == '_' && sub == nil:
			p.next()
			sub = p.scriptArg()
			continue
		case t.kind == '^', t.kind == '_':
			p.fail("double %q script, want braces", t.text)
		case t.is("limits") && base != nil:
			p.next()
			base.stack = true
			continue
		case t.is("nolimits") && base != nil:
			p.next()
			base.stack, base.limits = false, false
			continue
		}
		break
	}
	if primes > 0 {
		// The glyph is raised by itself: as a superscript it would shrink and be lost in limits.
		mark := mathLeaf("mo", mathPrimes(primes), mathOrd).set("lspace", "0").set("rspace", "0")
		if base == nil {
			base = mark
		} else {
			primed := mathElem("mrow", base, mark)
			primed.class, primed.limits, primed.stack = base.class, base.limits, base.stack
			base = primed
		}
	}
	if sub == nil && sup == nil {
		return base
	}
	if base == nil {
		base = mathElem("mrow")
	}
	return mathScripts(base, sub, sup, base.stack || base.limits && p.display)
}

func mathScripts(base, sub, sup *mathNode, stacked bool) *mathNode {
	tag := "msub"
	if stacked {
		tag = "munder"
	}
	kids := []*mathNode{base}
	if sub != nil {
		kids = append(kids, sub)
	}
	if sup != nil {
		kids = append(kids, sup)
		switch {
		case sub != nil && stacked:
			tag = "munderover"
		case sub != nil:
			tag = "msubsup"
		case stacked:
			tag = "mover"
		default:
			tag = "msup"
		}
	}
	if op := base.operator(); op != nil && base.stack {
		op.set("movablelimits", "false")
	}
	return &mathNode{tag: tag, kids: kids, class: base.class, core: base}
}

func mathPrimes(n int) string {
	marks := []string{"", "′", "″", "‴", "⁗"}
	if n < len(marks) {
		return marks[n]
	}
	return strings.Repeat("′", min(n, 16))
}

// scriptArg parses an argument in script style.
func (p *mathParser) scriptArg() *mathNode {
	display := p.display
	p.display = false
	p.script++
	n := p.arg()
	p.script--
	p.display = display
	return n
}

// arg parses a macro argument: a group or one token.
func (p *mathParser) arg() *mathNode {
	t := p.peek()
	switch {
	case t.kind == 'n': // one digit, as in \frac12
		p.pos = t.end - len(t.text) + 1
		return p.number(t.text[:1])
	case t.kind == 0, strings.IndexByte("}&^_", t.kind) >= 0, t.is("right"), t.is("end"), t.is("\\"):
		p.fail("an argument is missing")
		return mathElem("mrow")
	}
	if p.depth++; p.depth > mathMaxDepth {
		p.fail("nested deeper than %d", mathMaxDepth)
	}
	defer func() { p.depth-- }()
	if t.kind == '\'' {
		p.next()
		return mathLeaf("mo", "′", mathOrd)
	}
	if n := p.atom(); n != nil {
		return n
	}
	return mathElem("mrow")
}

// text style argument of a fraction and the like.
func (p *mathParser) innerArg(display bool) *mathNode {
	saved := p.display
	p.display = display
	n := p.arg()
	p.display = saved
	return n
}

// fontArg parses an argument in another alphabet.
func (p *mathParser) fontArg(font string) *mathNode {
	saved := p.font
	p.font = font
	n := p.arg()
	p.font = saved
	return n
}

// atom parses one nucleus. It returns nil for a command that draws nothing, and for a script
// without a base, which stays unread.
func (p *mathParser) atom() *mathNode {
	t := p.peek()
	if t.kind == '^' || t.kind == '_' || t.kind == '\'' || t.kind == 0 {
		return nil
	}
	p.pos = t.end
	switch t.kind {
	case '{':
		n := p.row(func(t mathTok) bool { return t.kind == '}' })
		if p.next().kind != '}' {
			p.fail("a closing brace is missing")
		}
		return mathBraced(n)
	case '~':
		return mathLeaf("mtext", "\u00a0", mathSkip)
	case 'n':
		return p.number(t.text)
	case '\\':
		return p.command(t.text)
	}
	return p.char([]rune(t.text)[0])
}

// mathBraced is a group as one ordinary atom: {=} and {,} lose their spacing.
func mathBraced(row *mathNode) *mathNode {
	if len(row.kids) != 1 {
		return row
	}
	n := row.kids[0]
	switch n.class {
	case mathBin, mathRel, mathPunct:
		n.pad("0", "0")
		n.class = mathOrd
		return n
	case mathSkip:
		return row
	}
	return n
}

func (p *mathParser) number(s string) *mathNode {
	if p.font == "" || p.font == "it" || p.font == "rm" {
		return mathLeaf("mn", s, mathOrd)
	}
	return mathLeaf("mn", mathAlphabet(p.font, s), mathOrd)
}

func (p *mathParser) char(r rune) *mathNode {
	if r == '-' {
		return mathLeaf("mo", "−", mathBin)
	}
	if s, ok := mathChars[r]; ok {
		return mathOperator(s, s.class)
	}
	if s, ok := mathSymbols().byRune[r]; ok {
		return p.symbol(s)
	}
	if unicode.IsLetter(r) {
		return p.identifier(string(r))
	}
	return mathLeaf("mi", string(r), mathOrd).set("mathvariant", "normal")
}

// identifier is a letter in the current alphabet. A browser draws a single letter in an mi in
// italics, several upright.
func (p *mathParser) identifier(s string) *mathNode {
	n := mathLeaf("mi", s, mathOrd)
	n.letter = p.font != ""
	if p.font == "rm" {
		return n.set("mathvariant", "normal")
	}
	n.text = mathAlphabet(p.font, s)
	return n
}

func (p *mathParser) symbol(s mathSymbol) *mathNode {
	switch {
	case s.letter:
		n := p.identifier(s.text)
		if r := []rune(s.text)[0]; p.font == "" && unicode.IsUpper(r) && unicode.Is(unicode.Greek, r) {
			n.set("mathvariant", "normal") // TeX draws Greek capitals upright
		}
		return n
	case s.class == mathOrd:
		return mathLeaf("mi", s.text, mathOrd).set("mathvariant", "normal")
	}
	return mathOperator(s, s.class)
}
