package ledgerfile

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/viz"
)

// Show is the ledger at path with all its charges.
func Show(path string) (viz.View, error) {
	l, err := ledger.OpenReader(path)
	if err != nil {
		return viz.View{}, err
	}
	defer l.Close()
	s, err := l.Status()
	if err != nil {
		return viz.View{}, err
	}
	entries, err := l.Entries()
	if err != nil {
		return viz.View{}, err
	}
	return viz.Releases(s, entries), nil
}

// Export is the privacy statement of the ledger at path: the JSON of [ledger.Statement].
func Export(path string) ([]byte, error) {
	l, err := ledger.OpenReader(path)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	s, err := l.Statement()
	if err != nil {
		return nil, err
	}
	return s.MarshalIndent()
}

// List is a table of the ledgers that the user's state folder knows of.
func List() (viz.View, error) {
	known, err := ledger.List()
	if err != nil {
		return viz.View{}, err
	}
	return viz.Ledgers(known), nil
}

// Lost is nil unless ledgers that were charged are gone from the folder dir, or from below it, as the user's state folder
// knows: then an error that wraps [ledger.ErrMissing], names them, and says how to go on. Who runs a
// notebook with another state folder asks this first: there its first release would begin with a fresh budget.
func Lost(dir string) error {
	lost, err := ledger.Lost(dir)
	if err != nil || len(lost) == 0 {
		return err
	}
	var what, paths []string
	for _, k := range lost {
		what = append(what, fmt.Sprintf("%s, that of %q, with ε ≤ %s of %v in %s", k.Path, k.Config.Dataset,
			accountant.FormatUp(k.Spent.Epsilon), k.Config.Budget.Epsilon, plural(k.Releases, "release")))
		paths = append(paths, k.Path)
	}
	return fmt.Errorf("%w: %s: a run would be refused: put back what is gone, or, if nothing that was released from it matters any more, forget it: nb ledger forget -yes %s",
		ledger.ErrMissing, strings.Join(what, "; "), strings.Join(paths, " "))
}

// Forget drops what the user's state folder knows of the ledger at path; see [ledger.Forget].
func Forget(path string) error { return ledger.Forget(path) }
