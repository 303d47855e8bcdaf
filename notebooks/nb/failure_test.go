package nb

import (
	"strings"
	"testing"
)

// The tracebacks are GoNB 0.11.4's.
func TestCompilerMessagesAdvise(t *testing.T) {
	for _, c := range []struct {
		name      string
		traceback []string
		want      string
	}{
		{
			"no %%",
			[]string{"Cell[2]: Line 1\npackage main\n\nfmt.Println(1)\n^\n\n\nexpected declaration, found fmt"},
			"cell 2 line 1: expected declaration, found fmt: outside functions a cell holds declarations; put statements after a line %%",
		},
		{
			"no module",
			[]string{"Cell[2]: Line 1\npackage main\n\nimport (\n\t\"example.com/x\"\n ^\n)\n\nno required module provides package example.com/x; to add it:", "\tgo get example.com/x", ""},
			"cell 2 line 1: no required module provides package example.com/x: add it with !*go get and its path in a cell before",
		},
		{
			"another message stays",
			[]string{"Cell[2]: Line 3\n\tx := 1\n\t^\n\n\ndeclared and not used: x"},
			"cell 2 line 3: declared and not used: x",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := fail(2, content{EValue: "exit status 1", Traceback: c.traceback}, "")
			if e.Reason != "does not compile" || strings.TrimSpace(e.Detail) != c.want {
				t.Errorf("got %q, %q, want %q", e.Reason, e.Detail, c.want)
			}
		})
	}
}
