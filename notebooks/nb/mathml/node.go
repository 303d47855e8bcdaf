package mathml

import "strings"

// atomClass is TeX's class of an atom (Knuth, The TeXbook, chapter 17); it decides the spacing.
type atomClass int

const (
	classOrd atomClass = iota
	classOp
	classBin
	classRel
	classOpen
	classClose
	classPunct
	classInner
	classSkip // a space: other atoms look through it
)

// node is a MathML element. Attributes are name, value pairs in order.
type node struct {
	tag   string
	attrs []string
	text  string
	kids  []*node

	class  atomClass
	limits bool  // scripts go under and over in display style
	stack  bool  // scripts always go under and over (\underbrace, \limits)
	letter bool  // a letter that merges with its neighbours in \mathrm and the like
	core   *node // the operator that an element with scripts embellishes
}

func leaf(tag, text string, c atomClass) *node {
	return &node{tag: tag, text: text, class: c}
}

func elem(tag string, kids ...*node) *node {
	return &node{tag: tag, kids: kids}
}

// group is one node for a list: the node itself when there is just one.
func group(kids []*node) *node {
	if len(kids) == 1 {
		return kids[0]
	}
	return elem("mrow", kids...)
}

func space(width string) *node {
	n := leaf("mspace", "", classSkip)
	n.set("width", width)
	return n
}

func (n *node) set(name, value string) *node {
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
func (n *node) operator() *node {
	for n.core != nil {
		n = n.core
	}
	if n.tag == "mo" {
		return n
	}
	return nil
}

func (n *node) pad(left, right string) {
	if op := n.operator(); op != nil {
		if left != "" {
			op.set("lspace", left)
		}
		if right != "" {
			op.set("rspace", right)
		}
	}
}

func (n *node) write(b *strings.Builder) {
	b.WriteString("<" + n.tag)
	for i := 0; i+1 < len(n.attrs); i += 2 {
		b.WriteString(" " + n.attrs[i] + `="`)
		escaper.WriteString(b, n.attrs[i+1])
		b.WriteString(`"`)
	}
	b.WriteString(">")
	escaper.WriteString(b, n.text)
	for _, k := range n.kids {
		k.write(b)
	}
	b.WriteString("</" + n.tag + ">")
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
