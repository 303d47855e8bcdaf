package beam

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct" //lint:ignore SA1019 by name: it needs no server
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"  // by name

	"github.com/dpkit-go/dpnb/frames"
)

func init() {
	register.DoFn2x2[context.Context, int, []byte, error](&accumulate{})
	register.Combiner1[[]byte](&merge{})
	register.DoFn2x1[context.Context, []byte, error](&deliver{})
	sdk.RegisterDoFn(reflect.TypeFor[deal]()) // called once a shard or bucket, so that reflection does
	sdk.RegisterDoFn(reflect.TypeFor[accumulateDealt]())
}

// tries is how often a job is submitted that its runner gives up: workers draw nothing, so that a job that is made once more is the same.
const tries = 3

// run makes a job of a task, and returns what came of it.
func (r *reader) run(ctx context.Context, t task) (parts []part, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	folder, err := r.options.exchange()
	if err != nil {
		return nil, err
	}
	drives(folder)
	defer func() {
		leaves(folder)
		err = errors.Join(err, os.RemoveAll(folder))
	}()
	raw := encode(t)
	sum := sha256.Sum256(raw)
	told := told{Folder: folder, Sum: hex.EncodeToString(sum[:])}
	if err := os.WriteFile(told.task(), raw, 0o600); err != nil {
		return nil, fmt.Errorf("beam: exchange: %w", err)
	}
	for try := 1; ; try++ {
		err := r.submit(ctx, told, len(t.Shards), t.Buckets > 0)
		if err == nil {
			break
		}
		if try == tries || ctx.Err() != nil {
			return nil, err
		}
		if err := forgetLost(folder); err != nil {
			return nil, err
		}
	}
	raw, err = os.ReadFile(told.result())
	if err != nil {
		return nil, fmt.Errorf("beam: exchange: %w: driver and workers must share the folder of Options.Exchange: %w", err, ErrJob)
	}
	if err := decode(raw, &parts); err != nil {
		return nil, err
	}
	for _, p := range parts {
		if p.Failed != "" {
			return nil, failure(p)
		}
	}
	statesOf(parts) // in order
	if t.Job == nil && len(parts) != len(t.Shards) {
		return nil, fmt.Errorf("beam: got %d of %d shards: %w", len(parts), len(t.Shards), ErrJob)
	}
	return parts, nil
}

// failure is what a worker says of a shard that no other try can help.
type failure part

func (f failure) Error() string { return "beam: " + f.Failed }

func (f failure) Unwrap() error {
	if f.Changed {
		return frames.ErrChanged
	}
	return ErrJob
}

// named makes a runner that no package registered an error, which would end the program.
func named(runner string) {
	defer func() { _ = recover() }() // it is registered
	sdk.RegisterRunner(runner, func(context.Context, *sdk.Pipeline) (sdk.PipelineResult, error) {
		return nil, errors.New("no package that this program imports has a runner of that name: import it as _")
	})
}

// submit runs the job of a task over so many shards, whose rows are dealt by people or not.
func (r *reader) submit(ctx context.Context, t told, shards int, people bool) error {
	begin()
	named(r.options.Runner)
	if err := loopback(r.options.Runner); err != nil {
		return err
	}
	p, s := sdk.NewPipelineWithRoot()
	elements := make([]any, shards)
	for i := range elements {
		elements[i] = i
	}
	each := sdk.Reshuffle(s, sdk.Create(s, elements...)) // or one worker has them all
	var states sdk.PCollection
	if people {
		states = sdk.ParDo(s, &accumulateDealt{Told: t}, sdk.GroupByKey(s, sdk.ParDo(s, &deal{Told: t}, each)))
	} else {
		states = sdk.ParDo(s, &accumulate{Told: t}, each)
	}
	sdk.ParDo0(s, &deliver{Told: t}, sdk.Combine(s, &merge{Told: t}, states))
	run, end := context.WithCancel(ctx)
	defer end()
	done, gone := make(chan error, 1), make(chan struct{})
	go func() {
		_, err := sdk.Run(run, r.options.Runner, p)
		done <- err
	}()
	if r.options.Runner == "prism" { // which waits for it; others start another
		go func() {
			if lost(run, t.Folder) {
				close(gone)
			}
		}()
	}
	select {
	case <-gone: // what the job goes on with, nobody reads
		if t.delivered() { // the worker ended behind its work, and the runner takes long to say so
			return nil
		}
		return fmt.Errorf("beam: runner %s: %w: %w", r.options.Runner, errLost, ErrJob)
	case err := <-done:
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return fmt.Errorf("beam: runner %s: %w: %w", r.options.Runner, err, ErrJob)
		}
		return nil
	case <-ctx.Done(): // what the job goes on with, nobody reads
		return ctx.Err()
	}
}

