package beam

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct" //lint:ignore SA1019 it needs no server

	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/remote"
)

// refused are those that need more of the rows than a few passes.
var refused = map[string]asked{
	"descent": func(d dpkit.Pipeline) fmt.Stringer {
		return scaled(d).FitLogistic(dpkit.ByGradient{Epsilon: 1, Delta: 1e-6})
	},
	"dedup": func(d dpkit.Pipeline) fmt.Stringer { return d.Dedup(dpkit.Exact{}).Count(target) },
}

// jobs counts those of the runners of these tests.
var jobs atomic.Int64

func init() {
	counted := func(run func(ctx context.Context, p *sdk.Pipeline, job int64) (sdk.PipelineResult, error)) func(context.Context, *sdk.Pipeline) (sdk.PipelineResult, error) {
		return func(ctx context.Context, p *sdk.Pipeline) (sdk.PipelineResult, error) {
			return run(ctx, p, jobs.Add(1))
		}
	}
	// Each job is made twice, as where bundles are retried, and every second one is lost before that.
	sdk.RegisterRunner("retrying", counted(func(ctx context.Context, p *sdk.Pipeline, job int64) (sdk.PipelineResult, error) {
		if job%2 == 0 {
			return nil, errors.New("a worker was killed")
		}
		if _, err := direct.Execute(ctx, p); err != nil {
			return nil, err
		}
		return direct.Execute(ctx, p)
	}))
	// The jobs behind the first are never done.
	sdk.RegisterRunner("stuck", counted(func(ctx context.Context, p *sdk.Pipeline, job int64) (sdk.PipelineResult, error) {
		if job == 1 {
			return direct.Execute(ctx, p)
		}
		<-ctx.Done()
		return nil, ctx.Err()
	}))
	sdk.RegisterRunner("broken", counted(func(ctx context.Context, p *sdk.Pipeline, job int64) (sdk.PipelineResult, error) {
		if job == 1 {
			return direct.Execute(ctx, p)
		}
		return nil, errors.New("no workers")
	}))
}

