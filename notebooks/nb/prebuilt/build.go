package prebuilt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// files are what a cell's build reads. The last one is written last.
var files = [...]string{"go.mod", "go.sum", "main.go"}

// Build is what a cell's build reads. A module may have no go.sum.
type Build struct{ Mod, Sum, Main []byte }

// Read reads the files of a build from a folder.
func Read(dir string) (b Build, err error) {
	for i, text := range []*[]byte{&b.Mod, &b.Sum, &b.Main} {
		if *text, err = os.ReadFile(filepath.Join(dir, files[i])); err != nil && (!os.IsNotExist(err) || i != 1) {
			return Build{}, err
		}
	}
	return b, nil
}

// Write writes them to a folder.
func (b Build) Write(dir string) error {
	for i, text := range [][]byte{b.Mod, b.Sum, b.Main} {
		if text == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, files[i]), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Name is the name of the file about the cell's [Program]. Each kernel's module has a name of its own, which does not count.
func (b Build) Name() string {
	h := sha256.New()
	for _, t := range [][]byte{b.Mod, b.Sum, b.Main} {
		if line, rest, _ := bytes.Cut(t, []byte("\n")); bytes.HasPrefix(line, []byte("module gonb_")) {
			t = rest
		}
		fmt.Fprintf(h, "%d\n", len(t))
		h.Write(t)
	}
	return "cell-" + hex.EncodeToString(h.Sum(nil)) + ".json"
}
