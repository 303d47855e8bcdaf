package celltest

import (
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"
)

func TestNormalize(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "",
		"\n \n":                        "",
		"a":                            "a\n",
		"a \t\r\n\x1b[1mb\x1b[0m \n\n": "a\nb\n",
		"\n\na\n":                      "\n\na\n",
	} {
		if got := Normalize(in); got != want {
			t.Errorf("Normalize(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCompareText(t *testing.T) {
	for _, tc := range []struct {
		name      string
		cell      Cell
		got, want string
		message   string // "": equal
	}{
		{"exact", Cell{}, "a\nb \n", "a\nb", ""},
		{"exact differs", Cell{}, "a\nb\n", "a\nc\n", `printed line 2 differs`},
		{"too long", Cell{}, "a\nb\n", "a\n", "want (end of the output)"},
		{"too short", Cell{}, "a\n", "a\nb\n", "got  (end of the output)"},
		{"empty line more", Cell{}, "a\n\nb\n", "a\nb\n", `line 2`},
		{"nothing", Cell{}, "", "", ""},
		{"nothing stored", Cell{}, "a", "", `got  "a"`},
		{"nothing printed", Cell{}, "", "a", `want "a"`},
		{"unordered", Cell{Output: "unordered"}, "b\na\n", "a\nb\n", ""},
		{"unordered counts", Cell{Output: "unordered"}, "a\na\nb\n", "a\nb\nb\n", "line 2"},
		{"contains", Cell{Output: "contains", Text: []string{"x", "y"}}, "y x", "", ""},
		{"contains not all", Cell{Output: "contains", Text: []string{"x", "y"}}, "x", "", "want in it: y"},
		{"regexp", Cell{Output: "regexp", Text: []string{"^b$"}}, "a\nb\n", "", ""},
		{"regexp not", Cell{Output: "regexp", Text: []string{"^b$"}}, "ab", "", "want a match of ^b$"},
		{"bad regexp", Cell{Output: "regexp", Text: []string{"("}}, "ab", "", "missing closing"},
		{"approx", Cell{Output: "approx", Tolerance: 0.01}, "x=100.5,  y -1e3", "x=100, y -1001", ""},
		{"approx too far", Cell{Output: "approx", Tolerance: 0.01}, "101.1", "100", "line 1"},
		{"approx below one", Cell{Output: "approx", Tolerance: 0.01}, "0.009", "0", ""},
		{"approx other words", Cell{Output: "approx", Tolerance: 1}, "a 1", "b 1", "line 1"},
		{"approx other count", Cell{Output: "approx", Tolerance: 1}, "1 2", "1", "line 1"},
		{"approx NaN", Cell{Output: "approx", Tolerance: 1}, "NaN", "NaN", ""},
		{"approx huge", Cell{Output: "approx", Tolerance: 1}, "1e999", "1", "line 1"},
		{"tail", Cell{Tail: true}, "b\nc\n", "shell\nb\nc\n", ""},
		{"tail differs", Cell{Tail: true}, "b\nc\n", "shell\nb\nd\n", "line 2"},
		{"tail too long", Cell{Tail: true}, "a\nb\nc\n", "b\nc\n", "line 1"},
		{"unknown", Cell{Output: "x"}, "", "", `got "x"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := compareText(tc.cell, tc.got, tc.want)
			if (err == nil) != (tc.message == "") || err != nil && !strings.Contains(err.Error(), tc.message) {
				t.Errorf("got %v, want %q", err, tc.message)
			}
		})
	}
}

func TestCompareDisplays(t *testing.T) {
	html := []string{"text/html"}
	for _, tc := range []struct {
		name string
		cell Cell
		got  []string
		ok   bool
	}{
		{"none", Cell{}, nil, true},
		{"same", Cell{Displays: html}, html, true},
		{"a tag beside it", Cell{Displays: html}, []string{"application/vnd.dpnb.release+json", "text/html"}, true},
		{"a stored tag", Cell{Displays: []string{"application/vnd.dpnb.release+json", "text/html"}}, html, true},
		{"missing", Cell{Displays: html}, nil, false},
		{"more", Cell{}, html, false},
		{"other type", Cell{Displays: html}, []string{"text/plain"}, false},
		{"unknown", Cell{AnyDisplay: true}, html, true},
		{"tail", Cell{Displays: []string{"image/png", "text/html"}, Tail: true}, html, true},
	} {
		if err := compareDisplays(tc.cell, tc.got); (err == nil) != tc.ok {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func TestShow(t *testing.T) {
	f := &frontEnd{seen: map[string]bool{"old": true}, index: map[string]int{}}
	html, plain := protocol.MIMETextHTML, protocol.MIMETextPlain
	for _, d := range []protocol.DisplayData{
		{Data: map[protocol.MIMEType]any{plain: "x", html: "x"}},
		{Data: map[protocol.MIMEType]any{html: "x"}, DisplayID: "bar"},
		{Data: map[protocol.MIMEType]any{protocol.MIMECommValue: "x"}},
		{Data: map[protocol.MIMEType]any{plain: "x"}, DisplayID: "bar"},
		{Data: map[protocol.MIMEType]any{plain: "x"}, DisplayID: "old"},
	} {
		f.show(d)
	}
	if got, want := strings.Join(f.displays, " "), "text/html,text/plain text/plain"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
