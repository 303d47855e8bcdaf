package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// A Ledger is an open ledger file. Its methods may be called from several goroutines.
type Ledger struct {
	path  string // absolute, without links: a later chdir does not move the ledger
	given string // as it was asked for, absolute
	looks shape  // of the dataset, if the caller told
	opt   options
	file  *os.File
	gate  *gate

	mu     sync.Mutex // guards what follows; never held during a draw or while waiting for a lock
	hist   history
	users  int   // operations in progress
	closed bool  // Close was called
	broken error // a failed sync: what reached the disk is unknown to this handle
	key    []byte
	// unwitnessed says why the state folder does not know the last charge; "" if it does.
	unwitnessed string
	// beside warns of other ledgers of the same dataset, read once; nil: not yet.
	beside []string

	readOnly bool
	project  *Ledger // nil: none
}

// options hold what tests replace.
type options struct {
	now   func() time.Time
	hook  func(point string)                                       // called at the points named in release.go
	write func(f *os.File, b []byte, off int64) (n int, err error) // writes records
	sync  func(f *os.File) error                                   // syncs records
	lock  func(f *os.File) (bool, error)                           // takes the ledger's lock, or not at once
	every int                                                      // records until the next checkpoint
}

func system() options {
	return options{
		now:   time.Now,
		hook:  func(string) {},
		write: func(f *os.File, b []byte, off int64) (int, error) { return f.WriteAt(b, off) },
		sync:  syncData,
		lock:  tryLock,
		every: checkpointEvery,
	}
}

// Create makes a ledger with a fresh budget. Where a file is already it returns [ErrExists],
// whatever that file holds; where the user's state folder knows of a ledger that is gone, [ErrMissing]
// with what had been spent. The ledger's key is made beside it, in path + ".key".
func Create(path string, c Config) (*Ledger, error) { return create(path, c, system()) }

// Open opens a ledger that was created before. It returns [ErrMissing] or [ErrDamaged] and never
// makes a fresh budget.
func Open(path string) (*Ledger, error) { return open(path, system()) }

// OpenOrCreate opens the ledger at path, or creates it if nothing is there: the first cell of a
// notebook runs again and again. A ledger that was made with another Config is [ErrConfig], but that a larger Reserve is taken over
// where nothing was charged yet: see [Ledger.RaiseReserve].
func OpenOrCreate(path string, c Config) (*Ledger, error) { return openOrCreate(path, c, system()) }

// OpenReader opens a ledger for Status, Entries and Statement alone: the file need not be writable, its
// key need not be there, and nothing is written, here or in the state folder.
func OpenReader(path string) (*Ledger, error) {
	o := system()
	o.lock = func(f *os.File) (bool, error) {
		ok, err := tryLock(f)
		return ok || err != nil, nil // a copy on a file system without locks can be read
	}
	return openAs(path, o, shape{}, true)
}

// Config returns what the ledger was created with.
func (l *Ledger) Config() Config {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hist.config
}

// Format prints the dataset, the budget and the relation for every verb: the key has no business in
// an output.
func (l *Ledger) Format(f fmt.State, _ rune) {
	c := l.Config()
	fmt.Fprintf(f, "privacy ledger of %q: ε = %v, δ = %v, %v", c.Dataset, c.Budget.Epsilon, c.Budget.Delta, c.Neighbours)
}

// Close releases the file. A release in progress ends first, in its own goroutine.
func (l *Ledger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	return l.closeIfIdle()
}

func (l *Ledger) closeIfIdle() error {
	if !l.closed || l.users > 0 {
		return nil
	}
	l.gate.close()
	if l.project != nil {
		return errors.Join(l.file.Close(), l.project.Close())
	}
	return l.file.Close()
}

// begin keeps the file open until end.
func (l *Ledger) begin() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return fmt.Errorf("ledger: %s: %w: open it again", l.path, ErrClosed)
	}
	l.users++
	return nil
}

func (l *Ledger) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.users--
	_ = l.closeIfIdle() // every record was synced: closing has nothing left to lose
}

func openOrCreate(path string, c Config, o options) (*Ledger, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	looks := shape{c.Schema, c.Rows}
	l, err := openAs(path, o, looks, false)
	if errors.Is(err, ErrMissing) {
		if l, err = create(path, c, o); errors.Is(err, ErrExists) {
			l, err = openAs(path, o, looks, false) // another process was faster
		}
	}
	if err != nil {
		return nil, err
	}
	want := c
	if l.hist.header.Version == 1 {
		want.Rehearsal = false // files of version 1 do not say, and count as real
	}
	if raised := l.Config(); want.Reserve > raised.Reserve { // nothing else differs: see difference
		if raised.Reserve = want.Reserve; raised.difference(want) == "" {
			if err := l.RaiseReserve(context.Background(), want.Reserve); err != nil {
				return nil, errors.Join(fmt.Errorf("ledger: %s: %w", path, err), l.Close())
			}
		}
	}
	if d := l.Config().difference(want); d != "" {
		_ = l.Close()
		return nil, fmt.Errorf("ledger: %s: %s: %w: ask with the file's own, or keep another file for another dataset; "+
			"a budget is fixed when its ledger is created", path, d, ErrConfig)
	}
	return l, nil
}