// private is a session with a ledger of the test's own.
func private(t *testing.T, src frames.Source, path string) *dpkit.Session {
	t.Helper()
	s, err := dpkit.Create(src, privately(path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // or it was closed before
	return s
}

func privately(path string) dpkit.Options {
	return dpkit.Options{Ledger: path, Budget: dpkit.Budget{Epsilon: 3, Delta: 1e-5}, Reserve: 1e-6, Neighbours: dpkit.ReplaceOne, Dataset: "test"}
}

func ledgerPath(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "test.ledger")
	t.Cleanup(func() { _ = ledger.Forget(path) }) // no test has to make one
	return path
}

// TestChargedOnce: a release is charged once, whatever happens to jobs, and replays without one; and it is the release of the same shards in
// one process.
func TestChargedOnce(t *testing.T) {
	jobs.Store(0)
	pattern, path := writeShards(t, 3000, 4), ledgerPath(t)
	s := private(t, must(Open(t.Context(), pattern, classes(), options("retrying"))), path)
	plan := func(s *dpkit.Session) dpkit.Plan[dpkit.Estimates] {
		return s.Data().OneHot().Impute(dpkit.Mean{}).Scale().Mean(target)
	}
	first, err := plan(s).Release(t.Context())
	if err != nil || first.Replayed {
		t.Fatalf("got %v, %v", first, err)
	}
	made := jobs.Load()
	again, err := plan(s).Release(t.Context())
	if err != nil || !again.Replayed || jobs.Load() != made || again.Status.Releases != 1 {
		t.Errorf("got %v, %v, %d more jobs, %d charges", again, err, jobs.Load()-made, again.Status.Releases)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	there, err := plan(private(t, here(t, pattern, classes()), path)).Release(t.Context())
	if err != nil || !there.Replayed || there.Entry != first.Entry || fmt.Sprint(there.Value) != fmt.Sprint(first.Value) {
		t.Errorf("in one process: got %v, %v", there, err)
	}
}

// TestFailures: a shard that changes, a runner without workers and a cancelled release are clear errors, and one charge.
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name, runner string
		harm         func(pattern string, cancel func())
		want         error
	}{
		{"a shard changes", "direct", func(pattern string, _ func()) {
			path := strings.Replace(pattern, "*", "02", 1)
			text := must(os.ReadFile(path))
			must(0, os.WriteFile(path, []byte(strings.Replace(string(text), ",yes\n", ",no\n", 1)), 0o600))
		}, frames.ErrChanged},
		{"a shard grows", "prism", func(pattern string, _ func()) {
			f := must(os.OpenFile(strings.Replace(pattern, "*", "01", 1), os.O_APPEND|os.O_WRONLY, 0))
			must(f.WriteString("1,0,a,0,no\n"))
			must(0, f.Close())
		}, frames.ErrChanged},
		{"a shard is gone", "direct", func(pattern string, _ func()) { must(0, os.Remove(strings.Replace(pattern, "*", "00", 1))) }, frames.ErrChanged},
		{"no workers", "broken", func(string, func()) {}, ErrJob},
		{"cancelled", "stuck", func(_ string, cancel func()) { go cancel() }, context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			jobs.Store(0)
			pattern := writeShards(t, 600, 4)
			s := private(t, must(Open(t.Context(), pattern, classes(), options(c.runner))), ledgerPath(t))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c.harm(pattern, func() {
				for jobs.Load() < 2 {
					time.Sleep(time.Millisecond)
				}
				cancel()
			})
			r, err := s.Data().Histogram("ward", target).Release(ctx)
			if !errors.Is(err, c.want) || r.Value.Values != nil {
				t.Errorf("got %v, %v, want %v", r.Value, err, c.want)
			}
			if status := must(s.Status()); status.Releases != 1 || len(status.Interrupted) != 1 {
				t.Errorf("got %d charges, %d without a value", status.Releases, len(status.Interrupted))
			}
		})
	}
}

// TestPassingFaults: a file that a file system does not read at once is read once more: the same bits, and one charge.
func TestPassingFaults(t *testing.T) {
	for _, runner := range []string{"direct", "prism"} {
		pattern := strings.TrimSuffix(writeShards(t, 600, 3), ".csv")
		path := strings.Replace(pattern, "*", "01"+flaky, 1)
		want := released(t, here(t, pattern+".csv", classes()), exact["histogram"])
		must(0, os.Rename(strings.TrimSuffix(path, flaky)+".csv", path))
		src := must(Open(t.Context(), pattern, classes(), options(runner)))
		arm := func() { must(0, os.WriteFile(path+".armed", nil, 0o600)) }
		arm()
		if got := released(t, src, exact["histogram"]); got != want || armed(path) {
			t.Errorf("%s: got %s, want %s", runner, got, want)
		}
		arm()
		s := private(t, src, ledgerPath(t))
		r, err := s.Data().Histogram("ward", target).Release(t.Context())
		if err != nil || r.Status.Releases != 1 || armed(path) {
			t.Errorf("%s: got %v, %v", runner, r, err)
		}
	}
}

// TestExchange: workers do nothing that the driver did not write, and say where they looked.
func TestExchange(t *testing.T) {
	src := must(Open(t.Context(), writeShards(t, 100, 2), classes(), options("direct")))
	of := told{Folder: t.TempDir(), Sum: strings.Repeat("0", 64)}
	f := &accumulate{of}
	if _, err := f.ProcessElement(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "share the folder") {
		t.Errorf("no task: got %v", err)
	}
	must(0, os.WriteFile(of.task(), encode(src.Reader().(*reader).task), 0o600))
	if _, err := f.ProcessElement(t.Context(), 0); !errors.Is(err, ErrJob) || !strings.Contains(err.Error(), "not the task") {
		t.Errorf("another task: got %v", err)
	}
	o := options("direct")
	o.Exchange = filepath.Join(of.Folder, "nowhere")
	if _, err := Open(t.Context(), "../beam/*.go", classes(), o); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "Options.Exchange") {
		t.Errorf("no folder: got %v", err)
	}
}

