package ledger

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/internal/single"
)

// Every byte of a small ledger, under every single-bit flip and some other changes: none is overlooked.
func TestDamageFlipEveryByte(t *testing.T) {
	single.Goroutine(t)
	b := smallLedger(t)
	flips, start := 0, 0
	for line := range bytes.Lines(b) {
		// What reads the lines before the damaged one; a line that is refused leaves it as it was.
		before := &history{path: "test"}
		if start > 0 {
			_, err := before.read(bytes.NewReader(b[:start]), int64(start))
			must(t, err)
		}
		for i := start; i < start+len(line); i++ {
			for _, change := range []byte{1, 2, 4, 8, 16, 32, 64, 128, 255, b[i] /* becomes NUL */, b[i] ^ '\n'} {
				if change == 0 {
					continue
				}
				flips++
				spoilt := bytes.Clone(b)
				spoilt[i] ^= change
				if _, err := before.read(bytes.NewReader(spoilt), int64(len(b))); !errors.Is(err, ErrDamaged) {
					t.Fatalf("byte %d (%q) changed to %q: got %v, want ErrDamaged", i, b[i], spoilt[i], err)
				}
			}
		}
		start += len(line)
	}
	if flips < 10*len(b) {
		t.Errorf("%d changes to %d bytes: the test misses some", flips, len(b))
	}
}

func TestDamageOfLines(t *testing.T) {
	b := smallLedger(t)
	lines := bytes.SplitAfter(b, []byte("\n"))
	lines = lines[:len(lines)-1]
	join := func(ls ...[]byte) []byte { return bytes.Join(ls, nil) }
	other := bytes.SplitAfter(smallLedger(t), []byte("\n")) // another key, hence another chain
	for name, c := range map[string]struct {
		file []byte
		line string
	}{
		"no header":                 {join(lines[1:]...), "line 1"},
		"a line taken out":          {join(append(append([][]byte{}, lines[:2]...), lines[3:]...)...), "line 3"},
		"a line twice":              {join(append(append([][]byte{}, lines[:3]...), lines[2:]...)...), "line 4"},
		"two lines swapped":         {join(append([][]byte{lines[0], lines[2], lines[1]}, lines[3:]...)...), "line 2"},
		"a line of another ledger":  {join(lines[0], other[1]), "line 2"},
		"another header":            {join(append([][]byte{other[0]}, lines[1:]...)...), "line 2"},
		"an empty line":             {join(append([][]byte{lines[0], []byte("\n")}, lines[1:]...)...), "line 2"},
		"a trailing line":           {append(bytes.Clone(b), "garbage\n"...), "line 9"},
		"trailing bytes":            {append(bytes.Clone(b), "garbage"...), "line 9"},
		"one trailing byte":         {append(bytes.Clone(b), 'x'), "line 9"},
		"a newline":                 {append(bytes.Clone(b), '\n'), "line 9"},
		"the next but one, unended": {append(bytes.Clone(b), `{"seq":9,"time":"20`...), "line 9"},
		"zeros with a newline":      {append(bytes.Clone(b), "\x00\x00\n"...), "line 9"},
	} {
		t.Run(name, func(t *testing.T) {
			path := tempPath(t)
			must(t, os.WriteFile(path, c.file, 0o600))
			_, err := Open(path)
			if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), c.line+":") {
				t.Errorf("got %v, want ErrDamaged at %s", err, c.line)
			}
			if err != nil && strings.Contains(err.Error(), "38.") {
				t.Errorf("the error holds a released value: %v", err)
			}
			if readText(t, path) != string(c.file) {
				t.Error("Open changed a damaged file")
			}
		})
	}
}

// Cut anywhere: what opens is the whole lines before the cut. A record that lacks only its newline
// counts, so that a charge is rather counted than dropped.
func TestDamageTruncateEverywhere(t *testing.T) {
	single.Goroutine(t)
	b := smallLedger(t)
	first := bytes.IndexByte(b, '\n') + 1
	full := mustReplay(t, b)
	dir := tempDir(t)
	for n := range b {
		h := &history{path: "test"}
		tail, err := h.read(bytes.NewReader(b[:n]), int64(n))
		if n < first {
			if !errors.Is(err, ErrDamaged) {
				t.Fatalf("%d bytes: got %v, want ErrDamaged: the header is made whole or not at all", n, err)
			}
			continue
		}
		must(t, err)
		lines, whole := bytes.Count(b[:n], []byte("\n")), b[n] == '\n'
		if h.lines != lines || (tail == wholeTail) != whole || (tail == noTail) != (b[n-1] == '\n') || h.torn != int64(n)-h.end {
			t.Fatalf("%d bytes: %d lines, tail %v, %d torn", n, h.lines, tail, h.torn)
		}
		for i, e := range h.entries {
			if e.ID != full.entries[i].ID || e.Mu != full.entries[i].Mu {
				t.Fatalf("%d bytes: entry %d changed", n, i)
			}
		}
		if !whole && n%101 != 0 {
			continue
		}
		path := filepath.Join(dir, strconv.Itoa(n))
		must(t, os.WriteFile(path, b[:n], 0o600))
		l := mustOpen(t, path)
		if want := lines + bytes.Count([]byte{b[n]}, []byte("\n")); l.hist.lines != want || (mustStatus(t, l).Torn == 0) != (whole || tail == noTail) {
			t.Fatalf("%d bytes: opens with %d lines, want %d", n, l.hist.lines, want)
		}
	}
}

func TestTornTailIsCutOffBeforeTheNextCharge(t *testing.T) {
	b := smallLedger(t)
	whole, err := newRecord(8, testTime(), kindCharge, charge{ID: request("lost", 0).ID, Event: "e", Mu: 0.01, Guarantee: fileOf(request("", 0).Guarantee)}, mustReplay(t, b).prev)
	must(t, err)
	for name, c := range map[string]struct {
		tail    []byte
		charges int // after one more release
		torn    bool
	}{
		"one byte":            {whole[:1], 5, true},
		"half":                {whole[:len(whole)/2], 5, true},
		"zeros":               {make([]byte, 5000), 5, true},
		"half and zeros":      {append(bytes.Clone(whole[:50]), make([]byte, 100)...), 5, true},
		"all but its newline": {whole, 6, false},
	} {
		t.Run(name, func(t *testing.T) {
			ownState(t)
			path := tempPath(t)
			must(t, os.WriteFile(path, append(bytes.Clone(b), c.tail...), 0o600))
			l := mustOpen(t, path)
			if s := mustStatus(t, l); (s.Torn > 0) != c.torn || c.torn != strings.Contains(s.String(), "unfinished record") {
				t.Errorf("status %+v", s)
			}
			// A replay leaves the tail where it is.
			mustRelease(t, l, request("mean", 0.05), `0`)
			mustRelease(t, l, request("next", 0.01), `1`)
			if s := mustStatus(t, l); s.Torn != 0 || s.Releases != c.charges {
				t.Errorf("after a charge: %+v", s)
			}
			again := mustOpen(t, path)
			if !reflect.DeepEqual(mustEntries(t, again), mustEntries(t, l)) || mustStatus(t, again).Spent != mustStatus(t, l).Spent {
				t.Error("the file reads otherwise than the handle")
			}
		})
	}
}

func mustReplay(t *testing.T, b []byte) *history {
	t.Helper()
	h, err := replayBytes(b)
	must(t, err)
	return h
}

func testTime() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
