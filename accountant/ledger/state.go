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

// The second place. Two kinds of book:
//
//	places/<hash of the path>   which ledger is at a path
//	heads/<ID of the ledger>    its last charge: sequence number and hash of the line
//
// A head is appended after its charge is durable and before anything is drawn, under the book's lock, so
// that of two copies of a ledger only one can go on. It is not synced: a power cut may take the last
// heads, after which less is noticed but nothing is noticed wrongly.

// stateFolder is where the books are. XDG_STATE_HOME counts on every system.
func stateFolder() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
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
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(dir, "places", hex.EncodeToString(sum[:16])), err
}

func headPath(id string) (string, error) {
	dir, err := stateFolder()
	return filepath.Join(dir, "heads", id), err
}

// placeOf tells which ledger is known at path; found is false where none is.
func placeOf(path string) (p place, found bool, err error) {
	if path, err = canonical(path); errors.Is(err, fs.ErrNotExist) {
		return p, false, nil // no folder: nothing was ever there, or all of it is gone
	}
	var name string
	if err == nil {
		name, err = placePath(path)
	}
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
	spent := "what it had spent is not known"
	if h, ok, err := headOf(p.Ledger); ok && err == nil {
		if spent = "it had no release yet"; h.Releases > 0 {
			spent = fmt.Sprintf("it had spent ε ≤ %s of %v in %s", roundedUp(h.Epsilon), p.Config.Epsilon, count(h.Releases, "release"))
		}
		if h.Path != p.Path {
			spent += fmt.Sprintf(" and was last charged at %s", h.Path)
		}
	}
	return fmt.Errorf("ledger: %s: the ledger of %q that was here since %s is gone: %w: %s, and a fresh ledger would forget it: "+
		"put the file back, or, if nothing that it released matters any more, run: nb ledger forget -yes %s",
		p.Path, p.Config.Dataset, p.Time.Format(time.DateOnly), ErrMissing, spent, shellQuote(p.Path))
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
func claim(path string) (done func(), err error) {
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
	if found, err := b.last(&p); err == nil && found && p.Ledger != "" {
		if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
			b.close()
			return nil, p.missing()
		}
	}
	return b.close, nil
}

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
	dir, err := stateFolder()
	if err != nil {
		return nil, err
	}
	books, err := os.ReadDir(filepath.Join(dir, "places"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []Known
	for _, b := range books {
		var p place
		if found, err := readBook(filepath.Join(dir, "places", b.Name()), &p); err != nil || !found || p.Ledger == "" || !wanted(p) {
			continue
		}
		c, err := p.Config.config()
		if err != nil {
			continue // of a later version
		}
		k := Known{Path: p.Path, Config: c, Since: p.Time, Spent: accountant.Budget{Delta: c.Budget.Delta}, at: p}
		if h, found, err := headOf(p.Ledger); err == nil && found {
			k.Releases, k.Spent.Epsilon = h.Releases, h.Epsilon
		}
		_, err = os.Stat(p.Path)
		k.Missing = errors.Is(err, fs.ErrNotExist)
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b Known) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// Forget drops what the user's state folder knows of the ledger at path, whether or not the file is
// there: the next Create may make a fresh budget, and the next Open takes the file as it is. Nothing
// counts what was spent there any more. Call it only if that does not matter: the ledger was never
// used, the data are gone, or the loss is counted elsewhere.
func Forget(path string) error {
	p, err := canonical(path)
	if err != nil {
		return fmt.Errorf("ledger: forget: %w", err)
	}
	known, found, err := placeOf(p)
	if err != nil {
		return fmt.Errorf("ledger: forget: %w", err)
	}
	now := time.Now().UTC().Round(0)
	done := false
	if found {
		name, err := placePath(p)
		if err == nil {
			err = addTo(name, place{Path: p, Config: known.Config, Time: now})
		}
		if err != nil {
			return fmt.Errorf("ledger: forget: %w", err)
		}
		done = true
	}
	if l, err := OpenReader(p); err == nil {
		id := l.hist.header.id()
		_ = l.Close()
		if _, found, err := headOf(id); err == nil && found {
			name, err := headPath(id)
			if err == nil {
				err = addTo(name, head{Path: p, Time: now})
			}
			if err != nil {
				return fmt.Errorf("ledger: forget: %w", err)
			}
			done = true
		}
	}
	if !done {
		return fmt.Errorf("ledger: forget %s: no ledger is known to have been there: see nb ledger list", path)
	}
	return nil
}

// addTo appends v to the book at name and makes it durable.
func addTo(name string, v any) error {
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