// TestNoRunner: a runner that is not there is an error.
func TestNoRunner(t *testing.T) {
	if _, err := Open(t.Context(), writeShards(t, 10, 1), classes(), options("nobody")); !errors.Is(err, ErrJob) || !strings.Contains(err.Error(), "import it") {
		t.Errorf("got %v", err)
	}
	if _, err := Open(t.Context(), "none-*.csv", classes(), options("direct")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := Open(t.Context(), "x.csv", classes(), Options{}); !errors.Is(err, ErrOptions) {
		t.Errorf("got %v", err)
	}
}

// TestRefused: what needs more of the rows than a few passes is refused before a charge and a job, with what to do.
func TestRefused(t *testing.T) {
	jobs.Store(0)
	s := private(t, must(Open(t.Context(), writeShards(t, 600, 2), classes(), options("broken"))), ledgerPath(t))
	for name, plan := range refused {
		_, err := must(dpkit.Parse[any](s, plan(s.Data()).String())).Release(t.Context())
		if !errors.Is(err, frames.ErrElsewhere) || !strings.Contains(err.Error(), "open the shards in this process") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if status := must(s.Status()); status.Releases != 0 || jobs.Load() != 1 {
		t.Errorf("%d charges, %d jobs", status.Releases, jobs.Load())
	}
}

// TestOtherVersions: parts and states of another version, and jobs of another program, are refused.
func TestOtherVersions(t *testing.T) {
	pattern := writeShards(t, 600, 2)
	src := must(Open(t.Context(), pattern, classes(), options("direct")))
	kept := &keeping{Reader: src.Reader().(remote.Reader)}
	released(t, must(frames.NewSharded(classes(), toldOf(src), kept)), exact["histogram"])
	task := src.Reader().(*reader).task
	task.Job = &kept.job
	p := must(task.work(t.Context(), 0))
	q := must(task.work(t.Context(), 1))
	if _, err := task.merge(t.Context(), []part{p, q}); err != nil {
		t.Fatal(err)
	}
	q.Version++
	if _, err := task.merge(t.Context(), []part{p, q}); !errors.Is(err, ErrJob) || !strings.Contains(err.Error(), "version 3, want 2") {
		t.Errorf("a part: got %v", err)
	}
	q.Version--
	q.State = []byte(strings.Replace(string(q.State), "dpnb state 2", "dpnb state 9", 1))
	if _, err := task.merge(t.Context(), []part{p, q}); err == nil || !strings.Contains(err.Error(), "a state of version 9") {
		t.Errorf("a state: got %v", err)
	}
	for _, job := range []remote.Job{
		{Release: []byte(strings.Replace(string(kept.job.Release), `"version":2`, `"version":7`, 1))},
		{Release: kept.job.Release, Before: [][]byte{p.State, p.State}},
	} {
		task.Job = &job
		if got := must(task.work(t.Context(), 0)); got.Failed == "" || got.State != nil {
			t.Errorf("a job: got %v", got)
		}
	}
}

// keeping is a reader that keeps the latest job.
type keeping struct {
	remote.Reader
	job remote.Job
}

func (k *keeping) Pass(ctx context.Context, job remote.Job) ([]byte, error) {
	k.job = job
	return k.Reader.Pass(ctx, job)
}

func toldOf(src *frames.Sharded) (told [][]byte) {
	for _, s := range src.Reader().(*reader).task.Shards {
		told = append(told, s.Told)
	}
	return told
}

// TestJobsTellNothing: what a runner sees and logs of a job holds neither rows nor hashes of them.
func TestJobsTellNothing(t *testing.T) {
	text := string(must(json.Marshal(accumulate{told{Folder: "/x", Sum: "abc"}})))
	if text != `{"Told":{"Folder":"/x","Sum":"abc"}}` {
		t.Errorf("got %s", text)
	}
}
