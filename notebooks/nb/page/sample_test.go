package page

import (
	"encoding/json"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// A grey square of one pixel.
const greyPixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="

func rawJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

func markdownCell(source string) *nb.Cell { return &nb.Cell{Type: "markdown", Source: source} }

func display(pairs ...string) nb.Output {
	o := nb.Output{Type: "display_data", Data: map[string]json.RawMessage{}, Metadata: map[string]json.RawMessage{}}
	for i := 0; i < len(pairs); i += 2 {
		o.Data[pairs[i]] = rawJSON(pairs[i+1])
	}
	return o
}

// sampleNotebook is a notebook with every kind of cell and output.
func sampleNotebook() *nb.Notebook {
	wide := "<table><thead><tr><th></th>"
	for i := range 18 {
		wide += "<th>column_" + string(rune('a'+i)) + "</th>"
	}
	wide += "</tr></thead><tbody>"
	for range 6 {
		wide += "<tr><th>row</th>" + strings.Repeat("<td>12.345</td>", 18) + "</tr>"
	}
	wide += "</tbody></table>"
	svg := `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="520" height="160" viewBox="0 0 520 160"><rect width="520" height="160" fill="#fff"/>
<defs><linearGradient id="g"><stop offset="0" stop-color="#0a6b5d"/><stop offset="1" stop-color="#6639ba"/></linearGradient></defs>
<path d="M10 150 C 120 150 160 20 260 20 S 400 150 510 150" fill="none" stroke="url(#g)" stroke-width="4"/><text x="16" y="24" font-family="sans-serif" font-size="14">loss density</text><script>alert(1)</script></svg>`
	return &nb.Notebook{
		Metadata: map[string]json.RawMessage{
			"kernelspec":    rawJSON(map[string]string{"name": "gonb", "display_name": "Go (gonb)", "language": "go"}),
			"language_info": rawJSON(map[string]string{"name": "go", "version": "go1.26.8"}),
		},
		NBFormat: 4, NBFormatMinor: 5,
		Cells: []*nb.Cell{
			markdownCell(`# The Gaussian mechanism and $(\varepsilon, \delta)$

A mechanism $\mathcal{M}$ is **$(\varepsilon,\delta)$-differentially private** if for all neighbouring $D \sim D'$ and all sets $S$

$$
\Pr[\mathcal{M}(D) \in S] \le e^{\varepsilon} \, \Pr[\mathcal{M}(D') \in S] + \delta .
$$

It costs between $5 and $6, not 10; see [the calibration](#Calibration) and ~~the old text~~.[^dwork] Code such as ` + "`x := $HOME`" + ` stays code.

[^dwork]: Dwork and Roth, *The Algorithmic Foundations of Differential Privacy*, 2014.

- [x] define the mechanism
- [ ] prove it, with $\lVert f(D)-f(D')\rVert_2 \le \Delta_2$
`),
			markdownCell(`## Calibration

\begin{align}
\sigma &\ge \frac{\Delta_2}{\varepsilon}\sqrt{2\ln\frac{1.25}{\delta}} \tag{1}\\
D_\alpha(P\,\|\,Q) &= \frac{1}{\alpha-1}\log \mathbb{E}_{x\sim Q}\left[\left(\frac{P(x)}{Q(x)}\right)^{\alpha}\right] = \frac{\alpha\Delta^2}{2\sigma^2}
\end{align}

| symbol | meaning | bound |
|:--|:-:|--:|
| $|D|$ | rows, $n$ | $\sum_{i=1}^n x_i^2$ |
| $\hat\theta$ | estimate | $\arg\max_{\theta\in\Theta} \ell(\theta)$ |

> **Note.** The sensitivity is
> $$\Delta_2 = \max_{D\sim D'} \left\lVert f(D)-f(D')\right\rVert_2$$
> for all neighbours.

` + "```go\n// Add noise to a sum.\nfunc Sum(xs []float64) (s float64) {\n\tfor _, x := range xs {\n\t\ts += min(x, 1)\n\t}\n\treturn s\n}\n```" + `

### Matrices

$$A = \begin{pmatrix} a_{11} & \cdots & a_{1n}\\ \vdots & \ddots & \vdots\\ a_{m1} & \cdots & a_{mn}\end{pmatrix},\quad
|x| = \begin{cases} x & \text{if } x \ge 0\\ -x & \text{otherwise}\end{cases},\quad
\underbrace{\binom{n}{k} p^k (1-p)^{n-k}}_{\text{binomial}},\quad \widehat{\mathrm{Var}}(X) = \overline{X^2}-\bar X^2$$

$$\int_{-\infty}^{\infty} e^{-x^2/2}\,dx = \sqrt{2\pi}, \qquad \lim_{n\to\infty} \prod_{k=1}^{n} \Bigl(1+\tfrac{1}{k^2}\Bigr), \qquad \bigcup_{j\in J} A_j, \qquad \boldsymbol{\Sigma}^{-1/2}\mathbf{x}^\top, \qquad \unknowncmd{x} + \sqrt[3]{y}, \qquad \overset{\text{iid}}{\sim}, \qquad \mathbb{1}\{x \neq y\}$$

![missing](figures/none.png) ![remote](https://example.org/x.png)`),
			{
				Type: "code", ExecutionCount: 1, Source: "!*go mod edit -module=nb\n%noautoget\nimport (\n\t\"fmt\"\n\t\"github.com/dpkit-go/dpnb/dpkit\"\n)\n\n// Budget is spent once.\nconst ε = 1.5\n\n%%\nfor i := range 3 {\n\tfmt.Printf(\"%d %s\\n\", i, `raw`) // prints, and then continues on a very long line that has to scroll within its own box\n}",
				Outputs: []nb.Output{
					{Type: "stream", Name: "stdout", Text: "0 raw\n1 raw\n\x1b[1;32mok\x1b[0m \x1b[31mred\x1b[39m \x1b[38;5;208morange\x1b[0m \x1b[7minverse\x1b[0m \x1b[37;41mwhite on red\x1b[0m\n10%\r100%\n"},
					{Type: "stream", Name: "stderr", Text: "warning: 2 rows were clipped\n"},
				},
			},
			markdownCell("## Outputs\n\n1. one\n2. two\n   - nested\n"),
			{
				Type: "code", ExecutionCount: 2, Source: "table.Show()",
				Outputs: []nb.Output{
					display("text/html", wide, "text/plain", "table"),
					display("image/svg+xml", svg, "text/plain", "The density of the privacy loss, with one mode"),
					display("image/png", greyPixel, "text/plain", "A grey square"),
					display("text/markdown", "**Released** mean: $\\hat\\mu = 3.2$"),
					display("text/latex", `$$\varepsilon = 1.0$$`),
					display("text/html", `<div style="background:#eef; color: black; padding: 8px">A <b>coloured</b> box <script>alert(1)</script></div>`),
					{Type: "display_data", Data: map[string]json.RawMessage{"application/json": json.RawMessage(`{"epsilon":1,"route":["RDP","PLD"]}`)}},
					display("application/vnd.plotly.v1+json", "x"),
				},
			},
			markdownCell("## Errors and `code`\n"),
			{
				Type: "code", ExecutionCount: 3, Source: "panic(\"no\")",
				Outputs: []nb.Output{{Type: "error", EName: "ERROR", EValue: "exit status 2", Traceback: []string{"\x1b[31mpanic: no\x1b[0m", "goroutine 1 [running]:", "main.main()"}}},
			},
			{Type: "code", Source: strings.Repeat("x++\n", 45), ExecutionCount: 4, Metadata: map[string]json.RawMessage{"tags": json.RawMessage(`["hide-input"]`)}},
			{Type: "code", Source: "var unrun int"},
			{Type: "raw", Source: "raw cell"},
		},
	}
}
