//go:build unix

package prebuilt

import (
	"io/fs"
	"os"
	"syscall"
)

// Owned reports whether a folder is the user's, and no other user but the system's may write to it.
func Owned(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return !ok || s.Uid == uint32(os.Geteuid()) && info.Mode().Perm()&0o022 == 0
}
