package celltest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// lockFile is held by the process that a scratch folder is of.
const lockFile = ".nb-lock"

// Scratch makes a folder for copies of a user's files in parent, under a name that begins with prefix, and first removes those
// whose process ended without removing its own. A lock tells, which goes with the process however that ends: a folder's age says
// nothing of a run that takes long, and the number of a process may be another's by now, or of another container.
func Scratch(parent, prefix string) (dir string, remove func(), err error) {
	sweep(parent, prefix)
	for range 10 {
		if dir, err = os.MkdirTemp(parent, prefix); err != nil {
			return "", nil, err
		}
		lock, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			continue // somebody else's sweep was between
		}
		switch held, err := tryLock(lock); {
		case err != nil: // no locks here: nobody sweeps what has no lock file
			_ = os.Remove(lock.Name())
		case !held || !same(lock):
			_ = lock.Close()
			continue
		}
		return dir, func() {
			_ = os.RemoveAll(dir)
			_ = lock.Close()
		}, nil
	}
	return "", nil, fmt.Errorf("cannot make a folder in %s: others remove it at once", parent)
}

// same reports whether a file is still the one of its name.
func same(f *os.File) bool {
	a, err := f.Stat()
	b, err2 := os.Stat(f.Name())
	return errors.Join(err, err2) == nil && os.SameFile(a, b)
}

// sweep removes the scratch folders whose lock nobody holds.
func sweep(parent, prefix string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		if name := e.Name(); e.IsDir() && len(name) > len(prefix) && name[:len(prefix)] == prefix {
			removeUnheld(filepath.Join(parent, name))
		}
	}
}

func removeUnheld(dir string) {
	lock, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR, 0)
	if err != nil {
		return // another user's, or of a file system without locks
	}
	defer lock.Close()
	if held, err := tryLock(lock); held && err == nil {
		_ = os.RemoveAll(dir)
	}
}
