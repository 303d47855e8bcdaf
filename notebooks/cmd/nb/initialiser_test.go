package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestReleasesInInitialisers: in a real kernel every later cell runs the variables and the init_ functions
// of earlier ones again. A release there is refused unless it is named, and then replays.
func TestReleasesInInitialisers(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles cells that import dpkit")
	}
	file := moduleNotebook(t,
		`import (
	"context"
	"errors"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

func release(name string) (bool, error) {
	f, err := datasets.SyntheticAdult(200, 1)
	if err != nil {
		return false, err
	}
	s, err := dpkit.Create(f, dpkit.Options{Ledger: "init.ledger", Budget: dpkit.Budget{Epsilon: 3, Delta: 1e-5}, Neighbours: dpkit.ReplaceOne, Dataset: "synthetic"})
	if err != nil {
		return false, err
	}
	defer s.Close()
	r, err := s.Data().OneHot().Impute(dpkit.Midpoint{}).Scale().FitLogistic(dpkit.ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 3}).Named(name).Release(context.Background())
	return r.Replayed, err
}

var _, unnamed = release("")
var replayed, named = release("model")
var inInit error

func init_release() { _, inInit = release("") }

%%
fmt.Println("first:", errors.Is(unnamed, dpkit.ErrInitialiser), errors.Is(inInit, dpkit.ErrInitialiser), replayed, named)`,
		`%%
again, err := release("")
fmt.Println("later:", errors.Is(unnamed, dpkit.ErrInitialiser), errors.Is(inInit, dpkit.ErrInitialiser), replayed, named, again, err)`,
	)
	code, stdout, stderr := execute(t, program(".", "run", "-no-html", file))
	if code != exitOK {
		t.Fatalf("exit %d: %s\n%s", code, stderr, stdout)
	}
	for _, want := range []string{"first: true true false <nil>", "later: true true true <nil> false <nil>"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	_, shown, _ := execute(t, program(".", "ledger", "show", filepath.Join(filepath.Dir(file), "init.ledger")))
	if !strings.Contains(shown, "2 releases") {
		t.Errorf("the ledger shows\n%s", shown)
	}
}
