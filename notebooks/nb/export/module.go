package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/gomod"
)

const modulePath = "github.com/dpkit-go/dpnb"

// ErrModule is wrapped where no module can be made for an export.
var ErrModule = errors.New("the export has no module to build in")

// WriteModule writes a go.mod and a go.sum into the folder of an export that is to build on its own, for
// a notebook in notebookDir. Inside a module, the notebook builds against that module's folder with that
// module's requirements, as kernels build its cells (cellgo ties them to the module around the notebook);
// elsewhere against released modules: those that its cells fetch with `!*go get path@version`, and this
// project at the version of nb.
func WriteModule(ctx context.Context, n *nb.Notebook, dir, notebookDir string) error {
	root, err := ModuleAround(ctx, notebookDir)
	if err != nil {
		return err
	}
	if root == "" {
		return WriteReleasedModule(ctx, n, dir, nil)
	}
	return writeLocal(ctx, dir, root)
}

// ModuleAround is the folder of the module around a notebook's folder, "" where there is none.
func ModuleAround(ctx context.Context, notebookDir string) (string, error) {
	file, err := goCommand(ctx, notebookDir, "env", "GOMOD")
	if err != nil {
		return "", err
	}
	if file = strings.TrimSpace(file); file == "" || file == os.DevNull {
		return "", nil
	}
	return filepath.Dir(file), nil
}

// InModule says whether a folder, which need not exist, belongs to the module around notebookDir.
func InModule(ctx context.Context, dir, notebookDir string) (bool, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return false, err
	}
	for dir != filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			break
		}
		dir = filepath.Dir(dir)
	}
	a, err := goCommand(ctx, dir, "env", "GOMOD")
	if err != nil {
		return false, err
	}
	b, err := goCommand(ctx, notebookDir, "env", "GOMOD")
	return err == nil && a == b && strings.TrimSpace(a) != os.DevNull && strings.TrimSpace(a) != "", err
}

// PackageNames asks the go command, in a notebook's folder, for the names of packages.
func PackageNames(ctx context.Context, notebookDir string) func([]string) map[string]string {
	return func(paths []string) map[string]string {
		args := append([]string{"list", "-e", "-find", "-f", "{{.ImportPath}} {{.Name}}"}, paths...)
		out, err := goCommand(ctx, notebookDir, args...)
		if err != nil {
			return nil // the names that the paths suggest have to do
		}
		names := map[string]string{}
		for line := range strings.Lines(out) {
			if f := strings.Fields(line); len(f) == 2 {
				names[f[0]] = f[1]
			}
		}
		return names
	}
}

// writeLocal makes the export a module beside the one in the folder root.
func writeLocal(ctx context.Context, dir, root string) error {
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if errors.Is(err, os.ErrNotExist) && name == "go.sum" {
			continue
		}
		if err != nil {
			return fmt.Errorf("nb: %w: %w", ErrModule, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return fmt.Errorf("nb: %w: %w", ErrModule, err)
		}
	}
	text, err := goCommand(ctx, root, "mod", "edit", "-json")
	if err != nil {
		return err
	}
	project, err := gomod.Parse([]byte(text))
	if err != nil {
		return fmt.Errorf("nb: %w: %s: %w", ErrModule, root, err)
	}
	edit := append([]string{"mod", "edit"}, project.Edits(root)...)
	if _, err = goCommand(ctx, dir, edit...); err != nil || project.Names(modulePath) {
		return err
	}
	return runSteps(ctx, dir, selfRequirement(), []string{"mod", "tidy"})
}

func runSteps(ctx context.Context, dir string, steps ...[]string) error {
	for _, args := range steps {
		if _, err := goCommand(ctx, dir, args...); err != nil {
			return err
		}
	}
	return nil
}

// WriteReleasedModule writes a go.mod and a go.sum that build an export against released modules:
// those given as path@version, those that the notebook's cells fetch with `!*go get path@version`, and
// this project, at the version of nb where neither names one.
func WriteReleasedModule(ctx context.Context, n *nb.Notebook, dir string, released []string) error {
	for _, name := range []string{"go.mod", "go.sum"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("nb: %w: %w", ErrModule, err)
		}
	}
	steps := [][]string{{"mod", "init", "nb"}}
	get := slices.Clone(released)
	names := func(path string) bool {
		return slices.ContainsFunc(get, func(s string) bool { return strings.HasPrefix(s, path+"@") })
	}
	for _, word := range fetches(n) {
		if path, _, _ := strings.Cut(word, "@"); !names(path) {
			get = append(get, word)
		}
	}
	if !names(modulePath) {
		steps = append(steps, selfRequirement())
	}
	if len(get) > 0 {
		steps = append(steps, append([]string{"get"}, get...))
	}
	return runSteps(ctx, dir, append(steps, []string{"mod", "tidy"})...)
}

// fetches lists the path@version words of `!*go get` lines.
func fetches(n *nb.Notebook) (list []string) {
	for _, c := range n.Cells {
		if c.Type != "code" {
			continue
		}
		for _, cmd := range readCell(0, c.Source, &problems{}).commands {
			f := strings.Fields(strings.TrimPrefix(cmd.shell, "*"))
			if len(f) < 3 || f[0] != "go" || f[1] != "get" || !strings.HasPrefix(cmd.shell, "*") {
				continue
			}
			for _, word := range f[2:] {
				if path, version, ok := strings.Cut(word, "@"); ok && strings.Contains(path, ".") && strings.HasPrefix(version, "v") {
					list = append(list, word)
				}
			}
		}
	}
	return list
}

// selfRequirement is the go command that makes a module require this project: the folder that nb was
// compiled from, where it is there, else the version of nb.
func selfRequirement() []string {
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) && !strings.Contains(file, "@") {
		root := filepath.Join(filepath.Dir(file), "..", "..", "..")
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return []string{"mod", "edit", "-require=" + modulePath + "@v0.0.0", "-replace=" + modulePath + "=" + root}
		}
	}
	return []string{"get", modulePath + "@" + selfVersion()}
}

// selfVersion is the version of this project that nb is of, latest where it was not built from one.
func selfVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append(info.Deps, &info.Main) {
			if m.Path == modulePath && strings.HasPrefix(m.Version, "v") && !strings.HasSuffix(m.Version, "+dirty") {
				return m.Version
			}
		}
	}
	return "latest"
}

// goCommand runs the go command in dir and returns its standard output.
func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", fmt.Errorf("nb: %w: go %s: %w: %s", ErrModule, strings.Join(args[:min(2, len(args))], " "), err, strings.TrimSpace(stderr.String()))
	}
	return out.String(), nil
}
