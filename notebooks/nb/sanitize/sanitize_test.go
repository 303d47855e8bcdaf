package sanitize

import (
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb/sanitize/sanitizetest"
)

func cleanOutput(s string) string {
	return HTML(s, Options{IDPrefix: "o1-", Scope: ".box"}).HTML
}

func TestHTMLSanitize(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"script", `a<script>alert(1)</script>b`, `ab`},
		{"script, odd spelling", `a<ScRiPt src=//x >alert("</b>")</sCrIpT
>b`, `ab`},
		{"script that does not end", `a<script>alert(1)`, `a`},
		{"script in a comment", `a<!-- <script> --><b>x</b>`, `a<b>x</b>`},
		{"split script", `<scr<script>ipt>alert(1)</script>`, `ipt&gt;alert(1)`},
		{"event handler", `<b onclick="alert(1)" class="x">b</b>`, `<b class="x">b</b>`},
		{"event handler after a slash", `<img/src="data:image/png;base64,AA"/onerror=alert(1)>`, `<img src="data:image/png;base64,AA" alt="">`},
		{"unquoted handler", `<p onmouseover=alert(1)>p</p>`, `<p>p</p>`},
		{"javascript link", `<a href="javascript:alert(1)">x</a>`, `<a rel="noopener noreferrer">x</a>`},
		{"javascript link, hidden", "<a href=\" jav&#x0A;ascript&colon;alert(1)\">x</a>", `<a rel="noopener noreferrer">x</a>`},
		{"data link", `<a href="data:text/html,<script>">x</a>`, `<a rel="noopener noreferrer">x</a>`},
		{"vbscript", `<a href="VBScript:x">x</a>`, `<a rel="noopener noreferrer">x</a>`},
		{"good link", `<a href="https://example.org/?a=1&amp;b=2">x</a>`, `<a href="https://example.org/?a=1&amp;b=2" rel="noopener noreferrer">x</a>`},
		{"link inside the output", `<i id="a">x</i><a href="#a">y</a>`, `<i id="o1-a">x</i><a href="#o1-a" rel="noopener noreferrer">y</a>`},
		{"iframe", `<iframe src="https://example.org/x"><b>no</b></iframe>y`, `<a class="external" href="https://example.org/x" rel="noopener noreferrer">iframe: https://example.org/x</a>y`},
		{"iframe with a document", `<iframe srcdoc="<script>alert(1)</script>"></iframe>y`, `y`},
		{"object", `<object data="https://example.org/x.swf">old</object>`, `<a class="external" href="https://example.org/x.swf" rel="noopener noreferrer">object: https://example.org/x.swf</a>old`},
		{"external image", `<img src="https://example.org/a.png" alt="A plot">`, `<a class="external" href="https://example.org/a.png" rel="noopener noreferrer">A plot</a>`},
		{"external image, no scheme", `<img src="//example.org/a.png">`, `<a class="external" href="//example.org/a.png" rel="noopener noreferrer">image: //example.org/a.png</a>`},
		{"external image, backslashes", `<img src="\\example.org\a.png" alt=x>`, `<a class="external" href="\\example.org\a.png" rel="noopener noreferrer">x</a>`},
		{"srcset", `<img src="data:image/png;base64,AA" srcset="https://example.org/2x.png 2x" alt="a">`, `<img src="data:image/png;base64,AA" alt="a">`},
		{"style sheet", `<link rel="stylesheet" href="https://example.org/x.css">a`, `a`},
		{"import", `<style>@import "https://example.org/x.css"; td { color: red }</style>`, "<style>.box td{color: red}\n</style>"},
		{"font face", `<style>@font-face{src:url(https://example.org/f)} b,i{margin:0}</style>`, "<style>.box b,.box i{margin: 0}\n</style>"},
		{"style that fetches", `<p style="color: red; background: url(https://example.org/x)">p</p>`, `<p style="color: red">p</p>`},
		{"style with an escape", `<p style="background: u\72l(https://example.org/x)">p</p>`, `<p>p</p>`},
		{"style with an expression", `<p style="width: expression(alert(1))">p</p>`, `<p>p</p>`},
		{"style over the page", `<p style="position: fixed; top: 0">p</p>`, `<p style="top: 0">p</p>`},
		{"style that ends early", `<style>b{color:red}</style><script>alert(1)</script>`, "<style>.box b{color: red}\n</style>"},
		{"style id", `<style>#a td, body { color: red }</style>`, "<style>.box #o1-a td,.box{color: red}\n</style>"},
		{"meta and base", `<meta http-equiv=refresh content="0;url=https://example.org"><base href="https://example.org">x`, `x`},
		{"form", `<form action="https://example.org"><input name=a><button onclick=x>Go</button></form>`, `Go`},
		{"checkbox", `<input type="checkbox" checked>`, `<input type="checkbox" checked="" disabled>`},
		{"svg", `<svg viewBox="0 0 1 1" onload="alert(1)"><linearGradient id="g"/><rect fill="url(#g)"/><script>alert(1)</script></svg>`, `<svg viewBox="0 0 1 1"><linearGradient id="o1-g"></linearGradient><rect fill="url(#o1-g)"></rect></svg>`},
		{"svg that fetches", `<svg><use href="https://example.org/x.svg#a"/><image href="https://example.org/x.png"/><rect fill="url(https://example.org/x#g)"/></svg>`, `<svg><use></use><rect></rect></svg>`},
		{"svg with HTML inside", `<svg><foreignObject><img src=x onerror=alert(1)></foreignObject></svg>`, `<svg></svg>`},
		{"animated link", `<svg><a><animate attributeName=href values=javascript:alert(1) /><text>x</text></a></svg>`, `<svg><a rel="noopener noreferrer"><text>x</text></a></svg>`},
		{"confused parsers", `<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">`, `<svg><style></style>&#34;&gt;</svg>`},
		{"noscript", `<noscript><p title="</noscript><img src=x onerror=alert(1)>">`, `<p title="&lt;/noscript&gt;&lt;img src=x onerror=alert(1)&gt;"></p>`},
		{"textarea", `<textarea><b>x</b></textarea>`, `&lt;b&gt;x&lt;/b&gt;`},
		{"closes what it did not open", `</div></main></body>x`, `x`},
		{"does not close", `<div><b>x`, `<div><b>x</b></div>`},
		{"wrong order", `<b><i>x</b></i>`, `<b><i>x</i></b>`},
		{"list without ends", `<ul><li>a<li>b</ul>`, `<ul><li>a</li><li>b</li></ul>`},
		{"table without ends", `<table><tr><th>a<td>b<tr><td>c</table>`, `<div class="table" role="region" aria-label="Table" tabindex="0"><table><tr><th>a</th><td>b</td></tr><tr><td>c</td></tr></table></div>`},
		{"unknown element", `<blink>x</blink><x-y z=1>w</x-y>`, `xw`},
		{"text", `1 < 2 && a<b`, `1 &lt; 2 &amp;&amp; a`},
		{"entities", `&lt;b&gt; &amp;amp; &eacute;`, `&lt;b&gt; &amp;amp; é`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := cleanOutput(c.in)
			if got != c.want {
				t.Errorf("\n   in %s\n  got %s\n want %s", c.in, got, c.want)
			}
			safe(t, got)
		})
	}
}

func safe(t *testing.T, s string) {
	t.Helper()
	if err := sanitizetest.Unsafe(s); err != nil {
		t.Fatal(err)
	}
}

// FuzzHTMLSanitize: whatever comes in, what comes out is balanced and cannot run or fetch.
func FuzzHTMLSanitize(f *testing.F) {
	for _, s := range []string{`<b onclick=x>`, `<a href=javascript:x>`, `<svg><style><![CDATA[<img>]]></style>`, `<table><tr><td><p>a<table>`, `<math><mi>x</mi><mtext><style>`, `<!--><script>`, `<img src=https://e.org/x>`, "<p style='a:url(\x00#x)'>", `<h1 id=a>b<h2>`, `<style>a{b:c}@media x{d{e:f}}</style>`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		safe(t, cleanOutput(s))
	})
}
