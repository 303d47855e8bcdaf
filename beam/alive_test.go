//go:build linux || darwin

package beam

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLive: a process has one lock of a folder while that is there, and gives it back behind it; a folder that cannot be seen is not taken for one that
// is gone, and one in which there can be no lock is not tried again.
func TestLive(t *testing.T) {
	files := func(folder string) int {
		return len(must(filepath.Glob(filepath.Join(folder, "*worker-*")))) + len(must(filepath.Glob(filepath.Join(folder, ".worker-*"))))
	}
	held := func(folder string) *os.File {
		lived.Lock()
		defer lived.Unlock()
		return lived.locks[folder]
	}
	first, second, missing, unseen := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "none"), strings.Repeat("x", 5000)
	live(first)
	live(first)
	if n := files(first); n != 1 || held(first) == nil || anyGone(first) {
		t.Fatalf("%d files, gone %v, want one that is locked", n, anyGone(first))
	}
	drives(second)
	live(second)
	if n := files(second); n != 0 {
		t.Errorf("%d files of the driver, want none", n)
	}
	leaves(second)
	f := must(os.Create(filepath.Join(t.TempDir(), "lock")))
	lived.Lock()
	lived.locks[unseen] = f
	lived.Unlock()
	live(missing)
	must(0, os.Mkdir(missing, 0o700))
	live(missing)
	if n := files(missing); n != 0 {
		t.Errorf("%d files where there was no folder, want none", n)
	}
	if held(unseen) != f {
		t.Error("the lock of a folder that cannot be seen was given back")
	}
	lock := held(first)
	must(0, os.RemoveAll(first))
	live(second)
	if held(first) != nil || lock.Close() == nil {
		t.Error("the lock of a folder that is gone is held still")
	}
	lived.Lock()
	delete(lived.locks, unseen)
	lived.Unlock()
	must(0, f.Close())
}

// TestGoneBehindItsWork: a worker that is gone is noticed, and what it delivered before is taken for that of its job.
func TestGoneBehindItsWork(t *testing.T) {
	folder := t.TempDir()
	must(0, os.WriteFile(filepath.Join(folder, "worker-1"), nil, 0o600))
	began := time.Now()
	if !lost(t.Context(), folder) || time.Since(began) < endsWithin {
		t.Error("a worker that is gone was not noticed, or too early")
	}
	of := told{Folder: folder}
	if of.delivered() {
		t.Error("delivered nothing, and is said to have")
	}
	must(0, (&deliver{Told: of}).ProcessElement(t.Context(), []byte("all")))
	if !of.delivered() {
		t.Error("what was delivered is not seen")
	}
}
