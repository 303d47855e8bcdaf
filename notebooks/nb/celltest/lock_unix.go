//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package celltest

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes a file's lock unless another process has it: internal/flock for a package that exported tests carry along.
func tryLock(f *os.File) (held bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
