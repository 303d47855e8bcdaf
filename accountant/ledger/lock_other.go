//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package ledger

import (
	"fmt"
	"os"
	"runtime"
)

type fileID struct{}

func supported() error {
	return fmt.Errorf("ledger: %s has no flock: %w: use Linux, macOS or a BSD", runtime.GOOS, ErrUnsupported)
}

func identify(os.FileInfo) (fileID, error) { return fileID{}, supported() }

func tryLock(*os.File) (bool, error) { return false, supported() }

func unlock(*os.File) {}
