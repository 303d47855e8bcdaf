package kernel

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestGathered: what a kernel would build is kept for the next time, and says nothing but what to build beforehand: where the kernel builds
// another program, the cell does what it says, and what was kept is gone.
func TestGathered(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("no programs of several cells on macOS")
	}
	stamp := fmt.Sprintf("at%d", time.Now().UnixNano()) // no other run's
	n := codeCells("%noautoget\nimport \"fmt\"\nvar "+stamp+" = 1", "%%\nfmt.Println(1)", "%%\nfmt.Println(2)")
	run := func() (taken int) {
		t.Helper()
		log := filepath.Join(t.TempDir(), "log")
		report, err := testRun(t, t.Context(), n, Options{Bundle: t.TempDir(), Env: []string{"DPNB_CELLGO_LOG=" + log}})
		if err != nil || !report.Bundled {
			t.Fatalf("bundled %v, %v", report.Bundled, err)
		}
		if got := outputText(n.Cells[1]) + outputText(n.Cells[2]); got != "1\n2\n" {
			t.Errorf("the cells print %q", got)
		}
		data, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(data), "bundled\n")
	}
	if taken := run(); taken != 3 {
		t.Errorf("%d cells were built before, want 3", taken)
	}
	files, err := filepath.Glob(filepath.Join(testCache, "cells", "cells-*.json"))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(files, func(f string) bool {
		g, err := readGathered(f)
		return err == nil && bytes.Contains(g.Mains[0], []byte(stamp))
	})
	if i < 0 {
		t.Fatal("nothing was kept")
	}
	file := files[i]
	g, err := readGathered(file)
	if err != nil {
		t.Fatal(err)
	}
	g.Mains[1] = bytes.ReplaceAll(g.Mains[1], []byte("Println(1)"), []byte("Println(7)"))
	g.whole = true
	g.keep(file)
	if taken := run(); taken != 2 {
		t.Errorf("%d cells were built before, want all but the one that is another's", taken)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("what was kept of another cell is still there")
	}
}

// TestGatheredIsKept: of every cell or not at all, where nobody else writes, and not for ever.
func TestGatheredIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cells")
	file := func(i int) string { return filepath.Join(dir, fmt.Sprintf("cells-%032x.json", i)) }
	g := gathered{Mod: []byte("module x\n"), Mains: [][]byte{[]byte("package main\n")}}
	g.keep(file(0))
	if _, err := readGathered(file(0)); err == nil {
		t.Error("what was gathered up to a failure is kept")
	}
	g.whole = true
	g.keep("")
	if got, err := readGathered(""); err == nil {
		t.Errorf("read %+v from nowhere", got)
	}
	for i := range mostGathered + 2 {
		g.keep(file(i))
		at := time.Now().Add(time.Duration(i-mostGathered-2) * time.Second)
		if err := os.Chtimes(file(i), at, at); err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(dir, "notes.json")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-gatheredAge - time.Hour)
	for _, f := range []string{other, file(5)} {
		if err := os.Chtimes(f, old, old); err != nil {
			t.Fatal(err)
		}
	}
	trimGathered(dir)
	for name, want := range map[string]bool{file(0): false, file(1): false, file(2): true, file(5): false, file(mostGathered): true, other: true} {
		if _, err := os.Stat(name); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", filepath.Base(name), err == nil, want)
		}
	}
	got, err := readGathered(file(7))
	if err != nil || !bytes.Equal(got.Mod, g.Mod) || len(got.Mains) != 1 || !bytes.Equal(got.Mains[0], g.Mains[0]) {
		t.Errorf("read %+v (%v), want %+v", got, err, g)
	}
	if info, err := os.Stat(file(7)); err != nil || time.Since(info.ModTime()) > 2*time.Second {
		t.Error("what is in use grows old")
	}
	if runtime.GOOS == "windows" {
		return // folders are kept apart by lists
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if got, err := readGathered(file(7)); err == nil {
		t.Errorf("read %+v from a folder that others may write to", got)
	}
}
