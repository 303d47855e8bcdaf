package mathml

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb/sanitize"
)

// maxSource bounds the formula that is converted: longer input is shown as source.
const maxSource = 32 << 10

// FromLaTeX converts a formula in LaTeX, without its delimiters, to a MathML element that draws in
// every current browser without a script (MathML Core, W3C 2024). It never fails: an unknown
// command is drawn as its own source in red, and a formula that cannot be parsed is drawn as
// source as a whole, with the reason in its title.
func FromLaTeX(tex string, display bool) string {
	tex = strings.TrimSpace(sanitize.Text(tex))
	root, err := parse(tex, display)
	if err != nil {
		root = &node{tag: "mtext", text: tex}
		root.set("class", "tex-error")
		root.set("title", err.Error())
	}
	math := &node{tag: "math", kids: []*node{root}}
	if display {
		math.set("display", "block")
	}
	math.set("alttext", tex)
	var b strings.Builder
	math.write(&b)
	return b.String()
}

func parse(tex string, display bool) (*node, error) {
	if len(tex) > maxSource {
		return nil, fmt.Errorf("nb: formula of %d bytes, want at most %d, split it", len(tex), maxSource)
	}
	p := &parser{src: tex, display: display}
	n := p.formula()
	return n, p.err
}

// Environment says whether FromLaTeX knows an environment, such as align or pmatrix*, and whether a formula that is nothing else is
// displayed, on lines of its own.
func Environment(name string) (display, known bool) {
	e, known := environments[strings.TrimSuffix(name, "*")]
	return e.display || e.class == "tex-matrix" || e.class == "tex-cases", known
}
