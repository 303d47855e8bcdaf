//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package flock

import (
	"errors"
	"os"
	"syscall"
)

// Supported says whether there are such locks on this system.
const Supported = true

// Try takes the exclusive lock of f's file description, or reports that another holds it. Where there are no such locks its error is
// [errors.ErrUnsupported]; others are those of the file system.
func Try(f *os.File) (held bool, err error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		default:
			return err == nil, err
		}
	}
}

// Unlock gives a lock back. It cannot fail in a way that matters: closing the file releases the lock too.
func Unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
