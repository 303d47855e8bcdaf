package celltest

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWorkOf: epochs of a notebook share a folder, and notebooks do not.
func TestWorkOf(t *testing.T) {
	work := t.TempDir()
	for pkg, want := range map[string]string{"/x/n01": "n01", "/x/n01/e02": "n01", "/x/n02": "n02", "/x": "", "/y/n01": ""} {
		got, err := workOf(work, "/x", pkg)
		if err != nil || got != filepath.Join(work, want) {
			t.Errorf("%s: got %s, %v, want %s", pkg, got, err, filepath.Join(work, want))
		}
		if info, err := os.Stat(got); err != nil || !info.IsDir() {
			t.Errorf("%s: %v, want the folder to be there", pkg, err)
		}
	}
}
