package sanitizetest

import (
	"strings"
	"testing"
)

func TestUnsafe(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"text", "a &amp; b", ""},
		{"safe", `<p id="a" style="fill: url(#g)">x<br><img src="data:image/png;base64,AA" alt=""></p><a href="https://example.org">x</a>`, ""},
		{"element", "<p><ScRipt>x</ScRipt></p>", "element ScRipt"},
		{"element without an end", `<meta charset="x">`, "element meta"},
		{"handler", `<p onClick="x">y</p>`, "attribute onclick"},
		{"attribute", `<img srcset="x 2x">`, "attribute srcset"},
		{"script in a link", "<a href=\"java\tscript:x\">y</a>", "href="},
		{"document in a link", `<a href="data:text/html,x">y</a>`, "href="},
		{"fetched image", `<img src="\\example.org\a.png">`, "src="},
		{"fetched background", `<p style="background: url(https://example.org)">y</p>`, "style"},
		{"void", `a<br>b<br/><hr><input type="checkbox" disabled>`, ""},
		{"left open", "<p>x", "[p] left open"},
		{"left open inside", "<p><b>x</p>", "</p> where [p b] is open"},
		{"closes what is around", "x</div>y", "</div> where [] is open"},
		{"closes and opens again", "</div><div>", "</div> where [] is open"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := Unsafe(tc.in)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}
