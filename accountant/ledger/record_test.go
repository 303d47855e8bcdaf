package ledger

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
)

var update = flag.Bool("update", false, "write testdata anew, but for the files of the past")

// smallLedger is a file with a stored, a failed, an interrupted, a fresh and a conditional release.
func smallLedger(t testing.TB) []byte {
	t.Helper()
	path := tempPath(t)
	l, err := create(path, testConfig(), fixedClock(system()))
	must(t, err)
	defer l.Close()
	mustRelease(t, l, request("mean", 0.05), `{"mean":38.5}`)
	_, err = l.Release(t.Context(), request("broken", 0.04), draws(`no JSON`, nil))
	if err == nil {
		t.Fatal("took a value that is no JSON")
	}
	l.mu.Lock()
	p := charge{ID: request("cut", 0.03).ID, Event: "Gaussian", Mu: 0.03, Guarantee: fileOf(request("cut", 0).Guarantee)}
	must(t, l.append(kindCharge, l.opt.now(), p))
	l.mu.Unlock()
	r := fresh(request("mean", 0.05))
	r.Guarantee.Scope = accountant.Scope{Kind: accountant.Conditional, On: []string{"no duplicates"}}
	mustRelease(t, l, r, `{"mean":38.7}`)
	return []byte(readText(t, path))
}

func fixedClock(o options) options {
	when := time.Date(2026, 5, 6, 7, 8, 9, 123456789, time.UTC)
	o.now = func() time.Time { when = when.Add(time.Second); return when }
	return o
}

func replayBytes(b []byte) (*history, error) {
	h := &history{path: "test"}
	_, err := h.read(bytes.NewReader(b), int64(len(b)))
	return h, err
}

func TestRecordRoundTrip(t *testing.T) {
	h, err := replayBytes(smallLedger(t))
	must(t, err)
	if len(h.entries) != 4 || h.lines != 8 || h.torn != 0 {
		t.Fatalf("%d entries, %d lines, %d bytes torn", len(h.entries), h.lines, h.torn)
	}
	var states []State
	for _, e := range h.entries {
		states = append(states, e.State)
	}
	if want := []State{Stored, Failed, Interrupted, Stored}; !reflect.DeepEqual(states, want) {
		t.Errorf("states %v, want %v", states, want)
	}
	for _, g := range []accountant.Guarantee{
		{Neighbours: accountant.ReplaceOne, Scope: accountant.Scope{Kind: accountant.Unconditional}},
		{
			Budget: accountant.Budget{Epsilon: 0.1, Delta: 1e-300}, Neighbours: accountant.AddRemove,
			Scope: accountant.Scope{Kind: accountant.Tested, On: []string{"gap"}}, Route: "<exact>",
		},
		{Neighbours: accountant.AddRemove, Scope: accountant.Scope{Kind: accountant.Conditional, On: []string{}}},
	} {
		line, err := encode(fileOf(g))
		must(t, err)
		var f fileGuarantee
		must(t, decode(line, &f))
		if got, err := f.guarantee(); err != nil || !reflect.DeepEqual(got, g) {
			t.Errorf("%+v came back as %+v, %v", g, got, err)
		}
	}
}

// The file's format is a promise to files that exist: this one was written by the first version.
func TestReadsFormatVersion1(t *testing.T) {
	b := version1(t)
	h, err := replayBytes(b)
	must(t, err)
	if len(h.entries) != 4 || h.config != testConfig() || h.entries[3].Guarantee.Scope.On[0] != "no duplicates" {
		t.Errorf("reads %+v", h.entries)
	}
	if v, err := h.value(bytes.NewReader(b), h.entries[3]); err != nil || string(v) != `{"mean":38.7}` {
		t.Errorf("value %s, %v", v, err)
	}
}

// These were written by the first program of version 2: a ledger of it with every kind of record, with its key, and one of
// version 1 that went on in it.
func TestReadsFormatVersion2(t *testing.T) {
	for name, c := range map[string]struct {
		key             string
		releases, slots int
		spent           float64
		values          map[string]string
	}{
		"version2.ledger":          {"version2.ledger", 26, 25, 0.2391, map[string]string{"stored3": `{"mean":3}`, "cut2": `"paid again"`, "pure0": `2`}},
		"version1-upgraded.ledger": {"", 5, 5, 0.3428, map[string]string{"mean": `{"mean":38.7}`, "after the upgrade": `1`}},
	} {
		t.Run(name, func(t *testing.T) {
			ownState(t)
			b := []byte(readText(t, filepath.Join("testdata", name)))
			path := tempPath(t)
			writeLedger(t, path, b)
			key := func(h *header) []byte { return h.tryKey(path) }
			if c.key != "" {
				copyFile(t, filepath.Join("testdata", c.key+keySuffix), path+keySuffix)
			}
			h, err := bothWays(t, b, key)
			must(t, err)
			if h.count() != c.releases || len(h.slots) != c.slots || roundedUp(h.filter.spent()) != fmt.Sprint(c.spent) {
				t.Errorf("%d releases, %d by the checkpoint, spent %v; want %d, %d, %v", h.count(), len(h.slots), h.filter.spent(), c.releases, c.slots, c.spent)
			}
			l := mustOpen(t, path)
			for name, want := range c.values {
				if rc := mustRelease(t, l, request(name, 0.01), `0`); !rc.Replayed || string(rc.Value) != want {
					t.Errorf("%s: got %s, want %s", name, rc.Value, want)
				}
			}
			mustRelease(t, l, request("it goes on", 0.001), `1`)
		})
	}
}

