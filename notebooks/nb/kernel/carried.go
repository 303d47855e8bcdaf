package kernel

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// carriedFrom is the path above the folders of nb.Programs, by which their packages import each other.
const carriedFrom = "github.com/dpkit-go/dpnb/notebooks/nb"

// carried is a program whose source nb.Programs carries.
type carried struct {
	folder  string   // of its source in nb.Programs
	program string   // its file, without .exe
	what    string   // in words
	probe   []string // arguments with which it ends well
	imports []string // folders in nb.Programs of the packages that it imports
}

// build returns the folder of the program in the cache, where it is built once. note is told before.
func (p carried) build(ctx context.Context, cache string, note func(string)) (string, error) {
	if cache == "" {
		cache = defaultCache()
	}
	folder, err := p.in(ctx, cache, note)
	if err != nil {
		return "", fmt.Errorf("nb: %w: %s: %w", ErrUnavailable, p.what, err)
	}
	return folder, nil
}

func (p carried) in(ctx context.Context, cache string, note func(string)) (string, error) {
	if cache == "" {
		return "", errors.New("the user has no cache folder")
	}
	h, sources := sha256.New(), map[string][]byte{"go.mod": []byte("module " + carriedFrom + "\n\ngo 1.26\n")}
	fmt.Fprintf(h, "%s/%s\n", runtime.GOOS, runtime.GOARCH)
	for _, folder := range append([]string{p.folder}, p.imports...) {
		entries, err := fs.ReadDir(nb.Programs(), folder)
		if err != nil {
			return "", err
		}
		for _, e := range entries {
			name := folder + "/" + e.Name()
			data, err := fs.ReadFile(nb.Programs(), name)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(h, "%s %d\n", name, len(data))
			h.Write(data)
			sources[name] = data
		}
	}
	final := filepath.Join(cache, p.folder+"-"+hex.EncodeToString(h.Sum(nil)[:8]))
	complete := func(dir string) bool {
		_, err := os.Stat(p.path(dir))
		return err == nil
	}
	if complete(final) {
		return final, nil
	}
	note("building " + p.what + " (once per version)")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	return final, builtOnce(final, complete, func(tmp string) error {
		source, err := os.MkdirTemp("", p.folder+"-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(source)
		for name, data := range sources {
			file := filepath.Join(source, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, data, 0o644)); err != nil {
				return err
			}
		}
		cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", p.path(tmp), "./"+p.folder)
		cmd.Dir = source
		cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK=off", "GO111MODULE=on", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, text)
		}
		if text, err := exec.CommandContext(ctx, p.path(tmp), p.probe...).CombinedOutput(); err != nil { // does it run here?
			return fmt.Errorf("%w: %s", err, text)
		}
		return nil
	})
}

// path is the program's in a folder.
func (p carried) path(dir string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(dir, p.program+".exe")
	}
	return filepath.Join(dir, p.program)
}
