package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallDisk mounts a file system of so many bytes. Without the right to mount the test is skipped;
// TestDiskFails and TestFileSizeLimit ask the same of any system.
func smallDisk(t *testing.T, size int) string {
	t.Helper()
	dir := tempDir(t)
	if err := syscall.Mount("none", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Skipf("no right to mount a small disk: %v", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// A real disk that fills up: a charge that does not fit is not made, and with room again all goes on.
func TestDiskFull(t *testing.T) {
	dir := smallDisk(t, 64<<10)
	path := filepath.Join(dir, "l")
	l := mustCreate(t, path, testConfig())
	long, err := json.Marshal(strings.Repeat("secret", 300))
	must(t, err)
	drawn, stored := 0, 0
	for err == nil {
		_, err = l.Release(t.Context(), request(fmt.Sprint(stored), 0.001), draws(string(long), &drawn))
		if err == nil {
			stored++
		}
	}
	if !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "secret") || stored < 5 {
		t.Fatalf("after %d releases: %v", stored, err)
	}
	s := mustStatus(t, mustOpen(t, path))
	if s.Releases != drawn || len(s.Interrupted) != drawn-stored || s.Torn != 0 {
		t.Errorf("%d draws, %d values, status %v", drawn, stored, s)
	}
	if _, err := Create(filepath.Join(dir, "other"), testConfig()); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "no ledger was made") {
		t.Errorf("create on a full disk: %v", err)
	}
	must(t, syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT, fmt.Sprintf("size=%d", 256<<10)))
	for i := range stored {
		if rc := mustRelease(t, l, request(fmt.Sprint(i), 0.001), `0`); !rc.Replayed {
			t.Error("a stored value is gone")
		}
	}
	mustRelease(t, l, request("with room again", 0.001), string(long))
}

// A disk that is full under the state folder stops nothing, and is told.
func TestStateDiskFull(t *testing.T) {
	dir := smallDisk(t, 32<<10) // a page for each book
	t.Setenv("XDG_STATE_HOME", dir)
	l := mustCreate(t, tempPath(t), testConfig())
	if rc := mustRelease(t, l, request("a", 0.01), `1`); len(rc.Status.Warnings) > 0 {
		t.Fatalf("warnings %v", rc.Status.Warnings)
	}
	filler, err := os.Create(filepath.Join(dir, "filler"))
	must(t, err)
	defer filler.Close()
	for err == nil {
		_, err = filler.Write(make([]byte, 512))
	}
	var s Status
	for i := 0; len(s.Warnings) == 0; i++ { // the book's page has some room still
		if i == 60 {
			t.Fatal("the disk is never full")
		}
		s = mustRelease(t, l, request(fmt.Sprint(i), 0.001), `1`).Status
	}
	if !strings.Contains(s.String(), "no space left") {
		t.Errorf("status\n%v", s)
	}
	must(t, os.Remove(filler.Name()))
	must(t, filler.Close())
	if rc := mustRelease(t, l, request("b", 0.01), `1`); len(rc.Status.Warnings) > 0 {
		t.Errorf("with room again: %v", rc.Status.Warnings)
	}
}

// A file system that became read-only: a clear error, nothing lost.
func TestReadOnlyDisk(t *testing.T) {
	dir := smallDisk(t, 64<<10)
	path := filepath.Join(dir, "l")
	l := mustCreate(t, path, testConfig())
	mustRelease(t, l, request("a", 0.01), `1`)
	must(t, l.Close())
	must(t, syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	_, err := Open(path)
	if !errors.Is(err, syscall.EROFS) || !strings.Contains(err.Error(), "readable and writable") {
		t.Errorf("open: %v", err)
	}
	if _, err := Create(filepath.Join(dir, "other"), testConfig()); !errors.Is(err, syscall.EROFS) {
		t.Errorf("create: %v", err)
	}
	r, err := OpenReader(path)
	must(t, err)
	defer r.Close()
	if s := mustStatus(t, r); s.Releases != 1 {
		t.Errorf("status %v", s)
	}
}
