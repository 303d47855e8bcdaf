package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// book is a file in the user's state folder to which checksummed lines are appended. The last line that
// verifies says how things stand. A book is a witness, not the ledger: a line that a crash spoilt is
// passed over, which can only make the witness know less.
type book struct {
	f *os.File
}

// errBusy: another process holds a book for far longer than it takes to write a line.
var errBusy = errors.New("another process holds the state folder's record of this ledger and does not go on")

// openBook opens and locks a book, and makes it where there is none.
func openBook(ctx context.Context, path string) (*book, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := waitLock(ctx, f); err != nil {
		_ = f.Close()
		return nil, err
	}
	return &book{f: f}, nil
}

// waitLock takes f's lock. Holders write one line, so that 10 s mean that one of them hangs.
func waitLock(ctx context.Context, f *os.File) error {
	limit := time.Now().Add(10 * time.Second)
	for pause := 100 * time.Microsecond; ; pause = min(2*pause, 5*time.Millisecond) {
		ok, err := tryLock(f)
		if ok || err != nil {
			return err
		}
		if time.Now().After(limit) {
			return errBusy
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// close releases the lock with the file.
func (b *book) close() { _ = b.f.Close() }

// add appends v as one line.
func (b *book) add(v any) error {
	line, err := encode(v)
	if err != nil {
		return err
	}
	fi, err := b.f.Stat()
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if n := fi.Size(); n > 0 {
		last := make([]byte, 1)
		if _, err := b.f.ReadAt(last, n-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	_, err = b.f.WriteAt(line, fi.Size())
	return err
}

// lastLine decodes the last line of f that verifies into v. It needs no lock: a line under way does
// not verify yet.
func lastLine(f *os.File, v any) (found bool, err error) {
	fi, err := f.Stat()
	if err != nil {
		return false, err
	}
	for size := int64(4096); ; size *= 8 {
		from := max(0, fi.Size()-size)
		b := make([]byte, fi.Size()-from)
		if _, err := f.ReadAt(b, from); err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		lines := bytes.Split(b, []byte("\n"))
		for i := len(lines) - 1; i >= 0; i-- {
			if decode(lines[i], v) == nil {
				return true, nil
			}
		}
		if from == 0 {
			return false, nil
		}
	}
}

// readBook decodes the last line of the book at path; found is false where there is none.
func readBook(path string, v any) (found bool, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	return lastLine(f, v)
}

func (b *book) last(v any) (found bool, err error) { return lastLine(b.f, v) }

func unwatched(err error) string {
	return fmt.Sprintf("not recorded in the user's state folder (%v): a ledger that is deleted, replaced or put back from an old copy would not be noticed: set XDG_STATE_HOME to a folder that lasts", err)
}
