package mathml

import "strings"

// mathClass is TeX's class of an atom (Knuth, The TeXbook, chapter 17); it decides the spacing.
type mathClass int

const (
	mathOrd mathClass = iota
	mathOp
	mathBin
	mathRel
	mathOpen
	mathClose
	mathPunct
	mathInner
	mathSkip // a space: other atoms look through it
)

// mathNode is a MathML element. Attributes are name, value pairs in order.
type mathNode struct {
	tag   string
	attrs []string
	text  string
	kids  []*mathNode

	class  mathClass
	limits bool      // scripts go under and over in display style
	stack  bool      // scripts always go under and over (\underbrace, \limits)
	letter bool      // a letter that merges with its neighbours in \mathrm and the like
	core   *mathNode // the operator that an element with scripts embellishes
}

func mathLeaf(tag, text string, c mathClass) *mathNode {
	return &mathNode{tag: tag, text: text, class: c}
}

func mathElem(tag string, kids ...*mathNode) *mathNode {
	return &mathNode{tag: tag, kids: kids}
}

// mathGroup is one node for a list: the node itself when there is just one.
func mathGroup(kids []*mathNode) *mathNode {
	if len(kids) == 1 {
		return kids[0]
	}
	return mathElem("mrow", kids...)
}

func mathSpace(width string) *mathNode {
	n := mathLeaf("mspace", "", mathSkip)
	n.set("width", width)
	return n
}

func (n *mathNode) set(name, value string) *mathNode {
	for i := 0; i < len(n.attrs); i += 2 {
		if n.attrs[i] == name {
			n.attrs[i+1] = value
			return n
		}
	}
	n.attrs = append(n.attrs, name, value)
	return n
}

// operator is the mo element that carries the spacing of n, or nil.
func (n *mathNode) operator() *mathNode {
	for n.core != nil {
		n = n.core
	}
	if n.tag == "mo" {
		return n
	}
	return nil
}

func (n *mathNode) pad(left, right string) {
	if op := n.operator(); op != nil {
		if left != "" {
			op.set("lspace", left)
		}
		if right != "" {
			op.set("rspace", right)
		}
	}
}

func (n *mathNode) write(b *strings.Builder) {
	b.WriteString("<" + n.tag)
	for i := 0; i+1 < len(n.attrs); i += 2 {
		b.WriteString(" " + n.attrs[i] + `="`)
		mathEscape.WriteString(b, n.attrs[i+1])
		b.WriteString(`"`)
	}
	b.WriteString(">")
	mathEscape.WriteString(b, n.text)
	for _, k := range n.kids {
		k.write(b)
	}
	b.WriteString("</" + n.tag + ">")
}

var mathEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
