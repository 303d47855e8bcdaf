package ledger

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
)

// checkpointEvery is how many records follow a checkpoint until the next one.
const checkpointEvery = 1000

// checkpoint is what all records before it come to, so that opening a long ledger need not parse them. It
// stands under the ledger's key and is bound to the hash of every byte before it: who opens the ledger still hashes
// them, and takes the checkpoint only if both are right. Else every record is parsed, as without one, and what
// a checkpoint says counts for nothing.
type checkpoint struct {
	Bytes   int64  `json:"bytes"`  // of the file before this line
	Hash    string `json:"sha256"` // of these bytes
	Lines   int    `json:"lines"`  // of the file before this one
	Version int    `json:"version"`
	// Before is where the checkpoint begins that this one goes on from, 0 if from none; Charges counts all charges, and
	// Index lists those that the ones before do not.
	Before  int64     `json:"before,omitempty"`
	Charges int       `json:"charges"`
	Mu2     string    `json:"mu2"` // Σμ², exact
	TV      float64   `json:"tv"`
	Fail    float64   `json:"fail"`
	Pure    string    `json:"pure"` // Σε of the part for pure releases, exact
	Scope   string    `json:"scope"`
	On      []string  `json:"on,omitempty"`
	Latest  time.Time `json:"latest"`
	Back    int       `json:"back,omitempty"`

	// Raised is a reserve that was raised, with its μ*; absent where it is the header's.
	Raised *raise `json:"raised,omitempty"`

	Data   map[string]string  `json:"data,omitempty"`
	Binds  map[string]binding `json:"binds,omitempty"`
	Splits []splitSum         `json:"splits,omitempty"` // beside the sums above, which are then of releases that read everybody
	Index  []byte             `json:"index,omitempty"`
	MAC    string             `json:"mac,omitempty"`
}

// mark is the last checkpoint that verified.
type mark struct {
	at      int64 // where it begins; 0: none
	lines   int   // up to it, itself included
	charges int   // that it and those before it list
}

// checkpoint returns that of the history as it is.
func (h *history) checkpoint(key []byte) *checkpoint {
	c := &checkpoint{
		Bytes: h.end, Hash: hex.EncodeToString(h.sum.Sum(nil)), Lines: h.lines, Version: h.version, Before: h.mark.at, Charges: h.count(),
		Mu2: h.filter.whole.sum.Text('p', 0), TV: h.filter.whole.tv, Fail: h.filter.whole.fail, Pure: h.filter.whole.pure.Text('p', 0),
		Splits: h.filter.splits.sums(),
		Scope:  scopeNames()[h.scope.Kind], On: h.scope.On, Latest: h.latest, Back: h.back, Data: h.data, Binds: h.binds,
	}
	if h.raised > 0 {
		c.Raised = &raise{Reserve: h.config.Reserve, Mu: h.raised}
	}
	for i := h.mark.charges; i < h.count(); i++ {
		c.Index = h.slot(i).append(c.Index)
	}
	c.MAC = c.mac(key, h.header.id())
	return c
}

// mac authenticates all other fields for the ledger id.
func (c *checkpoint) mac(key []byte, id string) string {
	plain := *c
	plain.MAC = ""
	b, err := encode(plain)
	if err != nil {
		return "" // of no checkpoint: it compares with nothing
	}
	m := hmac.New(sha256.New, key)
	m.Write([]byte("dpnb ledger checkpoint " + id + "\n"))
	m.Write(b)
	return hex.EncodeToString(m.Sum(nil))
}

// signed reports whether c was made with key for the ledger id.
func (c *checkpoint) signed(key []byte, id string) bool {
	return isHex(c.MAC, 2*sha256.Size) && hmac.Equal([]byte(c.MAC), []byte(c.mac(key, id)))
}

// acceptCheckpoint remembers one that verifies as that from which the next goes on. All records before it were
// parsed: nothing that it says is taken over.
func (h *history) acceptCheckpoint(c *checkpoint) {
	if h.key == nil {
		return
	}
	key := h.key(&h.header)
	if key == nil {
		return
	}
	if c.Bytes != h.end || c.Lines != h.lines || c.Charges != h.count() || c.Hash != hex.EncodeToString(h.sum.Sum(nil)) || !c.signed(key, h.header.id()) {
		h.doubts = append(h.doubts, h.lines)
		return
	}
	h.mark = mark{at: h.end, lines: h.lines + 1, charges: c.Charges}
}

