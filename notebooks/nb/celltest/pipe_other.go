//go:build !unix

package celltest

import "errors"

// open fails: the GoNB kernel, whose pipes these are, runs on Unix systems only.
func (f *frontEnd) open(in, out string) error {
	return errors.New("the cells of a notebook need named pipes, which this system lacks: use Linux, macOS or WSL")
}
