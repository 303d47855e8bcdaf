package ledger

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"time"
)

// history is the content of a file up to end, verified.
type history struct {
	path    string // for errors
	header  header
	config  Config
	version int // of the records from here on: the header's, or that of an upgrade
	filter  *filter
	raised  float64   // μ* of a reserve that was raised; 0: the header's
	lines   int       // lines accepted, the header included
	end     int64     // offset behind the last accepted line
	first   string    // hash of the header's line
	prev    string    // hash of the last accepted line
	sum     hash.Hash // of all bytes up to end
	index
	latest time.Time          // of all records, the header included
	back   int                // records dated before an earlier one
	data   map[string]string  // keyed fingerprint of each version of the dataset, where it is bound as a whole
	binds  map[string]binding // what each version is bound to column by column
	torn   int64              // bytes of an unfinished record behind end

	// key returns the ledger's key; nil where checkpoints are not to be used, or the key cannot be had.
	key    func(*header) []byte
	slow   bool  // parse every record, whatever a checkpoint says
	every  int   // records until the next checkpoint
	mark   mark  // the last checkpoint that verified
	doubts []int // numbers of those that did not
}

// tail says what follows the last newline.
type tail uint8

const (
	noTail tail = iota
	// tornTail is the beginning of the next record: its writer died, or is writing.
	tornTail
	// wholeTail is a record that lacks only its newline.
	wholeTail
)

// read accepts the lines that were appended to r since the last call. It stops at the first one that
// does not verify, and what was accepted before stays.
func (h *history) read(r io.ReaderAt, size int64) (tail, error) {
	if size < h.end {
		return 0, h.damaged(h.lines, fmt.Sprintf("the file shrank from %d to %d bytes while it was open", h.end, size))
	}
	h.torn, h.src = 0, r
	if h.lines == 0 && h.key != nil && !h.slow {
		if err := h.resume(r, size); err != nil {
			return 0, err
		}
	}
	in := bufio.NewReaderSize(io.NewSectionReader(r, h.end, size-h.end), int(min(size-h.end, 1<<16)))
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return h.readTail(line)
		}
		if err != nil {
			return 0, fmt.Errorf("ledger: read: %w", err)
		}
		if err := h.accept(line[:len(line)-1]); err != nil {
			if h.lines == 0 && !likeLedger(line) {
				return 0, noLedger(h.path)
			}
			return 0, h.damaged(h.lines+1, err.Error())
		}
	}
}

func (h *history) readTail(line []byte) (tail, error) {
	if h.lines == 0 && len(line) > 0 && !likeLedger(line) {
		return 0, noLedger(h.path)
	}
	if h.lines == 0 {
		return 0, h.damaged(1, "the header is missing or unfinished")
	}
	if len(line) == 0 {
		return noTail, nil
	}
	// A spoilt newline behind a whole record is damage, not an unfinished write.
	if _, err := h.parse(line[:len(line)-1]); err == nil {
		return 0, h.damaged(h.lines+1, "the record does not end with a newline")
	}
	h.torn = int64(len(line))
	if _, err := h.parse(line); err == nil {
		return wholeTail, nil
	}
	// A write that the system cut short leaves a beginning of the next record,
	// perhaps with zeros where the data never reached the disk.
	begin := fmt.Appendf(nil, `{"seq":%d,"time":"`, h.lines)
	data := bytes.TrimRight(line, "\x00")
	if n := min(len(begin), len(data)); !bytes.Equal(begin[:n], data[:n]) {
		return 0, h.damaged(h.lines+1, "bytes that are no record follow the last newline")
	}
	return tornTail, nil
}

// change is a parsed line: exactly one field beside the record is set, or none for the header.
type change struct {
	record  record
	charge  *Entry
	data    string   // keyed fingerprint of the charge's dataset
	binds   *binding // what the charge binds its version to
	store   *store
	failed  *failed
	upgrade *upgrade
	check   *checkpoint
	config  *Config // with the reserve raised
	mu      float64 // μ* of it
}