// due reports whether the next record may be a checkpoint.
func (h *history) due() bool {
	return h.version >= 2 && h.lines-h.mark.lines >= h.every && !h.open()
}

// checkpoint writes one where it is due and the key is there. A ledger without it is as good, and slower to
// open. The caller holds the lock and l.mu.
func (l *Ledger) checkpoint() {
	if !l.hist.due() || l.hist.key == nil {
		return
	}
	if key := l.hist.key(&l.hist.header); key != nil {
		_ = l.append(kindCheckpoint, l.now(), l.hist.checkpoint(key))
	}
}

// resume takes the last checkpoint of r for what stands before it, if it verifies; else it leaves h as it
// was. The error is one of reading.
func (h *history) resume(r io.ReaderAt, size int64) error {
	s, err := scanCheckpoints(r, size)
	if err != nil || s.at == 0 {
		return err
	}
	n := &history{path: h.path, key: h.key, every: h.every}
	n.src = r
	if n.acceptHeader(s.header) != nil {
		return nil //nolint:nilerr // who parses every line will say what is wrong
	}
	key := h.key(&n.header)
	line, err := lineAt(r, s.at)
	if err != nil || key == nil {
		return nil //nolint:nilerr // likewise
	}
	c, rec, err := readCheckpoint(line)
	if err != nil || rec.Seq != s.lines || c.Lines != s.lines || c.Bytes != s.at || c.Hash != hex.EncodeToString(s.sum.Sum(nil)) || !c.signed(key, n.header.id()) {
		return nil //nolint:nilerr // likewise, and acceptCheckpoint remembers it
	}
	if n.restore(c) != nil {
		return nil //nolint:nilerr // signed, and not of this form: of another program with the key
	}
	n.sum, n.lines, n.end = s.sum, s.lines, s.at
	if rec.Time.After(n.latest) {
		n.latest = rec.Time
	}
	n.mark = mark{at: s.at, lines: s.lines + 1, charges: c.Charges}
	n.advance(line)
	*h = *n
	return nil
}

// restore sets what the checkpoint c says. The signature of c covers those before it, through the hash of the bytes.
func (h *history) restore(c *checkpoint) error {
	parts := [][]byte{c.Index}
	for at := c.Before; at != 0; {
		line, err := lineAt(h.src, at)
		if err != nil {
			return err
		}
		var b struct { // the signed hash is that of these bytes too: no need to verify them one by one
			Payload struct {
				Before int64  `json:"before"`
				Index  []byte `json:"index"`
			} `json:"payload"`
		}
		if json.Unmarshal(line, &b) != nil || b.Payload.Before >= at || b.Payload.Before < 0 {
			return errors.New("a checkpoint that goes on from none")
		}
		parts, at = append(parts, b.Payload.Index), b.Payload.Before
	}
	if c.Raised != nil {
		h.version = c.Version
		config, mu, err := h.raises(c.Raised)
		if err != nil {
			return err
		}
		h.config, h.filter, h.raised = config, newFilter(config, mu), mu
	}
	h.slots = make([]slot, 0, int(min(int64(c.Charges), c.Bytes/slotBytes)))
	for _, p := range slices.Backward(parts) {
		for len(p) > 0 {
			s, err := decodeSlot(p)
			if err != nil {
				return err
			}
			h.slots = append(h.slots, s)
			h.note(s.id, len(h.slots)-1, s.state)
			p = p[slotBytes:]
		}
	}
	names := scopeNames()
	scope := slices.Index(names[:], c.Scope)
	if len(h.slots) != c.Charges || scope < 0 || c.Scope == "" || c.Version < 2 || c.Version > formatVersion {
		return errors.New("a checkpoint of another form")
	}
	if err := h.filter.restore(c); err != nil {
		return err
	}
	h.version, h.latest, h.back = c.Version, c.Latest, c.Back
	h.scope.Kind, h.scope.On = accountant.ScopeKind(scope), c.On
	if c.Data != nil {
		h.data = c.Data
	}
	if c.Binds != nil {
		h.binds = c.Binds
	}
	return nil
}

