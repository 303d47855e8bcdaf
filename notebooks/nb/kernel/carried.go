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

// carried is a program whose source nb.Programs carries.
type carried struct {
	folder  string   // of its source in nb.Programs
	program string   // its file, without .exe
	what    string   // in words
	probe   []string // arguments with which it ends well
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
	entries, err := fs.ReadDir(nb.Programs(), p.folder)
	if err != nil {
		return "", err
	}
	h, sources := sha256.New(), map[string][]byte{"go.mod": []byte("module " + p.folder + "\n\ngo 1.26\n")}
	fmt.Fprintf(h, "%s/%s\n", runtime.GOOS, runtime.GOARCH)
	for _, e := range entries {
		data, err := fs.ReadFile(nb.Programs(), p.folder+"/"+e.Name())
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n", e.Name(), len(data))
		h.Write(data)
		sources[e.Name()] = data
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
			if err := os.WriteFile(filepath.Join(source, name), data, 0o644); err != nil {
				return err
			}
		}
		cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", p.path(tmp))
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
