package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// TestTrialsDrawNothing: nb check and nb test replay the ledgers of a notebook, in its folder and elsewhere, and refuse a release
// that is not in them: neither the ledger nor anything drawn tells of a trial. A function with another body under the same name and
// version makes another release, and nothing of the former is replayed; comments, layout and the place of the cell change nothing, nor does
// an export.
func TestTrialsDrawNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles cells that import dpkit")
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere.ledger")
	const functions = `func power(x []float64) float64 { return half(x[0]) * x[0] }

func half(x float64) float64 { return x / 2 }`
	file := moduleNotebook(t, functions, fmt.Sprintf(`import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

func init_power() {
	if err := dpkit.RegisterFunc("power", "1", power); err != nil {
		panic(err)
	}
}

func open(ledger string) (*dpkit.Session, error) {
	f, err := datasets.SyntheticAdult(200, 1)
	if err != nil {
		return nil, err
	}
	return dpkit.Create(f, dpkit.Options{Ledger: ledger, Budget: dpkit.Budget{Epsilon: 3, Delta: 1e-5}, Neighbours: dpkit.ReplaceOne, Dataset: ledger})
}

func count(ledger string, epsilon float64) error {
	s, err := open(ledger)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.Data().Count(dpkit.Target{Epsilon: epsilon, Delta: 1e-6}, dpkit.Is("sex", "Male")).Release(context.Background())
	return err
}

func mean() (v float64, replayed bool, err error) {
	s, err := open("powers.ledger")
	if err != nil {
		return 0, false, err
	}
	defer s.Close()
	age := dpkit.MutateOptions{From: []string{"age"}, Func: "power", Version: "1", Lo: 0, Hi: 5000}
	r, err := s.Data().Mutate("w", age).OneHot().Impute(dpkit.Midpoint{}).Scale().Mean(dpkit.Target{Epsilon: 0.5, Delta: 1e-6}).Release(context.Background())
	if err != nil {
		return 0, false, err
	}
	v, _ = r.Value.Value("w")
	return v, r.Replayed, nil
}

%%%%
const epsilon = 0.5
fmt.Println(count("here.ledger", epsilon), count(%q, epsilon), fmt.Sprint(mean()))`, elsewhere))
	dir := filepath.Dir(file)
	ledgers := []string{filepath.Join(dir, "here.ledger"), elsewhere, filepath.Join(dir, "powers.ledger")}
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
	// printed is what the notebook stores of what it printed; beside it stand the tags of the three releases.
	printed := func() string {
		t.Helper()
		n, err := nb.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text, tags := "", 0
		for _, o := range n.Cells[1].Outputs {
			if text += o.Text; o.Type != "stream" {
				tags++
			}
		}
		if tags != 3 {
			t.Fatalf("the run printed %q and %d tags", text, tags)
		}
		return text
	}
	try := func(command string, want int, refused int) {
		t.Helper()
		code, stdout, stderr := execute(t, program(".", command, file))
		out := stdout + stderr
		if code != want || strings.Count(out, "in a trial of a notebook its ledger replays only, and this release is not in it") != refused {
			t.Fatalf("nb %s: exit %d, want %d and %d releases refused in\n%s", command, code, want, refused, out)
		}
	}
	releases := func(ledger, want string) {
		t.Helper()
		_, stdout, stderr := execute(t, program(".", "ledger", "show", ledger))
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s%s", want, stdout, stderr)
		}
	}
	content := func() (all []byte) {
		for _, ledger := range ledgers {
			data, err := os.ReadFile(ledger)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, data...)
		}
		return all
	}
	try("run", exitOK, 0)
	drawn, ok := strings.CutSuffix(printed(), " false <nil>\n")
	if !ok || !strings.HasPrefix(drawn, "<nil> <nil> ") {
		t.Fatalf("the run printed %q", printed())
	}
	releases(ledgers[2], "1 release")
	before := content()

	edit("return x / 2", "// of x\n\treturn (x /\n\t\t2)")
	edit("(x /\n\t\t2)", "x / 2")
	try("run", exitOK, 0)
	if got := printed(); got != drawn+" true <nil>\n" {
		t.Errorf("the second run printed %q, the first %q", got, drawn)
	}
	try("check", exitOK, 0)
	try("test", exitOK, 0)

	edit("epsilon = 0.5", "epsilon = 0.25")
	edit("return x / 2", "return x / 4")
	try("check", exitCell, len(ledgers))
	try("test", exitCell, len(ledgers))
	if !bytes.Equal(content(), before) {
		t.Error("a trial wrote to a ledger")
	}
	try("run", exitOK, 0)
	if got := printed(); !strings.HasSuffix(got, " false <nil>\n") || strings.HasPrefix(got, drawn+" ") {
		t.Errorf("the last run printed %q, the first %q", got, drawn)
	}
	releases(ledgers[2], "2 releases")
}

