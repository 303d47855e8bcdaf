package ledger

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/dpkit-go/dpnb/internal/flock"
)

// gates holds one gate for each file that this process has open, because flock keeps file
// descriptions apart, not the goroutines that share one.
var gates = struct {
	sync.Mutex
	m map[fileID]*gate
}{m: map[fileID]*gate{}}

// gate is a mutex that can be waited for with a context: a full channel is locked.
type gate struct {
	id   fileID
	c    chan struct{}
	refs int
}

func openGate(id fileID) *gate {
	gates.Lock()
	defer gates.Unlock()
	g := gates.m[id]
	if g == nil {
		g = &gate{id: id, c: make(chan struct{}, 1)}
		gates.m[id] = g
	}
	g.refs++
	return g
}

func (g *gate) close() {
	gates.Lock()
	defer gates.Unlock()
	if g.refs--; g.refs == 0 {
		delete(gates.m, g.id)
	}
}

// lock takes the gate, then f's lock. It waits until ctx ends.
func (g *gate) lock(ctx context.Context, f *os.File, try func(*os.File) (bool, error)) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("ledger: lock: %w before the release began: nothing was charged", err)
	}
	select {
	case g.c <- struct{}{}:
	case <-ctx.Done():
		return waited(ctx.Err())
	}
	for pause := 200 * time.Microsecond; ; pause = min(2*pause, 20*time.Millisecond) {
		ok, err := try(f)
		if ok {
			return nil
		}
		if err != nil {
			<-g.c
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			<-g.c
			return waited(ctx.Err())
		}
	}
}

// tryLock takes both without waiting for a release in progress. The few tries
// are for a reader elsewhere, who holds the lock for microseconds.
func (g *gate) tryLock(f *os.File, try func(*os.File) (bool, error)) (bool, error) {
	select {
	case g.c <- struct{}{}:
	default:
		return false, nil
	}
	for range 4 {
		if ok, err := try(f); ok || err != nil {
			if err != nil {
				<-g.c
			}
			return ok, err
		}
		time.Sleep(500 * time.Microsecond)
	}
	<-g.c
	return false, nil
}

func (g *gate) unlock(f *os.File) {
	flock.Unlock(f)
	<-g.c
}

func waited(err error) error {
	return fmt.Errorf("ledger: lock: another release holds it: %w: nothing was charged", err)
}
