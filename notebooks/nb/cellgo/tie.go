package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb/gomod"
)

// What GoNB tells the programs that it starts.
const (
	notebookEnv = "GONB_DIR"     // the notebook's folder
	kernelEnv   = "GONB_TMP_DIR" // the folder of the kernel's module, where it builds cells
)

// tieFile is in folder, beside the records.
const tieFile = "tie.json"

// tie says what a kernel's module was made of. It is kept in the module's folder.
type tie struct {
	Mod  string // the go.mod around the notebook
	From string // fingerprint of that go.mod and its go.sum, "" where nothing could be made of them
	Made string // fingerprint of what was made of them
}

// answer does what a kernel's "go mod init" and "go get" ask for where there is a project around the notebook. All else is the go
// command's, "go get" of a package too.
func answer(goCommand string, args []string) (answered bool, err error) {
	initialises := len(args) == 3 && args[0] == "mod" && args[1] == "init" && strings.HasPrefix(args[2], "gonb_")
	completes := slices.Equal(args, []string{"get"}) || slices.Equal(args, []string{"get", "-t"})
	if !initialises && !completes {
		return false, nil
	}
	dir := kernelFolder()
	if dir == "" {
		return false, nil
	}
	if initialises {
		return initialise(goCommand, dir)
	}
	return complete(goCommand, dir)
}

// kernelFolder is the working folder where it is that of a kernel's module, else "".
func kernelFolder() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	here, err := os.Stat(dir)
	if err != nil {
		return ""
	}
	kernel, err := os.Stat(os.Getenv(kernelEnv))
	if err != nil || !os.SameFile(here, kernel) {
		return ""
	}
	return dir
}

// initialise makes the kernel's module of the project's. GoNB does not start where it fails, and nobody would see why: a project that
// cannot be read is told of before the first cell (see complete).
func initialise(goCommand, dir string) (bool, error) {
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		return false, nil // the go command says that it is there
	}
	mod := around(goCommand, os.Getenv(notebookEnv))
	if mod == "" {
		_ = os.Remove(filepath.Join(dir, folder, tieFile)) // of a module that is gone
		return false, nil
	}
	t := tie{Mod: mod}
	made := t.make(goCommand, dir)
	if made != nil {
		note("not tied: %v", made)
	}
	if err := t.write(dir); err != nil {
		return false, nil
	}
	return made == nil, nil
}

// complete has nothing to do but where the project's requirements have changed: packages that the project does not require are not
// fetched behind its back. What a cell has changed itself (!*go get) stays.
func complete(goCommand, dir string) (bool, error) {
	t, err := readTie(dir)
	if err != nil {
		return false, nil
	}
	from, err := modOf(filepath.Dir(t.Mod))
	if err != nil {
		return false, err
	}
	made, err := modOf(dir)
	if err != nil || t.From == from || t.From != "" && t.Made != made {
		return true, err
	}
	if err := t.make(goCommand, dir); err != nil {
		return false, err
	}
	return true, t.write(dir)
}

// around is the go.mod around a folder, "" where there is none.
func around(goCommand, dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	cmd := exec.Command(goCommand, "env", "GOMOD")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PWD="+dir)
	out, err := cmd.Output()
	mod := strings.TrimSpace(string(out))
	if err != nil || mod == os.DevNull || !filepath.IsAbs(mod) {
		return ""
	}
	return mod
}

// make writes the kernel's go.mod and go.sum: the project's, under another name, with the project itself as a requirement, and with
// folders that are named from where the kernel's module is.
func (t *tie) make(goCommand, dir string) error {
	root := filepath.Dir(t.Mod)
	text, err := os.ReadFile(t.Mod)
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	out, err := modEdit(goCommand, root, "-json", t.Mod)
	if err != nil {
		return err
	}
	project, err := gomod.Parse(out)
	if err != nil {
		return fmt.Errorf("%s: %w", t.Mod, err)
	}
	mod := filepath.Join(dir, "go.mod")
	next := mod + ".next"
	defer os.Remove(next)
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return err
	}
	if _, err := modEdit(goCommand, dir, append(project.Edits(root), next)...); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o600); err != nil {
		return err
	}
	if err := os.Rename(next, mod); err != nil {
		return err
	}
	if t.From, err = modOf(root); err != nil {
		return err
	}
	t.Made, err = modOf(dir)
	return err
}

func modEdit(goCommand, dir string, args ...string) ([]byte, error) {
	cmd := exec.Command(goCommand, append([]string{"mod", "edit"}, args...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("the module around the notebook: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

func readTie(dir string) (t tie, err error) {
	data, err := os.ReadFile(filepath.Join(dir, folder, tieFile))
	if err != nil {
		return t, err
	}
	return t, json.Unmarshal(data, &t)
}

func (t tie) write(dir string) error {
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, folder, tieFile), data, 0o600)
}
