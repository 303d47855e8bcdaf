package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/single"
)

// often makes a checkpoint every few records.
func often(n int) options {
	o := fixedClock(system())
	o.every = n
	return o
}

// everyKind makes releases of every kind and outcome from a ledger with checkpoints, and calls after each of them.
func everyKind(t testing.TB, path string, o options, after func()) {
	t.Helper()
	c := testConfig()
	c.Pure, c.Reserve = 0.2, 1e-8
	l, err := create(path, c, o)
	must(t, err)
	defer l.Close()
	laplace := accountant.Laplace{Sensitivity: 0.02, Scale: 1, Neighbours: accountant.ReplaceOne}
	for i := range 4 {
		r := func(name string) Request { return request(fmt.Sprint(name, i), 0.01) }
		mustRelease(t, l, on(r("stored"), "a", ""), fmt.Sprintf(`{"mean":%d}`, i))
		after()
		_, err := l.Release(t.Context(), r("failed"), draws(`no JSON`, nil))
		says(t, err, err, "not JSON")
		after()
		l.mu.Lock()
		must(t, l.append(kindCharge, l.now(), l.hist.recordOf(r("cut"), cost{mu: 0.01})))
		l.mu.Unlock()
		after()
		if i%2 == 0 {
			mustRelease(t, l, fresh(r("cut")), `"paid again"`)
			after()
		}
		p := r("pure")
		p.Event = laplace
		mustRelease(t, l, p, `2`)
		after()
		s := r("scoped")
		s.Guarantee.Scope = accountant.Scope{Kind: accountant.Conditional, On: []string{fmt.Sprint("no duplicates ", i%3), "all sorted"}}
		s.Version, s.Rows, s.Columns = "by column", 60, map[string]string{"age": strings.Repeat("b", 64), fmt.Sprint("x", i): strings.Repeat("c", 64)}
		mustRelease(t, l, s, fmt.Sprintf("%q", strings.Repeat("3", 500)))
		after()
		l.mu.Lock()
		child := l.hist.recordOf(r("child's"), cost{mu: 0.001, tv: 1e-15, fail: 1e-9})
		child.Child = strings.Repeat("d", 32)
		must(t, l.append(kindCharge, l.now(), child))
		l.checkpoint()
		l.mu.Unlock()
		after()
	}
}

// bothWays reads a file by its checkpoint and by every record, and requires that they agree in all that follows
// from it. It returns the first.
func bothWays(t testing.TB, b []byte, key func(*header) []byte) (*history, error) {
	t.Helper()
	fast := &history{path: "test", key: key}
	_, fastErr := fast.read(bytes.NewReader(b), int64(len(b)))
	slow := &history{path: "test", key: key, slow: true}
	_, slowErr := slow.read(bytes.NewReader(b), int64(len(b)))
	if (fastErr == nil) != (slowErr == nil) {
		t.Fatalf("by the checkpoint: %v; by every record: %v", fastErr, slowErr)
	}
	if slowErr != nil {
		return nil, slowErr
	}
	if len(slow.slots) > 0 {
		t.Fatal("the slow way takes a checkpoint")
	}
	type rest struct {
		header           header
		config           Config
		version, lines   int
		end, torn        int64
		first, prev, sum string
		mu2, pure        string
		tv, fail         float64
		byID             map[idHash]latest
		unpaid           map[idHash][]int
		scope            accountant.Scope
		latest           string
		back             int
		data             map[string]string
		binds            map[string]binding
		mark             mark
	}
	of := func(h *history) rest {
		return rest{
			h.header, h.config, h.version, h.lines, h.end, h.torn, h.first, h.prev, fmt.Sprintf("%x", h.sum.Sum(nil)), h.filter.sum.Text('p', 0), h.filter.pure.Text('p', 0), h.filter.tv, h.filter.fail,
			h.byID, h.unpaid, h.scope, h.latest.String(), h.back, h.data, h.binds, h.mark,
		}
	}
	if f, s := of(fast), of(slow); !reflect.DeepEqual(f, s) {
		t.Fatalf("by the checkpoint\n%+v\nby every record\n%+v", f, s)
	}
	if fast.count() != slow.count() {
		t.Fatalf("%d charges by the checkpoint, %d by every record", fast.count(), slow.count())
	}
	for i := range slow.count() {
		f, err := fast.at(i)
		must(t, err)
		s, err := slow.at(i)
		must(t, err)
		if !reflect.DeepEqual(f, s) {
			t.Fatalf("charge %d by the checkpoint\n%+v\nby every record\n%+v", i, f, s)
		}
		hash, err := fast.hashAt(i)
		must(t, err)
		if !fast.holds(head{Seq: s.Seq, Hash: hash}) || hash != s.hash {
			t.Fatalf("charge %d has another hash", i)
		}
		if s.State != Stored {
			continue
		}
		fv, err := fast.value(bytes.NewReader(b), f)
		must(t, err)
		sv, err := slow.value(bytes.NewReader(b), s)
		must(t, err)
		if !bytes.Equal(fv, sv) {
			t.Fatalf("charge %d has the value %s by the checkpoint, %s by every record", i, fv, sv)
		}
	}
	if !reflect.DeepEqual(fast.status(false), slow.status(false)) {
		t.Fatalf("status by the checkpoint\n%v\nby every record\n%v", fast.status(false), slow.status(false))
	}
	return fast, nil
}

