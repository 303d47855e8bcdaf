//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package flock

import (
	"errors"
	"os"
)

// Supported says whether there are such locks on this system.
const Supported = false

// Try takes no lock.
func Try(*os.File) (held bool, err error) { return false, errors.ErrUnsupported }

// Unlock does nothing.
func Unlock(*os.File) {}
