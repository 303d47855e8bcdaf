package kernel

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// ErrUnavailable is wrapped by every error about the environment: no Go, no GoNB, a kernel that does not
// start or that died.
var ErrUnavailable = errors.New("the Go kernel is not available")

// The kernel and the program it calls to complete imports.
var toolPackages = []string{"github.com/janpfeifer/gonb", "golang.org/x/tools/cmd/goimports"}

// PinCommand makes the kernel a tool of the module around the working folder.
const PinCommand = "go get -tool github.com/janpfeifer/gonb@v0.11.4 golang.org/x/tools/cmd/goimports"

// toolbox builds the kernel's programs from a module that pins them.
type toolbox struct {
	modules []string     // folders to try, in order: the first whose module has the tools wins
	cache   string       // parent of the per-version folders
	private string       // "", or the temporary folder for a build that the cache cannot or must not keep
	note    func(string) // told before a build, which takes seconds
}

// moduleFolders lists where the tools may be pinned: the notebook's module, the module around the
// working folder, and the module that this package was compiled from.
func moduleFolders(notebookDir string) []string {
	dirs := []string{notebookDir}
	if wd, err := os.Getwd(); err == nil {
		dirs = append(dirs, wd)
	}
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		if _, err := os.Stat(file); err == nil {
			dirs = append(dirs, filepath.Dir(file))
		}
	}
	return slices.Compact(dirs)
}

// path returns a folder that holds the programs, building them where needed.
func (t *toolbox) path(ctx context.Context) (string, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return "", fmt.Errorf("nb: %w: no go command on PATH: install Go from https://go.dev/dl/", ErrUnavailable)
	}
	var failed []string
	for _, dir := range t.modules {
		module := moduleState(ctx, dir)
		if folder := t.known(module); folder != "" {
			return folder, nil
		}
		key, pinned, err := t.version(ctx, dir)
		if ctx.Err() != nil {
			return "", fmt.Errorf("nb: stopped before the first cell: %w", context.Cause(ctx))
		}
		if err != nil {
			failed = append(failed, err.Error())
			continue
		}
		root := t.cache
		if !pinned || root == "" || os.MkdirAll(root, 0o755) != nil {
			if t.private, err = os.MkdirTemp("", "nb-tools-"); err != nil {
				return "", fmt.Errorf("nb: %w: %w", ErrUnavailable, err)
			}
			root = t.private
		}
		folder, err := t.build(ctx, dir, root, key)
		if err == nil && root == t.cache && module != "" {
			_ = os.WriteFile(filepath.Join(folder, stateFile+module), nil, 0o644) // else the next run asks again
		}
		return folder, err
	}
	return "", unpinned(failed)
}

// unpinned is the error where no module has the kernel as a tool.
func unpinned(failed []string) error {
	return fmt.Errorf("nb: %w: no module in reach has the kernel as a tool: run `%s` in the notebook's module\n%s", ErrUnavailable, PinCommand, strings.Join(failed, "\n"))
}

// close removes a build that is not kept.
func (t *toolbox) close() {
	if t.private != "" {
		_ = os.RemoveAll(t.private)
	}
}

// stateFile begins the names of empty files beside a build's programs: they end in the states of the modules that it was made for.
const stateFile = "module-"

// known is the folder of the build for a module of that state, "" where there is none.
func (t *toolbox) known(module string) string {
	if module == "" || t.cache == "" {
		return ""
	}
	files, err := filepath.Glob(filepath.Join(t.cache, "*", stateFile+module))
	if err != nil || len(files) != 1 || !complete(filepath.Dir(files[0])) {
		return ""
	}
	return filepath.Dir(files[0])
}

// moduleState identifies the go.mod around dir and all else that says which versions are linked, so that the go command need not
// list them again, which takes as long as the start of a kernel. It is "" where there is no module, and in a workspace.
func moduleState(ctx context.Context, dir string) string {
	env, err := goCommand(ctx, dir, "env", "GOVERSION", "GOOS", "GOARCH", "GOEXPERIMENT", "CGO_ENABLED", "GOFLAGS", "GOWORK", "GOMOD")
	values := strings.Split(strings.TrimSuffix(env, "\n"), "\n")
	if err != nil || len(values) != 8 {
		return ""
	}
	work, mod := values[6], strings.TrimSpace(values[7])
	if work != "" && work != "off" || mod == "" || mod == os.DevNull {
		return ""
	}
	h := sha256.New()
	h.Write([]byte(env))
	for _, name := range []string{mod, filepath.Join(filepath.Dir(mod), "go.sum")} {
		data, err := os.ReadFile(name)
		if err != nil {
			return ""
		}
		fmt.Fprintf(h, "%d\n", len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// version identifies what a build in dir would produce: every module that is linked, and the Go
// toolchain. It is not pinned where a module is replaced by a folder, whose content may change.
func (t *toolbox) version(ctx context.Context, dir string) (key string, pinned bool, err error) {
	list := "{{with .Module}}{{.Path}}@{{.Version}}{{with .Replace}} => {{.Path}}@{{.Version}}{{end}}{{end}}"
	modules, err := goCommand(ctx, dir, append([]string{"list", "-mod=readonly", "-deps", "-f", list}, toolPackages...)...)
	if err != nil {
		return "", false, err
	}
	env, err := goCommand(ctx, dir, "env", "GOVERSION", "GOOS", "GOARCH", "GOEXPERIMENT", "CGO_ENABLED")
	if err != nil {
		return "", false, err
	}
	lines := strings.Fields(strings.ReplaceAll(modules, " => ", "=>"))
	slices.Sort(lines)
	lines = slices.Compact(lines)
	pinned = !slices.ContainsFunc(lines, func(l string) bool { return strings.HasSuffix(l, "@") })
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n") + "\n" + env))
	return hex.EncodeToString(sum[:8]), pinned, nil
}

func (t *toolbox) build(ctx context.Context, dir, root, key string) (string, error) {
	final := filepath.Join(root, key)
	if complete(final) {
		return final, nil
	}
	t.note("building the kernel (once per version)")
	err := builtOnce(final, complete, func(tmp string) error {
		args := append([]string{"build", "-mod=readonly", "-ldflags=-s -w", "-o", tmp + string(filepath.Separator)}, toolPackages...)
		if _, err := goCommand(ctx, dir, args...); err != nil {
			return fmt.Errorf("building it failed: %w", err)
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("nb: %w: %w", ErrUnavailable, err)
	}
	return final, nil
}

// builtOnce makes a folder of programs. It is complete when it appears: build fills it under another name, and then it is
// renamed, so that concurrent runs are safe.
func builtOnce(final string, complete func(dir string) bool, build func(tmp string) error) error {
	tmp, err := os.MkdirTemp(filepath.Dir(final), "build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp) // gone after the rename
	if err := build(tmp); err != nil {
		return err
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	for range 3 {
		if err = os.Rename(tmp, final); err == nil || complete(final) {
			return nil
		}
		os.RemoveAll(final) // something incomplete is in the way
	}
	return err
}

func complete(dir string) bool {
	for _, name := range toolPackages {
		if _, err := os.Stat(filepath.Join(dir, filepath.Base(name))); err != nil {
			return false
		}
	}
	return true
}

// goCommand runs the go command in dir and returns its standard output.
func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	// An interrupted go command ends its compilers and removes its temporary files; a killed one does not.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", fmt.Errorf("go %s in %s: %w: %s", args[0], dir, err, strings.TrimSpace(stderr.String()))
	}
	return out.String(), nil
}