func keyAt(t testing.TB, path string) func(*header) []byte {
	key, err := parseKey(path + keySuffix)
	must(t, err)
	return func(*header) []byte { return key }
}

// A checkpoint is what the records before it come to, wherever it is and however many there were before.
func TestCheckpoint(t *testing.T) {
	for _, every := range []int{1, 2, 3, 7, 1000} {
		t.Run(fmt.Sprint(every), func(t *testing.T) {
			single.Goroutine(t)
			path := tempPath(t)
			taken := 0
			everyKind(t, path, often(every), func() {
				b := []byte(readText(t, path))
				h, err := bothWays(t, b, keyAt(t, path))
				must(t, err)
				if want := bytes.Contains(b, []byte(`","kind":"checkpoint",`)); want != (h.mark.at > 0) || want != (len(h.slots) > 0) {
					t.Errorf("checkpoints in the file: %v, %d charges by them", want, len(h.slots))
				}
				taken = max(taken, len(h.slots))
			})
			if (taken == 0) != (every == 1000) || every < 4 && taken < 20 {
				t.Errorf("at most %d charges by a checkpoint", taken)
			}
			l := mustOpen(t, path)
			if every < 1000 && len(l.hist.slots) == 0 {
				t.Error("Open takes no checkpoint")
			}
			s := mustStatus(t, l)
			if rc := mustRelease(t, l, request("stored1", 0.01), `0`); !rc.Replayed || string(rc.Value) != `{"mean":1}` {
				t.Errorf("replays %s", rc.Value)
			}
			_, err := l.Release(t.Context(), request("failed2", 0.01), draws(`0`, nil))
			says(t, err, ErrInterrupted, reasonInvalid)
			_, err = l.Release(t.Context(), on(request("other rows", 0.01), "b", ""), draws(`0`, nil))
			says(t, err, ErrDataset)
			r := request("other column", 0.01)
			r.Version, r.Rows, r.Columns = "by column", 60, map[string]string{"age": strings.Repeat("0", 64)}
			_, err = l.Release(t.Context(), r, draws(`0`, nil))
			says(t, err, ErrDataset, `column "age"`)
			entries := mustEntries(t, l)
			if len(entries) != s.Releases || len(l.hist.slots) > 0 {
				t.Errorf("%d entries of %d releases", len(entries), s.Releases)
			}
			if again := mustStatus(t, l); !reflect.DeepEqual(again, s) {
				t.Errorf("status after Entries\n%v\nbefore\n%v", again, s)
			}
			if st, err := mustOpen(t, path).Statement(); err != nil || len(st.Releases) != s.Releases {
				t.Errorf("statement: %v", err)
			}
		})
	}
}

// rechain makes edited lines a file whose checksums and chain are right, as one without the key can.
func rechain(t testing.TB, lines [][]byte) []byte {
	t.Helper()
	var out []byte
	prev := ""
	for i, line := range lines {
		if i > 0 {
			var r record
			must(t, json.Unmarshal(line, &r))
			r.Seq, r.Prev = i, prev
			var err error
			line, err = encode(r)
			must(t, err)
		}
		prev = lineHash(line)
		out = append(append(out, line...), '\n')
	}
	return out
}

func linesOf(b []byte) [][]byte {
	return bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n"))
}

