package page

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/sanitize/sanitizetest"
)

func render(t *testing.T, n *nb.Notebook, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Render(&b, n, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// safe fails a test where HTML could run or fetch something, or is not balanced.
func safe(t *testing.T, s string) {
	t.Helper()
	if err := sanitizetest.Unsafe(s); err != nil {
		t.Fatal(err)
	}
}

func notebookOf(cells ...*nb.Cell) *nb.Notebook { return &nb.Notebook{Cells: cells} }

// mainOf is the content of main.
func mainOf(t *testing.T, page string) string {
	t.Helper()
	_, after, ok := strings.Cut(page, `<main id="nb:main">`)
	body, _, ok2 := strings.Cut(after, "</main>")
	if !ok || !ok2 {
		t.Fatalf("no main in %.300s", page)
	}
	return body
}

func TestRenderWholePage(t *testing.T) {
	page := render(t, sampleNotebook(), Options{})
	body := mainOf(t, page)
	safe(t, body)
	_, around, _ := strings.Cut(strings.Replace(page, script, "", 1), "<body>")
	around, _, _ = strings.Cut(around, "<script>")
	safe(t, strings.NewReplacer("<button", "<b", "</button", "</b").Replace(around))
	for name, want := range map[string]string{
		"language":                            `<html lang="en">`,
		"title":                               "<title>The Gaussian mechanism and (ε,δ)</title>",
		"kernel":                              `<p class="meta">Kernel: Go (gonb) · go 1.26.8</p>`,
		"landmarks":                           `<main id="nb:main">`,
		"skip link":                           `<a class="skip" href="#nb:main">`,
		"contents":                            `<nav class="toc-side" aria-label="Contents">`,
		"contents entry":                      `<li class="toc-1"><a href="#matrices">Matrices</a></li>`,
		"policy":                              `default-src 'none'`,
		"dark":                                `:root[data-theme=dark]{`,
		"print":                               `@media print`,
		"own script":                          `'sha256-`,
		"relative image":                      `<img src="figures/none.png" alt="missing">`,
		"remote image":                        `<a class="external" href="https://example.org/x.png" rel="noopener noreferrer">remote</a>`,
		"folded source":                       `<details><summary>Source, 45 lines</summary>`,
		"link to a heading in Jupyter's form": `<a href="#calibration" rel="noopener noreferrer">the calibration</a>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s: the page lacks %s", name, want)
		}
	}
	if strings.Contains(page, "alert(1)") {
		t.Error("a script of an output is in the page")
	}
	ids := map[string]int{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if ids[m[1]]++; ids[m[1]] > 1 {
			t.Errorf("id %q is there twice", m[1])
		}
	}
	if len(ids) < 10 {
		t.Errorf("%d ids found, want at least 10", len(ids))
	}
}

func TestRenderTitle(t *testing.T) {
	md := markdownCell
	for _, c := range []struct {
		name  string
		n     *nb.Notebook
		o     Options
		title string
		tops  int
	}{
		{"first heading", notebookOf(md("text"), md("## *Two* `x`\n# One")), Options{}, "Two x", 1},
		{"given", notebookOf(md("# One")), Options{Title: "A & B"}, "A &amp; B", 1},
		{"none", notebookOf(md("text")), Options{}, "Notebook", 1},
		{"empty", &nb.Notebook{}, Options{}, "Notebook", 1},
		{"nil cell", notebookOf(nil), Options{}, "Notebook", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := render(t, c.n, c.o)
			if !strings.Contains(page, "<title>"+c.title+"</title>") || strings.Count(page, "<h1") != c.tops {
				t.Errorf("got %.600s", page)
			}
			if strings.Contains(page, "<nav") {
				t.Error("a contents list for fewer than 4 headings")
			}
			if !strings.Contains(page, "Kernel: not stated") {
				t.Error("the kernel is not stated")
			}
		})
	}
}

// TestContents: every line of the contents leads to a heading, whose id it holds percent-encoded, as links do (RFC 3986, 2.1).
func TestContents(t *testing.T) {
	page := render(t, notebookOf(markdownCell("# Title\n## Cost in ε, δ\n## And `δ+1` <b>&</b> [more](#x)\n### $\\sigma$\n## And δ\n## And δ\n##### Deep")), Options{})
	links := regexp.MustCompile(`<li class="toc-[012]"><a href="#([^"]*)">(.*)</a></li>`).FindAllStringSubmatch(page, -1)
	var texts []string
	for _, link := range links {
		id, err := url.PathUnescape(link[1])
		if err != nil || strings.Count(page, ` id="`+id+`"`) != 1 {
			t.Errorf("the link to #%s leads to no heading %q (%v)", link[1], id, err)
		}
		texts = append(texts, link[2])
	}
	one := []string{"Cost in ε, δ", "And <code>δ+1</code> <b>&amp;</b> more", `<math alttext="\sigma"><mi>σ</mi></math>`, "And δ", "And δ"}
	if want := slices.Concat(one, one); !slices.Equal(texts, want) { // beside the page, and above it on small screens
		t.Errorf("got %q, want %q", texts, want)
	}
}

func TestRenderErrors(t *testing.T) {
	if err := Render(&bytes.Buffer{}, nil, Options{}); err == nil {
		t.Error("a nil notebook: got no error")
	}
	if err := Render(brokenWriter{}, &nb.Notebook{}, Options{}); !errors.Is(err, errBroken) {
		t.Errorf("a broken writer: got %v", err)
	}
}

var errBroken = errors.New("broken")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

// TestRenderOutputs holds a golden fragment for every kind of output.
func TestRenderOutputs(t *testing.T) {
	alt := func(o nb.Output, key string, v any) nb.Output {
		o.Metadata[key] = rawJSON(v)
		return o
	}
	raw := func(mime, value string) nb.Output {
		return nb.Output{Type: "display_data", Data: map[string]json.RawMessage{mime: json.RawMessage(value)}}
	}
	for _, c := range []struct {
		name string
		o    nb.Output
		want string
	}{
		{"stdout", nb.Output{Type: "stream", Name: "stdout", Text: "a <b>\n"}, `<div class="out"><pre tabindex="0">a &lt;b&gt;</pre></div>`},
		{"stderr", nb.Output{Type: "stream", Name: "stderr", Text: "\x1b[31mx\x1b[0m\n"}, `<div class="out stderr"><span class="label">stderr</span><pre tabindex="0"><span class="ansi-fg1">x</span></pre></div>`},
		{"error", nb.Output{Type: "error", EName: "ERROR", EValue: "<v>", Traceback: []string{"a", "b"}}, `<div class="out error"><span class="label">Error</span><p><strong>ERROR: &lt;v&gt;</strong></p><pre tabindex="0">a` + "\n" + `b</pre></div>`},
		{"error without a trace", nb.Output{Type: "error", EName: "E"}, `<div class="out error"><span class="label">Error</span><p><strong>E</strong></p></div>`},
		{"html first", display("text/html", "<b>x</b>", "text/plain", "y"), `<div class="out"><div class="rich" id="nb:o1-box"><b>x</b></div></div>`},
		{"html with colours", display("text/html", `<b style="color: red">x</b>`), `<div class="out"><div class="rich paper" id="nb:o1-box"><b style="color: red">x</b></div></div>`},
		{"html with a formula", display("text/html", `<b>$x$ $5</b><code>$y$</code>`), `<div class="out"><div class="rich" id="nb:o1-box"><b><math alttext="x"><mi>x</mi></math> $5</b><code>$y$</code></div></div>`},
		{"html that was a script", display("text/html", "<div id=x></div><script>draw()</script>", "text/plain", "y"), `<div class="out"><pre tabindex="0">y</pre></div>`},
		{"emptied display", display("text/html", " ", "text/plain", "done"), ``},
		{"svg", display("image/svg+xml", `<?xml version="1.0"?><svg onload="x()"><script>x()</script></svg>`, "text/plain", "A plot"), `<div class="out"><img src="data:image/svg+xml;base64,` + base64.StdEncoding.EncodeToString([]byte(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"></svg>`)) + `" alt="A plot"></div>`},
		{"png", alt(display("image/png", "iVBO\nRw0K", "text/plain", "A plot"), "image/png", map[string]any{"width": 300}), `<div class="out"><img src="data:image/png;base64,iVBORw0K" alt="A plot" width="300"></div>`},
		{"png, alt of the output", alt(display("image/png", "AA==", "text/plain", "p"), "alt", `"q"`), `<div class="out"><img src="data:image/png;base64,AA==" alt="&#34;q&#34;"></div>`},
		{"png, alt of the type", alt(display("image/png", "AA=="), "image/png", map[string]any{"alt": "q"}), `<div class="out"><img src="data:image/png;base64,AA==" alt="q"></div>`},
		{"png without a text", display("image/png", `AA"><script>`), `<div class="out"><img src="data:image/png;base64,AAscript" alt="Image drawn by cell [7]"></div>`},
		{"jpeg", display("image/jpeg", "AA==", "text/plain", "p"), `<div class="out"><img src="data:image/jpeg;base64,AA==" alt="p"></div>`},
		{"markdown", display("text/markdown", "**x** <script>y</script>"), `<div class="out"><div class="md"><p><strong>x</strong> </p>` + "\n" + `</div></div>`},
		{"latex", display("text/latex", `$$x$$`), `<div class="out"><div class="md"><p><span class="math"><math display="block" alttext="x"><mi>x</mi></math></span></p></div></div>`},
		{"latex without delimiters", display("text/latex", `\alpha`), `<div class="out"><div class="md"><span class="math"><math display="block" alttext="\alpha"><mi>α</mi></math></span></div></div>`},
		{"json", raw("application/json", `{"a":["<"]}`), `<div class="out"><details open><summary>JSON</summary><pre tabindex="0">{` + "\n  &#34;a&#34;: [\n    &#34;&lt;&#34;\n  ]\n}" + `</pre></details></div>`},
		{"plain as lines", raw("text/plain", `["a\n","b"]`), `<div class="out"><pre tabindex="0">a` + "\n" + `b</pre></div>`},
		{"unknown type", raw("application/x-y", `"z"`), `<div class="out note">An output of type application/x-y needs a live notebook.</div>`},
		{"script only", display("application/javascript", "x()"), `<div class="out note">An output of type application/javascript needs a live notebook.</div>`},
		{"nothing", nb.Output{Type: "display_data"}, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := render(t, notebookOf(&nb.Cell{Type: "code", ExecutionCount: 7, Source: "x", Outputs: []nb.Output{c.o}}), Options{Title: "t"})
			body := mainOf(t, page)
			safe(t, body)
			_, got, _ := strings.Cut(body, "<div class=\"outs\">\n")
			got = strings.TrimSuffix(strings.TrimSpace(got), "</div>\n</div>")
			if strings.TrimSpace(got) != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestRenderCells(t *testing.T) {
	meta := func(key, value string) map[string]json.RawMessage {
		return map[string]json.RawMessage{key: json.RawMessage(value)}
	}
	out := []nb.Output{{Type: "stream", Name: "stdout", Text: "o"}, {Type: "stream", Name: "stdout", Text: "p"}}
	long := strings.Repeat("x\n", longSource+1)
	for _, c := range []struct {
		name        string
		cell        *nb.Cell
		has, hasNot []string
	}{
		{"executed", &nb.Cell{Type: "code", Source: "x", ExecutionCount: 3, Outputs: out}, []string{`<span class="sr">Code cell, execution </span>[3]`, `<code class="language-go">x</code>`, ">op</pre>"}, []string{"<details"}},
		{"not executed", &nb.Cell{Type: "code", Source: "x"}, []string{"[ ]"}, []string{`class="outs"`}},
		{"long", &nb.Cell{Type: "code", Source: long}, []string{"<details open><summary>Source, 41 lines</summary>"}, nil},
		{"hidden in the lab", &nb.Cell{Type: "code", Source: "x", Outputs: out, Metadata: meta("jupyter", `{"source_hidden":true}`)}, []string{"<details><summary>Source, 1 line</summary>", ">op</pre>"}, nil},
		{"outputs hidden", &nb.Cell{Type: "code", Source: "x", Outputs: out, Metadata: meta("jupyter", `{"outputs_hidden":true}`)}, []string{"<details><summary>Output</summary>"}, []string{"Source,"}},
		{"hide-input", &nb.Cell{Type: "code", Source: "x", Metadata: meta("tags", `["hide-input"]`)}, []string{"<details><summary>Source"}, nil},
		{"remove-input", &nb.Cell{Type: "code", Source: "secret", Outputs: out, Metadata: meta("tags", `["remove_input"]`)}, []string{">op</pre>"}, []string{"secret"}},
		{"remove-output", &nb.Cell{Type: "code", Source: "x", Outputs: out, Metadata: meta("tags", `["remove-output"]`)}, nil, []string{">op<"}},
		{"remove-cell", &nb.Cell{Type: "code", Source: "secret", Outputs: out, Metadata: meta("tags", `["remove-cell"]`)}, nil, []string{"secret", ">op<"}},
		{"odd metadata", &nb.Cell{Type: "code", Source: "x", Metadata: meta("tags", `7`)}, []string{">x<"}, []string{"<details"}},
		{"empty", &nb.Cell{Type: "code", Source: " \n"}, nil, []string{"cell code"}},
		{"raw", &nb.Cell{Type: "raw", Source: "<b>"}, []string{`<div class="cell raw"><pre tabindex="0">&lt;b&gt;</pre></div>`}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := mainOf(t, render(t, notebookOf(c.cell), Options{Title: "t"}))
			safe(t, body)
			for _, s := range c.has {
				if !strings.Contains(body, s) {
					t.Errorf("lacks %s in %s", s, body)
				}
			}
			for _, s := range c.hasNot {
				if strings.Contains(body, s) {
					t.Errorf("has %s in %s", s, body)
				}
			}
		})
	}
}

// TestHTMLContrast: text has at least 4.5:1 against its ground in both themes (WCAG 2.2, 1.4.3).
func TestHTMLContrast(t *testing.T) {
	dark := darkRules.FindStringSubmatch(styleSheet)
	if dark == nil {
		t.Fatal("no dark theme in the style sheet")
	}
	light, _, _ := strings.Cut(styleSheet, "}")
	colour := regexp.MustCompile(`--([a-z0-9-]+): #([0-9a-f]{6});`)
	for theme, css := range map[string]string{"light": light, "dark": dark[1]} {
		v := map[string]string{}
		for _, m := range colour.FindAllStringSubmatch(css, -1) {
			v[m[1]] = m[2]
		}
		if len(v) < 35 {
			t.Fatalf("%s: %d colours, want at least 35", theme, len(v))
		}
		for name, c := range v {
			var grounds []string
			switch name {
			case "bg", "soft", "line", "head", "warn-bg", "err-bg":
				continue
			case "fg":
				grounds = []string{"bg", "soft", "head", "warn-bg", "err-bg"}
			case "warn", "err":
				grounds = []string{"bg", name + "-bg"}
			case "accent", "link", "k", "s", "n", "c", "f", "t", "m", "muted":
				grounds = []string{"bg", "soft"}
			default: // terminal colours
				grounds = []string{"bg", "err-bg", "warn-bg"}
			}
			for _, g := range grounds {
				if r := contrast(c, v[g]); !(r >= 4.5) {
					t.Errorf("%s: %s on %s has contrast %.2f", theme, name, g, r)
				}
			}
		}
	}
}
