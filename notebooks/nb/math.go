package nb

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb/sanitize"
)

// mathMaxSource bounds the formula that is converted: longer input is shown as source.
const mathMaxSource = 32 << 10

// mathML converts a formula in LaTeX, without its delimiters, to a MathML element that draws in
// every current browser without a script (MathML Core, W3C 2024). It never fails: an unknown
// command is drawn as its own source in red, and a formula that cannot be parsed is drawn as
// source as a whole, with the reason in its title.
func mathML(tex string, display bool) string {
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

// mathPlain is the text of a formula for places that take no markup, such as the page title.
func mathPlain(tex string) string {
	root, err := mathParse(strings.TrimSpace(sanitize.Text(tex)), false)
	if err != nil {
		return tex
	}
	var b strings.Builder
	root.plain(&b)
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
