package main

import (
	"io/fs"
	"syscall"
)

// changedAt is when a file was last written, renamed or touched, which a program cannot set back; 0 where it is not known.
func changedAt(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano()
	}
	return 0
}