// told is where a task lies.
type told struct {
	Folder string
	Sum    string // SHA-256 of the task
}

func (t told) task() string { return filepath.Join(t.Folder, "task") }

func (t told) result() string { return filepath.Join(t.Folder, "result") }

// delivered says that the result is there, which is written last and appears whole.
func (t told) delivered() bool {
	_, err := os.Stat(t.result())
	return err == nil
}

// tasks are those that this process works on, the latest alone.
var tasks struct {
	sync.Mutex
	sum    string
	latest *task
}

// read is the task.
func (t told) read() (*task, error) {
	live(t.Folder)
	tasks.Lock()
	defer tasks.Unlock()
	if tasks.latest != nil && tasks.sum == t.Sum {
		return tasks.latest, nil
	}
	raw, err := os.ReadFile(t.task())
	if err != nil {
		return nil, fmt.Errorf("beam: exchange: %w: driver and workers must share the folder of Options.Exchange", err)
	}
	if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != t.Sum {
		return nil, fmt.Errorf("beam: exchange: %s is not the task that the driver wrote: %w", t.task(), ErrJob)
	}
	of := &task{}
	if err := decode(raw, of); err != nil {
		return nil, err
	}
	tasks.sum, tasks.latest = t.Sum, of
	return of, nil
}

// accumulate makes the state of a shard.
type accumulate struct{ Told told }

func (f *accumulate) ProcessElement(ctx context.Context, i int) ([]byte, error) {
	t, err := f.Told.read()
	if err != nil {
		return nil, err
	}
	p, err := t.work(ctx, i)
	return encode([]part{p}), err
}

// deal hands out the rows of a shard in blocks, by the buckets of their people.
type deal struct{ Told told }

func (f *deal) ProcessElement(ctx context.Context, i int, to func(bucket int, block []byte)) error {
	t, err := f.Told.read()
	if err != nil {
		return err
	}
	return t.deal(ctx, i, to)
}

// accumulateDealt makes the state of a bucket, whose blocks it holds.
type accumulateDealt struct{ Told told }

func (f *accumulateDealt) ProcessElement(ctx context.Context, bucket int, blocks func(*[]byte) bool) ([]byte, error) {
	t, err := f.Told.read()
	if err != nil {
		return nil, err
	}
	var all [][]byte // runners hand them out once
	for b := []byte(nil); blocks(&b); {
		all = append(all, b)
	}
	p, err := t.bucket(ctx, bucket, func(fn func([]byte) error) error {
		for _, b := range all {
			if err := fn(b); err != nil {
				return err
			}
		}
		return nil
	})
	return encode([]part{p}), err
}

// merge merges states, and gathers the parts of shards that were opened.
type merge struct{ Told told }

func (f *merge) MergeAccumulators(a, b []byte) ([]byte, error) {
	var x, y []part
	if len(a) == 0 {
		return b, nil
	}
	if len(b) == 0 {
		return a, nil
	}
	if err := errors.Join(decode(a, &x), decode(b, &y)); err != nil {
		return nil, err
	}
	t, err := f.Told.read()
	if err != nil {
		return nil, err
	}
	all, err := t.merge(context.Background(), append(x, y...))
	return encode(all), err
}

// deliver writes the result where the driver reads it.
type deliver struct{ Told told }

func (f *deliver) ProcessElement(_ context.Context, all []byte) error {
	next := f.Told.result() + ".next"
	if err := os.WriteFile(next, all, 0o600); err != nil {
		return err
	}
	return os.Rename(next, f.Told.result())
}
