package ledger

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// catchUp reads what was appended, under the lock if nobody holds it. It reports whether
// a release is in progress somewhere.
func (l *Ledger) catchUp() (running bool, err error) {
	locked, err := l.gate.tryLock(l.file, l.opt.lock)
	if err != nil {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if locked {
		defer l.gate.unlock(l.file)
		return false, l.refresh()
	}
	// Without the lock a record may be under way: its beginning is no record yet, and a read that
	// overlaps with the removal of a torn tail can see a mixture, which is gone a moment later.
	for try := 0; ; try++ {
		err = l.readOnce(func(tail) error { return nil })
		if err == nil || !errors.Is(err, ErrDamaged) || try == 5 {
			return true, err
		}
		time.Sleep(time.Millisecond)
	}
}

// refresh reads what was appended since the last call. The caller holds the lock and l.mu.
func (l *Ledger) refresh() error {
	return l.readOnce(func(t tail) error {
		if t != wholeTail || l.readOnly {
			return nil
		}
		// The record of a charge that was perhaps seen: finish it rather than drop it.
		if err := l.write([]byte("\n"), l.hist.end+l.hist.torn); err != nil {
			return err
		}
		return l.readOnce(func(tail) error { return nil })
	})
}

func (l *Ledger) readOnce(then func(tail) error) error {
	fi, err := l.file.Stat()
	if err != nil {
		return fmt.Errorf("ledger: stat: %w", err)
	}
	if now, err := os.Stat(l.path); err != nil || !os.SameFile(fi, now) {
		return fmt.Errorf("ledger: %s: the file was moved, removed or replaced while it was open: %w: put it back, or open the new one", l.path, ErrMissing)
	}
	t, err := l.hist.read(l.file, fi.Size())
	if err != nil {
		return err
	}
	return then(t)
}

// append writes one record behind the last, makes it durable and applies it. The caller holds the
// lock and l.mu. After an error nothing is applied: the next refresh sees what the file holds.
func (l *Ledger) append(k kind, when time.Time, payload any) error {
	if l.broken != nil {
		return l.broken
	}
	line, err := newRecord(l.hist.lines, when, k, payload, l.hist.prev)
	if err != nil {
		return err
	}
	if l.hist.torn > 0 {
		if err := l.file.Truncate(l.hist.end); err != nil {
			return fmt.Errorf("cut off an unfinished record: %w", err)
		}
		// Durably, so that its rest cannot reappear behind a shorter record.
		if err := l.opt.sync(l.file); err != nil {
			return fmt.Errorf("cut off an unfinished record: sync: %w", err)
		}
		l.hist.torn = 0
	}
	if err := l.write(append(line, '\n'), l.hist.end); err != nil {
		return err
	}
	return l.hist.accept(line)
}

// write puts b at off and makes it durable, or takes back what it wrote.
func (l *Ledger) write(b []byte, off int64) error {
	n, err := l.opt.write(l.file, b, off)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		// Where even this fails an unfinished record stays behind, which every reader ignores.
		_ = l.file.Truncate(off)
		return fmt.Errorf("write: %w", err)
	}
	l.opt.hook("written")
	if err := l.opt.sync(l.file); err != nil {
		// After a failed sync the system may drop the pages and call the next sync good.
		l.broken = fmt.Errorf("sync: %w: what reached the disk is unknown: check the disk, then open the ledger again", err)
		return l.broken
	}
	return nil
}
