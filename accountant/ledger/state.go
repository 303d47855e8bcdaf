package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
)

// The second place. Two kinds of book, beside those of card.go:
//
//	places/<hash of the path>   which ledger is at a path, as it is resolved and as it was given
//	heads/<ID of the ledger>    its last charge: sequence number and hash of the line
//
// A head is appended after its charge is durable and before anything is drawn, under the book's lock, so
// that of two copies of a ledger only one can go on. It is not synced: a power cut may take the last
// heads, after which less is noticed but nothing is noticed wrongly.

// stateFolder is where the books are. XDG_STATE_HOME counts on every system.
func stateFolder() (string, error) {
	dir, err := stateFolderIn(os.Getenv("XDG_STATE_HOME"))
	if err != nil {
		return "", err
	}
	return dir, lookBack(dir)
}

// stateFolderIn is the folder of the books under a value of XDG_STATE_HOME.
func stateFolderIn(dir string) (string, error) {
	if filepath.IsAbs(dir) {
		return filepath.Join(dir, "dpnb", "ledgers"), nil
	}
	home, err := os.UserHomeDir()
	if err == nil && !filepath.IsAbs(home) {
		err = errors.New("the home folder is not an absolute path")
	}
	if err != nil {
		return "", err
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "dpnb", "ledgers"), nil
	}
	return filepath.Join(home, ".local", "state", "dpnb", "ledgers"), nil
}

// place is a line of a place's book.
type place struct {
	Path   string     `json:"path"`
	Ledger string     `json:"ledger"` // its ID; "" after Forget
	Config fileConfig `json:"config"`
	Time   time.Time  `json:"time"`
	// Real is where the ledger is, if Path led there through a link. Such a place is a trace of the ledger: it
	// bars nothing but a new ledger while that one is lost.
	Real string `json:"real,omitempty"`
}

// head is a line of a ledger's book.
type head struct {
	Path     string    `json:"path"`
	Seq      int       `json:"seq"`  // of the last charge; 0: the header
	Hash     string    `json:"hash"` // of its line; "" after Forget
	Releases int       `json:"releases"`
	Epsilon  float64   `json:"epsilon"` // spent, rounded up
	Time     time.Time `json:"time"`
}

// canonical is the one path of a file, there or not.
func canonical(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if p, err := filepath.EvalSymlinks(abs); err == nil {
		return p, nil
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(abs))
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.Base(abs)), nil
}

// placePath is the book of the place path, which is canonical.
func placePath(path string) (string, error) {
	dir, err := stateFolder()
	sum := sha256.Sum256([]byte(untried(path)))
	return filepath.Join(dir, "places", hex.EncodeToString(sum[:16])), err
}

func headPath(id string) (string, error) { return statePath("heads", id) }

// placeOf tells which ledger is known at path; found is false where none is.
func placeOf(path string) (p place, found bool, err error) {
	if path, err = canonical(path); errors.Is(err, fs.ErrNotExist) {
		return p, false, nil // no folder: nothing was ever there, or all of it is gone
	}
	if err == nil {
		p, found, err = placeAt(path)
	}
	return p, found && p.Real == "", err
}

// placeAt is what the book of a path says, as it stands.
func placeAt(path string) (p place, found bool, err error) {
	name, err := placePath(path)
	if err == nil {
		found, err = readBook(name, &p)
	}
	return p, found && p.Ledger != "", err
}

func headOf(id string) (h head, found bool, err error) {
	name, err := headPath(id)
	if err == nil {
		found, err = readBook(name, &h)
	}
	return h, found && h.Hash != "", err
}

// missing explains that the ledger known at p.Path is gone.
func (p place) missing() error {
	if err := p.notCopied(); err != nil {
		return err
	}
	return fmt.Errorf("ledger: %s: the ledger of %q that was here since %s is gone: %w: %s, and a fresh ledger would forget it: "+
		"put the file back, or, if nothing that it released matters any more, run: nb ledger forget -yes %s",
		p.Path, p.Config.Dataset, p.Time.Format(time.DateOnly), ErrMissing, spentBy(p.Ledger, p.Path), shellQuote(p.Path))
}

// spentBy says what the ledger id had spent when it was last charged, and where if not at path.
func spentBy(id, path string) string {
	h, ok, err := headOf(id)
	if !ok || err != nil {
		return "what it had spent is not known"
	}
	spent := "it had no release yet"
	if h.Releases > 0 {
		spent = fmt.Sprintf("it had spent ε ≤ %s in %s", roundedUp(h.Epsilon), count(h.Releases, "release"))
	}
	if h.Path != path {
		spent += fmt.Sprintf(" and was last charged at %s", h.Path)
	}
	return spent
}

// Known is a ledger that the user's state folder knows of.
type Known struct {
	Path     string
	Config   Config
	Since    time.Time // when it was created or first opened at Path
	Releases int       // when it was last charged
	Spent    accountant.Budget
	Missing  bool // no file is at Path
	// Others are the paths of other ledgers that carry the same dataset's name and have a budget of their own, beside
	// this one's: those that are there or were charged, and share no project with it.
	Others []string

	at place
}

// claim locks the place of path until done is called, so that of two processes one creates, and refuses
// where a ledger is known and gone. Without a state folder there is nothing to ask; the ledger then says so.
func claim(path string, c Config) (done func(), err error) {
	var name string
	var b *book
	file, err := canonical(path)
	if err == nil {
		name, err = placePath(file)
	}
	if err == nil {
		b, err = openBook(context.Background(), name)
	}
	if errors.Is(err, errBusy) {
		return nil, fmt.Errorf("ledger: create %s: %w; no ledger was made", path, err)
	}
	if err != nil {
		return func() {}, nil
	}
	var p place
	if found, err := b.last(&p); err == nil && found && p.bars() {
		if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
			b.close()
			return nil, p.missing()
		}
	}
	if err := lost(path, c); err != nil {
		b.close()
		return nil, err
	}
	return b.close, nil
}

