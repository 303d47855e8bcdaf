package celltest

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What go test -fuzz needs of a process that works elsewhere than in its package's folder: the engine
// starts this binary again as its workers, in the folder where it is itself, and reads and writes corpora
// in testdata/fuzz there.
const (
	envPackage = "NB_FUZZ_PACKAGE" // tells a worker the package's folder
	envCopy    = "NB_FUZZ_COPY"    // and the working copy, which it shares with the others
)

// isFuzzWorker says whether the fuzzing engine started the process.
func isFuzzWorker() bool { return slices.Contains(os.Args, "-test.fuzzworker") }

// joinFuzz makes a worker of the notebook, in the copy that the engine's process made.
func (n *Notebook) joinFuzz() error {
	n.pkg, n.work, n.shared = os.Getenv(envPackage), os.Getenv(envCopy), true
	if n.pkg == "" || n.work == "" {
		return errors.New("a fuzzing worker without its engine: run go test -fuzz")
	}
	return os.Chdir(n.folder())
}

// hostFuzz lets testdata/fuzz of the copy lead to the package's, so that seeds are read there and
// findings are kept there, and tells workers where they are.
func (n *Notebook) hostFuzz() error {
	corpora := filepath.Join(n.pkg, "testdata", "fuzz")
	fuzzing := isFuzzing()
	if fuzzing {
		if err := os.MkdirAll(corpora, 0o755); err != nil {
			return err
		}
	}
	if _, err := os.Stat(corpora); err == nil {
		link := filepath.Join(n.folder(), "testdata", "fuzz")
		if err := os.RemoveAll(link); err != nil { // of another package, or of an earlier epoch
			return err
		}
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			return err
		}
		if err := os.Symlink(corpora, link); err != nil {
			return err
		}
	}
	if !fuzzing {
		return nil
	}
	n.corpora = corpora
	return errors.Join(os.Setenv(envPackage, n.pkg), os.Setenv(envCopy, n.work))
}

// endFuzz removes the folders for findings where there are none.
func (n *Notebook) endFuzz() {
	if n.corpora != "" {
		_ = os.Remove(n.corpora) // fails where something is in it
		_ = os.Remove(filepath.Dir(n.corpora))
	}
}

// isFuzzing says whether the command line asks for fuzzing. It is read here and not by package flag:
// variables of the notebook may add flags later.
func isFuzzing() bool {
	for _, arg := range os.Args[1:] {
		name, value, joined := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if strings.HasPrefix(arg, "-") && name == "test.fuzz" && (value != "" || !joined) {
			return true
		}
	}
	return false
}
