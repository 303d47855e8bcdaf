package celltest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCopyFolder: data and ledgers come along; hidden files and the tests do not, and nothing is linked.
func TestCopyFolder(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	for _, name := range []string{"a.csv", "sub/b.csv", ".git/c", ".d", "my.ledger.key", "tests/f_test.go", "read-only"} {
		file := filepath.Join(from, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(name), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	if HasLedger(from) {
		t.Error("there is no ledger yet")
	}
	if err := os.WriteFile(filepath.Join(from, "sub", "my.budget"), []byte(ledgerHeader+`,"version":1}`), 0o400); err != nil {
		t.Fatal(err)
	}
	if !HasLedger(from) {
		t.Error("the ledger was not found")
	}
	for name, target := range map[string]string{"link.csv": "a.csv", "dangling": "nothing", "folder": "sub"} {
		if err := os.Symlink(target, filepath.Join(from, name)); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := CopyFolder(to, from, filepath.Join(from, "tests")); err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	var got []string
	err := filepath.WalkDir(to, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 || !info.Mode().IsRegular() {
			t.Errorf("%s is %v", path, info.Mode())
		}
		rel, err := filepath.Rel(to, path)
		got = append(got, rel)
		return err
	})
	if want := "a.csv link.csv my.ledger.key read-only sub/b.csv sub/my.budget"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("copied %q, want %q (%v)", got, want, err)
	}
}

// TestCopyIsNoLink: a cell that writes to its copy of a file, or of what a link leads to, leaves the user's alone.
func TestCopyIsNoLink(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	real, linked, hard := filepath.Join(from, "rows.csv"), filepath.Join(from, "linked.csv"), filepath.Join(from, "hard.csv")
	if err := os.WriteFile(real, []byte("rows"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, linked); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(real, hard); err != nil {
		t.Fatal(err)
	}
	if _, err := CopyFolder(to, from, ""); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"rows.csv", "linked.csv", "hard.csv"} {
		file, err := os.OpenFile(filepath.Join(to, name), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteAt([]byte("X"), 0); err != nil {
			t.Fatal(err)
		}
		_ = file.Close()
		if data, err := os.ReadFile(real); err != nil || string(data) != "rows" {
			t.Fatalf("through %s a cell wrote %q to the user's file (%v)", name, data, err)
		}
		if data, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(data) != "Xows" {
			t.Errorf("%s holds %q (%v)", name, data, err)
		}
	}
}

// TestCopyWithoutRoom: what does not fit on the disk is left out by name, and the rest is copied.
func TestCopyWithoutRoom(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	for name, size := range map[string]int{"sub/large.csv": 4096, "small.csv": 10, "zero.csv": 0} {
		file := filepath.Join(from, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := copier{free: func(string) (uint64, bool) { return 1600, true }}
	left, err := c.folder(to, from, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(to, "sub", "large.csv")); err == nil && len(left) == 0 {
		t.Skip("the file system clones files, which needs no room")
	}
	if want := filepath.Join("sub", "large.csv") + " (4 KiB) is not copied"; len(left) != 1 || !strings.HasPrefix(left[0], want) {
		t.Errorf("left %q, want %q", left, want)
	}
	if got := names(t, to); got != "small.csv sub zero.csv" {
		t.Errorf("copied %s", got)
	}
	if got := names(t, filepath.Join(to, "sub")); got != "" {
		t.Errorf("part of a file is left: %s", got)
	}
	if free, ok := freeSpace(to); ok && free == 0 {
		t.Errorf("the disk of %s has nothing left", to)
	}
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}
