package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A process is killed at every point of a release. What the next one finds is decided by the order
// of the writes alone.
func TestCrashAtEveryPoint(t *testing.T) {
	type outcome uint8
	const (
		nothing     outcome = iota // not charged: the next request draws
		interrupted                // charged without a value
		stored                     // charged, replays
	)
	for point, c := range map[string]struct {
		want outcome
		drew bool
	}{
		"in charge":                        {nothing, false},
		"before the newline of charge":     {interrupted, false},
		"written charge":                   {interrupted, false},
		"charged":                          {interrupted, false},
		"in the draw":                      {interrupted, true},
		"drawn":                            {interrupted, true},
		"in store":                         {interrupted, true},
		"before the newline of store":      {stored, true},
		"written store":                    {stored, true},
		"in checkpoint":                    {stored, true},
		"before the newline of checkpoint": {stored, true},
		"written checkpoint":               {stored, true},
	} {
		t.Run(point, func(t *testing.T) {
			path := tempPath(t)
			out, err := childCommand(t, "die", path, point).CombinedOutput()
			if !killed(err) {
				t.Fatalf("the child ended by %v: %s", err, out)
			}
			if drew := strings.Contains(string(out), "draw"); drew != c.drew {
				t.Errorf("drew: %v, want %v", drew, c.drew)
			}
			l := mustOpen(t, path)
			before := mustStatus(t, l)
			calls := 0
			rc, err := l.Release(t.Context(), request("death", 0.05), draws(`"after"`, &calls))
			switch c.want {
			case nothing:
				must(t, err)
				if calls != 1 || before.Releases != 1 || before.Torn == 0 || rc.Status.Releases != 2 {
					t.Errorf("%d draws, before %+v, after %+v", calls, before, rc.Status)
				}
			case stored:
				must(t, err)
				if !rc.Replayed || string(rc.Value) != `"death"` || before.Releases != 2 {
					t.Errorf("got %s, replayed %v, before %+v", rc.Value, rc.Replayed, before)
				}
			case interrupted:
				if !errors.Is(err, ErrInterrupted) || calls > 0 || before.Releases != 2 {
					t.Fatalf("got %v after %d draws, before %+v", err, calls, before)
				}
				for _, want := range []string{`"death"`, "charged on", "cost ε = ", "Fresh"} {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%v: want %q", err, want)
					}
				}
				if len(before.Interrupted) != 1 || before.Interrupted[0].State != Interrupted || !strings.Contains(before.String(), "interrupted") {
					t.Errorf("status %+v", before)
				}
				rc := mustRelease(t, l, fresh(request("death", 0.05)), `"paid again"`)
				if rc.Status.Releases != 3 || rc.Status.Spent.Epsilon <= before.Spent.Epsilon || len(rc.Status.Interrupted) != 0 {
					t.Errorf("Fresh: %+v", rc.Status)
				}
				if rc := mustRelease(t, l, request("death", 0.05), `0`); string(rc.Value) != `"paid again"` {
					t.Errorf("replays %s", rc.Value)
				}
			}
			if rc := mustRelease(t, l, request("peace", 0.01), `0`); !rc.Replayed || string(rc.Value) != `"peace"` {
				t.Error("the release before the crash is gone")
			}
			_, err = bothWays(t, []byte(readText(t, path)), keyAt(t, path)) // the chain verifies
			must(t, err)
		})
	}
}

// The upgrade of a file of version 1 takes nothing from it, wherever it ends.
func TestCrashInUpgrade(t *testing.T) {
	for point, upgraded := range map[string]bool{"in upgrade": false, "before the newline of upgrade": true, "written upgrade": true} {
		t.Run(point, func(t *testing.T) {
			path := tempPath(t)
			old := string(version1(t))
			writeLedger(t, path, []byte(old))
			if out, err := childCommand(t, "die", path, point).CombinedOutput(); !killed(err) {
				t.Fatalf("the child ended by %v: %s", err, out)
			}
			l := mustOpen(t, path)
			if s := mustStatus(t, l); s.Releases != 4 || (l.hist.version == 2) != upgraded || !strings.HasPrefix(readText(t, path), old) {
				t.Errorf("version %d\n%v", l.hist.version, s)
			}
			mustRelease(t, l, request("next", 0.01), `1`)
			if b := readText(t, path); strings.Count(b, `"kind":"upgrade"`) != 1 || !strings.HasPrefix(b, old) {
				t.Errorf("the file holds\n%s", b)
			}
		})
	}
}

func TestCrashInCreate(t *testing.T) {
	path := tempPath(t)
	if out, err := childCommand(t, "die", path, "created").CombinedOutput(); !killed(err) {
		t.Fatalf("the child ended by %v: %s", err, out)
	}
	if _, err := Open(path); !errors.Is(err, ErrMissing) {
		t.Errorf("got %v, want ErrMissing: a ledger appears whole or not at all", err)
	}
	mustCreate(t, path, testConfig())
}

// The states in which a power cut can leave the disk: all that was synced, and any beginning of what
// was not. At the time of a draw its charge is in all of them.
func TestPowerCut(t *testing.T) {
	durable := ""
	o := system()
	o.sync = func(f *os.File) error {
		must(t, syncData(f))
		durable = readText(t, f.Name())
		return nil
	}
	dir := tempDir(t)
	path := filepath.Join(dir, "l")
	l, err := create(path, testConfig(), o)
	must(t, err)
	defer l.Close()
	for i, name := range []string{"a", "b", "c"} {
		rc, err := l.Release(t.Context(), request(name, 0.01), drawsFunc(func() {
			h := mustReplay(t, []byte(durable))
			if _, ok := h.byID[hashID(request(name, 0).ID)]; !ok || len(h.entries) != i+1 {
				t.Errorf("%s is drawn before its charge is durable", name)
			}
		}))
		must(t, err)
		h := mustReplay(t, []byte(durable))
		if e := h.entries[i]; e.State != Stored {
			t.Errorf("%s (%s) is returned before it is durable", name, rc.Value)
		}
	}
}
