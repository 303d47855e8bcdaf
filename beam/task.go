package beam

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/remote"
	"github.com/dpkit-go/dpnb/sqlsource"
)

// Sessions of dpkit make jobs, and every worker needs what it registers.
var _ dpkit.Budget

// taskVersion is that of tasks and parts.
const taskVersion = 2

// task is what workers are told. It is as secret as the rows.
type task struct {
	Schema []byte // as JSON
	CSV    []byte // frames.CSVOptions as JSON: gob makes nil of an empty list of markers, which means others
	Shards []shard
	Job    *remote.Job // nil: the shards are opened

	Ranges   *Ranges // nil: the shards are files
	Snapshot string  // of the database, that ranges are read in; "" for none
	// Buckets is into how many the rows of people are dealt; 0: every shard has a state of its own.
	Buckets int
}

// shard is an element of a job.
type shard struct {
	Path  string
	First int    // its first row among all
	Told  []byte // what was learnt when it was opened
}

// part is what workers return: the state of one shard, or of several that merged; or why there is none, where another try cannot help.
type part struct {
	Version int
	From    int // the first shard, or bucket
	Rows    int // of a shard that was opened
	State   []byte
	Failed  string
	Changed bool // the shard is no longer what it was
}

// statesOf are the states of parts in the order of their shards.
func statesOf(parts []part) [][]byte {
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.From, b.From) })
	out := make([][]byte, len(parts))
	for i, p := range parts {
		out[i] = p.State
	}
	return out
}

// work makes the part of a shard. An error is worth another try.
func (t *task) work(ctx context.Context, i int) (part, error) {
	p, err := t.read(ctx, i)
	return p.ended(ctx, i, err)
}

// ended is the part of a shard or bucket with what no other try can help.
func (p part) ended(ctx context.Context, from int, err error) (part, error) {
	p.Version, p.From = taskVersion, from
	switch {
	case err == nil || ctx.Err() != nil || passing(err):
		return p, err
	case errors.Is(err, frames.ErrChanged):
		p.Failed, p.Changed = err.Error(), true
	default: // a file that cannot be read, or is not as declared, or a job of another program
		p.Failed = err.Error()
	}
	return p, nil
}

// passing says whether a database or a file system did not answer, as those of a network do at times: a file is there.
func passing(err error) bool {
	var of *fs.PathError
	return errors.Is(err, sqlsource.ErrConnect) || errors.As(err, &of) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission)
}

func (t *task) read(ctx context.Context, i int) (p part, err error) {
	var schema frames.Schema
	if err := json.Unmarshal(t.Schema, &schema); err != nil {
		return p, err
	}
	if t.Job == nil {
		src, end, err := t.open(ctx, i, schema)
		if err != nil {
			return p, err
		}
		defer end()
		p.Rows = src.Rows()
		p.State, err = frames.Opened(ctx, src)
		return p, err
	}
	pass, err := prepared(ctx, *t.Job)
	if err != nil {
		return p, err
	}
	src, end, err := t.again(ctx, i, schema)
	if err != nil {
		return p, err
	}
	defer end()
	p.State, err = pass.Accumulate(ctx, src, i, t.Shards[i].First)
	if err != nil && !strings.Contains(err.Error(), t.Shards[i].Path) {
		err = fmt.Errorf("%s: %w", t.Shards[i].Path, err)
	}
	return p, err
}

// open reads a shard for the first time. What it returns ends the reading of it.
func (t *task) open(ctx context.Context, i int, schema frames.Schema) (src frames.Source, end func(), err error) {
	path, end := t.Shards[i].Path, func() {}
	switch {
	case t.Ranges != nil:
		var in sqlsource.Database
		if in, end, err = t.within(ctx); err != nil {
			return nil, nil, err
		}
		src, err = sqlsource.Open(ctx, in, schema, t.Ranges.query(i))
	case isCSV(path):
		var o frames.CSVOptions
		if o, err = t.csv(); err == nil {
			src, err = frames.OpenCSV(path, schema, o)
		}
	default:
		src, err = frames.Open(path, schema)
	}
	return ending(src, end, err)
}

// again is a shard that was opened before: the pass alone reads it, and checks it.
func (t *task) again(ctx context.Context, i int, schema frames.Schema) (src frames.Source, end func(), err error) {
	s, end := t.Shards[i], func() {}
	switch {
	case t.Ranges != nil:
		var in sqlsource.Database
		if in, end, err = t.within(ctx); err != nil {
			return nil, nil, err
		}
		src, err = sqlsource.OpenAs(ctx, in, schema, t.Ranges.query(i), s.Told)
	case isCSV(s.Path):
		var o frames.CSVOptions
		if o, err = t.csv(); err == nil {
			src, err = frames.OpenCSVAs(s.Path, schema, o, s.Told)
		}
	default:
		src, err = frames.OpenAs(ctx, s.Path, schema, s.Told)
	}
	return ending(src, end, err)
}

// csv are the options of CSV files.
func (t *task) csv() (o frames.CSVOptions, err error) {
	if err := json.Unmarshal(t.CSV, &o); err != nil {
		return o, fmt.Errorf("beam: got options of another program, want those of this version of dpnb: run it everywhere: %w", ErrJob)
	}
	return o, nil
}

// ending ends the reading of a source that there is not.
func ending(src frames.Source, end func(), err error) (frames.Source, func(), error) {
	if err != nil {
		end()
		return nil, nil, err
	}
	return src, end, nil
}

// isCSV says whether a file is read as Options.CSV says.
func isCSV(path string) bool {
	name := strings.ToLower(path)
	for _, packed := range []string{".gz", ".bz2"} {
		name = strings.TrimSuffix(name, packed)
	}
	return filepath.Ext(name) == ".csv"
}

// merge merges parts, in whatever order they come.
func (t *task) merge(ctx context.Context, parts []part) ([]part, error) {
	for _, p := range parts {
		if p.Version != taskVersion {
			return nil, fmt.Errorf("beam: got a part of version %d, want %d: run the same version of dpnb everywhere: %w", p.Version, taskVersion, ErrJob)
		}
		if p.Failed != "" {
			return []part{p}, nil
		}
	}
	if t.Job == nil || len(parts) < 2 {
		return parts, nil
	}
	pass, err := prepared(ctx, *t.Job)
	if err != nil {
		return nil, err
	}
	all, err := pass.Merge(statesOf(parts))
	return []part{{Version: taskVersion, From: parts[0].From, State: all}}, err
}

// passes are those that this process works on, by their jobs: a worker makes the release of a job once.
var passes struct {
	sync.Mutex
	of     [sha256.Size]byte
	latest remote.Pass
}

// prepared is the pass of a job.
func prepared(ctx context.Context, job remote.Job) (remote.Pass, error) {
	sum := sha256.Sum256(encode(job))
	passes.Lock()
	defer passes.Unlock()
	if passes.latest != nil && passes.of == sum {
		return passes.latest, nil
	}
	p, err := remote.Prepare(ctx, job)
	if err == nil {
		passes.of, passes.latest = sum, p
	}
	return p, err
}

// encode writes a task or parts.
func encode(v any) []byte {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		panic("beam: plain fields have no gob: " + err.Error()) // impossible
	}
	return b.Bytes()
}

func decode(b []byte, v any) error {
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(v); err != nil {
		return fmt.Errorf("beam: got bytes of another program, want those of this version of dpnb: run it everywhere: %w", ErrJob)
	}
	return nil
}
