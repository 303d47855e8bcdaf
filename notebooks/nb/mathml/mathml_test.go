package mathml

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// wellFormed is the reason why s is not well-formed XML, or nil.
func wellFormed(s string) error {
	d := xml.NewDecoder(strings.NewReader(s))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// inside is the content of the math element.
func inside(s string) string {
	s = s[strings.Index(s, ">")+1:]
	return strings.TrimSuffix(s, "</math>")
}

// TestMathByHand holds MathML that was written from the MathML Core specification.
func TestMathByHand(t *testing.T) {
	for _, c := range []struct {
		name, tex string
		display   bool
		want      string
	}{
		{"letter", `x`, false, `<mi>x</mi>`},
		{"number", `3.14`, false, `<mn>3.14</mn>`},
		{"superscript", `x^2`, false, `<msup><mi>x</mi><mn>2</mn></msup>`},
		{"one digit is the script", `x^12`, false, `<mrow><msup><mi>x</mi><mn>1</mn></msup><mn>2</mn></mrow>`},
		{"both scripts", `x_i^2`, false, `<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>`},
		{"order of scripts", `x^2_i`, false, `<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>`},
		{"epsilon", `\epsilon\varepsilon`, false, `<mrow><mi>ϵ</mi><mi>ε</mi></mrow>`},
		{"phi", `\phi\varphi`, false, `<mrow><mi>ϕ</mi><mi>φ</mi></mrow>`},
		{"capital is upright", `\Gamma`, false, `<mi mathvariant="normal">Γ</mi>`},
		{"fraction", `\frac{a}{b}`, false, `<mfrac><mi>a</mi><mi>b</mi></mfrac>`},
		{"fraction of digits", `\frac12`, false, `<mfrac><mn>1</mn><mn>2</mn></mfrac>`},
		{"root", `\sqrt{x}`, false, `<msqrt><mi>x</mi></msqrt>`},
		{"subtraction", `a-b`, false, `<mrow><mi>a</mi><mo>−</mo><mi>b</mi></mrow>`},
		{"sign", `-b`, false, `<mrow><mo lspace="0" rspace="0">−</mo><mi>b</mi></mrow>`},
		{"limits in display", `\sum_i`, true, `<munder><mo lspace="0" rspace="0">∑</mo><mi>i</mi></munder>`},
		{"limits inline", `\sum_i`, false, `<msub><mo lspace="0" rspace="0">∑</mo><mi>i</mi></msub>`},
		{"integral keeps its scripts", `\int_0^1`, true, `<msubsup><mo lspace="0" rspace="0">∫</mo><mn>0</mn><mn>1</mn></msubsup>`},
		{"max in display", `\max_x`, true, `<munder><mi>max</mi><mi>x</mi></munder>`},
		{"blackboard", `\mathbb{R}\mathbb{E}\mathbb 1`, false, `<mrow><mi>ℝ𝔼</mi><mn>𝟙</mn></mrow>`},
		{"calligraphic", `\mathcal{M}`, false, `<mi>ℳ</mi>`},
		{"bold", `\mathbf{x}`, false, `<mi>𝐱</mi>`},
		{"bold Greek", `\boldsymbol{\theta}`, false, `<mi>𝜽</mi>`},
		{"word", `\mathrm{Var}`, false, `<mi>Var</mi>`},
		{"prime", `D'`, false, `<mrow><mi>D</mi><mo lspace="0" rspace="0">′</mo></mrow>`},
		{"text keeps spaces", `\text{ if }`, false, "<mtext>\u00a0if\u00a0</mtext>"},
		{"unknown command", `\foo`, false, `<mtext class="tex-error" title="unknown command">\foo</mtext>`},
		{"escapes", `\%\_\{\}`, false, `<mrow><mi mathvariant="normal">%</mi><mi mathvariant="normal">_</mi><mo stretchy="false">{</mo><mo stretchy="false">}</mo></mrow>`},
		{"markup in the source", `a<b`, false, `<mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := inside(FromLaTeX(c.tex, c.display))
			if got != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.tex, got, c.want)
			}
		})
	}
}

// TestMathGolden compares formulas, one a line of testdata/math.tex (display style), with
// testdata/math.golden, which was reviewed by eye in a browser.
func TestMathGolden(t *testing.T) {
	source, err := os.ReadFile("testdata/math.tex")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	n := 0
	for line := range strings.Lines(string(source)) {
		tex := strings.TrimSpace(line)
		if tex == "" {
			continue
		}
		n++
		got := FromLaTeX(tex, true)
		if err := wellFormed(got); err != nil {
			t.Errorf("%s: %v", tex, err)
		}
		if strings.Contains(got, "tex-error") {
			t.Errorf("%s is not understood: %s", tex, got)
		}
		out.WriteString(tex + "\n\t" + inside(got) + "\n")
	}
	if n < 60 {
		t.Errorf("%d formulas, want at least 60", n)
	}
	golden(t, "testdata/math.golden", out.String())
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			t.Fatalf("%s, line %d (run with -update and review the diff)\n got %s\nwant %s", path, i+1, strings.Join(g[min(i, len(g)):min(i+1, len(g))], ""), strings.Join(w[min(i, len(w)):min(i+1, len(w))], ""))
		}
	}
}

// TestMathBroken: a formula that cannot be parsed is drawn as its source.
func TestMathBroken(t *testing.T) {
	for _, tex := range []string{`\frac{a`, `a}`, `\left( x`, `x \right)`, `x^1^2`, `\begin{foo}x\end{foo}`, `\begin{pmatrix}x`, `\begin{cases}x\end{pmatrix}`, `a & {b & c}`, `\frac`, `x^`, `\`, strings.Repeat("{", 300), strings.Repeat("x", maxSource+1)} {
		got := FromLaTeX(tex, true)
		if err := wellFormed(got); err != nil {
			t.Errorf("%.40s: %v", tex, err)
		}
		if !strings.Contains(got, `<mtext class="tex-error"`) || !strings.Contains(got, escaper.Replace(strings.TrimSpace(tex))) {
			t.Errorf("%.40s: got %.200s, want its source in red", tex, got)
		}
	}
}

func TestEnvironment(t *testing.T) {
	for _, c := range []struct {
		name           string
		display, known bool
	}{{"align*", true, true}, {"pmatrix", true, true}, {"cases", true, true}, {"math", false, true}, {"itemize", false, false}, {"", false, false}} {
		if display, known := Environment(c.name); display != c.display || known != c.known {
			t.Errorf("%q: got %t, %t, want %t, %t", c.name, display, known, c.display, c.known)
		}
	}
}

// FuzzMathML: no input panics, and the output is well-formed XML.
func FuzzMathML(f *testing.F) {
	for _, tex := range []string{`\frac{a}{b}_i^2`, `\left[\begin{array}{r|c}1&2\\3&4\end{array}\right.`, `\sqrt[n]{\hat{x}'}`, `\text{if $x$} \tag{1}`, `a \over b \choose c`, `\big\langle \mathbb{E}`, "\\x\xff\x00<&>\"", `\\\\[2pt]`} {
		f.Add(tex, true)
	}
	f.Fuzz(func(t *testing.T, tex string, display bool) {
		out := FromLaTeX(tex, display)
		if err := wellFormed(out); err != nil {
			t.Fatalf("%q: %v in %q", tex, err, out)
		}
	})
}
