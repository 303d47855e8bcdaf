package mathml_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/notebooks/nb/mathml"
)

// A formula, and a command that is not known: it is drawn as its own source.
func ExampleFromLaTeX() {
	fmt.Println(mathml.FromLaTeX(`\frac{1}{2}`, false))
	fmt.Println(mathml.FromLaTeX(`\foo`, true))
	// Output:
	// <math alttext="\frac{1}{2}"><mfrac><mn>1</mn><mn>2</mn></mfrac></math>
	// <math display="block" alttext="\foo"><mtext class="tex-error" title="unknown command">\foo</mtext></math>
}