// bars reports whether another ledger at the place is one too many.
func (p place) bars() bool { return p.Ledger != "" && p.Real == "" && !p.Config.Rehearsal }

// List returns the ledgers that the user's state folder knows of, by path.
func List() ([]Known, error) {
	out, err := known(func(place) bool { return true })
	if err != nil {
		return nil, fmt.Errorf("ledger: list: %w", err)
	}
	for i := range out {
		for _, k := range out {
			if k.beside(out[i].at) {
				out[i].Others = append(out[i].Others, k.Path)
			}
		}
	}
	return out, nil
}

// known are the ledgers of the state folder that are wanted, by path.
func known(wanted func(place) bool) ([]Known, error) {
	all, err := places()
	if err != nil {
		return nil, err
	}
	var out []Known
	for _, p := range all {
		if !wanted(p) {
			continue
		}
		if k, ok := p.known(); ok {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b Known) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// places are all that are recorded, but for those that are links.
func places() ([]place, error) {
	dir, err := stateFolder()
	if err != nil {
		return nil, err
	}
	books, err := os.ReadDir(filepath.Join(dir, "places"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []place
	for _, b := range books {
		var p place
		if found, err := readBook(filepath.Join(dir, "places", b.Name()), &p); err == nil && found && p.Ledger != "" && p.Real == "" {
			out = append(out, p)
		}
	}
	return out, nil
}

// known is what the folder knows of the ledger at p; ok is false for one of a later version.
func (p place) known() (k Known, ok bool) {
	c, err := p.Config.config()
	if err != nil {
		return k, false
	}
	k = Known{Path: p.Path, Config: c, Since: p.Time, Spent: accountant.Budget{Delta: c.Budget.Delta}, at: p}
	if h, found, err := headOf(p.Ledger); err == nil && found {
		k.Releases, k.Spent.Epsilon = h.Releases, h.Epsilon
	}
	_, err = os.Stat(p.Path)
	k.Missing = errors.Is(err, fs.ErrNotExist)
	return k, true
}

// Lost returns the ledgers in the folder dir, or below it, that were charged and are gone, as the user's state folder
// knows them: a run of their notebooks would be refused, and where another state folder takes this one's
// place (a trial in a copy) it would begin with a fresh budget. A ledger's own path is a dir too. Ledgers that were moved
// to where the folder knows them, rehearsals and forgotten ones are none.
func Lost(dir string) ([]Known, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("ledger: lost: %w", err)
	}
	roots := []string{abs}
	if real, err := canonical(abs); err == nil && real != abs {
		roots = append(roots, real)
	}
	if err := buildCards(); err != nil {
		return nil, fmt.Errorf("ledger: lost: %w", err)
	}
	out, err := known(func(p place) bool {
		if !slices.ContainsFunc(roots, func(root string) bool { return within(root, p.Path) }) {
			return false
		}
		k, found, err := cardOf(p.Ledger)
		return err == nil && found && k.gone()
	})
	if err != nil {
		return nil, fmt.Errorf("ledger: lost: %w", err)
	}
	for i := range out {
		out[i].Missing = true
	}
	return out, nil
}

func within(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// Forget drops what the user's state folder knows of the ledger at path, whether or not the file is
// there: the next Create may make a fresh budget, and the next Open takes the file as it is. Nothing
// counts what was spent there any more. Call it only if that does not matter: the ledger was never
// used, the data are gone, or the loss is counted elsewhere.
func Forget(path string) error {
	fail := func(err error) error { return fmt.Errorf("ledger: forget: %w", err) }
	p, err := canonical(path)
	if errors.Is(err, fs.ErrNotExist) { // the folder is gone too
		p, err = filepath.Abs(path)
	}
	if err != nil {
		return fail(err)
	}
	known, found, err := placeAt(p)
	if err != nil {
		return fail(err)
	}
	now := time.Now().UTC().Round(0)
	done := found
	if found {
		name, err := placePath(p)
		if err == nil {
			err = addDurably(name, place{Path: p, Config: known.Config, Time: now})
		}
		if err == nil {
			err = forgetCard(known.Ledger, now)
		}
		if err != nil {
			return fail(err)
		}
	}
	if l, err := OpenReader(p); err == nil {
		id := l.hist.header.id()
		_ = l.Close()
		if _, found, err := headOf(id); err == nil && found {
			name, err := headPath(id)
			if err == nil {
				err = addDurably(name, head{Path: p, Time: now})
			}
			if err != nil {
				return fail(err)
			}
			done = true
		}
	}
	if !done {
		return fmt.Errorf("ledger: forget %s: no ledger is known to have been there: see nb ledger list", path)
	}
	return nil
}

// forgetCard ends what the loss of the ledger id bars. Where it is opened again, its card is written anew.
func forgetCard(id string, now time.Time) error {
	k, found, err := cardOf(id)
	if err != nil || !found {
		return err
	}
	k.Forgotten, k.Time = true, now
	name, err := statePath("cards", id)
	if err != nil {
		return err
	}
	return addDurably(name, k)
}

// addTo appends v to the book at name. It is not synced: a power cut may take it.
func addTo(name string, v any) error {
	b, err := openBook(context.Background(), name)
	if err != nil {
		return err
	}
	defer b.close()
	return b.add(v)
}

// addDurably is addTo of what must last.
func addDurably(name string, v any) error {
	b, err := openBook(context.Background(), name)
	if err != nil {
		return err
	}
	defer b.close()
	if err := b.add(v); err != nil {
		return err
	}
	return b.f.Sync()
}
