package remote

import (
	"context"
	"errors"
	"sync"

	"github.com/dpkit-go/dpnb/frames"
)

// Job is one pass over the rows of a release. It is as secret as the rows: it holds exact sums of earlier passes.
type Job struct {
	Release []byte   // the plan and what is public of the session, as dpkit writes it
	Before  [][]byte // what came before the pass, in order
}

// A Reader reaches the rows of a [frames.Sharded].
type Reader interface {
	// Pass makes a pass over all shards, and returns its state. It may make it as often as it likes.
	Pass(ctx context.Context, job Job) ([]byte, error)
}

// A Pass is a job in the process that works on it. Several goroutines may use it at once.
type Pass interface {
	// Accumulate returns the state of the shard of that number, whose first row is the first-th of all. Of a pass of people it holds all rows of
	// each of its own.
	Accumulate(ctx context.Context, shard frames.Source, number, first int) ([]byte, error)
	// Buckets is into how many buckets the rows of people are dealt where people may have rows in several shards: it hangs on the number of
	// people alone. 0 where the pass takes no rows of people together.
	Buckets() int
	// Deal hands out the rows of a shard in blocks, each for one of so many buckets. Every shard has a block for the first one.
	Deal(ctx context.Context, shard frames.Source, buckets int, to func(bucket int, block []byte) error) error
	// AccumulateDealt returns the state of the bucket of that number. blocks hands out all that was dealt to it, in any order, as often as it
	// is called.
	AccumulateDealt(ctx context.Context, number int, blocks func(fn func(block []byte) error) error) ([]byte, error)
	// Merge returns the state of what several states are of, whatever their order; of none the empty state.
	Merge(states [][]byte) ([]byte, error)
}

// ErrJob is the error of a job that this program cannot work on.
var ErrJob = errors.New("job of another program")

var worker struct {
	sync.Mutex
	prepare func(ctx context.Context, job Job) (Pass, error)
}

// Register is called by dpkit, which makes passes.
func Register(prepare func(ctx context.Context, job Job) (Pass, error)) {
	worker.Lock()
	defer worker.Unlock()
	worker.prepare = prepare
}

// Prepare makes a job's release anew, up to its pass. The program must import dpkit.
func Prepare(ctx context.Context, job Job) (Pass, error) {
	worker.Lock()
	prepare := worker.prepare
	worker.Unlock()
	if prepare == nil {
		return nil, errors.New("remote: the program knows no releases: import package dpkit")
	}
	return prepare(ctx, job)
}
