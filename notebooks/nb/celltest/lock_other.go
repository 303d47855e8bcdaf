//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package celltest

import (
	"errors"
	"os"
)

// tryLock is not known here.
func tryLock(*os.File) (held bool, err error) { return false, errors.ErrUnsupported }
