//go:build unix

package celltest

import (
	"errors"
	"os"
	"syscall"
)

// open makes the two named pipes.
func (f *frontEnd) open(in, out string) (err error) {
	if err := errors.Join(syscall.Mkfifo(in, 0o600), syscall.Mkfifo(out, 0o600)); err != nil {
		return err
	}
	// In this order nothing blocks: a reader that does not wait, then the writer.
	if f.in, err = os.OpenFile(in, os.O_RDONLY|syscall.O_NONBLOCK, 0); err != nil {
		return err
	}
	if f.hold, err = os.OpenFile(in, os.O_WRONLY, 0); err == nil {
		if f.out, err = os.OpenFile(out, os.O_RDWR, 0); err == nil {
			return nil
		}
		f.hold.Close()
	}
	f.in.Close()
	return err
}
