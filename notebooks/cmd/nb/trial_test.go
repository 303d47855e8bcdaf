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
// that is not in them: neither the ledger nor anything drawn tells of a trial.
func TestTrialsDrawNothing(t *testing.T) {
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
	if got := n.Cells[1].Outputs; len(got) != 1 || got[0].Text != "<nil> <nil>\n" {
		t.Fatalf("the run printed %+v", got)
	}
	n.Cells[1].Source = strings.Replace(n.Cells[1].Source, "epsilon = 0.5", "epsilon = 0.25", 1)
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
