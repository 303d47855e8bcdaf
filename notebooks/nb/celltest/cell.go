package celltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Cell says how to run a cell and what is expected of it.
type Cell struct {
	Number int

	Args []string // of the program
	Env  []string // "NAME=value", from %env
	Dir  string   // from %cd, below the notebook's folder; "": the folder itself
	Main bool     // the cell wrote func main itself, which parses its flags or does not

	Exit    int           // expected exit status; -1: any but 0
	Timeout time.Duration // 0: 10 minutes
	Seed    string        // of math/rand's global source; "": none
	Slow    bool          // not with -short
	Skip    string        // why the test is skipped; "": it is not

	// Output is how the printed text is compared: "" exactly, or one of unordered, contains, regexp,
	// approx, ignore. Exact, unordered and approx compare with testdata/cellNN.txt.
	Output    string
	Text      []string // contains, regexp: all have to be found
	Tolerance float64  // approx: |got - want| ≤ Tolerance·max(1, |want|)

	// Displays are the MIME types of what the cell shows, joined by commas. They are compared unless
	// Output is ignore.
	Displays   []string
	AnyDisplay bool // nothing is known about displays

	// Tail: the stored output begins with what %commands and shell lines printed, so that only its end
	// is the program's.
	Tail bool
}

// Run runs the cell in a process of its own and compares.
func (n *Notebook) Run(t *testing.T, c Cell) {
	t.Helper()
	if c.Skip != "" {
		t.Skipf("cell %d: %s", c.Number, c.Skip)
	}
	if c.Slow && testing.Short() {
		t.Skipf("cell %d is slow", c.Number)
	}
	got, err := n.execute(t, c)
	if err != nil {
		t.Fatalf("cell %d: %v", c.Number, err)
	}
	if got.exit != c.Exit && !(c.Exit == -1 && got.exit != 0) {
		want := strconv.Itoa(c.Exit)
		if c.Exit == -1 {
			want = "another one than 0"
		}
		t.Errorf("cell %d: exit status %d, want %s\n%s", c.Number, got.exit, want, n.shown("what it says", tail(got.stderr)))
		return
	}
	if c.Output == "ignore" {
		return
	}
	want := ""
	if c.Output != "contains" && c.Output != "regexp" {
		data, err := os.ReadFile(filepath.Join(n.pkg, "testdata", fmt.Sprintf("cell%02d.txt", c.Number)))
		if err != nil {
			t.Fatalf("cell %d: no stored output: %v: export the notebook again", c.Number, err)
		}
		want = string(data)
	}
	if err := compareText(c, got.stdout, want); err != nil {
		t.Errorf("cell %d: %s", c.Number, n.shown("it does not print what is stored, and what it prints", err.Error()))
	}
	if err := compareDisplays(c, got.displays); err != nil {
		t.Errorf("cell %d: %v", c.Number, err)
	}
}

type result struct {
	exit           int
	stdout, stderr string
	displays       []string
}

// execute runs the test binary again for one cell.
func (n *Notebook) execute(t *testing.T, c Cell) (result, error) {
	binary, err := os.Executable()
	if err != nil {
		return result{}, err
	}
	timeout := c.Timeout
	if timeout == 0 {
		timeout = 10 * time.Minute
	}
	if end, ok := t.Deadline(); ok {
		timeout = min(timeout, max(time.Until(end)-5*time.Second, time.Second))
	}
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, c.Args...)
	cmd.WaitDelay = 5 * time.Second // a program that the cell left behind may hold its output
	cmd.Dir = filepath.Join(n.folder(), filepath.FromSlash(c.Dir))
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Env = append(cmd.Env, "GONB_DIR="+cmd.Dir, envCell+"="+strconv.Itoa(c.Number), "GOCOVERDIR="+t.TempDir())
	if c.Main {
		cmd.Env = append(cmd.Env, envMain+"=1")
	}
	if c.Seed != "" {
		cmd.Env = append(cmd.Env, envSeed+"="+c.Seed, "GODEBUG=randseednop=0,"+os.Getenv("GODEBUG"))
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	frontEnd, err := n.listen(cmd, t.TempDir())
	if err != nil {
		return result{}, err
	}
	err = cmd.Run()
	got := result{stdout: stdout.String(), stderr: stderr.String(), displays: frontEnd.close()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return got, fmt.Errorf("it took longer than %v: set a longer one with the directive timeout", timeout.Round(time.Millisecond))
	case errors.As(err, &exit):
		got.exit = exit.ExitCode()
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return got, err
	}
	return got, nil
}

// tail returns the part of stderr that explains an exit: all of it, or its beginning and its end.
func tail(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	const most = 40
	if len(lines) > most {
		lines = append(append(lines[:most/2:most/2], "…"), lines[len(lines)-most/2:]...)
	}
	return strings.Join(lines, "\n")
}