// accept verifies one line and applies it.
func (h *history) accept(line []byte) error {
	if h.lines == 0 {
		return h.acceptHeader(line)
	}
	c, err := h.parse(line)
	if err != nil {
		return err
	}
	switch {
	case c.charge != nil:
		h.filter.add(c.charge.cost(), c.charge.splitKey(), c.charge.Part)
		if c.data != "" {
			h.data[c.charge.Version] = c.data
		}
		if c.binds != nil {
			h.binds[c.charge.Version] = h.binds[c.charge.Version].with(*c.binds)
		}
		h.weaken(c.charge.Guarantee.Scope)
		h.charge(entry{Entry: *c.charge, hash: lineHash(line), at: h.end})
	case c.store != nil:
		h.store(h.end, len(line))
	case c.failed != nil:
		h.fail(c.failed.Reason)
	case c.upgrade != nil:
		h.version = c.upgrade.Version
	case c.check != nil:
		h.acceptCheckpoint(c.check)
	case c.config != nil:
		h.config, h.filter, h.raised = *c.config, newFilter(*c.config, c.mu), c.mu
	}
	if c.record.Time.Before(h.latest) {
		h.back++
	} else {
		h.latest = c.record.Time
	}
	h.advance(line)
	return nil
}

func (h *history) acceptHeader(line []byte) error {
	hd, c, err := decodeHeader(line)
	if err != nil {
		return err
	}
	// A later version may calibrate more strictly; it never loosens what the file says.
	mu, err := calibrate(c)
	if err != nil {
		return err
	}
	h.header, h.config, h.version, h.filter = hd, c, hd.Version, newFilter(c, min(mu, hd.Mu))
	h.index = newIndex(h.src)
	h.data, h.binds, h.latest, h.sum = map[string]string{}, map[string]binding{}, hd.Created, sha256.New()
	h.advance(line)
	h.first = h.prev
	return nil
}

func (h *history) advance(line []byte) {
	h.lines++
	h.end += int64(len(line)) + 1
	h.prev = lineHash(line)
	h.sum.Write(line)
	h.sum.Write([]byte{'\n'})
}

// parse verifies a line as the next record without applying it.
func (h *history) parse(line []byte) (change, error) {
	var c change
	if err := decode(line, &c.record); err != nil {
		return c, err
	}
	if want := h.lines; c.record.Seq != want {
		return c, fmt.Errorf("sequence number %d, want %d", c.record.Seq, want)
	}
	if c.record.Prev != h.prev {
		return c, errors.New("the hash of the line before does not match")
	}
	switch c.record.Kind {
	case kindCharge:
		return c, c.parseCharge(h)
	case kindStore:
		c.store = new(store)
		if err := strict(c.record.Payload, c.store); err != nil {
			return c, err
		}
		return c, h.answers(c.store.Charge)
	case kindFailed:
		c.failed = new(failed)
		if err := strict(c.record.Payload, c.failed); err != nil {
			return c, err
		}
		return c, h.answers(c.failed.Charge)
	case kindUpgrade:
		c.upgrade = new(upgrade)
		if err := strict(c.record.Payload, c.upgrade); err != nil {
			return c, err
		}
		return c, h.allows(c.upgrade)
	case kindReserve:
		var p raise
		if err := strict(c.record.Payload, &p); err != nil {
			return c, err
		}
		config, mu, err := h.raises(&p)
		c.config, c.mu = &config, mu
		return c, err
	case kindCheckpoint:
		if h.version < 2 {
			return c, errors.New("a record of a later version than the file's")
		}
		c.check = new(checkpoint)
		if strict(c.record.Payload, c.check) != nil {
			c.check = nil // of another form: nothing rests on it
		}
		return c, nil
	default:
		return c, errors.New("a kind of record that this version does not know")
	}
}

func (c *change) parseCharge(h *history) error {
	var p charge
	if err := strict(c.record.Payload, &p); err != nil {
		return err
	}
	e, err := p.entry(c.record)
	if err != nil {
		return err
	}
	if h.version < 2 && (p.Pure != 0 || p.Binds != nil || p.Split != "" || p.Part != "") {
		return errors.New("a charge with fields of a later version than the file's")
	}
	if e.Guarantee.Neighbours != h.config.Neighbours {
		return errors.New("a charge under another neighbouring relation")
	}
	if known := h.data[p.Version]; known != "" && p.Data != "" && p.Data != known {
		return errors.New("a charge on other data under the same version")
	}
	if p.Binds != nil {
		if err := h.binds[p.Version].takes(*p.Binds); err != nil {
			return err
		}
	}
	e.Guarantee.Unit = h.config.Unit // a file has one, which its header tells
	c.charge, c.data, c.binds = &e, p.Data, p.Binds
	return nil
}

