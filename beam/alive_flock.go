//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package beam

import (
	"os"
	"syscall"
)

// lockAlone takes the exclusive lock of a file, which goes when the process ends, or reports that another holds it.
func lockAlone(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
