package ledger

import (
	"errors"
	"os"
	"syscall"
)

// syncData makes f's bytes and length durable. fdatasync spares the write of the access times.
func syncData(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