func version1(t testing.TB) []byte {
	t.Helper()
	return []byte(readText(t, filepath.Join("testdata", "version1.ledger")))
}

func TestDecodeRefusesOtherSpellings(t *testing.T) {
	line, err := newRecord(1, time.Unix(0, 0), kindFailed, failed{Charge: 1, Reason: "r"}, "p")
	must(t, err)
	var r record
	must(t, decode(line, &r))
	body := string(line[:bytes.LastIndex(line, []byte(`,"crc"`))])
	for name, edit := range map[string]func(string) string{
		"a space":         func(s string) string { return strings.Replace(s, `:1`, `: 1`, 1) },
		"another case":    func(s string) string { return strings.Replace(s, `"seq"`, `"Seq"`, 1) },
		"an extra field":  func(s string) string { return s + `,"more":1` },
		"a repeated one":  func(s string) string { return s + `,"prev":"p"` },
		"another order":   func(s string) string { return `{"kind":"failed",` + strings.Replace(s[1:], `,"kind":"failed"`, "", 1) },
		"a float":         func(s string) string { return strings.Replace(s, `:1`, `:1.0`, 1) },
		"not JSON":        func(s string) string { return s[1:] },
		"a second object": func(s string) string { return s + `}{"a":1` },
	} {
		t.Run(name, func(t *testing.T) {
			b := edit(body)
			if b == body {
				t.Fatal("the edit does nothing")
			}
			var r record
			if err := decode([]byte(b+checksum([]byte(b))), &r); err == nil {
				t.Errorf("took %s", b)
			}
		})
	}
}

// FuzzReplay: whatever the file holds, reading it neither panics nor accepts lines of another
// spelling, and reading it in two steps is reading it at once. The seeds are long: fuzz with
// -fuzzminimizetime=1x.
func FuzzReplay(f *testing.F) {
	small := version1(f)
	f.Add(small, 10)
	stated := []byte(readText(f, filepath.Join("testdata", "version1-stated.ledger")))
	f.Add(stated, 1500)
	f.Add(stated[:len(stated)-30], 700)
	f.Add(small[:len(small)-20], 400)
	f.Add(append(bytes.Clone(small), `{"seq":8,"time":"`...), 1000)
	f.Add([]byte(readText(f, filepath.Join("testdata", "version2.ledger"))), 4000)
	f.Add([]byte(readText(f, filepath.Join("testdata", "version1-upgraded.ledger"))), 3000)
	f.Fuzz(func(t *testing.T, b []byte, cut int) {
		h, err := replayBytes(b)
		if err != nil {
			return
		}
		var again bytes.Buffer
		line, err := encode(h.header)
		must(t, err)
		again.Write(append(line, '\n'))
		for l := range bytes.Lines(b[again.Len():h.end]) {
			var r record
			must(t, decode(bytes.TrimSuffix(l, []byte("\n")), &r))
			line, err := newRecord(r.Seq, r.Time, r.Kind, r.Payload, r.Prev)
			must(t, err)
			again.Write(append(line, '\n'))
		}
		if !bytes.Equal(again.Bytes(), b[:h.end]) {
			t.Fatal("accepted a line that this package would not write")
		}
		if len(b)-int(h.end) != int(h.torn) {
			t.Fatalf("%d bytes behind the end, %d torn", len(b)-int(h.end), h.torn)
		}
		if cut <= int(h.header.lineLen(t)) || cut > len(b) {
			return
		}
		two := &history{path: "test"}
		if _, err := two.read(bytes.NewReader(b), int64(cut)); err != nil {
			return // a cut in the middle of a record may look like a spoilt newline
		}
		if _, err := two.read(bytes.NewReader(b), int64(len(b))); err != nil || !reflect.DeepEqual(two.entries, h.entries) || two.prev != h.prev {
			t.Fatalf("in two steps: %v", err)
		}
	})
}

func (h header) lineLen(t *testing.T) int {
	line, err := encode(h)
	must(t, err)
	return len(line)
}

// FuzzRecord: a line that decodes is the line that encodes.
func FuzzRecord(f *testing.F) {
	for _, name := range []string{"version1.ledger", "version1-stated.ledger", "version1-upgraded.ledger", "version2.ledger"} {
		for l := range bytes.Lines([]byte(readText(f, filepath.Join("testdata", name)))) {
			f.Add(bytes.TrimSuffix(l, []byte("\n")))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		// The checksum is put right so that the fuzzer gets past it.
		if i := bytes.LastIndex(body, []byte(`,"crc":"`)); i >= 0 {
			body = body[:i]
		}
		line := append(bytes.Clone(body), checksum(body)...)
		var r record
		if decode(line, &r) != nil {
			return
		}
		again, err := encode(r)
		if err != nil || !bytes.Equal(again, line) {
			t.Fatalf("%s\nencodes as\n%s (%v)", line, again, err)
		}
		if !json.Valid(line) {
			t.Fatalf("not JSON: %s", line)
		}
	})
}
