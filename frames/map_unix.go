//go:build linux || darwin || freebsd || netbsd || openbsd

package frames

import (
	"io/fs"
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

// ours reports a file of the user who runs this process: nobody else may write to it, nor let others do so. What another user has put in a shared
// folder could be changed while it is in use.
func ours(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
