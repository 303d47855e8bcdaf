package ledger

import (
	"encoding/base64"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// Whoever holds the file alone cannot compute its fingerprints: the key is not in it.
func TestFileDoesNotHoldItsKey(t *testing.T) {
	path := tempPath(t)
	l := mustCreate(t, path, testConfig())
	r := request("mean", 0.05)
	r.Data = strings.Repeat("ab", 32)
	mustRelease(t, l, r, `1`)
	st, err := l.Statement()
	must(t, err)
	doc, err := st.MarshalIndent()
	must(t, err)
	key := mustKey(t, l)
	for _, spelling := range []string{string(key), hex.EncodeToString(key), base64.StdEncoding.EncodeToString(key)} {
		if strings.Contains(readText(t, path), spelling) {
			t.Error("the file holds its key")
		}
		if strings.Contains(string(doc), spelling) {
			t.Error("the statement holds the key")
		}
	}
	for _, secret := range []string{r.Data, r.ID} {
		if strings.Contains(string(doc), secret) {
			t.Error("the statement holds a fingerprint or an ID")
		}
	}
	if fi, err := os.Stat(path + ".key"); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("the key's file: %v, %v", fi, err)
	}
	if same := mustCreate(t, tempPath(t), testConfig()); string(mustKey(t, same)) == string(key) || same.hist.header.ID == l.hist.header.ID {
		t.Error("two ledgers share a key or an ID")
	}
}

func TestKeyMissing(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, key string)
		text  string
	}{
		"removed":      {func(t *testing.T, key string) { must(t, os.Remove(key)) }, "put it back"},
		"empty":        {func(t *testing.T, key string) { must(t, os.WriteFile(key, nil, 0o600)) }, "holds no key"},
		"a digit less": {func(t *testing.T, key string) { must(t, os.WriteFile(key, []byte(readText(t, key)[1:]), 0o600)) }, "holds no key"},
		"of another ledger": {func(t *testing.T, key string) {
			other := createdAt(t)
			must(t, os.Rename(other+".key", key))
		}, "the key of another ledger"},
	} {
		t.Run(name, func(t *testing.T) {
			path := createdAt(t)
			c.spoil(t, path+".key")
			l := mustOpen(t, path)
			_, err := l.Key()
			says(t, err, ErrKey, c.text)
			mustRelease(t, l, request("no data named", 0.05), `1`)
		})
	}
}

// A crash between the key and the ledger leaves a key, which the next ledger there takes over.
func TestKeyLeftBehind(t *testing.T) {
	path := createdAt(t)
	key := readText(t, path+".key")
	must(t, os.Remove(path))
	must(t, Forget(path))
	l := mustCreate(t, path, testConfig())
	mustKey(t, l)
	if readText(t, path+".key") != key {
		t.Error("the key was replaced")
	}
	must(t, os.Remove(path))
	must(t, Forget(path))
	must(t, os.WriteFile(path+".key", []byte("no key"), 0o600))
	_, err := Create(path, testConfig())
	says(t, err, ErrKey, "no ledger was made")
}