// A checkpoint that was not made with the key, or not of the bytes before it, is not believed.
func TestForgedCheckpoints(t *testing.T) {
	path := tempPath(t)
	everyKind(t, path, often(7), func() {})
	good := []byte(readText(t, path))
	key := keyAt(t, path)
	h, err := bothWays(t, good, key)
	must(t, err)
	spent, count := h.filter.spent(), h.count()
	last := h.mark.lines - 1
	if got := rechain(t, linesOf(good)); !bytes.Equal(got, good) {
		t.Fatal("the forger changes what it does not mean to")
	}
	forge := func(edit func(*checkpoint)) []byte {
		lines := linesOf(good)
		c, rec, err := readCheckpoint(lines[last])
		must(t, err)
		edit(c)
		b, err := encode(c)
		must(t, err)
		rec.Payload = append(bytes.Clone(b[:bytes.LastIndex(b, []byte(`,"crc"`))]), '}')
		if lines[last], err = encode(rec); err != nil {
			t.Fatal(err)
		}
		return rechain(t, lines)
	}
	sign := func(c *checkpoint, key []byte) { c.MAC = c.mac(key, h.header.id()) }
	for name, b := range map[string][]byte{
		"nothing spent":         forge(func(c *checkpoint) { c.Mu2 = "0" }),
		"nothing spent, pure":   forge(func(c *checkpoint) { c.Pure, c.Fail, c.TV = "0", 0, 0 }),
		"no charges":            forge(func(c *checkpoint) { c.Charges, c.Index, c.Before = 0, nil, 0 }),
		"signed by another key": forge(func(c *checkpoint) { c.Mu2 = "0"; sign(c, make([]byte, 32)) }),
		"without a signature":   forge(func(c *checkpoint) { c.Mu2, c.MAC = "0", "" }),
		"another hash":          forge(func(c *checkpoint) { c.Hash = strings.Repeat("0", 64) }),
		"another place":         forge(func(c *checkpoint) { c.Bytes++ }),
		"another scope":         forge(func(c *checkpoint) { c.Scope, c.On = "unconditional", nil }),
		"another binding":       forge(func(c *checkpoint) { c.Data = nil }),
		"an earlier clock":      forge(func(c *checkpoint) { c.Latest = testTime() }),
		"a sum that is none":    forge(func(c *checkpoint) { c.Mu2 = "little" }),
		"half an index":         forge(func(c *checkpoint) { c.Index = c.Index[:len(c.Index)-1] }),
	} {
		t.Run(name, func(t *testing.T) {
			single.Goroutine(t)
			if bytes.Equal(b, good) {
				t.Fatal("nothing was forged")
			}
			got, err := bothWays(t, b, key)
			must(t, err)
			if got.filter.spent() != spent || got.count() != count || len(got.slots) > 0 || len(got.doubts) == 0 {
				t.Errorf("spent %v of %d charges, %d by the checkpoint, doubts %v; want %v of %d by every record, and doubts", got.filter.spent(), got.count(), len(got.slots), got.doubts, spent, count)
			}
			forged := tempPath(t)
			writeLedger(t, forged, b)
			copyFile(t, path+keySuffix, forged+keySuffix)
			l := mustOpen(t, forged)
			if s := mustStatus(t, l); s.Spent.Epsilon != spent || !strings.Contains(s.String(), "is a checkpoint that was not made with the ledger's key") {
				t.Errorf("status\n%v", s)
			}
		})
	}
	t.Run("records before it", func(t *testing.T) {
		single.Goroutine(t)
		lines := linesOf(good)
		for i, line := range lines {
			if bytes.Contains(line, []byte(`"kind":"charge"`)) {
				lines[i] = bytes.Replace(line, []byte(`"mu":0.01,`), []byte(`"mu":0.001,`), 1)
			}
		}
		got, err := bothWays(t, rechain(t, lines), key) // who can write the file can forge it: but not behind the checkpoint's back
		must(t, err)
		if len(got.slots) > 0 || len(got.doubts) == 0 {
			t.Error("a checkpoint of other records is taken")
		}
	})
	t.Run("with the key, of another form", func(t *testing.T) {
		single.Goroutine(t)
		for name, edit := range map[string]func(*checkpoint){
			"version": func(c *checkpoint) { c.Version = 99 }, "scope": func(c *checkpoint) { c.Scope = "" }, "before": func(c *checkpoint) { c.Before = 5 },
			"index": func(c *checkpoint) { c.Index[32] = 'x' }, "sum": func(c *checkpoint) { c.Mu2 = "" }, "itself": func(c *checkpoint) { c.Before = c.Bytes },
			"negative": func(c *checkpoint) { c.Before = -1 }, "charges": func(c *checkpoint) { c.Charges++ },
		} {
			b := forge(func(c *checkpoint) { edit(c); sign(c, key(nil)) })
			fast := &history{path: "test", key: key}
			_, err := fast.read(bytes.NewReader(b), int64(len(b)))
			if err != nil || len(fast.slots) > 0 || fast.filter.spent() != spent {
				t.Errorf("%s: %v, %d charges by the checkpoint, spent %v", name, err, len(fast.slots), fast.filter.spent())
			}
		}
	})
	t.Run("the key is missing", func(t *testing.T) {
		single.Goroutine(t)
		got, err := bothWays(t, good, func(*header) []byte { return nil })
		must(t, err)
		if got.filter.spent() != spent || len(got.slots) > 0 || len(got.doubts) > 0 {
			t.Errorf("spent %v, %d charges by the checkpoint, doubts %v", got.filter.spent(), len(got.slots), got.doubts)
		}
	})
	t.Run("mended", func(t *testing.T) { // the next checkpoint lists all charges anew
		forged := tempPath(t)
		writeLedger(t, forged, forge(func(c *checkpoint) { c.Mu2 = "0" }))
		copyFile(t, path+keySuffix, forged+keySuffix)
		ownState(t)
		l, err := open(forged, often(7))
		must(t, err)
		mustRelease(t, l, request("next", 0.01), `1`)
		must(t, l.Close())
		got, err := bothWays(t, []byte(readText(t, forged)), key)
		must(t, err)
		if len(got.slots) != count+1 {
			t.Errorf("%d of %d charges by the new checkpoint", len(got.slots), count+1)
		}
	})
}

