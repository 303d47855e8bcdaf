package flock

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestTry: one open file has the lock at a time, until it gives it back or is closed.
func TestTry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	a, b, c := open(), open(), open()
	if _, err := Try(a); !Supported {
		if Unlock(a); !errors.Is(err, errors.ErrUnsupported) {
			t.Fatalf("got %v, want that there are no locks", err)
		}
		return
	}
	try := func(name string, f *os.File, want bool) {
		t.Helper()
		if held, err := Try(f); held != want || err != nil {
			t.Errorf("%s: got %v, %v, want %v", name, held, err, want)
		}
	}
	try("again", a, true)
	try("beside", b, false)
	Unlock(a)
	try("behind", b, true)
	b.Close()
	try("behind a file that is closed", c, true)
	if held, err := Try(b); held || err == nil {
		t.Errorf("a closed file: got %v, %v, want an error", held, err)
	}
}