func readCheckpoint(line []byte) (*checkpoint, record, error) {
	var rec record
	if err := decode(line, &rec); err != nil {
		return nil, rec, err
	}
	if rec.Kind != kindCheckpoint {
		return nil, rec, errors.New("no checkpoint")
	}
	c := new(checkpoint)
	return c, rec, strict(rec.Payload, c)
}

// scan is what one pass over a file finds: its header, and where its last checkpoint begins.
type scan struct {
	header []byte
	at     int64     // 0: none
	lines  int       // before it
	sum    hash.Hash // of what is before it
}

// scanCheckpoints reads r once.
func scanCheckpoints(r io.ReaderAt, size int64) (scan, error) {
	var s, next scan       // next is the line that is being read, where it begins as a checkpoint
	var kept, state []byte // of the hash, before the lines of s and of next
	sum := sha256.New()
	in := bufio.NewReaderSize(io.NewSectionReader(r, 0, size), int(min(max(size, 16), 1<<20)))
	for at, lines, begin := int64(0), 0, true; ; {
		b, err := in.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return scan{}, fmt.Errorf("ledger: read: %w", err)
		}
		if at == 0 {
			s.header = bytes.TrimSuffix(bytes.Clone(b), []byte("\n"))
		} else if begin && beginsCheckpoint(b) {
			next.at, next.lines = at, lines
			var bad error
			if state, bad = keep(sum); bad != nil {
				return scan{}, bad
			}
		}
		whole := len(b) > 0 && b[len(b)-1] == '\n'
		if !whole && !errors.Is(err, bufio.ErrBufferFull) {
			break // the end
		}
		sum.Write(b)
		at, begin = at+int64(len(b)), whole
		if !whole {
			continue
		}
		lines++
		if next.at != 0 {
			s.at, s.lines, kept, next = next.at, next.lines, state, scan{}
		}
	}
	if s.at == 0 {
		return s, nil
	}
	s.sum = sha256.New()
	return s, s.sum.(encoding.BinaryUnmarshaler).UnmarshalBinary(kept)
}

func keep(sum any) ([]byte, error) {
	m, ok := sum.(encoding.BinaryMarshaler)
	if !ok {
		return nil, errors.New("ledger: sha256: got a hash without a state, want that of crypto/sha256")
	}
	return m.MarshalBinary()
}

// beginsCheckpoint reports whether a line begins as one of a checkpoint does.
func beginsCheckpoint(line []byte) bool {
	const before, after = `,"time":"`, `","kind":"checkpoint","payload":{`
	i := bytes.Index(line[:min(len(line), 40)], []byte(before))
	if i < 0 {
		return false
	}
	rest := line[i+len(before):]
	j := bytes.IndexByte(rest[:min(len(rest), 40)], '"')
	return j >= 0 && bytes.HasPrefix(rest[j:], []byte(after))
}

// slotBytes is the length of a slot in a checkpoint's index: the hash of the ID, the offset of the charge's line, its
// number, and what became of it, in little endian.
const slotBytes = 16 + 8 + 8 + 1

// slot is what a checkpoint says of charge i.
func (h *history) slot(i int) slot {
	if i < len(h.slots) {
		return h.slots[i]
	}
	e := h.entries[i-len(h.slots)]
	return slot{id: hashID(e.ID), at: e.at, seq: e.Seq, state: e.State}
}

// stateLetters are those of the index, by State.
const stateLetters = " i sfe"

func (s slot) append(b []byte) []byte {
	b = append(b, s.id[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(s.at))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.seq))
	return append(b, stateLetters[s.state])
}

func decodeSlot(b []byte) (slot, error) {
	if len(b) < slotBytes {
		return slot{}, errors.New("an index that ends in the middle")
	}
	seq := binary.LittleEndian.Uint64(b[24:])
	if seq > math.MaxInt {
		return slot{}, errors.New("an index with a number that no charge has")
	}
	s := slot{id: idHash(b[:16]), at: int64(binary.LittleEndian.Uint64(b[16:])), seq: int(seq)}
	i := bytes.IndexByte([]byte(stateLetters[1:]), b[32])
	if i < 0 || b[32] == ' ' {
		return slot{}, errors.New("an index with an unknown state")
	}
	s.state = State(i + 1)
	return s, nil
}
