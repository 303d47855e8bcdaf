package kernel

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/bundle"
	"github.com/dpkit-go/dpnb/notebooks/nb/prebuilt"
)

// bundle builds programs of several cells and has the kernel to come take them. remove removes them. Where it cannot, cells are built
// one by one, as they are without it; the error is of a context that ended.
func (r *run) bundle(ctx context.Context, n *nb.Notebook, report *Report) (remove func(), err error) {
	// Programs are signed on macOS, and cellgo changes a number in them.
	if !bundles(n) || strings.Contains(os.Getenv("GOFLAGS"), "ldflags") || runtime.GOOS == "darwin" {
		return func() {}, nil
	}
	gathered, programs := filepath.Join(r.Bundle, "cells"), filepath.Join(r.Bundle, "programs")
	remove = func() {
		for range 20 { // a compiler that was just interrupted may still write
			if errors.Join(os.RemoveAll(gathered), os.RemoveAll(programs)) == nil {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	report.Bundled = r.bundleIn(ctx, n, gathered, programs) == nil
	if ctx.Err() != nil {
		remove()
		return nil, fmt.Errorf("nb: stopped before the first cell: %w", context.Cause(ctx))
	}
	return remove, nil
}

func (r *run) bundleIn(ctx context.Context, n *nb.Notebook, gathered, programs string) error {
	if err := errors.Join(os.Mkdir(gathered, 0o700), os.Mkdir(programs, 0o700)); err != nil {
		return err
	}
	if err := r.gather(ctx, n, gathered); err != nil {
		return err
	}
	if err := r.buildBundles(ctx, gathered, programs); err != nil {
		return err
	}
	r.setup.Env = append(r.setup.Env, prebuilt.TakeEnv+"="+programs)
	return nil
}

// bundles reports whether a notebook's cells may run twice: nothing but their programs does anything, and nothing but their text decides how
// they are built.
func bundles(n *nb.Notebook) bool {
	count := 0
	for _, c := range n.Cells {
		if c.Type != "code" || strings.TrimSpace(c.Source) == "" || c.HasTag(tagSkip) {
			continue
		}
		count++
		for line := range strings.Lines(c.Source) {
			line = strings.TrimPrefix(line, "//gonb:")
			words := strings.Fields(line)
			switch {
			case line == "" || line[0] != '%' && line[0] != '!':
			case line[0] == '!':
				return false
			case words[0] == "%%" || words[0] == "%main" || words[0] == "%args" || words[0] == "%exec" || words[0] == "%noautoget":
			case words[0] == "%env" && len(words) > 1 && !builds(words[1]):
			default:
				return false
			}
		}
	}
	return count > 1
}

// builds reports whether a variable may show in how programs are built: those of Go and of C compilers, where either looks for settings and files, and
// what is no plain name.
func builds(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	if strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") != "" {
		return true
	}
	return slices.ContainsFunc([]string{"GO", "CGO", "PATH", "HOME", "XDG_", "TMPDIR", "DPNB_CELLGO", "PKG_CONFIG", "GCC", "LD_", "GIT_", "NETRC", "LIBRARY_PATH"},
		func(p string) bool { return strings.HasPrefix(name, p) }) || slices.Contains([]string{"CC", "CXX", "FC", "AR", "CPATH"}, name)
}

// gather has a kernel run the cells with programs that do nothing; it stops at the first that fails.
func (r *run) gather(ctx context.Context, n *nb.Notebook, dir string) (err error) {
	o := r.Options
	o.KeepGoing, o.Progress = false, func(Event) {}
	setup := r.setup
	setup.Env = append(append([]string(nil), setup.Env...), prebuilt.GatherEnv+"="+dir)
	idle := run{Options: o, setup: setup, outputs: outputs{displays: map[string][]place{}}, cells: map[string]*cellOutputs{}}
	if idle.kernel, err = startKernel(ctx, setup); err != nil {
		return err
	}
	defer func() { idle.kernel.close() }()
	copied, report := &nb.Notebook{}, &Report{}
	for _, c := range n.Cells {
		if c.Type == "code" && strings.TrimSpace(c.Source) != "" {
			report.Cells = append(report.Cells, CellReport{Index: len(copied.Cells), Status: Skipped})
			copied.Cells = append(copied.Cells, &nb.Cell{Type: c.Type, Source: c.Source, Metadata: c.Metadata})
		}
	}
	_ = idle.all(ctx, copied, report) // a failure is the true run's to tell
	return ctx.Err()
}

// buildBundles builds the programs of the cells that were gathered in one module, and writes for cellgo where they are.
func (r *run) buildBundles(ctx context.Context, gathered, dir string) error {
	folders, err := os.ReadDir(gathered)
	if err != nil {
		return err
	}
	var builds []prebuilt.Build
	for _, f := range folders {
		if b, err := prebuilt.Read(filepath.Join(gathered, f.Name())); err == nil { // else it was not written to its end
			builds = append(builds, b)
		}
	}
	if len(builds) == 0 {
		return errors.New("nb: no cell is built")
	}
	// The module of the last cell counts: cells that see another one are built by themselves.
	module := builds[len(builds)-1]
	module.Main = nil
	var sources [][]byte
	for _, b := range builds {
		if bytes.Equal(b.Mod, module.Mod) && bytes.Equal(b.Sum, module.Sum) {
			sources = append(sources, b.Main)
		}
	}
	list := bundle.Join(sources)
	if len(list) == 0 {
		return errors.New("nb: every cell is built alone")
	}
	for i, p := range list {
		b := module
		b.Main = p.Source
		program, err := r.buildAsCell(ctx, b, filepath.Join(dir, fmt.Sprintf("gonb_bundle%d", i)))
		if err != nil {
			return err
		}
		at, err := markIn(program, p.Mark)
		if err != nil {
			return err
		}
		for number, cell := range p.Cells {
			data, err := json.Marshal(prebuilt.Program{File: program, Mark: p.Mark, At: at, Number: fmt.Sprintf("%0*d", bundle.Digits, number+1)})
			if err != nil {
				return err
			}
			b.Main = sources[cell]
			if err := os.WriteFile(filepath.Join(dir, b.Name()), data, 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// buildAsCell has the builder of cells build a program in a new folder, whose name is one of a kernel's module: by the commands of an earlier
// cell's build, of this or another notebook's kernel, where nothing else can have changed.
func (r *run) buildAsCell(ctx context.Context, b prebuilt.Build, folder string) (program string, err error) {
	if err := errors.Join(os.Mkdir(folder, 0o700), b.Write(folder)); err != nil {
		return "", err
	}
	program = filepath.Join(folder, filepath.Base(folder))
	above := filepath.Dir(folder)
	cmd := exec.CommandContext(ctx, cellGo.path(r.setup.Front), "build", "-o", program)
	cmd.Dir = folder
	cmd.Env = r.setup.environment(folder, above, above, nil) // what an interrupted build leaves goes with the folder
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("nb: a program of several cells: %w: %s", err, out)
	}
	return program, nil
}

// markIn finds where the mark of a program stands. It stands there once.
func markIn(program, mark string) (int64, error) {
	data, err := os.ReadFile(program)
	if err != nil {
		return 0, err
	}
	at := bytes.Index(data, []byte(mark))
	if at < 0 || at != bytes.LastIndex(data, []byte(mark)) {
		return 0, fmt.Errorf("nb: the mark of a program stands in it %d times, want once", bytes.Count(data, []byte(mark)))
	}
	return int64(at), nil
}
