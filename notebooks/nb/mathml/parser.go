package mathml

import (
	"fmt"
	"strings"
	"unicode"
)

// maxDepth bounds the nesting of groups, so that no input can exhaust the stack.
const maxDepth = 80

// parser is a recursive-descent parser of the LaTeX subset that notebooks use.
type parser struct {
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
func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("nb: formula: "+format, args...)
	}
	p.pos = len(p.src)
}

// formula parses the whole input: one row, or several as in an implicit aligned block.
func (p *parser) formula() *node {
	rows := p.rows(func(token) bool { return false })
	if p.err != nil {
		return nil
	}
	if len(rows) == 1 && len(rows[0].kids) == 1 && rows[0].tag == "mtr" {
		return group(rows[0].kids[0].kids)
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
func (p *parser) row(stop func(token) bool) *node {
	display, font := p.display, p.font
	defer func() { p.display, p.font = display, font }()
	if p.depth++; p.depth > maxDepth {
		p.fail("nested deeper than %d", maxDepth)
	}
	defer func() { p.depth-- }()
	var items []*node
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
			top := group(p.space(items))
			items = []*node{generalFraction(t.text, top, p.row(stop))}
			break loop
		case t.is("displaystyle"), t.is("textstyle"), t.is("scriptstyle"), t.is("scriptscriptstyle"):
			p.next()
			p.display = t.text == "displaystyle"
			style := elem("mstyle", p.row(stop)).set("displaystyle", fmt.Sprint(p.display))
			if strings.HasPrefix(t.text, "script") {
				style.set("scriptlevel", "1")
			}
			items = append(items, style)
			break loop
		case t.kind == '\\' && fontSwitch[t.text] != "":
			p.next()
			p.font = fontSwitch[t.text]
		default:
			if n := p.scripted(); n != nil {
				items = append(items, n)
			}
		}
	}
	return elem("mrow", p.space(items)...)
}

// scripted parses an atom with its primes, subscript and superscript.
func (p *parser) scripted() *node {
	base := p.atom()
	var sub, sup *node
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
		mark := leaf("mo", primeMarks(primes), classOrd).set("lspace", "0").set("rspace", "0")
		if base == nil {
			base = mark
		} else {
			primed := elem("mrow", base, mark)
			primed.class, primed.limits, primed.stack = base.class, base.limits, base.stack
			base = primed
		}
	}
	if sub == nil && sup == nil {
		return base
	}
	if base == nil {
		base = elem("mrow")
	}
	return scripts(base, sub, sup, base.stack || base.limits && p.display)
}

func scripts(base, sub, sup *node, stacked bool) *node {
	tag := "msub"
	if stacked {
		tag = "munder"
	}
	kids := []*node{base}
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
	return &node{tag: tag, kids: kids, class: base.class, core: base}
}

func primeMarks(n int) string {
	marks := []string{"", "′", "″", "‴", "⁗"}
	if n < len(marks) {
		return marks[n]
	}
	return strings.Repeat("′", min(n, 16))
}

// scriptArg parses an argument in script style.
func (p *parser) scriptArg() *node {
	display := p.display
	p.display = false
	p.script++
	n := p.arg()
	p.script--
	p.display = display
	return n
}

// arg parses a macro argument: a group or one token.
func (p *parser) arg() *node {
	t := p.peek()
	switch {
	case t.kind == 'n': // one digit, as in \frac12
		p.pos = t.end - len(t.text) + 1
		return p.number(t.text[:1])
	case t.kind == 0, strings.IndexByte("}&^_", t.kind) >= 0, t.is("right"), t.is("end"), t.is("\\"):
		p.fail("an argument is missing")
		return elem("mrow")
	}
	if p.depth++; p.depth > maxDepth {
		p.fail("nested deeper than %d", maxDepth)
	}
	defer func() { p.depth-- }()
	if t.kind == '\'' {
		p.next()
		return leaf("mo", "′", classOrd)
	}
	if n := p.atom(); n != nil {
		return n
	}
	return elem("mrow")
}

// innerArg is the argument of a fraction and the like, in text style.
func (p *parser) innerArg(display bool) *node {
	saved := p.display
	p.display = display
	n := p.arg()
	p.display = saved
	return n
}

// fontArg parses an argument in another alphabet.
func (p *parser) fontArg(font string) *node {
	saved := p.font
	p.font = font
	n := p.arg()
	p.font = saved
	return n
}

// atom parses one nucleus. It returns nil for a command that draws nothing, and for a script
// without a base, which stays unread.
func (p *parser) atom() *node {
	t := p.peek()
	if t.kind == '^' || t.kind == '_' || t.kind == '\'' || t.kind == 0 {
		return nil
	}
	p.pos = t.end
	switch t.kind {
	case '{':
		n := p.row(func(t token) bool { return t.kind == '}' })
		if p.next().kind != '}' {
			p.fail("a closing brace is missing")
		}
		return braced(n)
	case '~':
		return leaf("mtext", "\u00a0", classSkip)
	case 'n':
		return p.number(t.text)
	case '\\':
		return p.command(t.text)
	}
	return p.char([]rune(t.text)[0])
}

// braced is a group as one ordinary atom: {=} and {,} lose their spacing.
func braced(row *node) *node {
	if len(row.kids) != 1 {
		return row
	}
	n := row.kids[0]
	switch n.class {
	case classBin, classRel, classPunct:
		n.pad("0", "0")
		n.class = classOrd
		return n
	case classSkip:
		return row
	}
	return n
}

func (p *parser) number(s string) *node {
	if p.font == "" || p.font == "it" || p.font == "rm" {
		return leaf("mn", s, classOrd)
	}
	return leaf("mn", alphabet(p.font, s), classOrd)
}

func (p *parser) char(r rune) *node {
	if r == '-' {
		return leaf("mo", "−", classBin)
	}
	if s, ok := chars[r]; ok {
		return operator(s, s.class)
	}
	if s, ok := symbols().byRune[r]; ok {
		return p.symbol(s)
	}
	if unicode.IsLetter(r) {
		return p.identifier(string(r))
	}
	return leaf("mi", string(r), classOrd).set("mathvariant", "normal")
}

// identifier is a letter in the current alphabet. A browser draws a single letter in an mi in
// italics, several upright.
func (p *parser) identifier(s string) *node {
	n := leaf("mi", s, classOrd)
	n.letter = p.font != ""
	if p.font == "rm" {
		return n.set("mathvariant", "normal")
	}
	n.text = alphabet(p.font, s)
	return n
}

func (p *parser) symbol(s symbol) *node {
	switch {
	case s.letter:
		n := p.identifier(s.text)
		if r := []rune(s.text)[0]; p.font == "" && unicode.IsUpper(r) && unicode.Is(unicode.Greek, r) {
			n.set("mathvariant", "normal") // TeX draws Greek capitals upright
		}
		return n
	case s.class == classOrd:
		return leaf("mi", s.text, classOrd).set("mathvariant", "normal")
	}
	return operator(s, s.class)
}
