//go:build unix

package kernel

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// lateKernel is a kernel on a busy machine: an interrupt ends the programs of a cell at once, and reaches GoNB more than a second
// later. Job control puts GoNB into a group of its own.
const lateKernel = `#!/bin/bash
set -m
%s "$@" &
kernel=$!
echo $kernel >%s
trap 'pkill -INT -P $kernel; sleep 1.2; kill -INT $kernel' INT
while kill -0 $kernel 2>/dev/null; do wait; done
`

// TestInterruptStaysInItsCell: an interrupt that the kernel takes late is none of the next cell, even where it was due to be repeated.
func TestInterruptStaysInItsCell(t *testing.T) {
	t.Parallel()
	dir, tools := t.TempDir(), t.TempDir()
	id := filepath.Join(dir, "id")
	t.Cleanup(func() {
		waitFor(t, "the end of the kernel", func() bool { return !anyAlive(idsIn(id)) })
	})
	n := codeCells("!exec sleep 60", "!sleep 2.5 & wait; echo alive", "%with_inputs\n!read x", "!sleep 2.5 & wait; echo alive")
	report := &Report{}
	for i := range n.Cells {
		report.Cells = append(report.Cells, CellReport{Index: i, Status: Skipped})
	}
	err := Build(t.Context(), "", testCache, func(string) {}, func(folder string) error {
		script := fmt.Sprintf(lateKernel, quote(filepath.Join(folder, "gonb")), quote(id))
		link := os.Symlink(filepath.Join(folder, "goimports"), filepath.Join(tools, "goimports"))
		if err := errors.Join(link, os.WriteFile(filepath.Join(tools, "gonb"), []byte(script), 0o700)); err != nil {
			return err
		}
		r := &run{
			Options: Options{KeepGoing: true, Timeout: 6 * time.Second, Grace: 20 * time.Second, Progress: func(Event) {}},
			setup:   startOptions{Dir: dir, Tools: tools},
			outputs: outputs{displays: map[string][]place{}}, cells: map[string]*cellOutputs{},
		}
		n.Cells[0].Source = "//| timeout: 300ms\n" + n.Cells[0].Source
		var err error
		if r.kernel, err = startKernel(t.Context(), r.setup); err != nil {
			return err
		}
		defer func() { r.kernel.close() }()
		return r.all(t.Context(), n, report)
	})
	if !errors.Is(err, ErrTimeout) || !errors.Is(err, ErrInput) || report.Failed != 2 {
		t.Errorf("got %v and %d failed, want ErrTimeout, ErrInput and no other", err, report.Failed)
	}
	for _, i := range []int{1, 3} {
		if got := outputText(n.Cells[i]); report.Cells[i].Status != OK || got != "alive\n" {
			t.Errorf("cell %d: status %v, output %q, want no trace of the interrupt before it", i+1, report.Cells[i].Status, got)
		}
	}
}

// TestSettle: it waits for the interrupt, kills the kernel where that does not come, and waits for nothing where there was none.
func TestSettle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	k := &kernel{signals: &signalLog{path: path}}
	if !k.interrupted() {
		t.Error("a kernel that nobody interrupted has one to take")
	}
	written := ""
	for _, tc := range []struct {
		text string
		want bool
	}{
		{"", false},
		{"I0101 12:00:00.000000 1 kernel.go:199] Signal inter", false},
		{"rupt received.", false},
		{"\nanother line\n", true},
		{"I0101 kernel.go:199] Signal hangup received.\n", true},
	} {
		if written == "" {
			k.signals.wanted = k.signals.count() + 1
		}
		written += tc.text
		if err := os.WriteFile(path, []byte(written), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := k.interrupted(); got != tc.want {
			t.Errorf("log %q: interrupted is %v, want %v", written, got, tc.want)
		}
	}
	if k.signals.wanted = k.signals.count() + 1; k.interrupted() {
		t.Error("an earlier interrupt counts for a later one")
	}
	for range 2 { // more than were sent: a cell may send its own
		written += strings.Repeat(signalTaken+"\n", 2)
	}
	if err := os.WriteFile(path, []byte(written), 0o600); err != nil {
		t.Fatal(err)
	}
	if !k.interrupted() || k.signals.count() != 5 {
		t.Errorf("%d interrupts are counted, want 5", k.signals.count())
	}
}

// TestInterruptThatIsNotTaken: a kernel that does not tell in time that it took an interrupt is killed, and another runs what is left.
func TestInterruptThatIsNotTaken(t *testing.T) {
	n := codeCells("//| timeout: 300ms\n!rm $TMPDIR/../kernel.log; exec sleep 60", "!echo alive")
	restarts := 0
	report, err := testRun(t, t.Context(), n, Options{KeepGoing: true, Grace: time.Second, Progress: func(e Event) {
		if e.Kind == Note && strings.Contains(e.Text, "again") {
			restarts++
		}
	}})
	if !errors.Is(err, ErrTimeout) || report.Failed != 1 || restarts != 1 || outputText(n.Cells[1]) != "alive\n" {
		t.Errorf("got %v, %d failed, %d restarts and %q, want ErrTimeout and one restart", err, report.Failed, restarts, outputText(n.Cells[1]))
	}
}
