package ledger

import (
	"fmt"
	"os"
	"runtime"

	"github.com/dpkit-go/dpnb/internal/flock"
)

// supported is nil where this package can lock files.
func supported() error {
	if flock.Supported {
		return nil
	}
	return fmt.Errorf("ledger: %s has no flock: %w: use Linux, macOS or a BSD", runtime.GOOS, ErrUnsupported)
}

// tryLock takes the exclusive lock of f's file description, or reports that another holds it.
func tryLock(f *os.File) (bool, error) {
	if err := supported(); err != nil {
		return false, err
	}
	held, err := flock.Try(f)
	if err != nil {
		return false, lockError(err)
	}
	return held, nil
}

func lockError(err error) error {
	return fmt.Errorf("ledger: flock: %w: the ledger needs a file system with locks, such as a local disk", err)
}
