package mathml

// space sets the spacing between the atoms of a row as TeX does, where it differs from what
// MathML does by itself, and merges the letters of \mathrm and the like into words.
func (p *mathParser) space(items []*mathNode) []*mathNode {
	items = mathMergeLetters(items)
	at := func(i, step int) *mathNode {
		for i += step; i >= 0 && i < len(items); i += step {
			if items[i].class != mathSkip {
				return items[i]
			}
		}
		return nil
	}
	var out []*mathNode
	for i, n := range items {
		prev, next := at(i, -1), at(i, 1)
		gap := "" // around an operator with scripts, where browsers differ about its own spacing
		if n.core != nil && n.operator() != nil && p.script == 0 {
			n.pad("0", "0")
			gap = map[mathClass]string{mathBin: "0.2222em", mathRel: "0.2778em"}[n.class]
		}
		switch n.class {
		case mathBin:
			if prev == nil || next == nil || mathClassIn(prev, mathBin, mathOp, mathRel, mathOpen, mathPunct) || mathClassIn(next, mathRel, mathClose, mathPunct) {
				n.class = mathOrd // a sign, not an operation
				gap = ""
				n.pad("0", "0")
			} else if p.script > 0 {
				n.pad("0", "0")
			}
		case mathRel:
			if op := n.operator(); op != nil && (prev == nil || next == nil) {
				op.set("form", "infix")
			}
			if p.script > 0 {
				n.pad("0", "0")
			} else if prev != nil && prev.class == mathRel {
				prev.pad("", "0")
				n.pad("0", "")
			}
		case mathOp:
			if p.script == 0 && (n.operator() == nil || n.core != nil) && prev != nil && mathClassIn(prev, mathOrd, mathClose, mathInner) {
				out = append(out, mathSpace("0.1667em"))
			}
			out = append(out, n)
			if p.script == 0 && (n.operator() == nil || n.core != nil) && next != nil && mathClassIn(next, mathOrd, mathOp, mathInner) {
				out = append(out, mathSpace("0.1667em"))
			}
			continue
		case mathPunct:
			if p.script > 0 {
				n.pad("0", "0")
			}
		}
		if gap != "" {
			out = append(out, mathSpace(gap), n, mathSpace(gap))
			continue
		}
		out = append(out, n)
	}
	return out
}

func mathClassIn(n *mathNode, classes ...mathClass) bool {
	for _, c := range classes {
		if n.class == c {
			return true
		}
	}
	return false
}

func mathMergeLetters(items []*mathNode) []*mathNode {
	var out []*mathNode
	for _, n := range items {
		if last := len(out) - 1; n.letter && last >= 0 && out[last].letter {
			merged := mathLeaf("mi", out[last].text+n.text, mathOrd)
			merged.letter = true
			out[last] = merged
			continue
		}
		out = append(out, n)
	}
	return out
}
