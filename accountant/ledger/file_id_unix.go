//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package ledger

import (
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
