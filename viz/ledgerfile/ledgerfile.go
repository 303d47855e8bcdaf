package ledgerfile

import (
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

// Forget drops what the user's state folder knows of the ledger at path; see [ledger.Forget].
func Forget(path string) error { return ledger.Forget(path) }