// entry is a charge as it is shown. What became of it, its record does not say.
func (p charge) entry(rec record) (Entry, error) {
	if err := (cost{p.Mu, p.TV, p.Fail, p.Pure}).validate(); err != nil {
		return Entry{}, err
	}
	if err := checkID(p.ID); err != nil {
		return Entry{}, err
	}
	g, err := p.Guarantee.guarantee()
	if err != nil {
		return Entry{}, err
	}
	e := Entry{
		Seq: rec.Seq, ID: p.ID, Name: p.Name, Event: p.Event, When: rec.Time, Fresh: p.Fresh,
		Mu: p.Mu, TV: p.TV, Fail: p.Fail, Pure: p.Pure, Guarantee: g, State: Interrupted,
		Mechanism: p.Mechanism, Reference: p.Reference, Law: p.Law, Version: p.Version, Child: p.Child,
		Split: p.Split, Part: p.Part,
	}
	if p.Child != "" {
		e.State = Elsewhere
	}
	return e, nil
}

// allows reports why u may not follow.
func (h *history) allows(u *upgrade) error {
	if u.Version <= h.version || u.Version > formatVersion {
		return errors.New("an upgrade to a version that this program does not know, or to no later one")
	}
	if u.Unit != PerRow.String() || u.KeyHash != "" && !isHex(u.KeyHash, 2*sha256.Size) {
		return errors.New("an upgrade to another unit of privacy, or with a hash that is none")
	}
	return nil
}

// answers requires that the record before is the open charge seq: the lock is held between them.
func (h *history) answers(seq int) error {
	if !h.open() || seq != h.lines-1 {
		return errors.New("a value or failure that does not follow its charge")
	}
	return nil
}

// open reports whether the last record is a charge without an outcome.
func (h *history) open() bool {
	n := len(h.entries)
	return n > 0 && h.entries[n-1].State == Interrupted && h.entries[n-1].Seq == h.lines-1
}

// likeLedger reports whether a file with this first line may have been a ledger: it begins with its header or, where
// that was cut off, with a record.
func likeLedger(line []byte) bool {
	for _, begin := range []string{`{"format":"` + formatName + `"`, `{"seq":`} {
		if n := min(len(begin), len(line)); string(line[:n]) == begin[:n] {
			return true
		}
	}
	return false
}

// noLedger is the error of a file that is something else, or damaged beyond recognition.
type noLedger string

func (path noLedger) Error() string {
	return fmt.Sprintf("ledger: %s: line 1: %v: it does not begin with the header of a %s file: check the path; if a ledger was here, "+
		"the file is damaged: put back a copy that is as new as the last release", string(path), ErrNoLedger, formatName)
}

func (noLedger) Unwrap() []error { return []error{ErrNoLedger, ErrDamaged} }

// damaged reports what does not verify, where, and what to do. It quotes nothing from the file:
// lines hold released values.
func (h *history) damaged(line int, reason string) error {
	return fmt.Errorf("ledger: %s: line %d: %s: %w: keep the file, since a fresh ledger would forget what was spent: "+
		"put back a copy that is as new as the last release, or count the whole budget as spent", h.path, line, reason, ErrDamaged)
}

func (c cost) validate() error {
	// A release that costs nothing needs no ledger: zero is taken for a mistake in its pricing.
	if !(c.pure >= 0) || math.IsInf(c.pure, 0) {
		return fmt.Errorf("pure ε: got %v, want 0 ≤ ε < ∞", c.pure)
	}
	if !(c.mu >= 0) || math.IsInf(c.mu, 0) || c.mu == 0 && c.pure == 0 {
		return fmt.Errorf("μ: got %v, want 0 < μ < ∞", c.mu)
	}
	if !(c.fail >= 0) || !(c.fail <= 1) {
		return fmt.Errorf("failure: got %v, want a probability", c.fail)
	}
	if !(c.tv >= 0) || !(c.tv <= 1) {
		return fmt.Errorf("total variation: got %v, want 0 ≤ tv ≤ 1", c.tv)
	}
	return nil
}

// label names an entry for people.
func (e Entry) label() string {
	if e.Name != "" {
		return fmt.Sprintf("%q (%.12s…)", e.Name, e.ID)
	}
	return fmt.Sprintf("%.12s…", e.ID)
}