func create(path string, c Config, o options) (*Ledger, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	if err := supported(); err != nil {
		return nil, err
	}
	mu, err := calibrate(c)
	if err != nil {
		return nil, err
	}
	exists := func() error {
		return fmt.Errorf("ledger: create %s: %w: use Open, or OpenOrCreate with the configuration it was made with", path, ErrExists)
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, exists()
	}
	if dir := filepath.Dir(path); !isDir(dir) {
		return nil, fmt.Errorf("ledger: create %s: the folder %s: %w: no ledger was made: make the folder first, or check the path", path, dir, fs.ErrNotExist)
	}
	h := header{Format: formatName, Version: formatVersion, Config: c.file(), Mu: mu, Created: o.now().UTC().Round(0)}
	if h.Config.ProjectID, err = projectID(path, c); err != nil {
		return nil, err
	}
	done, err := claim(path, c)
	if err != nil {
		return nil, err
	}
	defer done()
	err = h.newKey(path, o)
	if err == nil {
		var line []byte
		if line, err = encode(h); err == nil {
			err = publish(path, append(line, '\n'), o)
		}
	}
	if err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, exists()
		}
		if errors.Is(err, fs.ErrPermission) {
			return nil, fmt.Errorf("ledger: create %s: %w: no ledger was made: a ledger needs a folder that you may write to", path, err)
		}
		return nil, fmt.Errorf("ledger: create %s: %w: no ledger was made", path, err)
	}
	done()
	return openAs(path, o, shape{c.Schema, c.Rows}, false)
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// publish makes path appear with all of b at once, or not at all, and never replaces a file:
// b is written and synced under another name, which is then linked.
func publish(path string, b []byte, o options) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if _, err := o.write(f, b, 0); err != nil {
		return err
	}
	if err := o.sync(f); err != nil {
		return err
	}
	o.hook("created")
	if err := os.Link(f.Name(), path); errors.Is(err, fs.ErrExist) {
		return err
	} else if err != nil {
		return fmt.Errorf("%w: the ledger needs a file system with hard links, such as a local disk", err)
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func open(path string, o options) (*Ledger, error) { return openAs(path, o, shape{}, false) }

func openAs(path string, o options, looks shape, readOnly bool) (*Ledger, error) {
	given, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("ledger: open %s: %w", path, err)
	}
	abs := given
	if c, err := canonical(abs); err == nil {
		abs = c
	}
	fi, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if p, found, err := placeOf(abs); err == nil && found {
			return nil, p.missing()
		}
		return nil, fmt.Errorf("ledger: open %s: %w: if releases were made, find the file: a fresh one would forget what they cost; "+
			"for a dataset with none, use Create", path, ErrMissing)
	case err != nil:
		return nil, fmt.Errorf("ledger: open: %w", err)
	case !fi.Mode().IsRegular():
		return nil, fmt.Errorf("ledger: open %s: got %s, want a regular file", path, describe(fi.Mode()))
	}
	flag := os.O_RDWR
	if readOnly {
		flag = os.O_RDONLY
	}
	f, err := os.OpenFile(abs, flag, 0)
	if err != nil {
		return nil, fmt.Errorf("ledger: open: %w: the ledger must be readable and writable, even for a replay, which takes its lock", err)
	}
	l := &Ledger{path: abs, given: given, looks: looks, opt: o, file: f, readOnly: readOnly}
	l.hist = l.unread(readOnly)
	if fi, err = f.Stat(); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("ledger: open: %w", err)
	}
	id, err := identify(fi)
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	l.gate = openGate(id)
	if _, err = l.catchUp(); err == nil && !readOnly {
		err = l.openProject()
	}
	if err != nil {
		_ = l.Close()
		return nil, err
	}
	if !readOnly {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.register()
	}
	return l, nil
}

// unread is the history of a file of which nothing was read yet; slow is one that will parse every record.
func (l *Ledger) unread(slow bool) history {
	return history{path: l.path, slow: slow, every: l.opt.every, key: func(h *header) []byte { return h.tryKey(l.path) }}
}

func describe(m fs.FileMode) string {
	if m.IsDir() {
		return "a directory"
	}
	return "a special file (" + m.Type().String() + ")"
}
