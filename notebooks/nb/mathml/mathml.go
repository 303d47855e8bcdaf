package mathml

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb/sanitize"
)

// mathMaxSource bounds the formula that is converted: longer input is shown as source.
const mathMaxSource = 32 << 10

// FromLaTeX converts a formula in LaTeX, without its delimiters, to a MathML element that draws in
// every current browser without a script (MathML Core, W3C 2024). It never fails: an unknown
// command is drawn as its own source in red, and a formula that cannot be parsed is drawn as
// source as a whole, with the reason in its title.
func FromLaTeX(tex string, display bool) string {
	tex = strings.TrimSpace(sanitize.Text(tex))
	root, err := mathParse(tex, display)
	if err != nil {
		root = &mathNode{tag: "mtext", text: tex}
		root.set("class", "tex-error")
		root.set("title", err.Error())
	}
	math := &mathNode{tag: "math", kids: []*mathNode{root}}
	if display {
		math.set("display", "block")
	}
	math.set("alttext", tex)
	var b strings.Builder
	math.write(&b)
	return b.String()
}

func mathParse(tex string, display bool) (*mathNode, error) {
	if len(tex) > mathMaxSource {
		return nil, fmt.Errorf("nb: formula of %d bytes, want at most %d, split it", len(tex), mathMaxSource)
	}
	p := &mathParser{src: tex, display: display}
	n := p.formula()
	return n, p.err
}

// Environment says whether FromLaTeX knows an environment, such as align or pmatrix*, and whether a formula that is nothing else is
// displayed, on lines of its own.
func Environment(name string) (display, known bool) {
	e, known := mathEnvironments[strings.TrimSuffix(name, "*")]
	return e.display || e.class == "tex-matrix" || e.class == "tex-cases", known
}
