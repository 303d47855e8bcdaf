package ledger

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What the state folder knows of ledgers beside places and heads, to find one that is lost:
//
//	cards/<ID of the ledger>          what it is for, and where it was
//	names/<hash of a dataset's name>  the ledgers of datasets of that name, one a line
//	keys/<hash of a key's hash>       the ledgers with that key, one a line
//
// Each is a book; of a card the last line counts, of the others every line. So neither opening nor creating a
// ledger looks at ledgers of other datasets.

// card is a line of a ledger's card.
type card struct {
	Ledger    string    `json:"ledger"`
	Dataset   string    `json:"dataset"`
	Rehearsal bool      `json:"rehearsal,omitempty"`
	Key       string    `json:"key,omitempty"`  // hash of its key
	Paths     []string  `json:"paths"`          // where it was, the latest last
	Data      []shape   `json:"data,omitempty"` // of what its dataset was seen to be, the latest last
	Forgotten bool      `json:"forgotten,omitempty"`
	Time      time.Time `json:"time"`
}

// shape is what a dataset looks like from outside.
type shape struct {
	Schema string `json:"schema,omitempty"`
	Rows   int    `json:"rows,omitempty"`
}

// mention is a line of names and keys.
type mention struct {
	Ledger string `json:"ledger"`
}

// A card keeps so many paths and shapes, and an opening looks at so many ledgers of its dataset's name.
const (
	mostPaths  = 32
	mostShapes = 16
	mostBeside = 32
)

func statePath(kind, name string) (string, error) {
	dir, err := stateFolder()
	return filepath.Join(dir, kind, name), err
}

// nameBook is the book of a dataset's name, in whatever case it is written.
func nameBook(dataset string) (string, error) {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(dataset))))
	return statePath("names", hex.EncodeToString(sum[:16]))
}

func keyBook(hash string) (string, error) {
	sum := sha256.Sum256([]byte(hash))
	return statePath("keys", hex.EncodeToString(sum[:16]))
}

func cardOf(id string) (c card, found bool, err error) {
	name, err := statePath("cards", id)
	if err == nil {
		found, err = readBook(name, &c)
	}
	return c, found && c.Ledger == id, err
}

// mentioned are the ledgers of a book, the latest first, each once.
func mentioned(name string, most int) ([]string, error) {
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []string
	seen := map[string]bool{}
	lines := bytes.Split(b, []byte("\n"))
	for _, line := range slices.Backward(lines) {
		var m mention
		if len(out) == most || decode(line, &m) != nil || seen[m.Ledger] {
			continue
		}
		seen[m.Ledger] = true
		out = append(out, m.Ledger)
	}
	return out, nil
}

// recent appends x to the latest of xs, once, and keeps the last most.
func recent[T comparable](xs []T, x T, most int) []T {
	xs = append(slices.DeleteFunc(slices.Clone(xs), func(y T) bool { return y == x }), x)
	return xs[max(0, len(xs)-most):]
}

// describe writes the ledger's card where the folder knows less. The caller holds l.mu.
func (l *Ledger) describe() error {
	h := l.hist.header
	was, found, err := cardOf(h.id())
	if err != nil {
		return err
	}
	now := was
	now.Ledger, now.Dataset, now.Rehearsal, now.Forgotten = h.id(), h.Config.Dataset, h.Config.Rehearsal, false
	if now.Key == "" {
		if key := h.tryKey(l.path); key != nil {
			now.Key = keyHash(key)
		}
	}
	if !slices.Contains(now.Paths, l.path) {
		now.Paths = recent(now.Paths, l.path, mostPaths)
	}
	if l.looks != (shape{}) && !slices.Contains(now.Data, l.looks) {
		now.Data = recent(now.Data, l.looks, mostShapes)
	}
	if found && now.same(was) {
		return nil
	}
	now.Time = l.opt.now().UTC().Round(0)
	// First where it is found: a card that nothing leads to would be lost with its ledger.
	if err := now.mention(!found, now.Key != was.Key); err != nil {
		return err
	}
	return now.write()
}

func (c card) write() error {
	name, err := statePath("cards", c.Ledger)
	if err != nil {
		return err
	}
	return addTo(name, c)
}

func (c card) same(d card) bool {
	return c.Key == d.Key && c.Forgotten == d.Forgotten && c.Rehearsal == d.Rehearsal && c.Dataset == d.Dataset &&
		slices.Equal(c.Paths, d.Paths) && slices.Equal(c.Data, d.Data)
}

// mention names the ledger in the books of its dataset's name and of its key.
func (c card) mention(name, key bool) error {
	var books []string
	if name {
		b, err := nameBook(c.Dataset)
		if err != nil {
			return err
		}
		books = append(books, b)
	}
	if key && c.Key != "" {
		b, err := keyBook(c.Key)
		if err != nil {
			return err
		}
		books = append(books, b)
	}
	for _, b := range books {
		if err := addTo(b, mention{c.Ledger}); err != nil {
			return err
		}
	}
	return nil
}

