package beam

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"

	"github.com/dpkit-go/dpnb/beam/internal/boot"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// Variables of the environment by which the test binary drives Prism, and is what Prism starts.
const (
	driverEnv = "DPNB_BEAM_TEST_DRIVER" // the pattern of its shards
	bootEnv   = "DPNB_BEAM_TEST_BOOT"
)

// flaky is the format of CSV files that cannot be read, once, where there is a file beside them that arms them.
const flaky = ".flaky"

// deadly is the format of CSV files of which a worker that is a process of its own is killed, once, where there is such a file beside them.
const deadly = ".deadly"

func armed(path string) bool { return os.Remove(path+".armed") == nil }

func init() {
	frames.RegisterFormat(frames.Format{Name: "deadly", Extensions: []string{deadly}, Open: func(path string, s frames.Schema) (frames.Source, error) {
		if os.Getenv(bootEnv) != "" && armed(path) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // nothing comes after it
		}
		src, err := frames.OpenCSV(path, s, frames.CSVOptions{Header: true})
		if err != nil {
			return nil, err
		}
		return src, nil
	}})
	frames.RegisterFormat(frames.Format{Name: "flaky", Extensions: []string{flaky}, Open: func(path string, s frames.Schema) (frames.Source, error) {
		if armed(path) {
			return nil, &fs.PathError{Op: "read", Path: path, Err: syscall.EIO}
		}
		src, err := frames.OpenCSV(path, s, frames.CSVOptions{Header: true})
		if err != nil {
			return nil, err
		}
		return src, nil
	}})
}

// bootAlone is what Prism starts: it leaves a note of each process, of the most memory that it had.
func bootAlone() int {
	var id, endpoint string
	for _, arg := range os.Args[1:] {
		name, value, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch name {
		case "id":
			id = value
		case "provision_endpoint":
			endpoint = value
		}
	}
	note := filepath.Join(filepath.Dir(os.Getenv(driverEnv)), fmt.Sprint("worker-", os.Getpid()))
	go func() {
		for { // it is killed behind its job
			_ = os.WriteFile(note, []byte(fmt.Sprint(peak("self"))), 0o600)
			time.Sleep(100 * time.Millisecond)
		}
	}()
	if err := boot.Work(context.Background(), id, endpoint); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// driven is what the driver prints.
type driven struct {
	Value   json.RawMessage
	Charges int
}

// driveAlone makes a release on Prism, whose workers are processes of their own.
func driveAlone(pattern string) int {
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	self, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	flag.Parse()
	*jobopts.EnvironmentType, *jobopts.WorkerBinary = "process", os.DevNull
	*jobopts.EnvironmentConfig = fmt.Sprintf(`{"command": %q, "env": {%q: "1"}}`, self, bootEnv)
	ctx := context.Background()
	src, err := Open(ctx, pattern, classes(), options("prism"))
	if err != nil {
		return fail(err)
	}
	folder := filepath.Dir(pattern)
	s, err := dpkit.Create(src, privately(filepath.Join(folder, "test.ledger")))
	if err != nil {
		return fail(err)
	}
	if err := os.WriteFile(deadlyShard(pattern)+".armed", nil, 0o600); err != nil {
		return fail(err)
	}
	r, err := exact["means behind means"](s.Data()).(dpkit.Plan[dpkit.Estimates]).Release(ctx)
	if err != nil {
		return fail(err)
	}
	// The noise of a ledger is nobody's to see twice: what the same rows and seed make is compared by a demonstration.
	d, err := dpkit.Demo(src, 3, dpkit.ReplaceOne)
	if err != nil {
		return fail(err)
	}
	seen, err := exact["means behind means"](d.Data()).(dpkit.Plan[dpkit.Estimates]).Release(ctx)
	if err != nil {
		return fail(err)
	}
	value, err := json.Marshal(seen.Value)
	if err != nil {
		return fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(driven{value, r.Status.Releases}); err != nil {
		return fail(err)
	}
	return 0
}

// deadlyShard is the second of the shards of a pattern.
func deadlyShard(pattern string) string { return strings.Replace(pattern, "*", "01"+deadly, 1) }

// TestPrismProcesses: on Prism with workers that are processes of their own, one of which is killed in the middle of the first pass behind the charge, a
// release is charged once and has the bits that it has in one process. No process is left, and no file.
func TestPrismProcesses(t *testing.T) {
	pattern := writeShards(t, 1500, 3)
	folder := filepath.Dir(pattern)
	want := released(t, here(t, pattern, classes()), exact["means behind means"])
	pattern = strings.TrimSuffix(pattern, ".csv")
	must(0, os.Rename(strings.TrimSuffix(deadlyShard(pattern), deadly)+".csv", deadlyShard(pattern)))
	temporary := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, must(os.Executable()))
	cmd.Env = append(os.Environ(), driverEnv+"="+pattern, "TMPDIR="+temporary, "XDG_STATE_HOME="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	end := func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // the driver, and whatever it started
	cmd.Cancel = func() error { end(); return nil }
	cmd.WaitDelay = 5 * time.Second
	must(0, cmd.Start())
	err := cmd.Wait()
	end()
	if err != nil {
		t.Fatalf("the driver: %v: %.2000s", err, said.String())
	}
	var got driven
	must(0, json.Unmarshal(out.Bytes(), &got))
	if string(got.Value) != want || got.Charges != 1 {
		t.Errorf("got %s after %d charges, want %s", got.Value, got.Charges, want)
	}
	// One for each job: of the opening, and of the passes of two releases; and one that was killed.
	if notes := must(filepath.Glob(filepath.Join(folder, "worker-*"))); len(notes) < 6 || armed(deadlyShard(pattern)) {
		t.Errorf("%d workers", len(notes))
	}
	if left := must(os.ReadDir(temporary)); len(left) > 0 {
		t.Errorf("left in the temporary folder: %v", left)
	}
}
