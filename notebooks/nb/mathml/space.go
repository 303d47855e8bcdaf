package mathml

// space sets the spacing between the atoms of a row as TeX does, where it differs from what
// MathML does by itself, and merges the letters of \mathrm and the like into words.
func (p *parser) space(items []*node) []*node {
	items = mergeLetters(items)
	at := func(i, step int) *node {
		for i += step; i >= 0 && i < len(items); i += step {
			if items[i].class != classSkip {
				return items[i]
			}
		}
		return nil
	}
	var out []*node
	for i, n := range items {
		prev, next := at(i, -1), at(i, 1)
		gap := "" // around an operator with scripts, where browsers differ about its own spacing
		if n.core != nil && n.operator() != nil && p.script == 0 {
			n.pad("0", "0")
			gap = map[atomClass]string{classBin: "0.2222em", classRel: "0.2778em"}[n.class]
		}
		switch n.class {
		case classBin:
			if prev == nil || next == nil || classIn(prev, classBin, classOp, classRel, classOpen, classPunct) || classIn(next, classRel, classClose, classPunct) {
				n.class = classOrd // a sign, not an operation
				gap = ""
				n.pad("0", "0")
			} else if p.script > 0 {
				n.pad("0", "0")
			}
		case classRel:
			if op := n.operator(); op != nil && (prev == nil || next == nil) {
				op.set("form", "infix")
			}
			if p.script > 0 {
				n.pad("0", "0")
			} else if prev != nil && prev.class == classRel {
				prev.pad("", "0")
				n.pad("0", "")
			}
		case classOp:
			if p.script == 0 && (n.operator() == nil || n.core != nil) && prev != nil && classIn(prev, classOrd, classClose, classInner) {
				out = append(out, space("0.1667em"))
			}
			out = append(out, n)
			if p.script == 0 && (n.operator() == nil || n.core != nil) && next != nil && classIn(next, classOrd, classOp, classInner) {
				out = append(out, space("0.1667em"))
			}
			continue
		case classPunct:
			if p.script > 0 {
				n.pad("0", "0")
			}
		}
		if gap != "" {
			out = append(out, space(gap), n, space(gap))
			continue
		}
		out = append(out, n)
	}
	return out
}

func classIn(n *node, classes ...atomClass) bool {
	for _, c := range classes {
		if n.class == c {
			return true
		}
	}
	return false
}

func mergeLetters(items []*node) []*node {
	var out []*node
	for _, n := range items {
		if last := len(out) - 1; n.letter && last >= 0 && out[last].letter {
			merged := leaf("mi", out[last].text+n.text, classOrd)
			merged.letter = true
			out[last] = merged
			continue
		}
		out = append(out, n)
	}
	return out
}
