package rowcache

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRemove removes what a cache has written, and nothing else.
func TestRemove(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a" + Suffix, "b" + Suffix, "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("123"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n, bytes, err := Remove(dir); n != 2 || bytes != 6 || err != nil {
		t.Errorf("removed %d files of %d bytes: %v", n, bytes, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "notes.txt")); err != nil {
		t.Error(err)
	}
	if n, _, err := Remove(filepath.Join(dir, "nowhere")); n != 0 || err != nil {
		t.Errorf("no folder: %d, %v", n, err)
	}
}
