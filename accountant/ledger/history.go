package ledger

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// history is the content of a file up to end, verified.
type history struct {
	path    string // for errors
	header  header
	config  Config
	filter  *filter
	lines   int    // lines accepted, the header included
	end     int64  // offset behind the last accepted line
	first   string // hash of the header's line
	prev    string // hash of the last accepted line
	entries []entry
	byID    map[string]latest
	latest  time.Time         // of all records, the header included
	back    int               // records dated before an earlier one
	data    map[string]string // keyed fingerprint of each version of the dataset
	torn    int64             // bytes of an unfinished record behind end
}

type entry struct {
	Entry
	hash string // of the charge's line
	off  int64  // where the line with the stored value begins
	len  int    // its length without the newline
}

// latest holds indices into entries; −1 is none.
type latest struct{ charge, stored int }

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
	h.torn = 0
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
	record record
	charge *Entry
	data   string // keyed fingerprint of the charge's dataset
	store  *store
	failed *failed
}

// accept verifies one line and applies it.
func (h *history) accept(line []byte) error {
	if h.lines == 0 {
		hd, c, err := decodeHeader(line)
		if err != nil {
			return err
		}
		// A later version may calibrate more strictly; it never loosens what the file says.
		mu, err := calibrate(c)
		if err != nil {
			return err
		}
		h.header, h.config, h.filter, h.byID = hd, c, newFilter(c, min(mu, hd.Mu)), map[string]latest{}
		h.data, h.latest = map[string]string{}, hd.Created
		h.advance(line)
		h.first = h.prev
		return nil
	}
	c, err := h.parse(line)
	if err != nil {
		return err
	}
	switch {
	case c.charge != nil:
		h.filter.add(cost{c.charge.Mu, c.charge.TV, c.charge.Fail})
		h.entries = append(h.entries, entry{Entry: *c.charge, hash: lineHash(line)})
		if c.data != "" {
			h.data[c.charge.Version] = c.data
		}
		if c.charge.Child != "" {
			break // the ledger of the dataset replays it
		}
		l, ok := h.byID[c.charge.ID]
		if !ok {
			l.stored = -1
		}
		l.charge = len(h.entries) - 1
		h.byID[c.charge.ID] = l
	case c.store != nil:
		e := &h.entries[len(h.entries)-1]
		e.State, e.off, e.len = Stored, h.end, len(line)
		h.byID[e.ID] = latest{charge: len(h.entries) - 1, stored: len(h.entries) - 1}
	case c.failed != nil:
		e := &h.entries[len(h.entries)-1]
		e.State, e.Reason = Failed, c.failed.Reason
	}
	if c.record.Time.Before(h.latest) {
		h.back++
	} else {
		h.latest = c.record.Time
	}
	h.advance(line)
	return nil
}

func (h *history) advance(line []byte) {
	h.lines++
	h.end += int64(len(line)) + 1
	h.prev = lineHash(line)
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
	default:
		return c, errors.New("a kind of record that this version does not know")
	}
}

func (c *change) parseCharge(h *history) error {
	var p charge
	if err := strict(c.record.Payload, &p); err != nil {
		return err
	}
	if err := (cost{p.Mu, p.TV, p.Fail}).validate(); err != nil {
		return err
	}
	if err := checkID(p.ID); err != nil {
		return err
	}
	g, err := p.Guarantee.guarantee()
	if err != nil {
		return err
	}
	if g.Neighbours != h.config.Neighbours {
		return errors.New("a charge under another neighbouring relation")
	}
	if known := h.data[p.Version]; known != "" && p.Data != "" && p.Data != known {
		return errors.New("a charge on other data under the same version")
	}
	c.charge = &Entry{
		Seq: c.record.Seq, ID: p.ID, Name: p.Name, Event: p.Event, When: c.record.Time, Fresh: p.Fresh,
		Mu: p.Mu, TV: p.TV, Fail: p.Fail, Guarantee: g, State: Interrupted,
		Mechanism: p.Mechanism, Reference: p.Reference, Law: p.Law, Version: p.Version, Child: p.Child,
	}
	if p.Child != "" {
		c.charge.State = Elsewhere
	}
	c.data = p.Data
	return nil
}

// answers requires that the record before is the open charge seq: the lock is held between them.
func (h *history) answers(seq int) error {
	if n := len(h.entries); n == 0 || h.entries[n-1].State != Interrupted || h.entries[n-1].Seq != seq || seq != h.lines-1 {
		return errors.New("a value or failure that does not follow its charge")
	}
	return nil
}

// open reports whether the last record is a charge without an outcome.
func (h *history) open() bool {
	n := len(h.entries)
	return n > 0 && h.entries[n-1].State == Interrupted && h.entries[n-1].Seq == h.lines-1
}

// find tells what was charged and stored for a release under any of its identities: the first of them that has a
// value, else the first that was charged.
func (h *history) find(r Request) (seen latest, ok bool) {
	for _, id := range append([]string{r.ID}, r.OldIDs...) {
		l, charged := h.byID[id]
		if charged && l.stored >= 0 {
			return l, true
		}
		if charged && !ok {
			seen, ok = l, true
		}
	}
	return seen, ok
}

// value reads a stored value again and verifies it.
func (h *history) value(r io.ReaderAt, e entry) (json.RawMessage, error) {
	line := make([]byte, e.len)
	if _, err := r.ReadAt(line, e.off); err != nil {
		return nil, fmt.Errorf("ledger: read the stored value of %s: %w", e.label(), err)
	}
	var rec record
	var s store
	if err := decode(line, &rec); err != nil {
		return nil, h.damaged(e.Seq+2, err.Error())
	}
	if err := strict(rec.Payload, &s); err != nil || s.Charge != e.Seq {
		return nil, h.damaged(e.Seq+2, "not the value that was stored")
	}
	return s.Value, nil
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
	if !(c.mu > 0) || math.IsInf(c.mu, 0) {
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
