//go:build unix

package main

import (
	"io/fs"
	"os"
	"syscall"
)

// owned reports whether a folder is the user's, and no other user but the system's may write to it.
func owned(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return !ok || s.Uid == uint32(os.Geteuid()) && info.Mode().Perm()&0o022 == 0
}