// drawing is a notebook that releases a count of made-up rows, fails to print it as its cells say, and prints it from a test.
const drawing = `import (
	"context"
	"fmt"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

func count() string {
	f, err := datasets.SyntheticAdult(200, 1)
	if err != nil {
		panic(err)
	}
	s, err := dpkit.Create(f, dpkit.Options{Ledger: "here.ledger", Budget: dpkit.Budget{Epsilon: 3, Delta: 1e-5}, Neighbours: dpkit.ReplaceOne, Dataset: "counted once"})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	n, err := s.Data().Count(dpkit.Target{Epsilon: 0.5, Delta: 1e-6}, dpkit.Is("sex", "Male")).Release(context.Background())
	if err != nil {
		panic(err)
	}
	return fmt.Sprint(n.Value.Values[0])
}

%%
fmt.Println("drawn:", count())`

// TestTrialsMissLedgers: where a ledger that was charged is gone, nb check and nb test refuse as nb run does, and leave the user's
// state folder as it is; where there never was one, what they draw is not shown, in whichever way a cell says it.
func TestTrialsMissLedgers(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles cells that import dpkit")
	}
	file := moduleNotebook(t, drawing,
		"%%\npanic(fmt.Sprint(\"drawn: \", count()))",
		"%test\nfunc TestCount(t *testing.T) { t.Fatal(\"drawn: \", count()) }")
	ledger, err := filepath.Abs(filepath.Join(filepath.Dir(file), "here.ledger"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := nb.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n.Cells[0].Outputs = []nb.Output{{Type: "stream", Name: "stdout", Text: "drawn: 1\n"}}
	n.Cells[0].ExecutionCount = 1
	if err := n.WriteFile(file); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"check"}, {"test", "-v"}} {
		code, stdout, stderr := execute(t, program(".", append(command, file)...))
		out := stdout + stderr
		if code != exitCell || !strings.Contains(out, "is not shown: there was no ledger to replay") {
			t.Errorf("nb %s without a ledger: exit %d, want %d and nothing shown:\n%s", command, code, exitCell, out)
		}
		if strings.Contains(out, "drawn: ") {
			t.Errorf("nb %s shows what it drew:\n%s", command, out)
		}
		if _, err := os.Stat(ledger); err == nil {
			t.Fatalf("nb %s made the user's ledger", command)
		}
	}

	if code, stdout, stderr := execute(t, program(".", "run", file)); code != exitCell || !strings.Contains(stdout, "drawn: ") {
		t.Fatalf("nb run: exit %d: %s%s", code, stdout, stderr)
	}
	if err := os.Remove(ledger); err != nil {
		t.Fatal(err)
	}
	const says = "is gone: ledger missing"
	for _, command := range []string{"run", "check", "test"} {
		code, stdout, stderr := execute(t, program(".", command, file))
		if out := stdout + stderr; code != exitCell || !strings.Contains(out, says) || !strings.Contains(out, "nb ledger forget -yes "+ledger) || strings.Contains(out, "drawn: 1") {
			t.Errorf("nb %s of a notebook whose ledger is gone: exit %d, want %d and %q in\n%s", command, code, exitCell, says, out)
		}
	}
	if code, stdout, stderr := execute(t, program(".", "ledger", "list")); code != exitOK || !strings.Contains(stdout, ledger) {
		t.Errorf("nb ledger list: exit %d: %s%s", code, stdout, stderr)
	}
}
