//go:build linux || darwin || freebsd || netbsd || openbsd

package frames

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/dpkit-go/dpnb/internal/rowcache"
)

// TestCacheOfOtherUsers: what stands at the place of a table is taken if it is a file of this user's alone; a link, a pipe and another user's file, whose
// owner could change cells while they are in use, are replaced, and nothing waits for a pipe.
func TestCacheOfOtherUsers(t *testing.T) {
	s := cacheSchema(t)
	dir := t.TempDir()
	path, c := filepath.Join(dir, "t.csv"), Cache{Folder: filepath.Join(dir, "cache")}
	writeRows(t, path, 5, 1)
	want, err := c.ReadCSV(path, s, CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	was := keptFile(t, c)
	whole, err := os.ReadFile(was)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(dir, "elsewhere")
	for name, put := range map[string]func() error{
		"a link": func() error {
			return errors.Join(os.WriteFile(elsewhere, whole, 0o600), os.Symlink(elsewhere, was))
		},
		"a dead link": func() error { return os.Symlink(filepath.Join(dir, "nowhere"), was) },
		"a pipe":      func() error { return syscall.Mkfifo(was, 0o600) },
		"another user's": func() error {
			if err := os.WriteFile(was, whole, 0o600); err != nil || os.Geteuid() != 0 {
				return err
			}
			return os.Chown(was, 12345, 12345)
		},
	} {
		if err := os.Remove(was); err != nil {
			t.Fatal(err)
		}
		if err := put(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := openKept(was, s, [32]byte{}, [32]byte{}); err == nil {
			t.Errorf("%s: was taken", name)
		}
		got, err := c.ReadCSV(path, s, CSVOptions{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sameFrames(t, name, got, want)
		if info, err := os.Lstat(was); err != nil || !private(info) {
			t.Errorf("%s: is there still: %v", name, err)
		}
	}
	if b, err := os.ReadFile(elsewhere); err != nil || string(b) != string(whole) {
		t.Errorf("what a link led to was written to: %v", err)
	}
}

// TestCacheFolder: a folder that is made for a cache is the user's alone, and version control takes nothing of it; one that was there is left as it was.
func TestCacheFolder(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	s := cacheSchema(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "t.csv")
	writeRows(t, path, 5, 1)
	made, there := Cache{Folder: filepath.Join(dir, "a", "cache")}, Cache{Folder: filepath.Join(dir, "there")}
	if err := os.Mkdir(there.Folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []Cache{made, there} {
		if _, err := c.ReadCSV(path, s, CSVOptions{}); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(keptFile(t, c)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	}
	if info, err := os.Stat(made.Folder); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if b, err := os.ReadFile(filepath.Join(made.Folder, ".gitignore")); err != nil || strings.TrimSpace(string(b)) != "*" {
		t.Errorf("got %q, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(there.Folder, ".gitignore")); !os.IsNotExist(err) {
		t.Errorf("a folder of the user's: %v", err)
	}
	// What a process left that was killed while it wrote is one of the cache's files.
	left, err := os.CreateTemp(there.Folder, rowcache.Pattern)
	if err != nil {
		t.Fatal(err)
	}
	if err := left.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := there.Remove(); n != 2 || err != nil {
		t.Errorf("removed %d: %v", n, err)
	}
}

// TestCacheOfMany: readers of one file, of which some find the cache as others write it or clear it, have its rows.
func TestCacheOfMany(t *testing.T) {
	s := cacheSchema(t)
	dir := t.TempDir()
	path, c := filepath.Join(dir, "t.csv"), Cache{Folder: filepath.Join(dir, "cache")}
	writeRows(t, path, pageRows+5, 1)
	want, err := ReadCSV(path, s, CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 4 {
				got, err := c.ReadCSV(path, s, CSVOptions{})
				if err != nil {
					t.Error(err)
					return
				}
				sameFrames(t, "at a time", got, want)
				if _, err := c.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
