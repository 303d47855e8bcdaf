package celltest

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	envCell = "NB_CELL" // number of the cell that the process is to run
	envMain = "NB_MAIN" // set: the cell wrote func main itself, so nothing parses the flags for it
	envSeed = "NB_SEED" // seed of math/rand, for cells that want one

	// EnvWork names a folder to work in instead of a temporary one. Test runs that share it see each
	// other's files, as the cells of a notebook do; the first one fills it.
	EnvWork = "NB_WORK"

	// ScratchPrefix begins the names of temporary working folders.
	ScratchPrefix = "nb-cells-"

	// LeftFile is in a working folder: its lines name the files that the disk could not hold.
	LeftFile = "left"

	// EnvTrial tells package ledger since when a program is a trial: ledgers that were created before replay what was released and
	// refuse any other release, as every draw from private rows would give something away.
	EnvTrial = "DPNB_TRIAL_SINCE"
	// EnvState tells package ledger which state folder is the user's.
	EnvState = "DPNB_TRIAL_STATE"
	// EnvFolder tells package ledger the notebook's folder, its copy, and the folder that holds the copy: three lines.
	EnvFolder = "DPNB_TRIAL_FOLDER"
)

// Notebook is the notebook that an exported package tests.
type Notebook struct {
	pkg     string // folder of the package, which holds testdata
	work    string // copy of the notebook's folder
	shared  bool   // work outlives the process
	corpora string // package's folder for findings of fuzzing, "" where there is no fuzzing
	seen    map[string]bool
	sweep   func() // removes work where it is of this process alone
}

// Start makes the working copy and moves there. It has to be the first variable of the package that is
// set. notebook is relative to the package's folder. It ends the process where it cannot do its work.
func Start(notebook string) *Notebook {
	if os.Getenv(envCell) != "" {
		if seed, err := strconv.ParseInt(os.Getenv(envSeed), 10, 64); err == nil {
			rand.Seed(seed) //lint:ignore SA1019 the cell may draw from the global source, which nothing else seeds
		}
		return &Notebook{}
	}
	n := &Notebook{seen: map[string]bool{}}
	begin := func() error { return n.start(notebook) }
	if isFuzzWorker() {
		begin = n.joinFuzz
	}
	if err := begin(); err != nil {
		fmt.Fprintln(os.Stderr, "celltest:", err)
		os.Exit(1)
	}
	return n
}

func (n *Notebook) start(notebook string) (err error) {
	if n.pkg, err = os.Getwd(); err != nil {
		return err
	}
	if !filepath.IsAbs(notebook) {
		notebook = filepath.Join(n.pkg, notebook)
	}
	if _, err := os.Stat(notebook); err != nil {
		return fmt.Errorf("the notebook of this package is gone: %w: export it again", err)
	}
	n.work, n.shared = os.Getenv(EnvWork), true
	if n.work == "" {
		n.shared = false
		if n.work, n.sweep, err = Scratch(os.TempDir(), ScratchPrefix); err != nil {
			return err
		}
	}
	if n.work, err = filepath.EvalSymlinks(n.work); err != nil {
		return err
	}
	from, err := filepath.EvalSymlinks(filepath.Dir(notebook))
	if err != nil {
		n.remove()
		return err
	}
	if _, err := os.Stat(n.sinceFile()); err != nil {
		if err := n.fill(from); err != nil {
			n.remove()
			return fmt.Errorf("cannot copy the notebook's folder: %w", err)
		}
	}
	since, err := os.ReadFile(n.sinceFile())
	if err != nil {
		n.remove()
		return err
	}
	for name, value := range map[string]string{
		EnvTrial: string(since), EnvState: os.Getenv("XDG_STATE_HOME"), EnvFolder: from + "\n" + n.folder() + "\n" + n.work,
		"XDG_STATE_HOME": n.state(), "GONB_DIR": n.folder(), "GONB_TMP_DIR": n.state(),
	} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	if err := n.hostFuzz(); err != nil {
		n.remove()
		return fmt.Errorf("cannot prepare for fuzzing: %w", err)
	}
	return os.Chdir(n.folder())
}

// fill makes the copy and the folders beside it.
func (n *Notebook) fill(from string) error {
	since := time.Now().UTC().Format(time.RFC3339Nano)
	left, err := CopyFolder(n.folder(), from, n.pkg)
	if err != nil {
		return err
	}
	for _, what := range left {
		fmt.Fprintln(os.Stderr, "celltest:", what)
	}
	return errors.Join(
		os.WriteFile(filepath.Join(n.work, LeftFile), []byte(strings.Join(left, "\n")), 0o600),
		os.Mkdir(n.state(), 0o700),
		os.WriteFile(n.sinceFile(), []byte(since), 0o600), // last: what is there is complete
	)
}

func (n *Notebook) folder() string { return filepath.Join(n.work, "notebook") }

func (n *Notebook) state() string { return StateFolder(n.work) }

// StateFolder is the state folder ($XDG_STATE_HOME) of test runs in a working folder ([EnvWork]).
func StateFolder(work string) string { return filepath.Join(work, "state") }

// sinceFile holds the time before which ledgers replay only, for all test runs that share the folder.
func (n *Notebook) sinceFile() string { return filepath.Join(n.state(), "since") }

func (n *Notebook) remove() {
	n.endFuzz()
	if n.sweep != nil {
		n.sweep()
	}
}

// Main is the package's TestMain: it runs the one cell that the process is for, else the tests. It does
// not return.
func (n *Notebook) Main(m *testing.M, cells map[int]func()) {
	id := os.Getenv(envCell)
	if id == "" {
		code := m.Run()
		n.remove()
		os.Exit(code)
	}
	number, _ := strconv.Atoi(id)
	cell, ok := cells[number]
	if !ok {
		fmt.Fprintf(os.Stderr, "celltest: no cell %q\n", id)
		os.Exit(1)
	}
	parse := os.Getenv(envMain) == ""
	for _, name := range []string{envCell, envMain} {
		_ = os.Unsetenv(name) // a program that the cell starts is no cell
	}
	if parse {
		flag.Parse() // GoNB opens func main with it
	}
	cell()
	os.Exit(0)
}

// ledgerHeader is what package ledger writes first: this package imports nothing of the project, so that exported tests
// need nothing else of it.
const ledgerHeader = `{"format":"dpnb-ledger"`

// HasLedger reports whether a folder, or one below it, holds a privacy ledger that CopyFolder would copy.
func HasLedger(dir string) (found bool) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || found {
			return fs.SkipAll
		}
		if path != dir && strings.HasPrefix(e.Name(), ".") {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if f, err := os.Open(path); err == nil && e.Type().IsRegular() {
			head := make([]byte, len(ledgerHeader))
			n, _ := io.ReadFull(f, head)
			found = string(head[:n]) == ledgerHeader
			_ = f.Close()
		}
		return nil
	})
	return found
}
