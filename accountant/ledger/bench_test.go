package ledger

import (
	"fmt"
	"os"
	"testing"
)

func BenchmarkCommit(b *testing.B) {
	l := mustCreate(b, tempPath(b), testConfig())
	i := 0
	for b.Loop() {
		mustRelease(b, l, request(fmt.Sprint(i), 1e-9), `{"mean":38.5}`)
		i++
	}
}

func BenchmarkReplay(b *testing.B) {
	l := mustCreate(b, tempPath(b), testConfig())
	r := request("mean", 0.01)
	for b.Loop() {
		mustRelease(b, l, r, `{"mean":38.5}`)
	}
}

// BenchmarkOpen reads and verifies a ledger of 1000 releases, as every notebook cell does.
func BenchmarkOpen(b *testing.B) {
	path := tempPath(b)
	l := mustCreate(b, path, testConfig())
	for i := range 1000 {
		mustRelease(b, l, request(fmt.Sprint(i), 1e-9), `{"mean":38.5}`)
	}
	b.SetBytes(int64(len(readText(b, path))))
	for b.Loop() {
		l, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		must(b, l.Close())
	}
}

// longLedger makes a ledger of n releases without waiting for the disk or the state folder.
func longLedger(t testing.TB, path string, n int) {
	t.Helper()
	o := system()
	o.sync = func(*os.File) error { return nil }
	l, err := create(path, testConfig(), o)
	must(t, err)
	defer l.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range n {
		r := request(fmt.Sprint(i), 1e-9)
		c, err := costOf(r.Event, l.hist.config)
		must(t, err)
		must(t, l.append(kindCharge, l.now(), l.hist.recordOf(r, c...)))
		must(t, l.append(kindStore, l.now(), store{Charge: l.hist.lines - 1, Value: []byte(`{"mean":38.5}`)}))
		l.checkpoint()
	}
}

// BenchmarkOpenLong opens a ledger of 100 000 releases: by its last checkpoint, and without the key, by every record.
func BenchmarkOpenLong(b *testing.B) {
	path := tempPath(b)
	longLedger(b, path, 100_000)
	fi, err := os.Stat(path)
	must(b, err)
	for _, c := range []struct {
		name string
		hide bool
	}{{"by its checkpoint", false}, {"every record", true}} {
		b.Run(c.name, func(b *testing.B) {
			if c.hide {
				must(b, os.Rename(path+keySuffix, path+".hidden"))
				defer func() { must(b, os.Rename(path+".hidden", path+keySuffix)) }()
			}
			b.SetBytes(fi.Size())
			for b.Loop() {
				l, err := Open(path)
				must(b, err)
				if c.hide == (len(l.hist.slots) > 0) {
					b.Fatalf("%d charges by the checkpoint, the key hidden: %v", len(l.hist.slots), c.hide)
				}
				must(b, l.Close())
			}
		})
	}
}

// BenchmarkOpenBeside opens a ledger, and reads its status, beside others that the state folder knows: of other datasets,
// and of one name.
func BenchmarkOpenBeside(b *testing.B) {
	for _, c := range []struct {
		name   string
		others int
		same   bool
	}{{"none", 0, false}, {"1000 of other datasets", 1000, false}, {"1000 of its dataset", 1000, true}} {
		b.Run(c.name, func(b *testing.B) {
			ownState(b)
			path := tempPath(b)
			l := mustCreate(b, path, testConfig())
			mustRelease(b, l, request("r", 1e-9), `1`)
			dir := tempDir(b)
			for i := range c.others {
				config := testConfig()
				if !c.same {
					config.Dataset = fmt.Sprint("dataset ", i)
				}
				must(b, mustCreate(b, fmt.Sprint(dir, "/", i), config).Close())
			}
			for b.Loop() {
				l, err := Open(path)
				must(b, err)
				mustStatus(b, l)
				must(b, l.Close())
			}
		})
	}
}
