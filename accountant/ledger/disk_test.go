package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func drawsFunc(f func()) func(context.Context) (json.RawMessage, error) {
	return func(context.Context) (json.RawMessage, error) {
		f()
		return json.RawMessage(`1`), nil
	}
}

// A disk that fails at each of the four steps of a release.
func TestDiskFails(t *testing.T) {
	full := syscall.ENOSPC
	for name, c := range map[string]struct {
		fail    string // "write" or "sync"
		at      int    // which of them, counted from the second release on
		short   bool   // the write puts half of the record on disk
		drew    bool
		charges int // in the file afterwards, beside the first release
		want    error
	}{
		"charge not written":   {"write", 1, false, false, 0, full},
		"charge half written":  {"write", 1, true, false, 0, full},
		"charge not synced":    {"sync", 1, false, false, 1, full},
		"value not written":    {"write", 2, false, true, 1, ErrInterrupted},
		"value half written":   {"write", 2, true, true, 1, ErrInterrupted},
		"value perhaps synced": {"sync", 2, false, true, 1, ErrInterrupted},
	} {
		t.Run(name, func(t *testing.T) {
			armed, writes, syncs := false, 0, 0
			o := system()
			o.write = func(f *os.File, b []byte, off int64) (int, error) {
				if armed {
					if writes++; c.fail == "write" && writes == c.at {
						if c.short {
							n, _ := f.WriteAt(b[:len(b)/2], off)
							return n, full
						}
						return 0, full
					}
				}
				return f.WriteAt(b, off)
			}
			o.sync = func(f *os.File) error {
				if armed {
					if syncs++; c.fail == "sync" && syncs == c.at {
						return full
					}
				}
				return syncData(f)
			}
			path := tempPath(t)
			l, err := create(path, testConfig(), o)
			must(t, err)
			defer l.Close()
			mustRelease(t, l, request("before", 0.01), `"before"`)
			before := readText(t, path)
			armed = true
			drew := false
			_, err = l.Release(t.Context(), request("x", 0.01), func(context.Context) (json.RawMessage, error) {
				drew = true
				return json.RawMessage(`"secret"`), nil
			})
			if !errors.Is(err, full) || !errors.Is(err, c.want) || drew != c.drew || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, drew %v, want %v, %v", err, drew, c.want, c.drew)
			}
			if c.charges == 0 && readText(t, path) != before {
				t.Error("a refused charge left something behind")
			}
			if s := mustStatus(t, mustOpen(t, path)); s.Releases != 1+c.charges || s.Torn != 0 {
				t.Errorf("status %+v", s)
			}
			_, err = l.Release(t.Context(), request("after", 0.01), draws(`"after"`, nil))
			if c.fail == "sync" {
				if !errors.Is(err, full) || !strings.Contains(err.Error(), "open the ledger again") {
					t.Errorf("after a failed sync the handle goes on: %v", err)
				}
				mustRelease(t, mustOpen(t, path), request("after", 0.01), `"after"`)
			} else {
				must(t, err)
			}
			if rc := mustRelease(t, mustOpen(t, path), request("before", 0.01), `0`); string(rc.Value) != `"before"` {
				t.Errorf("the earlier release is now %s", rc.Value)
			}
		})
	}
}

// A real limit on the file's size: the system writes a part of the record and then refuses.
func TestFileSizeLimit(t *testing.T) {
	path := tempPath(t)
	mustCreate(t, path, testConfig())
	out, err := childCommand(t, "limit", path).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	rs := reports(t, out)
	drawn, values := 0, 0
	for _, r := range rs[:len(rs)-1] {
		switch r.what {
		case "draw":
			drawn++
		case "value":
			values++
		}
	}
	last := rs[len(rs)-1]
	if last.what != "error" || !strings.Contains(last.value, "file too large") || strings.Contains(last.value, "secret") || values == 0 {
		t.Fatalf("got %v after %d values", last, values)
	}
	l := mustOpen(t, path)
	s := mustStatus(t, l)
	if s.Releases != drawn || len(s.Interrupted) != drawn-values {
		t.Errorf("%d draws, %d values, status %+v", drawn, values, s)
	}
	for i := range values {
		if rc := mustRelease(t, l, request(rs[2*i].name, 0.01), `0`); !rc.Replayed {
			t.Error("a stored value is gone")
		}
	}
	mustRelease(t, l, request("with room again", 0.01), `1`)
}

func TestPermissions(t *testing.T) {
	dir := tempDir(t)
	path := filepath.Join(dir, "l")
	mustCreate(t, path, testConfig())
	// The child may look into the folders but not write. As root it first becomes another user.
	must(t, os.Chmod(filepath.Dir(dir), 0o755))
	for name, c := range map[string]struct {
		file, dir os.FileMode
	}{
		"no rights":     {0o000, 0o555},
		"read only":     {0o444, 0o555},
		"hidden folder": {0o600, 0o000},
	} {
		t.Run(name, func(t *testing.T) {
			must(t, os.Chmod(path, c.file))
			must(t, os.Chmod(dir, c.dir))
			defer func() { must(t, os.Chmod(dir, 0o700)) }()
			out, err := childCommand(t, "nobody", path).Output()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			rs := reports(t, out)
			if len(rs) != 3 {
				t.Fatalf("the child says %q", out)
			}
			for _, r := range rs {
				if !strings.Contains(r.value, "permission denied") || !strings.Contains(r.value, "ledger: ") {
					t.Errorf("%s: %s", r.what, r.value)
				}
			}
		})
	}
}

// The system refuses locks, as some network file systems do: nothing opens, and nothing is charged.
func TestNoLocks(t *testing.T) {
	path := createdAt(t)
	before := readText(t, path)
	o := system()
	o.lock = func(*os.File) (bool, error) { return false, lockError(syscall.ENOLCK) }
	for name, open := range map[string]func() (*Ledger, error){
		"open":   func() (*Ledger, error) { return open(path, o) },
		"create": func() (*Ledger, error) { return create(tempPath(t), testConfig(), o) },
	} {
		_, err := open()
		if !errors.Is(err, syscall.ENOLCK) || !strings.Contains(err.Error(), "such as a local disk") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The locks go away while the ledger is open.
	locks := true
	o.lock = func(f *os.File) (bool, error) {
		if locks {
			return tryLock(f)
		}
		return false, lockError(syscall.EOPNOTSUPP)
	}
	l, err := open(path, o)
	must(t, err)
	defer l.Close()
	locks = false
	calls := 0
	if _, err := l.Release(t.Context(), request("a", 0.05), draws(`1`, &calls)); !errors.Is(err, syscall.EOPNOTSUPP) || calls > 0 {
		t.Errorf("got %v after %d draws", err, calls)
	}
	if readText(t, path) != before {
		t.Error("the file was changed")
	}
	r, err := OpenReader(path)
	must(t, err)
	must(t, r.Close())
}
