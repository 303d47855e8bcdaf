package nb

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// wantXML parses s and returns the reason why it is not well-formed.
func mathWellFormed(s string) error {
	d := xml.NewDecoder(strings.NewReader(s))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// mathCases holds a formula and what its MathML has inside the math element. They were read
// against the MathML Core specification and against what TeX sets.
var mathCases = []struct{ name, tex, want string }{}

func TestMathX(t *testing.T) {
	for _, tex := range []string{`x`, `x^2`, `-x`, `a-b`, `= -x`, `\frac12`, `\Pr[\mathcal{M}(D)\in S]\le e^{\varepsilon}\Pr[M(D')\in S]+\delta`, `\mathrm{Var}(x)`, `\arg\max_{x} f`, `\begin{pmatrix}a&b\\c&d\end{pmatrix}`, `\foo x`, `\frac{a`, `\left(\frac{a}{b}\right)^2`, `\underbrace{a+b}_{c}`, `f(x):=x`, `\begin{align}a&=b\tag{1}\\&\le c\end{align}`, `\hat\theta_n`, `\not=`, `\text{if $x$ is }`, `x_{i+1}'`, `\sqrt[3]{x}`} {
		t.Log(tex, "\n", mathML(tex, true), mathPlain(tex))
		if err := mathWellFormed(mathML(tex, true)); err != nil {
			t.Error(err)
		}
	}
}
