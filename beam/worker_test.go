package beam

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/remote"
)

// workerEnv has the test binary work as a worker does, on the shard of that number, with the task in the file of its argument.
const workerEnv = "DPNB_BEAM_TEST_SHARD"

// workAlone writes the part of a shard to the standard output.
func workAlone(shard string) int {
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	i, err := strconv.Atoi(shard)
	if err != nil {
		return fail(err)
	}
	raw, err := os.ReadFile(os.Args[1])
	if err != nil {
		return fail(err)
	}
	var t task
	if err := decode(raw, &t); err != nil {
		return fail(err)
	}
	p, err := t.work(context.Background(), i)
	if err != nil {
		return fail(err)
	}
	if killed := os.Args[1] + ".killed"; i == 1 { // the first time the work is lost
		if _, err := os.Stat(killed); err != nil {
			if err := os.WriteFile(killed, nil, 0o600); err != nil {
				return fail(err)
			}
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill() // nothing comes after it
			}
			select {}
		}
	}
	if _, err := os.Stdout.Write(encode([]part{p})); err != nil {
		return fail(err)
	}
	return 0
}

// processes are a reader each of whose shards is worked on by a process of its own.
type processes struct {
	t       *testing.T
	task    task
	retried int
}

func (r *processes) Pass(ctx context.Context, job remote.Job) ([]byte, error) {
	of := r.task
	of.Job = &job
	var all []part
	for i := len(of.Shards) - 1; i >= 0; i-- {
		parts, err := r.exec(ctx, of, i)
		if err != nil {
			r.retried++
			if parts, err = r.exec(ctx, of, i); err != nil {
				return nil, err
			}
		}
		if all, err = of.merge(ctx, append(all, parts...)); err != nil {
			return nil, err
		}
	}
	p, err := remote.Prepare(ctx, job)
	if err != nil {
		return nil, err
	}
	return p.Merge(statesOf(all))
}

func (r *processes) exec(ctx context.Context, of task, i int) (parts []part, err error) {
	path := filepath.Join(r.t.TempDir(), "task")
	if r.retried > 0 {
		must(0, os.WriteFile(path+".killed", nil, 0o600))
	}
	must(0, os.WriteFile(path, encode(of), 0o600))
	cmd := exec.CommandContext(ctx, must(os.Executable()), path)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", workerEnv, i))
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, said.String())
	}
	return parts, decode(out.Bytes(), &parts)
}

// TestProcesses: states that cross processes, one of which is killed in the middle, make the release of one process.
func TestProcesses(t *testing.T) {
	pattern := writeShards(t, 1500, 3)
	opened := must(Open(t.Context(), pattern, classes(), options("direct")))
	r := &processes{t: t, task: opened.Reader().(*reader).task}
	src := must(frames.NewSharded(classes(), toldOf(opened), r))
	for _, name := range []string{"means behind means", "table"} {
		if want, got := released(t, here(t, pattern, classes()), exact[name]), released(t, src, exact[name]); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	if r.retried != 1 {
		t.Errorf("%d processes were killed, want 1", r.retried)
	}
}
