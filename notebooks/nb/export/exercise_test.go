package export

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

func code(sources ...string) *nb.Notebook {
	n := &nb.Notebook{NBFormat: 4, NBFormatMinor: 5}
	for _, s := range sources {
		n.Cells = append(n.Cells, &nb.Cell{Type: "code", Source: s})
	}
	return n
}

func TestSolve(t *testing.T) {
	for _, tc := range []struct {
		name        string
		given, from *nb.Notebook
		names       []string
		source      string // of the notebook, afterwards
		err         string
	}{
		{
			"replaced by name", code("var x = 1", "//| exercise: a\nvar a = 0", "// |  exercise:b\nvar b = 0"),
			code("//| exercise: b\nvar b = 2", "// words", "//| exercise: a\nvar a = 1"),
			[]string{"a", "b"},
			"var x = 1|//| exercise: a\nvar a = 1|//| exercise: b\nvar b = 2", "",
		},
		{"no exercise", code("var x = 1"), code("//| exercise: a"), nil, "var x = 1", "no cell of the notebook"},
		{"no solutions", code("//| exercise: a"), code("var x = 1"), nil, "//| exercise: a", "no cell of the solutions"},
		{
			"others", code("//| exercise: a", "//| exercise: b"), code("//| exercise: a\n//", "//| exercise: c"), nil,
			"//| exercise: a|//| exercise: b", `"b" has no solution; the solution "c" has no exercise`,
		},
		{"twice", code("//| exercise: a", "//| exercise: a"), code("//| exercise: a"), nil, "//| exercise: a|//| exercise: a", "two cells of the notebook"},
		{"a nameless one is none", code("//| exercise:"), code("//| exercise: a"), nil, "//| exercise:", "no cell of the notebook"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			names, err := Solve(tc.given, tc.from)
			if !slices.Equal(names, tc.names) || (err == nil) != (tc.err == "") {
				t.Fatalf("got %q, %v; want %q, %q", names, err, tc.names, tc.err)
			}
			if err != nil && (!errors.Is(err, ErrExercise) || !strings.Contains(err.Error(), tc.err)) {
				t.Errorf("got %v, want %s", err, tc.err)
			}
			var sources []string
			for _, c := range tc.given.Cells {
				sources = append(sources, c.Source)
			}
			if got := strings.Join(sources, "|"); got != tc.source {
				t.Errorf("got %q, want %q", got, tc.source)
			}
		})
	}
}
