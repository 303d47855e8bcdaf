package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// TestTrialsDrawNothing: nb check and nb test replay the ledgers of a notebook, in its folder and elsewhere, and refuse a release
// that is not in them: neither the ledger nor anything drawn tells of a trial.
func TestTrialsDrawNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles cells that import dpkit")
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere.ledger")
	file := moduleNotebook(t, fmt.Sprintf(`import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

func count(ledger string, epsilon float64) error {
	f, err := datasets.SyntheticAdult(200, 1)
	if err != nil {
		return err
	}
	s, err := dpkit.Create(f, dpkit.Options{Ledger: ledger, Budget: dpkit.Budget{Epsilon: 3, Delta: 1e-5}, Neighbours: dpkit.ReplaceOne, Dataset: ledger})
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.Data().Count(dpkit.Target{Epsilon: epsilon, Delta: 1e-6}, dpkit.Is("sex", "Male")).Release(context.Background())
	return err
}

%%%%
const epsilon = 0.5
fmt.Println(count("here.ledger", epsilon), count(%q, epsilon))`, elsewhere))
	ledgers := []string{filepath.Join(filepath.Dir(file), "here.ledger"), elsewhere}
	try := func(command string, want int, says string) {
		t.Helper()
		code, stdout, stderr := execute(t, program(".", command, file))
		if out := stdout + stderr; code != want || !strings.Contains(out, says) {
			t.Fatalf("nb %s: exit %d, want %d and %q in\n%s", command, code, want, says, out)
		}
	}
	try("run", exitOK, "")
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
	before := content()
	try("check", exitOK, "")
	try("test", exitOK, "")
	n, err := nb.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	printed := func(o nb.Output) bool { return o.Type == "stream" } // beside it stand the tags of the two releases
	if got := slices.DeleteFunc(slices.Clone(n.Cells[0].Outputs), func(o nb.Output) bool { return !printed(o) }); len(n.Cells[0].Outputs) != 3 || len(got) != 1 || got[0].Text != "<nil> <nil>\n" {
		t.Fatalf("the run printed %+v", got)
	}
	n.Cells[0].Source = strings.Replace(n.Cells[0].Source, "epsilon = 0.5", "epsilon = 0.25", 1)
	if err := n.WriteFile(file); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"check", "test"} {
		code, stdout, stderr := execute(t, program(".", command, file))
		if out := stdout + stderr; code != exitCell || strings.Count(out, "in a trial of a notebook its ledger replays only") != len(ledgers) {
			t.Errorf("nb %s of another release: exit %d, want %d and a refusal of each ledger in\n%s", command, code, exitCell, out)
		}
	}
	if !bytes.Equal(content(), before) {
		t.Error("a trial wrote to a ledger")
	}
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
