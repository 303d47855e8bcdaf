package parquet

import (
	"context"
	"errors"

	"github.com/dpkit-go/dpnb/frames"
)

func init() {
	// frames.Open puts it under Check, frames.OpenAs under that of another process.
	frames.RegisterFormat(frames.Format{Name: "Parquet", Extensions: []string{".parquet", ".parq", ".pq"}, Open: func(path string, s frames.Schema) (frames.Source, error) {
		t, err := shardsOf(path, s)
		if err != nil {
			return nil, err
		}
		return t, nil
	}})
}

// Open checks the rows of a path once, which are then read anew at every Scan, in constant memory: of a file, of all files that a
// pattern such as "part-*.parquet" matches, or of a folder and those in it ([frames.Shards]). Folders may be named after the value of a
// column, as "year=2024", which is public then.
//
// Columns are found by name; what the schema does not name, or ignores, is not read. Numbers come
// from integers, floats, booleans and decimals (the nearest float64); a [frames.Date] from DATE,
// from the day in UTC of a TIMESTAMP, or from text as the column is written; levels from text,
// integers (in decimals) and booleans ("true", "false"); a [frames.Person] from text, integers and
// UUIDs, without space around them. NULL is a missing cell, and so is a NaN. A column of one shard
// has the type that it has in the others.
//
// What the file says of itself (counts, statistics, types, sizes, whether NULL may occur) is believed nowhere: all rows pass [frames.Check].
// A page is read that unpacks to 64 MiB at most. Errors wrap [ErrFormat], [ErrType] or errors of package frames.
func Open(path string, s frames.Schema) (*frames.Checked, error) {
	t, err := shardsOf(path, s)
	if err != nil {
		return nil, err
	}
	src, err := frames.Check(context.Background(), t)
	return src, named(path, err)
}

// Read is [Open] into memory, for rows that many passes read.
func Read(path string, s frames.Schema) (*frames.Frame, error) {
	t, err := shardsOf(path, s)
	if err != nil {
		return nil, err
	}
	f, err := frames.Collect(context.Background(), t)
	return f, named(path, err)
}

// named gives the error of a check the name of what was read.
func named(path string, err error) error {
	var load *frames.LoadError
	if errors.As(err, &load) {
		load.Name = path
	}
	return err
}
