package viz

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/gonb"
	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// helperEnv makes the test binary a cell: whether there is a notebook is settled when a program starts.
const helperEnv = "DPNB_VIZ_TEST_CELL"

func TestMain(m *testing.M) {
	switch os.Getenv(helperEnv) {
	case "":
		debug.SetGCPercent(800) // what lives at a time is small beside the pictures that are made and dropped
		os.Exit(withState(m))
	case "show":
		gonb.UsesGoNB = func() bool { return false } // this binary does, for the cells below
		for _, v := range []View{Cost(handCost(true)), Waterfall(handCost(true))} {
			if err := v.Show(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	case "progress":
		p := Progress("epochs <b>")
		p(0, 2)
		p(2, 2)
		fmt.Print("done")
	case "mixed": // gonbui and this package take turns
		gonbui.DisplayHTML("first")
		_ = Table([]string{"a"}, nil).Show()
		gonbui.DisplayHTML("second")
		gonbui.Sync()
		_ = Table([]string{"b"}, nil).Show()
		gonbui.UpdateHTML("id", "third")
		gonbui.Sync()
	case "mixed later":
		_ = Waterfall(handCost(true)).Show()
		gonbui.DisplayHTML("first")
		gonbui.Sync()
		_ = Table([]string{"a"}, nil).Show()
		gonbui.DisplayHTML("second")
		gonbui.Sync()
	default:
		os.Exit(2)
	}
}

// withState runs the tests with a state folder of their own: their ledgers are not the user's.
func withState(m *testing.M) int {
	state, err := os.MkdirTemp("", "viz-test-state-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(state)
	if err := os.Setenv("XDG_STATE_HOME", state); err != nil {
		panic(err)
	}
	return m.Run()
}

// cell runs this binary as a program of its own.
func cell(ctx context.Context, t *testing.T, what string, env ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(ctx, exe)
	c.Env = append(c.Environ(), helperEnv+"="+what, protocol.GONB_PIPE_ENV+"=", protocol.GONB_PIPE_BACK_ENV+"=")
	c.Env = append(c.Env, env...)
	return c
}

func TestShowOutsideNotebook(t *testing.T) {
	var out, errs strings.Builder
	c := cell(t.Context(), t, "show")
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	if want := Cost(handCost(true)).Text() + Waterfall(handCost(true)).Text(); out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestProgressOutsideNotebookAndTerminal(t *testing.T) {
	var out, errs strings.Builder
	c := cell(t.Context(), t, "progress")
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	if out.String() != "done" || errs.String() != "" {
		t.Errorf("got %q and %q", out.String(), errs.String())
	}
}
