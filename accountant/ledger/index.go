package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
)

// index finds charges and their values. Those before the last checkpoint are slots, read from the file when they
// are asked for; those behind it are entries. Both are numbered together, in the order of the charges.
type index struct {
	src     io.ReaderAt
	slots   []slot
	entries []entry
	byID    map[idHash]latest
	unpaid  map[idHash][]int // charges that gave no value, without one stored later under the same ID
	scope   accountant.Scope // the weakest of all charges
}

type entry struct {
	Entry
	hash string // of the charge's line
	at   int64  // where that line begins
	off  int64  // where the line with the stored value begins
	len  int    // its length without the newline
}

// slot is what a checkpoint keeps of a charge.
type slot struct {
	id    idHash
	at    int64 // where the charge's line begins
	seq   int
	state State
}

// idHash stands for an ID.
type idHash [16]byte

func hashID(id string) idHash {
	sum := sha256.Sum256([]byte(id))
	return idHash(sum[:16])
}

// latest holds numbers of charges; −1 is none.
type latest struct{ charge, stored int }

func newIndex(src io.ReaderAt) index {
	return index{src: src, byID: map[idHash]latest{}, unpaid: map[idHash][]int{}, scope: accountant.Scope{Kind: accountant.Unconditional}}
}

// count is the number of charges.
func (x *index) count() int { return len(x.slots) + len(x.entries) }

// charge appends one that has no outcome yet.
func (x *index) charge(e entry) {
	x.entries = append(x.entries, e)
	x.note(hashID(e.ID), x.count()-1, e.State)
}

// note records charge i under its ID.
func (x *index) note(id idHash, i int, s State) {
	if s == Elsewhere {
		return // the ledger of the dataset replays it
	}
	l, ok := x.byID[id]
	if !ok {
		l.stored = -1
	}
	l.charge = i
	if s == Stored {
		l.stored = i
		delete(x.unpaid, id)
	} else {
		x.unpaid[id] = append(x.unpaid[id], i)
	}
	x.byID[id] = l
}

// store gives the last charge its value.
func (x *index) store(off int64, n int) {
	e := &x.entries[len(x.entries)-1]
	e.State, e.off, e.len = Stored, off, n
	id := hashID(e.ID)
	x.byID[id] = latest{charge: x.count() - 1, stored: x.count() - 1}
	delete(x.unpaid, id)
}

// fail says why the last charge has none.
func (x *index) fail(reason string) {
	e := &x.entries[len(x.entries)-1]
	e.State, e.Reason = Failed, reason
}

// weaken lets the scope cover s too.
func (x *index) weaken(s accountant.Scope) {
	x.scope.Kind = max(x.scope.Kind, s.Kind)
	for _, on := range s.On {
		if i, found := slices.BinarySearch(x.scope.On, on); !found {
			x.scope.On = slices.Insert(x.scope.On, i, on)
		}
	}
}

// find tells what was charged and stored for a release under any of its identities: the last value of them all, else the first
// of them that was charged.
func (x *index) find(r Request) (seen latest, ok bool) {
	for _, id := range append([]string{r.ID}, r.OldIDs...) {
		l, charged := x.byID[hashID(id)]
		if charged && (!ok || l.stored >= 0 && l.stored > seen.stored) {
			seen, ok = l, true
		}
	}
	return seen, ok
}

// seqAt is the number of the record of charge i.
func (x *index) seqAt(i int) int {
	if i < len(x.slots) {
		return x.slots[i].seq
	}
	return x.entries[i-len(x.slots)].Seq
}

// hashAt is the hash of the line of charge i.
func (x *index) hashAt(i int) (string, error) {
	if i >= len(x.slots) {
		return x.entries[i-len(x.slots)].hash, nil
	}
	line, err := lineAt(x.src, x.slots[i].at)
	return lineHash(line), err
}

// at is charge i. It reads again, and verifies, what stands before the last checkpoint.
func (x *index) at(i int) (entry, error) {
	if i >= len(x.slots) {
		return x.entries[i-len(x.slots)], nil
	}
	s := x.slots[i]
	line, err := lineAt(x.src, s.at)
	if err != nil {
		return entry{}, err
	}
	var rec record
	var p charge
	if err := errors.Join(decode(line, &rec), strict(rec.Payload, &p)); err != nil {
		return entry{}, err
	}
	e := entry{hash: lineHash(line), at: s.at}
	if e.Entry, err = p.entry(rec); err != nil {
		return entry{}, err
	}
	if e.Seq != s.seq || hashID(e.ID) != s.id || (s.state == Elsewhere) != (e.Child != "") {
		return entry{}, errors.New("not the charge that was there")
	}
	e.State = s.state
	if s.state != Stored && s.state != Failed {
		return e, nil
	}
	next := s.at + int64(len(line)) + 1
	if line, err = lineAt(x.src, next); err != nil {
		return entry{}, err
	}
	if s.state == Stored {
		e.off, e.len = next, len(line)
		return e, nil
	}
	var f failed
	err = errors.Join(decode(line, &rec), strict(rec.Payload, &f))
	e.Reason = f.Reason
	return e, err
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

// load is charge i, or that the file was changed under the handle.
func (h *history) load(i int) (entry, error) {
	e, err := h.at(i)
	if err != nil {
		return entry{}, h.damaged(h.seqAt(i)+1, err.Error())
	}
	e.Guarantee.Unit = h.config.Unit
	return e, nil
}

// lineAt reads the line that begins at off, without its newline.
func lineAt(r io.ReaderAt, off int64) ([]byte, error) {
	var line []byte
	for size := 1 << 12; ; size *= 8 {
		b := make([]byte, size)
		n, err := r.ReadAt(b, off+int64(len(line)))
		if i := bytes.IndexByte(b[:n], '\n'); i >= 0 {
			return append(line, b[:i]...), nil
		}
		if err != nil {
			return nil, errors.New("the line has no end")
		}
		line = append(line, b[:n]...)
	}
}