// Every byte of a file with checkpoints: whichever changes, it is noticed.
func TestDamageBeforeCheckpoints(t *testing.T) {
	single.Goroutine(t)
	path := tempPath(t)
	l, err := create(path, testConfig(), often(2))
	must(t, err)
	for i := range 3 {
		mustRelease(t, l, request(fmt.Sprint(i), 0.01), `1`)
	}
	must(t, l.Close())
	b, key := []byte(readText(t, path)), keyAt(t, path)
	if h, err := bothWays(t, b, key); err != nil || len(h.slots) != 3 {
		t.Fatalf("%v", err)
	}
	for i := 0; i < len(b); i += 3 { // which lines are refused TestDamageFlipEveryByte holds for each byte
		spoilt := bytes.Clone(b)
		spoilt[i] ^= 1 << (i % 8)
		if _, err := bothWays(t, spoilt, key); err == nil {
			t.Fatalf("byte %d (%q) changed to %q: not noticed", i, b[i], spoilt[i])
		}
		if _, err := bothWays(t, b[:i], key); err != nil && i > bytes.IndexByte(b, '\n') {
			t.Fatalf("cut to %d bytes: %v", i, err)
		}
	}
}

// A handle takes what other processes write, checkpoints included, and goes on from their last one.
func TestCheckpointsOfOthers(t *testing.T) {
	path := tempPath(t)
	must(t, mustCreate(t, path, testConfig()).Close())
	var ls [3]*Ledger
	for i := range ls {
		l, err := open(path, often(5))
		must(t, err)
		defer l.Close()
		ls[i] = l
	}
	for i := range 20 {
		mustRelease(t, ls[i%3], request(fmt.Sprint(i), 0.01), `1`)
		h, err := bothWays(t, []byte(readText(t, path)), keyAt(t, path))
		must(t, err)
		if h.mark != ls[i%3].hist.mark {
			t.Fatalf("after %d releases: the handle goes on from %+v, the file from %+v", i+1, ls[i%3].hist.mark, h.mark)
		}
	}
	if n := strings.Count(readText(t, path), `"kind":"checkpoint"`); n != 7 {
		t.Errorf("%d checkpoints, want one where 5 records follow the last, header included: 7", n)
	}
}

// A ledger whose last checkpoint cannot be written is as good.
func TestCheckpointNotWritten(t *testing.T) {
	path := tempPath(t)
	o := often(2)
	write := o.write
	o.write = func(f *os.File, b []byte, off int64) (int, error) {
		if bytes.Contains(b[:min(len(b), 90)], []byte(`"kind":"checkpoint"`)) {
			return 0, os.ErrPermission
		}
		return write(f, b, off)
	}
	l, err := create(path, testConfig(), o)
	must(t, err)
	defer l.Close()
	for i := range 3 {
		mustRelease(t, l, request(fmt.Sprint(i), 0.01), `1`)
	}
	if s := mustStatus(t, mustOpen(t, path)); s.Releases != 3 || s.Torn > 0 {
		t.Errorf("status\n%v", s)
	}
}

// FuzzCheckpoint: whatever stands in the file, its checkpoint says nothing else than its records.
func FuzzCheckpoint(f *testing.F) {
	path := filepath.Join("testdata", "version2.ledger")
	b := []byte(readText(f, path))
	key := keyAt(f, path)
	lines := linesOf(b)
	f.Add(b)
	f.Add(b[:len(b)-100])
	f.Add(rechain(f, lines[:20]))
	f.Add(rechain(f, append(append([][]byte{}, lines[:9]...), lines[10:]...)))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = bothWays(t, b, key)
		if ls := linesOf(b); len(ls) > 1 { // with checksums and a chain that are right
			for _, l := range ls[1:] {
				var r record
				if json.Unmarshal(l, &r) != nil {
					return
				}
			}
			_, _ = bothWays(t, rechain(t, ls), key)
		}
	})
}