// there reports whether the ledger's file is at one of its paths. A file that cannot be read counts: it may be it.
func (c card) there() bool {
	return slices.ContainsFunc(c.Paths, func(path string) bool { return holdsLedger(path, c.Ledger) })
}

// holdsLedger reports whether the ledger id is, or may be, the file at path.
func holdsLedger(path, id string) bool {
	f, err := os.Open(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	line, err := bufio.NewReaderSize(f, 1<<16).ReadSlice('\n')
	if err != nil {
		return false // no header: nothing that Open would take
	}
	h, _, err := decodeHeader(bytes.TrimSuffix(line, []byte("\n")))
	return err == nil && h.id() == id
}

// gone reports whether the ledger was charged, is at none of its paths, and is one whose loss matters.
func (c card) gone() bool {
	if c.Rehearsal || c.Forgotten || c.there() {
		return false
	}
	h, found, err := headOf(c.Ledger)
	return err == nil && found && h.Releases > 0 && !holdsLedger(h.Path, c.Ledger)
}

// missing explains that the ledger of the card is gone, and why it is what Create was asked for.
func (c card) missing(path, why string) error {
	last := c.Paths[len(c.Paths)-1]
	return fmt.Errorf("ledger: create %s: %s: the ledger that was at %s is gone: %w: %s, and a fresh ledger would forget it: "+
		"put the file back, or, if nothing that it released matters any more, run: nb ledger forget -yes %s",
		path, why, last, ErrMissing, spentBy(c.Ledger, last), shellQuote(last))
}

// lost is the error of a Create that would give the budget of a lost ledger a second time: one that was reached by
// this path, has the key beside it, or was kept for data of the same name, schema and number of rows.
func lost(path string, c Config) error {
	if err := buildCards(); err != nil {
		return nil //nolint:nilerr // a folder that cannot be used is told by Status
	}
	if given, err := filepath.Abs(path); err == nil {
		if p, found, err := placeAt(given); err == nil && found {
			if k, found, err := cardOf(p.Ledger); err == nil && found && k.gone() {
				return k.missing(path, fmt.Sprintf("this path led to the ledger of %q", k.Dataset))
			}
		}
	}
	if key, err := parseKey(path + keySuffix); err == nil {
		if k, found := firstGone(keyBook(keyHash(key)))(func(card) bool { return true }); found {
			return k.missing(path, fmt.Sprintf("the key beside it is that of the ledger of %q", k.Dataset))
		}
	}
	if c.Rehearsal {
		return nil
	}
	looks := shape{c.Schema, c.Rows}
	k, found := firstGone(nameBook(c.Dataset))(func(k card) bool {
		return slices.Contains(k.Data, looks) || looks == (shape{}) && len(k.Data) == 0
	})
	if found {
		what := fmt.Sprintf("%q had a ledger", c.Dataset)
		if looks != (shape{}) {
			what = fmt.Sprintf("%q, of the same schema and the same %s, had a ledger", c.Dataset, count(c.Rows, "row"))
		}
		return k.missing(path, what)
	}
	return nil
}

// firstGone finds the latest ledger of a book that is gone and that is wanted.
func firstGone(book string, err error) func(wanted func(card) bool) (card, bool) {
	return func(wanted func(card) bool) (card, bool) {
		if err != nil {
			return card{}, false
		}
		ids, err := mentioned(book, -1)
		if err != nil {
			return card{}, false
		}
		for _, id := range ids {
			if k, found, err := cardOf(id); err == nil && found && wanted(k) && k.gone() {
				return k, true
			}
		}
		return card{}, false
	}
}

// buildCards writes the cards of places that were recorded before there were any, once.
func buildCards() error {
	done, err := statePath("cards", ".complete")
	if err != nil {
		return err
	}
	if _, err := os.Lstat(done); err == nil {
		return nil
	}
	all, err := places()
	if err != nil {
		return err
	}
	for _, p := range all {
		k, found, err := cardOf(p.Ledger)
		if err != nil {
			return err
		}
		if found && slices.Contains(k.Paths, p.Path) {
			continue
		}
		if !found {
			k = card{Ledger: p.Ledger, Dataset: p.Config.Dataset, Rehearsal: p.Config.Rehearsal}
		}
		k.Time, k.Paths = p.Time, recent(k.Paths, p.Path, mostPaths)
		if err := k.mention(!found, false); err != nil {
			return err
		}
		if err := k.write(); err != nil {
			return err
		}
	}
	b, err := openBook(context.Background(), done)
	if err != nil {
		return err
	}
	b.close()
	return nil
}
