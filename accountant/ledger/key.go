package ledger

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// The key stands in a file of its own, so that a ledger file that is handed on lets nobody test a guess of
// the rows against its fingerprints and IDs: both are HMACs under the key. The header holds a hash of the key, an HMAC
// under it of a fixed text: 32 random bytes cannot be found from it, and two ledgers with one key can be told. In
// version 1 it is an HMAC of the ledger's ID.

const keySuffix = ".key"

// keyFile is the one line of the key's file.
type keyFile struct {
	Format string `json:"format"`
	Key    []byte `json:"key"`
}

const keyFormat = "dpnb-ledger-key"

// Key returns the 32 secret random bytes, made at Create in the file beside the ledger, with which
// fingerprints of the dataset are keyed. Without that file it returns [ErrKey].
func (l *Ledger) Key() ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.key == nil {
		key, err := l.hist.header.readKey(l.path)
		if err != nil {
			return nil, err
		}
		l.key = key
	}
	return bytes.Clone(l.key), nil
}

// newKey gives a new header its ID and its key: the one in the file beside path, which is made if it is
// not there yet.
func (h *header) newKey(path string, o options) error {
	random := make([]byte, keyBytes+idBytes)
	if _, err := rand.Read(random); err != nil {
		return fmt.Errorf("key: %w", err)
	}
	h.ID = hex.EncodeToString(random[keyBytes:])
	line, err := encode(keyFile{Format: keyFormat, Key: random[:keyBytes]})
	if err != nil {
		return fmt.Errorf("key: %w", err)
	}
	o.hook = func(string) {}
	if err := publish(path+keySuffix, append(line, '\n'), o); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("key: %w", err)
	}
	key, err := parseKey(path + keySuffix) // perhaps of another process, or of a crash
	if err != nil {
		return err
	}
	h.KeyHash = keyHash(key)
	return nil
}

// readKey reads and checks the key of the ledger at path.
func (h *header) readKey(path string) ([]byte, error) {
	if h.Key != nil {
		return h.Key, nil
	}
	key, err := parseKey(path + keySuffix)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w: it belongs beside %s: put it back, or move it along if the ledger was moved; "+
			"without it nothing replays and the data cannot be told apart", err, path)
	}
	if !h.opens(key) {
		return nil, fmt.Errorf("ledger: %s: %w: it is the key of another ledger: put back the one that was made with %s", path+keySuffix, ErrKey, path)
	}
	return key, nil
}

// tryKey is the key of the ledger at path; nil where it cannot be had.
func (h *header) tryKey(path string) []byte {
	key, err := h.readKey(path)
	if err != nil {
		return nil
	}
	return key
}

// opens reports whether key is the ledger's.
func (h *header) opens(key []byte) bool {
	if h.KeyHash != "" {
		return hmac.Equal([]byte(keyHash(key)), []byte(h.KeyHash))
	}
	return hmac.Equal([]byte(keyCheck(key, h.ID)), []byte(h.KeyCheck))
}

func parseKey(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKey, err)
	}
	var k keyFile
	if decode(bytes.TrimSuffix(b, []byte("\n")), &k) != nil || k.Format != keyFormat || len(k.Key) != keyBytes {
		return nil, fmt.Errorf("%s: it holds no key: %w", path, ErrKey)
	}
	return k.Key, nil
}

// keyHash names a key without telling it.
func keyHash(key []byte) string {
	m := hmac.New(sha256.New, key)
	m.Write([]byte("dpnb ledger key hash"))
	return hex.EncodeToString(m.Sum(nil))
}

// keyCheck is what headers of version 1 hold.
func keyCheck(key []byte, id string) string {
	m := hmac.New(sha256.New, key)
	m.Write([]byte("dpnb ledger key check " + id))
	return hex.EncodeToString(m.Sum(nil))
}

// id names the ledger, whatever its path.
func (h *header) id() string {
	if h.Key != nil {
		sum := sha256.Sum256(append([]byte("dpnb ledger id "), h.Key...))
		return hex.EncodeToString(sum[:idBytes])
	}
	return h.ID
}

func (h *header) validateKey() error {
	if h.Version > 1 {
		if !isHex(h.ID, 2*idBytes) || !isHex(h.KeyHash, 2*sha256.Size) {
			return errors.New("header: the ledger's ID or the hash of its key is not hexadecimal")
		}
		return nil
	}
	if h.Key != nil || (h.ID == "" && h.KeyCheck == "") {
		if len(h.Key) != keyBytes || h.ID != "" || h.KeyCheck != "" {
			return fmt.Errorf("header: key: got %d bytes, want %d, or an ID and the check of a key", len(h.Key), keyBytes)
		}
		return nil
	}
	if !isHex(h.ID, 2*idBytes) || !isHex(h.KeyCheck, 2*sha256.Size) {
		return errors.New("header: the ledger's ID or the check of its key is not hexadecimal")
	}
	return nil
}

func isHex(s string, digits int) bool {
	return len(s) == digits && strings.Trim(s, "0123456789abcdef") == ""
}

// HoldsEarlier reports whether the file began in version 1 of the format, whose releases have identities and fingerprints of
// earlier forms: [Request].OldIDs and OldData find them.
func (l *Ledger) HoldsEarlier() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hist.header.Version == 1
}
