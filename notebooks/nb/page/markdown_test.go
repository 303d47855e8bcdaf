package page

import (
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb/mathml"
)

func TestMarkdown(t *testing.T) {
	x := `<math alttext="x"><mi>x</mi></math>`
	X := `<span class="math"><math display="block" alttext="x"><mi>x</mi></math></span>`
	for _, c := range []struct{ name, in, want string }{
		{"heading", "# A *b* `c`", `<h1 id="a-b-c">A <em>b</em> <code>c</code></h1>`},
		{"same heading twice", "# A\n# A", `<h1 id="a">A</h1>` + "\n" + `<h1 id="a-1">A</h1>`},
		{"heading with a formula", "## On $x$", `<h2 id="on-x">On ` + x + `</h2>`},
		{"link in Jupyter's form", "[a](#My-Section:-One)", `<p><a href="#my-section-one" rel="noopener noreferrer">a</a></p>`},
		{"strikethrough", "~~a~~", `<p><del>a</del></p>`},
		{"autolink", "https://example.org", `<p><a href="https://example.org" rel="noopener noreferrer">https://example.org</a></p>`},
		{"task list", "- [x] a\n- [ ] b", "<ul>\n<li><input checked=\"\" type=\"checkbox\" disabled> a</li>\n<li><input type=\"checkbox\" disabled> b</li>\n</ul>"},
		{"table", "|a|b|\n|-|-:|\n|c|d|", "<div class=\"table\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table>\n<thead>\n<tr>\n<th>a</th>\n<th style=\"text-align: right\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>c</td>\n<td style=\"text-align: right\">d</td>\n</tr>\n</tbody>\n</table></div>"},
		{"fenced Go", "```go\nvar x int\n```", `<pre tabindex="0"><code class="language-go"><span class="hl-k">var</span> x <span class="hl-t">int</span>` + "\n</code></pre>"},
		{"fenced text", "```\n<b> $x$\n```", "<pre tabindex=\"0\"><code>&lt;b&gt; $x$\n</code></pre>"},
		{"raw HTML", "a <b class=\"x\" onclick=y>b</b>", `<p>a <b class="x">b</b></p>`},
		{"raw block over markdown", "<details><summary>s</summary>\n\n**a**\n\n</details>", "<details><summary>s</summary>\n<p><strong>a</strong></p>\n</details>"},
		{"script", "a\n\n<script>\nalert(1)\n</script>\n\nb", "<p>a</p>\n\n<p>b</p>"},
		{"javascript link", "[a](javascript:alert(1))", `<p><a rel="noopener noreferrer">a</a></p>`},
		{"attachment", "![p](attachment:a%20b.png)", `<p><img src="data:image/png;base64,AA==" alt="p"></p>`},
		{"attachment that is missing", "![p](attachment:none.png)", `<p>p</p>`},
		{"relative image", "![p](img/a.png)", `<p><img src="img/a.png" alt="p"></p>`},
		{"remote image", "![p](http://example.org/a.png)", `<p><a class="external" href="http://example.org/a.png" rel="noopener noreferrer">p</a></p>`},
		{"inline formula", "a $x$ b", `<p>a ` + x + ` b</p>`},
		{"inline formula, backslashes", `a \(x\) b \\(x\\)`, `<p>a ` + x + ` b ` + x + `</p>`},
		{"display formula", "$$\nx\n$$", `<p>` + X + `</p>`},
		{"display formula, backslashes", `\[x\]`, `<p>` + X + `</p>`},
		{"display formula in a quotation", "> $$\n> x\n> $$", "<blockquote>\n<p>" + X + "</p>\n</blockquote>"},
		{"display formula in a list", "- a\n  $$\n  x\n  $$", "<ul>\n<li>a\n" + X + "</li>\n</ul>"},
		{"formula in emphasis", "**$x$**", `<p><strong>` + x + `</strong></p>`},
		{"formulas with underscores", "$a_b$ $c_d$", `<p>` + mathml.FromLaTeX("a_b", false) + ` ` + mathml.FromLaTeX("c_d", false) + `</p>`},
		{"formula in a table", "|a|\n|-|\n|$x$ and $|D|$|", "<div class=\"table\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>" + x + " and " + mathml.FromLaTeX("|D|", false) + "</td>\n</tr>\n</tbody>\n</table></div>"},
		{"environment", `\begin{align}x\end{align}`, `<p><span class="math">` + mathml.FromLaTeX(`\begin{align}x\end{align}`, true) + `</span></p>`},
		{"unknown environment", `\begin{foo}x\end{foo}`, `<p>\begin{foo}x\end{foo}</p>`},
		{"money", "between $5 and $6", `<p>between $5 and $6</p>`},
		{"money, no space", "$5-$6 or 7", `<p>$5-$6 or 7</p>`},
		{"one dollar", "a $ b", `<p>a $ b</p>`},
		{"escaped dollar", `\$x$`, `<p>$x$</p>`},
		{"dollar in code", "`$x$` and ``a`$x$``", "<p><code>$x$</code> and <code>a`$x$</code></p>"},
		{"dollar before code", "$a `b$`", "<p>$a <code>b$</code></p>"},
		{"paragraphs end formulas", "$x\n\ny$", "<p>$x</p>\n<p>y$</p>"},
		{"formula in an attribute", `<i title="$x$">a</i>`, `<p><i title="$x$">a</i></p>`},
		{"formula in a link", "[a](https://example.org/$x$)", `<p><a href="https://example.org/$x$" rel="noopener noreferrer">a</a></p>`},
		{"forged holder", "\uE0000\uE001", `<p>0</p>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := markdownDoc{}
			got, err := d.html(c.in, map[string]map[string]string{"a b.png": {"image/png": "AA=="}})
			if err != nil {
				t.Fatal(err)
			}
			safe(t, got)
			if got = strings.TrimSpace(got); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestMarkdownFootnotes: the notes of two cells do not share ids.
func TestMarkdownFootnotes(t *testing.T) {
	d := markdownDoc{}
	for _, id := range []string{"c1-fn-1", "c2-fn-1"} {
		got, err := d.html("a[^n]\n\n[^n]: note", nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got, `<li id="`+id+`">`) || !strings.Contains(got, `href="#`+id+`"`) {
			t.Errorf("want %s in %s", id, got)
		}
	}
}

func TestHTMLSlug(t *testing.T) {
	for in, want := range map[string]string{"My Section": "my-section", "My-Section": "my-section", "Step 1: load": "step-1-load", "Step-1:-load": "step-1-load", "don't": "dont", "ε and δ": "ε-and-δ", "": ""} {
		if got := slug(in); got != want || slug(got) != got {
			t.Errorf("%q: got %q, want %q, and the same once more", in, got, want)
		}
	}
}

// FuzzMarkdown: no source makes a page that is unbalanced or unsafe.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"# a $x$\n|b|\n|-|\n|$|c|$|", "> $$\n> x\n", "```go\n%%\n", "<b>\n\n</i>", "[^1]\n\n[^1]: <script>", "\\begin{align}x", "\uE0000\uE001 $x$ `", "- [ ] \\(", "<style>x{}</style>", "![a](//b)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d := markdownDoc{}
		got, err := d.html(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		safe(t, got)
	})
}
