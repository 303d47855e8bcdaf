package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/export"
	"github.com/dpkit-go/dpnb/notebooks/nb/kernel"
)

const labUsage = `nb lab [flags] [folder or file.ipynb]

Makes the folder (the current one) ready for interactive work: builds the kernel at the version that the
module pins, installs it for Jupyter behind a gate that keeps from it what the front end has not signed, with the
builder of cells that ties a notebook to the module around it, compiles what the notebooks import by running a trivial cell, and opens Jupyter Notebook, JupyterLab or VS
Code, whichever is there. Where none is, it says how to get one.

Exit status: 0 done, 2 wrong use, 3 the kernel could not be built or installed, or there is nothing to open.

`

const installJupyter = "python3 -m pip install --user notebook"

// frontEnd is a program that opens notebooks.
type frontEnd struct{ name, program string }

// frontEnds lists those on PATH, the one of the given name only where name is not empty.
func frontEnds(name string) (list []frontEnd) {
	for _, e := range []frontEnd{{"notebook", "jupyter-notebook"}, {"lab", "jupyter-lab"}, {"code", "code"}} {
		if name != "" && name != e.name {
			continue
		}
		if path, err := exec.LookPath(e.program); err == nil {
			list = append(list, frontEnd{e.name, path})
		}
	}
	return list
}

// lab is one run of the command.
type lab struct {
	dir    string // of the notebooks
	open   string // what to open: the folder or a notebook
	cache  string
	dry    bool
	stdout io.Writer
	stderr io.Writer
}

func labCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fs := newFlagSet("lab", labUsage, stderr)
	with := fs.String("with", "", "open with this `program`: notebook, lab or code")
	dry := fs.Bool("n", false, "print what would be done, and do nothing")
	noOpen := fs.Bool("no-open", false, "install and compile only")
	words, code, ok := fs.parse(args)
	switch {
	case !ok:
		return code
	case len(words) > 1:
		return misuse(stderr, "lab: got %d folders or notebooks, want one", len(words))
	case !slices.Contains([]string{"", "notebook", "lab", "code"}, *with):
		return misuse(stderr, "-with: got %q, want notebook, lab or code", *with)
	}
	l := &lab{dir: ".", open: ".", dry: *dry, stdout: stdout, stderr: stderr}
	if len(words) == 1 {
		l.open, l.dir = words[0], words[0]
		info, err := os.Stat(l.open)
		if err != nil {
			return misuse(stderr, "lab: %v", err)
		}
		if !info.IsDir() {
			l.dir = filepath.Dir(l.open)
		}
	}
	if err := l.prepare(ctx); err != nil {
		complain(stderr, l.open, err)
		return exitEnvironment
	}
	if *noOpen {
		return exitOK
	}
	found := frontEnds(*with)
	if len(found) == 0 {
		fmt.Fprintf(stderr, "nb: lab: %s on PATH: install one with `%s` or get VS Code from https://code.visualstudio.com/\n", wanted(*with), installJupyter)
		return exitEnvironment
	}
	return l.start(ctx, found[0])
}

func wanted(with string) string {
	if with == "" {
		return "neither jupyter-notebook, jupyter-lab nor code is"
	}
	return map[string]string{"notebook": "no jupyter-notebook", "lab": "no jupyter-lab", "code": "no code"}[with] + " is"
}

// does says what is done now, or would be.
func (l *lab) does(format string, args ...any) {
	if l.dry {
		format = "would " + format
	}
	fmt.Fprintf(l.stdout, format+"\n", args...)
}

// prepare builds and installs the kernel, and fills the build cache.
func (l *lab) prepare(ctx context.Context) error {
	pinned, err := kernel.Find(ctx, l.dir)
	if err != nil {
		return err
	}
	file, err := specFile()
	if err != nil {
		return err
	}
	l.does("install GoNB %s, pinned in %s, as %s", orFolder(pinned.GoNB), pinned.Folder, file)
	install := []string{"--install", "--force_deps", "--force_copy"}
	if !l.dry {
		note := func(s string) { fmt.Fprintln(l.stdout, s) }
		gate, err := kernel.Gate(ctx, l.cache, note)
		if err != nil {
			return err
		}
		builder, err := kernel.CellGo(ctx, l.cache, note)
		if err != nil {
			return err
		}
		err = kernel.Build(ctx, l.dir, l.cache, note, func(folder string) error {
			return runQuietly(ctx, l.dir, filepath.Join(folder, "gonb"), install...)
		})
		if err == nil {
			err = guardSpec(gate, builder)
		}
		if err != nil {
			return err
		}
	}
	if _, err := exec.LookPath("goimports"); err != nil {
		args := []string{"-C", pinned.Folder, "install", "golang.org/x/tools/cmd/goimports"}
		l.does("run go %s, for completing imports", strings.Join(args, " "))
		if !l.dry {
			if err := runQuietly(ctx, l.dir, "go", args...); err != nil {
				return err
			}
		}
	}
	return l.warm(ctx)
}

// warm fills the build cache. A cell that fails does not keep anybody from opening the notebook.
func (l *lab) warm(ctx context.Context) error {
	packages, err := l.imports()
	if err != nil {
		return err
	}
	n, err := export.WarmUp(ctx, l.dir, packages)
	if err != nil {
		return err
	}
	for _, c := range n.Cells {
		if line, ok := strings.CutPrefix(c.Source, "!*go build "); ok {
			l.does("compile %s and run a cell", line)
		}
	}
	if l.dry {
		return nil
	}
	report, err := kernel.Run(ctx, n, kernel.Options{Dir: l.dir, Cache: l.cache, Progress: func(e kernel.Event) {
		if e.Kind == kernel.Note {
			fmt.Fprintln(l.stdout, e.Text)
		}
	}})
	switch {
	case ctx.Err() != nil || errors.Is(err, kernel.ErrUnavailable):
		return err
	case err != nil:
		complain(l.stderr, "the first cells will be slow or fail", err)
	default:
		fmt.Fprintf(l.stdout, "the kernel works: %s in %s\n", summary(report), seconds(report.Total))
	}
	return nil
}

// imports lists what the notebook, or all notebooks of the folder, import.
func (l *lab) imports() ([]string, error) {
	files := []string{l.open}
	if l.open == l.dir {
		var err error
		if files, err = filepath.Glob(filepath.Join(l.dir, "*.ipynb")); err != nil {
			return nil, err
		}
	}
	var list []string
	for _, file := range files {
		n, err := nb.ReadFile(file)
		if err != nil {
			return nil, err
		}
		list = append(list, export.Imports(n)...)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// start opens the front end and waits for it.
func (l *lab) start(ctx context.Context, e frontEnd) int {
	l.does("open %s %s", e.program, l.open)
	if l.dry {
		return exitOK
	}
	cmd := exec.CommandContext(ctx, e.program, l.open)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, l.stdout, l.stderr
	env, _ := readGoEnv(ctx, ".")
	folders := []string{os.Getenv("PATH"), env.bin} // where goimports may be
	cmd.Env = append(os.Environ(), "PATH="+strings.Join(folders, string(filepath.ListSeparator)))
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		complain(l.stderr, e.program, err)
		return exitEnvironment
	}
	return exitOK
}

// runQuietly runs a program, whose output is in the error where it fails.
func runQuietly(ctx context.Context, dir, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args, " "), err, nb.StripANSI(strings.TrimSpace(string(out))))
	}
	return nil
}
