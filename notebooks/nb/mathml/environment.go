package mathml

import "strings"

// environment says how an environment draws its rows.
type environment struct {
	open, close string
	class       string // of the table; its columns are aligned by the style sheet
	display     bool
}

var environments = map[string]environment{
	"matrix": {class: "tex-matrix"}, "smallmatrix": {class: "tex-matrix"}, "array": {class: "tex-matrix"}, "subarray": {class: "tex-matrix"},
	"pmatrix": {"(", ")", "tex-matrix", false}, "bmatrix": {"[", "]", "tex-matrix", false}, "Bmatrix": {"{", "}", "tex-matrix", false},
	"vmatrix": {"|", "|", "tex-matrix", false}, "Vmatrix": {"‖", "‖", "tex-matrix", false},
	"cases": {"{", "", "tex-cases", false}, "dcases": {"{", "", "tex-cases", true}, "rcases": {"", "}", "tex-cases", false},
	"aligned": {class: "tex-align", display: true}, "align": {class: "tex-align", display: true}, "alignat": {class: "tex-align", display: true},
	"alignedat": {class: "tex-align", display: true}, "flalign": {class: "tex-align", display: true},
	"split": {class: "tex-align", display: true}, "eqnarray": {class: "tex-align", display: true},
	"gather": {class: "tex-gather", display: true}, "gathered": {class: "tex-gather", display: true}, "multline": {class: "tex-gather", display: true},
	"equation": {class: "tex-gather", display: true}, "displaymath": {class: "tex-gather", display: true}, "math": {class: "tex-gather"},
}

// environment parses from after \begin{name} to \end{name}.
func (p *parser) environment(name string) *node {
	env, ok := environments[strings.TrimSuffix(name, "*")]
	if !ok {
		p.fail("environment %q is unknown", name)
		return nil
	}
	if p.depth++; p.depth > maxDepth {
		p.fail("nested deeper than %d", maxDepth)
	}
	defer func() { p.depth-- }()
	var columns string
	switch strings.TrimSuffix(name, "*") {
	case "array", "subarray", "alignat", "alignedat":
		p.optional()
		columns = p.raw()
	case "aligned", "gathered", "split":
		p.optional()
	}
	display, script := p.display, p.script
	p.display = env.display
	rows := p.rows(func(t token) bool { return t.is("end") })
	p.display, p.script = display, script
	if !p.next().is("end") {
		p.fail(`\begin{%s} has no \end`, name)
	} else if end := strings.TrimSpace(p.raw()); end != name && p.err == nil {
		p.fail(`\begin{%s} ends with \end{%s}`, name, end)
	}
	if p.err != nil {
		return nil
	}
	if n := strings.TrimSuffix(name, "*"); len(rows) == 1 && len(rows[0].kids) == 1 && (n == "equation" || n == "displaymath" || n == "math") {
		return elem("mrow", rows[0].kids[0].kids...)
	}
	table := p.table(rows, env.class)
	if strings.TrimSuffix(name, "*") == "array" {
		alignColumns(table, columns)
	}
	if env.display {
		table.set("displaystyle", "true")
	}
	if env.open == "" && env.close == "" {
		return table
	}
	n := elem("mrow")
	n.class = classInner
	if env.open != "" {
		n.kids = append(n.kids, fence(env.open, classOpen).set("stretchy", "true"))
	}
	n.kids = append(n.kids, table)
	if env.close != "" {
		n.kids = append(n.kids, fence(env.close, classClose).set("stretchy", "true"))
	}
	return n
}

// rows parses cells separated by & and rows separated by \\ up to a token that end accepts.
func (p *parser) rows(end func(token) bool) []*node {
	stop := func(t token) bool {
		return t.kind == '&' || t.is("\\") || t.is("cr") || t.is("newline") || end(t)
	}
	outer := p.tag
	p.tag = ""
	defer func() { p.tag = outer }()
	var rows []*node
	row := elem("mtr")
	for {
		cell := p.row(stop)
		cell.tag, cell.class = "mtd", classOrd
		row.kids = append(row.kids, cell)
		t := p.peek()
		if t.kind == '&' {
			p.next()
			continue
		}
		if p.tag != "" {
			cell.kids = append(cell.kids, space("2em"), leaf("mtext", "("+p.tag+")", classOrd).set("class", "tex-tag"))
			p.tag = ""
		}
		last := t.kind == 0 || end(t)
		if !last || len(rows) == 0 || len(row.kids) > 1 || len(cell.kids) > 0 {
			rows = append(rows, row)
		}
		if last {
			return rows
		}
		p.next()
		if p.pos < len(p.src) && p.src[p.pos] == '[' {
			p.optional() // \\[2pt]
		} else if p.pos < len(p.src) && p.src[p.pos] == '*' {
			p.pos++
		}
		row = elem("mtr")
	}
}

func (p *parser) table(rows []*node, class string) *node {
	return elem("mtable", rows...).set("class", class)
}

// alignColumns applies the column argument of an array: l, c, r and |.
func alignColumns(table *node, columns string) {
	var styles []string
	for _, c := range columns {
		switch c {
		case 'l', 'c', 'r':
			styles = append(styles, map[rune]string{'l': "tex-l", 'c': "tex-c", 'r': "tex-r"}[c])
		case '|':
			if len(styles) > 0 {
				styles[len(styles)-1] += " tex-bar"
			}
		}
	}
	for _, row := range table.kids {
		for i, cell := range row.kids {
			if i < len(styles) {
				cell.set("class", styles[i])
			}
		}
	}
}

// substack is the rows of a limit.
func (p *parser) substack() *node {
	if p.next().kind != '{' {
		p.fail(`\substack, want an argument in braces`)
		return nil
	}
	rows := p.rows(func(t token) bool { return t.kind == '}' })
	if p.next().kind != '}' {
		p.fail("a closing brace is missing")
	}
	return p.table(rows, "tex-gather")
}
