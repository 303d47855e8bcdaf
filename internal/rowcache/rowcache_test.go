package rowcache

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRemove removes what a cache has written, also where its writer did not come to its end, and nothing else.
func TestRemove(t *testing.T) {
	dir := t.TempDir()
	theirs := []string{"notes.txt", "visits" + Suffix, strings.Repeat("a", 32), "new-x" + Suffix}
	for _, name := range append([]string{strings.Repeat("0a", 16) + Suffix, "new-123" + Suffix}, theirs...) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("123"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n, bytes, err := Remove(dir); n != 2 || bytes != 6 || err != nil {
		t.Errorf("removed %d files of %d bytes: %v", n, bytes, err)
	}
	for _, name := range theirs {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if n, _, err := Remove(filepath.Join(dir, "nowhere")); n != 0 || err != nil {
		t.Errorf("no folder: %d, %v", n, err)
	}
}
