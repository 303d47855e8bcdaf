//go:build linux || darwin || freebsd || netbsd || openbsd

package frames

import (
	"os"
	"syscall"
)

// mapFile maps so many bytes of a file into memory, which others may not write to; nil where that cannot be done. They stay mapped: a
// frame may be anywhere, and the system takes back pages that are not used.
func mapFile(f *os.File, size int) []byte {
	data, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil
	}
	return data
}
