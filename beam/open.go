package beam

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/remote"
)

// Open has workers read every file of a path once, each where it lies: a file, a pattern such as "part-*.csv", or a folder
// ([frames.Shards]). They check it as [frames.OpenCSV] or [frames.Open] does, and tell how many rows it has, hashes of its cells and bytes, whose the rows
// are. What comes back is a source that sessions stand on, and no row. Each later pass reads the files anew, and fails with
// [frames.ErrChanged] where one is not what it was.
//
// Every shard has at least one row. Workers must reach the files by the same names.
func Open(ctx context.Context, path string, s frames.Schema, o Options) (*frames.Sharded, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if s.Len() == 0 {
		return nil, fmt.Errorf("beam: %s: got a schema without columns, want the files': make it with frames.NewSchema: %w", path, ErrOptions)
	}
	paths, err := frames.Shards(path)
	if err != nil {
		return nil, err
	}
	schema, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	csv, err := json.Marshal(o.CSV)
	if err != nil {
		return nil, err
	}
	r := &reader{task: task{Schema: schema, CSV: csv}, options: o}
	for _, p := range paths {
		r.task.Shards = append(r.task.Shards, shard{Path: p})
	}
	return opened(ctx, r, s, path)
}

// opened has the shards of a task opened, and is their rows.
func opened(ctx context.Context, r *reader, s frames.Schema, what string) (*frames.Sharded, error) {
	parts, err := r.run(ctx, r.task)
	if err != nil {
		return nil, err
	}
	told := make([][]byte, len(parts))
	first := 0
	for i, p := range parts {
		told[i] = p.State
		if r.task.Shards[i].Told, err = frames.Again(p.State); err != nil {
			return nil, err
		}
		r.task.Shards[i].First = first
		first += p.Rows
	}
	src, err := frames.NewSharded(s, told, r)
	if err == nil && r.options.ByPerson && !src.Apart() {
		return nil, fmt.Errorf("beam: %s: got people with rows in several shards, want those of each person in one, as Options.ByPerson says: part the rows by a hash of the person when they are written: %w", what, ErrOptions)
	}
	return src, err
}

// reader reaches the rows of shards: the [remote.Reader] of a source.
type reader struct {
	task    task
	options Options
}

// Pass makes a pass over all shards.
func (r *reader) Pass(ctx context.Context, job remote.Job) ([]byte, error) {
	p, err := prepared(ctx, job) // which workers in this process take, too
	if err != nil {
		return nil, err
	}
	t := r.task
	t.Job = &job
	if !r.options.ByPerson {
		t.Buckets = p.Buckets()
	}
	parts, err := r.run(ctx, t)
	if err != nil {
		return nil, err
	}
	return p.Merge(statesOf(parts))
}
