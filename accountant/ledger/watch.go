package ledger

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
)

// last is the last charge as a head, or the header where there is none.
func (l *Ledger) last() head {
	h := head{Path: l.path, Hash: l.hist.first, Releases: l.hist.count(), Epsilon: l.hist.filter.spent(), Time: l.opt.now().UTC().Round(0)}
	if n := l.hist.count(); n > 0 {
		h.Seq = l.hist.seqAt(n - 1)
		h.Hash, _ = l.hist.hashAt(n - 1) // "" where the file cannot be read: a head that says nothing
	}
	return h
}

// holds reports whether the file has the charge that w says was its last.
func (h *history) holds(w head) bool {
	if w.Seq == 0 {
		return w.Hash == h.first
	}
	i := sort.Search(h.count(), func(i int) bool { return h.seqAt(i) >= w.Seq })
	if i == h.count() || h.seqAt(i) != w.Seq {
		return false
	}
	hash, err := h.hashAt(i)
	return err == nil && hash == w.Hash
}

// stale says that another copy went on; nil if none did.
func (l *Ledger) stale(w head) error {
	if l.hist.holds(w) {
		return nil
	}
	where := "here"
	if w.Path != l.path {
		where = "at " + w.Path
	}
	return fmt.Errorf("%s: this copy holds %s with ε ≤ %s, the latest one (%s, %s) had %s with ε ≤ %s: %w: "+
		"go on with the latest copy, or put it back; if it is lost, count that ε as spent, and take this one as it is by: nb ledger forget -yes %s",
		l.path, count(l.hist.count(), "release"), roundedUp(l.hist.filter.spent()), where, w.Time.Format("2006-01-02 15:04 MST"),
		count(w.Releases, "release"), roundedUp(w.Epsilon), ErrStale, shellQuote(l.path))
}

// replaced says that the state folder knows another ledger at this path.
func (l *Ledger) replaced(p place) error {
	if p.Ledger == l.hist.header.id() || p.Config.Rehearsal {
		return nil
	}
	return fmt.Errorf("%s: since %s the ledger of %q was here, and this is another one: %w: put the former back and keep this one "+
		"under another name, or, if nothing that the former released matters any more, run: nb ledger forget -yes %s",
		l.path, p.Time.Format("2006-01-02"), p.Config.Dataset, ErrReplaced, shellQuote(l.path))
}

// barred says why no charge may be made here: the file is not the latest, or not the one that belongs
// here. warning is set where the state folder does not say.
func (l *Ledger) barred() (warning string, bar error) {
	p, found, err := placeOf(l.path)
	if err != nil {
		return unwatched(err), nil
	}
	if found {
		if err := l.replaced(p); err != nil {
			return "", err
		}
	}
	w, found, err := headOf(l.hist.header.id())
	if err != nil {
		return unwatched(err), nil
	}
	if found {
		return "", l.stale(w)
	}
	return "", nil
}

// Latest is nil unless the user's state folder knows better: [ErrStale] where another copy of the file
// has gone on, [ErrReplaced] where another ledger belongs at the path. Either refuses every charge.
func (l *Ledger) Latest() error {
	s, err := l.Status() // reads what others appended, so that their charges are not taken for another copy's
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(s.Warnings) == 0 {
		return nil
	}
	_, bar := l.barred()
	return bar
}

// register tells the state folder of an opened ledger: that it is at its path, what it is for, and its last charge if
// the folder knows less. The caller holds l.mu. What cannot be written is told by Status.
func (l *Ledger) register() {
	p, found, err := placeOf(l.path)
	if err == nil && (!found || !p.bars()) && p.Ledger != l.hist.header.id() {
		err = l.registerPlace(l.path, &p)
	}
	if err == nil && l.replaced(p) != nil {
		return
	}
	if err == nil && l.given != l.path {
		err = l.registerLink()
	}
	if err == nil {
		err = l.describe()
	}
	if err != nil {
		l.warn(unwatched(err))
		return
	}
	w, found, err := headOf(l.hist.header.id())
	if err == nil && found && (w.Hash == l.last().Hash || !l.hist.holds(w)) {
		return // the folder knows as much, or more
	}
	if err := l.witness(context.Background(), func() error { return nil }); err != nil && !errors.Is(err, ErrStale) {
		l.warn(unwatched(err))
	}
}

// registerPlace records the ledger at a path, unless another process was faster, and returns what is
// known then.
func (l *Ledger) registerPlace(path string, p *place) error {
	name, err := placePath(path)
	if err != nil {
		return err
	}
	b, err := openBook(context.Background(), name)
	if err != nil {
		return err
	}
	defer b.close()
	if found, err := b.last(p); err != nil || found && p.bars() {
		return err
	}
	*p = place{Path: path, Ledger: l.hist.header.id(), Config: l.hist.header.Config, Time: l.opt.now().UTC().Round(0)}
	if p.Config.Unit == PerRow.String() {
		p.Config.Unit = "" // as programs of before read it
	}
	if path != l.path {
		p.Real = l.path
	}
	return b.add(p)
}

// registerLink records the path that was given, which leads to the ledger through a link.
func (l *Ledger) registerLink() error {
	p, found, err := placeAt(l.given)
	if err != nil || found && (p.bars() || p.Ledger == l.hist.header.id() && p.Real == l.path) {
		return err
	}
	return l.registerPlace(l.given, &p)
}

// witness calls charge while the ledger's book is locked and the file is the latest copy, then records
// the head. A state folder that cannot be used lets the charge pass, with a warning in Status; one that
// says that another copy went on does not.
func (l *Ledger) witness(ctx context.Context, charge func() error) error {
	name, err := headPath(l.hist.header.id())
	var b *book
	if err == nil {
		b, err = openBook(ctx, name)
	}
	if err != nil && (errors.Is(err, errBusy) || ctx.Err() != nil) {
		return err // unlike a folder that is not there, this passes
	}
	var w head
	found := false
	if err == nil {
		defer b.close()
		found, err = b.last(&w)
	}
	if err == nil && found && w.Hash != "" {
		if err := l.stale(w); err != nil {
			return err
		}
	}
	if err := charge(); err != nil {
		return err
	}
	if err == nil {
		err = b.add(l.last())
	}
	l.unwitnessed = ""
	if err != nil {
		l.unwitnessed = unwatched(err)
	}
	return nil
}

func (l *Ledger) warn(s string) { l.unwitnessed = s }

// shellQuote makes s one word of a shell.
func shellQuote(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
