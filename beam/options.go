package beam

import (
	"errors"
	"fmt"
	"os"

	"github.com/dpkit-go/dpnb/frames"
)

// ErrOptions is the error of options that mean nothing.
var ErrOptions = frames.ErrOptions

// ErrJob is the error of a job that Beam did not bring to an end.
var ErrJob = errors.New("job failed")

// Options say where shards are read, and how.
type Options struct {
	// Runner is Beam's name of what runs jobs; no default. "direct" and "prism" run in this process, for tests and for the machine at hand.
	// A program that imports runners of Beam ("flink", "spark", "dataflow") names those, and their flags say where they are.
	Runner string
	// Exchange is a folder that driver and workers share, by which states and what workers are told cross. Whoever reads it learns
	// exact sums of the rows. "": a folder of this user alone on this machine, which is removed behind each job.
	Exchange string
	// ByPerson says that nobody has rows in two shards, where the schema has a person: then Bound and PerPerson make what they make of a
	// person's rows where these lie, and no row goes from worker to worker. Open fails where it is not so. Without it the rows of a person meet by
	// a GroupByKey.
	ByPerson bool
	// CSV is how CSV files are written. Files of other formats are read as [frames.Open] reads them, if the program of the workers imports
	// their package, as that of Parquet.
	CSV frames.CSVOptions
}

func (o Options) validate() error {
	if o.Runner == "" {
		return fmt.Errorf(`beam: options: Runner: got none, want "direct", "prism" or one whose package the program imports: %w`, ErrOptions)
	}
	return nil
}

// exchange is a folder for one job.
func (o Options) exchange() (folder string, err error) {
	folder, err = os.MkdirTemp(o.Exchange, "dpnb-job-") // 0700
	if err != nil {
		return "", fmt.Errorf("beam: exchange: %w: make a folder that driver and workers share, and name it in Options.Exchange", err)
	}
	return folder, nil
}
