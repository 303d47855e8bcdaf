package beam

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dpkit-go/dpnb/internal/flock"
)

// errLost is the error of a job whose worker is gone.
var errLost = errors.New("a worker's process ended in the middle of the job, as one that is killed or has no memory left")

const (
	// lookEvery is how often the driver looks for workers that ended.
	lookEvery = 200 * time.Millisecond
	// endsWithin is how long a worker may be gone before its job is: one whose work is done ends as the job does.
	endsWithin = 3 * time.Second
)

// lived are the files whose locks show that this process works on the tasks of their folders.
var lived struct {
	sync.Mutex
	driver map[string]bool     // folders that this process made: it does not watch itself
	locks  map[string]*os.File // by folder; nil where there can be none
}

// drives says that this process made a folder.
func drives(folder string) {
	lived.Lock()
	defer lived.Unlock()
	if lived.driver == nil {
		lived.driver = map[string]bool{}
	}
	lived.driver[folder] = true
}

// leaves forgets a folder that this process made.
func leaves(folder string) {
	lived.Lock()
	defer lived.Unlock()
	delete(lived.driver, folder)
}

// live locks a file in the folder of a task for as long as this process lives: the system takes the lock away when it ends, however that is. Where
// that cannot be, nobody watches.
func live(folder string) {
	lived.Lock()
	defer lived.Unlock()
	if _, tried := lived.locks[folder]; tried || lived.driver[folder] {
		return
	}
	for other, f := range lived.locks { // of jobs that are done: a folder that cannot be seen now may be there again
		if _, err := os.Stat(other); errors.Is(err, fs.ErrNotExist) {
			_ = f.Close()
			delete(lived.locks, other)
		}
	}
	if lived.locks == nil {
		lived.locks = map[string]*os.File{}
	}
	lived.locks[folder] = locked(folder)
}

// locked is a new file in the folder under this process's lock; nil where that cannot be.
func locked(folder string) *os.File {
	// Its name is there when it is locked already.
	f, err := os.CreateTemp(folder, ".worker-")
	if err != nil {
		return nil
	}
	if !lockAlone(f) || os.Rename(f.Name(), filepath.Join(folder, "worker-"+filepath.Base(f.Name())[len(".worker-"):])) != nil {
		_ = f.Close()
		_ = os.Remove(f.Name())
		return nil
	}
	return f
}

// lost waits until a worker of a folder's task is gone, or ctx is done.
func lost(ctx context.Context, folder string) bool {
	for since := (time.Time{}); ; {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(lookEvery):
		}
		switch {
		case !anyGone(folder):
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		case time.Since(since) > endsWithin:
			return true
		}
	}
}

// anyGone reports a worker whose lock is free.
func anyGone(folder string) bool {
	files, err := filepath.Glob(filepath.Join(folder, "worker-*"))
	if err != nil {
		return false
	}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		free := lockAlone(f)
		_ = f.Close() // and with it the lock
		if free {
			return true
		}
	}
	return false
}

// forgetLost removes what the workers of a lost job left, so that the next try is judged by its own.
func forgetLost(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "worker-*"))
	for _, path := range files {
		err = errors.Join(err, os.Remove(path))
	}
	if err != nil {
		return fmt.Errorf("beam: exchange: %w", err)
	}
	return nil
}

// lockAlone takes the exclusive lock of a file, which goes when the process ends, or reports that another holds it. Where there are no such locks no
// worker is watched.
func lockAlone(f *os.File) bool {
	held, err := flock.Try(f)
	return held && err == nil
}
