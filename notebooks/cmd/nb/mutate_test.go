package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// TestMutateBody: in a notebook a function with another body under the same name and version makes another release, and nothing of the
// former is replayed; comments, layout and the place of the cell change nothing, nor does an export.
func TestMutateBody(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles cells that import dpkit")
	}
	const functions = `func power(x []float64) float64 { return half(x[0]) * x[0] }

func half(x float64) float64 { return x / 2 }`
	file := moduleNotebook(t, functions, `import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

func init_square() {
	if err := dpkit.RegisterFunc("power", "1", power); err != nil {
		panic(err)
	}
}

%%
f, err := datasets.SyntheticAdult(200, 1)
if err != nil {
	panic(err)
}
s, err := dpkit.Create(f, dpkit.Options{Ledger: "here.ledger", Budget: dpkit.Budget{Epsilon: 3, Delta: 1e-5}, Neighbours: dpkit.ReplaceOne, Dataset: "powers"})
if err != nil {
	panic(err)
}
defer s.Close()
age := dpkit.MutateOptions{From: []string{"age"}, Func: "power", Version: "1", Lo: 0, Hi: 5000}
r, err := s.Data().Mutate("w", age).OneHot().Impute(dpkit.Midpoint{}).Scale().Mean(dpkit.Target{Epsilon: 0.5, Delta: 1e-6}).Release(context.Background())
if err != nil {
	panic(err)
}
v, _ := r.Value.Value("w")
fmt.Println("drawn:", v, r.Replayed)`)
	edit := func(from, to string) {
		t.Helper()
		n, err := nb.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		changed := false
		for _, c := range n.Cells {
			changed = changed || strings.Contains(c.Source, from)
			c.Source = strings.Replace(c.Source, from, to, 1)
		}
		if !changed {
			t.Fatalf("no %q in the notebook", from)
		}
		if err := n.WriteFile(file); err != nil {
			t.Fatal(err)
		}
	}
	try := func(command string, want int, says string) {
		t.Helper()
		code, stdout, stderr := execute(t, program(".", command, file))
		if out := stdout + stderr; code != want || !strings.Contains(out, says) {
			t.Errorf("nb %s: exit %d, want %d and %q in\n%s", command, code, want, says, out)
		}
	}
	releases := func(want string) {
		t.Helper()
		_, stdout, stderr := execute(t, program(".", "ledger", "show", filepath.Join(filepath.Dir(file), "here.ledger")))
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s%s", want, stdout, stderr)
		}
	}
	try("run", exitOK, "false")
	releases("1 release")
	edit("return x / 2", "// of x\n\treturn (x /\n\t\t2)")
	edit("(x /\n\t\t2)", "x / 2")
	try("run", exitOK, "true")
	try("check", exitOK, "")
	try("test", exitOK, "")
	edit("return x / 2", "return x / 4")
	try("check", exitCell, "this release is not in it")
	try("test", exitCell, "this release is not in it")
	try("run", exitOK, "false")
	releases("2 releases")
}
