package nb

import (
	"fmt"
	"testing"
)

func TestParseGoCell(t *testing.T) {
	for _, tc := range []struct {
		name, source string
		want         string // code, declarations, and of each command the text and its place
	}{
		{"statements", "var x = 1\n%% -v\nprintln(x)", `"var x = 1\n     \nprintln(x)" "var x = 1\n" 10 16`},
		{"no statements", "var x = 1", `"var x = 1" "var x = 1" 9 9`},
		{"commands", "!a \\\n b\n//gonb:%c\nx", `"    \n  \n         \nx" "    \n  \n         \nx" 19 19 "!a \\" 0-8 "%c" 8-18`},
		{"a second opener", "%main\nf()\n%%\ng()", `"     \nf()\n  \ng()" "" 0 6 "%%" 10-13`},
		{"the opener goes on", "%% \\\n -v\nf()", `"    \n   \nf()" "" 0 9`},
		{"main is written out", "var é = 1\nfunc main() { f() }\nfunc g() {}", `"var é = 1\nfunc main() { f() }\nfunc g() {}" "var é = 1\n                   \nfunc g() {}" 42 42`},
		{"a method is not main", "func (t) main() {}", `"func (t) main() {}" "func (t) main() {}" 18 18`},
		{"no Go above", "func {\n%%\nf()", `"func {\n  \nf()" "func {\n" 7 10`},
		{"package", "package é\nvar x int", `"          \nvar x int" "          \nvar x int" 20 20`},
		{"empty", "", `"" "" 0 0`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, ok := ParseGoCell(tc.source)
			got := fmt.Sprintf("%q %q %d %d", c.Code, c.Declarations(), c.Opener, c.Body)
			for _, cmd := range c.Commands {
				got += fmt.Sprintf(" %q %d-%d", cmd.Text, cmd.From, cmd.To)
			}
			if !ok || got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
	if _, ok := ParseGoCell("%%bash\nls"); ok {
		t.Error("a cell of bash: got Go")
	}
}

func TestIsGo(t *testing.T) {
	for source, want := range map[string]bool{
		"": true, "%%": true, "%% -v\nx": true, "!ls": true, "\n%%bash": true,
		"%%bash": false, "%%writefile x\ny": false, "//gonb:%%sh": false, "%%script python3 -u": false, "%%gx\n": false,
	} {
		if got := IsGo(source); got != want {
			t.Errorf("%q: got %t, want %t", source, got, want)
		}
	}
}
