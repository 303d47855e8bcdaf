package nb

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// cellGo is the source of the program cellgo, which see. It is carried here since the module of a notebook need
// not require this one.
//
//go:embed cellgo/main.go cellgo/build.go cellgo/settings.go cellgo/record.go cellgo/local.go cellgo/snapshot.go
//go:embed cellgo/replace_unix.go cellgo/replace_other.go cellgo/changed_linux.go cellgo/changed_darwin.go cellgo/changed_other.go
var cellGo embed.FS

// CellGo returns a folder for the front of a kernel's PATH. Its program go builds an edited cell without asking whether
// dependencies have changed that cannot have, into which a third of the time goes; it leaves all else to the go command behind
// it (cellgo, its source, says how; DPNB_CELLGO=off in the kernel's environment turns it off). The program is built once
// and kept in the cache, "" for that of [RunOptions]; note is told before. The error wraps ErrKernel; a kernel runs without.
func CellGo(ctx context.Context, cache string, note func(string)) (folder string, err error) {
	if cache == "" {
		cache = defaultCache()
	}
	folder, err = cellGoIn(ctx, cache, note)
	if err != nil {
		return "", fmt.Errorf("nb: %w: the builder of cells: %w", ErrKernel, err)
	}
	return folder, nil
}

func cellGoIn(ctx context.Context, cache string, note func(string)) (string, error) {
	if cache == "" {
		return "", fmt.Errorf("the user has no cache folder")
	}
	entries, err := cellGo.ReadDir("cellgo")
	if err != nil {
		return "", err
	}
	h, sources := sha256.New(), map[string][]byte{"go.mod": []byte("module cellgo\n\ngo 1.26\n")}
	fmt.Fprintf(h, "%s/%s\n", runtime.GOOS, runtime.GOARCH)
	for _, e := range entries {
		data, err := cellGo.ReadFile("cellgo/" + e.Name())
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n", e.Name(), len(data))
		h.Write(data)
		sources[e.Name()] = data
	}
	final := filepath.Join(cache, "cellgo-"+hex.EncodeToString(h.Sum(nil)[:8]))
	program := "go"
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	complete := func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, program))
		return err == nil
	}
	if complete(final) {
		return final, nil
	}
	note("building the builder of cells (once per version)")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	return final, builtOnce(final, complete, func(tmp string) error {
		source, err := os.MkdirTemp("", "cellgo-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(source)
		for name, data := range sources {
			if err := os.WriteFile(filepath.Join(source, name), data, 0o644); err != nil {
				return err
			}
		}
		cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", filepath.Join(tmp, program))
		cmd.Dir = source
		cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK=off", "GO111MODULE=on", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, text)
		}
		if text, err := exec.CommandContext(ctx, filepath.Join(tmp, program), "version").CombinedOutput(); err != nil { // does it run here?
			return fmt.Errorf("%w: %s", err, text)
		}
		return nil
	})
}
