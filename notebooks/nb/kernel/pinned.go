package kernel

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Pinned says which kernel a run would use.
type Pinned struct {
	Folder          string // of the module that pins it
	GoNB, Goimports string // versions, "" where a folder replaces the module
}

// Find finds the kernel for the notebooks in dir, as [Run] does: it is pinned by the module
// around dir, else by the one around the working folder, else by the one that this package was compiled
// from. Nothing is built. The error wraps ErrUnavailable and says how to pin one.
func Find(ctx context.Context, dir string) (Pinned, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return Pinned{}, fmt.Errorf("nb: %w: no go command on PATH", ErrUnavailable)
	}
	var failed []string
	for _, folder := range moduleFolders(dir) {
		args := append([]string{"list", "-mod=readonly", "-f", "{{with .Module}}{{.Version}}{{end}}|{{.Name}}"}, toolPackages...)
		out, err := goCommand(ctx, folder, args...)
		if ctx.Err() != nil {
			return Pinned{}, fmt.Errorf("nb: stopped: %w", context.Cause(ctx))
		}
		if err != nil {
			failed = append(failed, err.Error())
			continue
		}
		lines := strings.Fields(out)
		mod, err := goCommand(ctx, folder, "env", "GOMOD")
		if err != nil || len(lines) != len(toolPackages) {
			continue
		}
		version := func(i int) string { v, _, _ := strings.Cut(lines[i], "|"); return v }
		return Pinned{Folder: filepath.Dir(strings.TrimSpace(mod)), GoNB: version(0), Goimports: version(1)}, nil
	}
	return Pinned{}, unpinned(failed)
}

// Build builds the kernel for the notebooks in dir, unless the cache holds it ("" is the cache of
// [Options]), and hands use the folder with the programs gonb and goimports. A kernel that the cache
// cannot hold is gone when use returns. note is told before a build.
func Build(ctx context.Context, dir, cache string, note func(string), use func(folder string) error) error {
	if cache == "" {
		cache = defaultCache()
	}
	box := &toolbox{modules: moduleFolders(dir), cache: cache, note: note}
	defer box.close()
	folder, err := box.path(ctx)
	if err != nil {
		return err
	}
	return use(folder)
}

// defaultCache is where built kernels are kept, "" where the user has no cache folder.
func defaultCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "dpnb", "tools")
}
