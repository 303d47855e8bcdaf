//go:build linux || darwin || freebsd

package celltest

import "syscall"

// freeSpace is what a user who is not root may write to the disk of a folder.
func freeSpace(dir string) (bytes uint64, ok bool) {
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil {
		return 0, false
	}
	return uint64(s.Bavail) * uint64(s.Bsize), true
}
