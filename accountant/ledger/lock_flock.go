//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package ledger

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// fileID names a file independently of its path.
type fileID struct{ dev, ino uint64 }

func identify(fi os.FileInfo) (fileID, error) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}, fmt.Errorf("ledger: stat: got %T, want *syscall.Stat_t: %w", fi.Sys(), ErrUnsupported)
	}
	return fileID{dev: uint64(st.Dev), ino: uint64(st.Ino)}, nil
}

// supported is nil where this package can lock files.
func supported() error { return nil }

// tryLock takes the exclusive lock of f's file description, or reports that another holds it.
func tryLock(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		default:
			return false, lockError(err)
		}
	}
}

func lockError(err error) error {
	return fmt.Errorf("ledger: flock: %w: the ledger needs a file system with locks, such as a local disk", err)
}

// unlock cannot fail in a way that matters: closing the file releases the lock too.
func unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
