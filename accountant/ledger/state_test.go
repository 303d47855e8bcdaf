package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// says fails the test unless err is want and holds all words.
func says(t testing.TB, err, want error, words ...string) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got %v, want %v", err, want)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%v: want %q", err, w)
		}
	}
}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	must(t, os.WriteFile(to, []byte(readText(t, from)), 0o600))
}

func TestDeletedLedgerIsNoFreshBudget(t *testing.T) {
	path := tempPath(t)
	l := mustCreate(t, path, testConfig())
	mustRelease(t, l, request("mean", 0.05), `1`)
	must(t, l.Close())
	backup := []byte(readText(t, path))
	must(t, os.Remove(path))
	for name, open := range map[string]func() (*Ledger, error){
		"Create":       func() (*Ledger, error) { return Create(path, testConfig()) },
		"OpenOrCreate": func() (*Ledger, error) { return OpenOrCreate(path, testConfig()) },
		"Open":         func() (*Ledger, error) { return Open(path) },
		"OpenReader":   func() (*Ledger, error) { return OpenReader(path) },
	} {
		t.Run(name, func(t *testing.T) {
			_, err := open()
			says(t, err, ErrMissing, `"adult"`, "in 1 release", "put the file back", "nb ledger forget -yes "+path)
			if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
				t.Error("a file was made")
			}
		})
	}
	must(t, os.WriteFile(path, backup, 0o600))
	if rc := mustRelease(t, mustOpen(t, path), request("mean", 0.05), `2`); !rc.Replayed {
		t.Error("the file that was put back does not replay")
	}
	must(t, os.Remove(path))
	must(t, Forget(path))
	if s := mustStatus(t, mustCreate(t, path, testConfig())); s.Releases != 0 || len(s.Warnings) > 0 {
		t.Errorf("after Forget: %+v", s)
	}
	if err := Forget(tempPath(t)); err == nil || !strings.Contains(err.Error(), "no ledger is known") {
		t.Errorf("Forget of nothing: %v", err)
	}
}

// An older copy put back replays what it holds and charges nothing.
func TestOlderCopyPutBack(t *testing.T) {
	path := tempPath(t)
	l := mustCreate(t, path, testConfig())
	mustRelease(t, l, request("a", 0.05), `1`)
	old := []byte(readText(t, path))
	mustRelease(t, l, request("b", 0.05), `2`)
	must(t, l.Close())
	must(t, os.WriteFile(path, old, 0o600))

	l = mustOpen(t, path)
	if rc := mustRelease(t, l, request("a", 0.05), `0`); !rc.Replayed {
		t.Error("what it holds does not replay")
	}
	if s := mustStatus(t, l); len(s.Warnings) != 1 || !strings.Contains(s.String(), "warning: "+l.path+": this copy holds 1 release") {
		t.Errorf("status\n%v", s)
	}
	for _, r := range []Request{request("c", 0.05), fresh(request("a", 0.05))} {
		calls := 0
		_, err := l.Release(t.Context(), r, draws(`3`, &calls))
		says(t, err, ErrStale, "nothing was charged", "had 2 releases", "the latest copy", "nb ledger forget")
		if calls > 0 {
			t.Error("drawn all the same")
		}
	}
	if readText(t, path) != string(old) {
		t.Error("the file was changed")
	}
	must(t, Forget(path))
	mustRelease(t, l, request("c", 0.05), `3`) // somebody said so
	if s := mustStatus(t, mustOpen(t, path)); s.Releases != 2 || len(s.Warnings) > 0 {
		t.Errorf("after Forget: %+v", s)
	}
}

// A copied folder: both copies replay, the first that charges goes on, and the other is refused.
func TestCopiedLedger(t *testing.T) {
	path := tempPath(t)
	a := mustCreate(t, path, testConfig())
	mustRelease(t, a, request("both", 0.05), `1`)
	other := tempPath(t)
	copyFile(t, path, other)
	copyFile(t, path+".key", other+".key")
	b := mustOpen(t, other)
	if string(mustKey(t, a)) != string(mustKey(t, b)) {
		t.Error("the copy has another key")
	}
	for _, l := range []*Ledger{a, b} {
		if rc := mustRelease(t, l, request("both", 0.05), `0`); !rc.Replayed || len(rc.Status.Warnings) > 0 {
			t.Errorf("%+v", rc)
		}
	}
	mustRelease(t, b, request("b", 0.05), `2`)
	_, err := a.Release(t.Context(), request("a", 0.05), draws(`3`, nil))
	says(t, err, ErrStale, b.path)
	mustRelease(t, b, request("b2", 0.05), `4`)
	if rc := mustRelease(t, a, request("both", 0.05), `0`); !rc.Replayed || len(rc.Status.Warnings) != 1 {
		t.Errorf("%+v", rc)
	}
}

// Copies in a race: only one of them ever goes on.
func TestCopiesInARace(t *testing.T) {
	path := tempPath(t)
	must(t, mustCreate(t, path, testConfig()).Close())
	const n = 6
	charged := [n]int{}
	var wg sync.WaitGroup
	for i := range n {
		p := tempPath(t)
		copyFile(t, path, p)
		l := mustOpen(t, p)
		wg.Go(func() {
			for k := range 5 {
				if _, err := l.Release(t.Context(), request(fmt.Sprint(i, k), 0.01), draws(`1`, nil)); err == nil {
					charged[i]++
				} else if !errors.Is(err, ErrStale) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	winners := 0
	for _, c := range charged {
		if c > 0 {
			winners++
		}
	}
	if winners != 1 {
		t.Errorf("charges of the copies: %v, want those of one", charged)
	}
}

func TestReplacedLedger(t *testing.T) {
	path, other := tempPath(t), tempPath(t)
	l := mustCreate(t, path, testConfig())
	mustRelease(t, l, request("a", 0.2), `1`)
	must(t, l.Close())
	must(t, mustCreate(t, other, testConfig()).Close())
	must(t, os.Rename(other, path)) // the same configuration, nothing spent
	l, err := OpenOrCreate(path, testConfig())
	must(t, err)
	defer l.Close()
	_, err = l.Release(t.Context(), request("b", 0.05), draws(`2`, nil))
	says(t, err, ErrReplaced, "nothing was charged", "put the former back", "nb ledger forget")
	if s := mustStatus(t, l); len(s.Warnings) != 1 {
		t.Errorf("status %v", s)
	}
	must(t, Forget(path))
	mustRelease(t, mustOpen(t, path), request("b", 0.05), `2`)
}

func TestMovedLedger(t *testing.T) {
	path := tempPath(t)
	l := mustCreate(t, path, testConfig())
	mustRelease(t, l, request("a", 0.05), `1`)
	must(t, l.Close())
	to := filepath.Join(tempDir(t), "moved.ledger")
	must(t, os.Rename(path, to))
	l = mustOpen(t, to)
	_, err := l.Key()
	says(t, err, ErrKey, to+".key", "move it along")
	must(t, os.Rename(path+".key", to+".key"))
	mustKey(t, l)
	if rc := mustRelease(t, l, request("b", 0.05), `2`); len(rc.Status.Warnings) > 0 {
		t.Errorf("warnings %v", rc.Status.Warnings)
	}
	_, err = OpenOrCreate(path, testConfig())
	says(t, err, ErrMissing, "last charged at "+l.path)
}

// A state folder that cannot be used is told, and stops nothing.
func TestNoStateFolder(t *testing.T) {
	file := filepath.Join(tempDir(t), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	for name, set := range map[string]func(t *testing.T){
		"below a file": func(t *testing.T) { t.Setenv("XDG_STATE_HOME", file) },
		"no home":      func(t *testing.T) { t.Setenv("XDG_STATE_HOME", ""); t.Setenv("HOME", "") },
		"relative":     func(t *testing.T) { t.Setenv("XDG_STATE_HOME", "state"); t.Setenv("HOME", "home") },
		"no folder":    func(t *testing.T) { t.Setenv("XDG_STATE_HOME", "/proc/none") },
	} {
		t.Run(name, func(t *testing.T) {
			set(t)
			path := tempPath(t)
			l := mustCreate(t, path, testConfig())
			rc := mustRelease(t, l, request("a", 0.05), `1`)
			for _, s := range []Status{rc.Status, mustStatus(t, l)} {
				if len(s.Warnings) != 1 || !strings.Contains(s.String(), "warning: not recorded in the user's state folder") {
					t.Errorf("status\n%v", s)
				}
			}
			if _, err := List(); err == nil && name != "no folder" {
				t.Error("List finds nothing wrong")
			}
			must(t, os.Remove(path))
			if s := mustStatus(t, mustCreate(t, path, testConfig())); len(s.Warnings) == 0 {
				t.Error("a fresh budget without a warning")
			}
		})
	}
}

func TestStateFolderByDefault(t *testing.T) {
	home := tempDir(t)
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("HOME", home)
	path := tempPath(t)
	mustCreate(t, path, testConfig())
	dir, err := stateFolder()
	must(t, err)
	if !strings.HasPrefix(dir, home) {
		t.Errorf("state folder %s, want one below %s", dir, home)
	}
	for _, d := range []string{dir, filepath.Join(dir, "places"), filepath.Join(dir, "heads")} {
		fi, err := os.Stat(d)
		if err != nil || fi.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", d, fi, err)
		}
	}
}

// The state folder's files survive crashes: a line that does not verify is passed over.
func TestSpoiltState(t *testing.T) {
	for name, spoil := range map[string]func(b []byte) []byte{
		"half a line": func(b []byte) []byte { return append(b, `{"path":"/x","se`...) },
		"zeros":       func(b []byte) []byte { return append(b, make([]byte, 9000)...) },
		"a forged one": func(b []byte) []byte {
			return append(b, `{"path":"/x","seq":99,"hash":"0","releases":99,"epsilon":9,"time":"2026-01-01T00:00:00Z","crc":"00000000"}`+"\n"...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := ownState(t)
			path := tempPath(t)
			l := mustCreate(t, path, testConfig())
			mustRelease(t, l, request("a", 0.05), `1`)
			old := readText(t, path)
			mustRelease(t, l, request("b", 0.05), `1`)
			books, err := filepath.Glob(filepath.Join(dir, "dpnb", "ledgers", "*", "*"))
			must(t, err)
			if len(books) != 6 { // place, head, card, name, key, and that the cards are complete
				t.Fatalf("books %v", books)
			}
			for _, b := range books {
				must(t, os.WriteFile(b, spoil([]byte(readText(t, b))), 0o600))
			}
			if rc := mustRelease(t, l, request("c", 0.05), `1`); len(rc.Status.Warnings) > 0 {
				t.Errorf("warnings %v", rc.Status.Warnings)
			}
			must(t, l.Close())
			must(t, os.WriteFile(path, []byte(old), 0o600))
			_, err = mustOpen(t, path).Release(t.Context(), request("d", 0.05), draws(`1`, nil))
			says(t, err, ErrStale, "had 3 releases")
		})
	}
}

// A ledger that the folder does not know, say of another machine, is taken as it is from then on.
func TestLedgerFromElsewhere(t *testing.T) {
	path := tempPath(t)
	must(t, os.WriteFile(path, version1(t), 0o600))
	ownState(t)
	l := mustOpen(t, path)
	if s := mustStatus(t, l); len(s.Warnings) > 0 || s.Releases != 4 {
		t.Errorf("status %v", s)
	}
	if len(mustKey(t, l)) != 32 {
		t.Error("a file that holds its key does not give it")
	}
	must(t, l.Close())
	must(t, os.Remove(path))
	_, err := OpenOrCreate(path, testConfig())
	says(t, err, ErrMissing, "in 4 releases")
}

func TestList(t *testing.T) {
	ownState(t)
	dir := tempDir(t)
	for i, name := range []string{"b", "a", "c"} {
		l := mustCreate(t, filepath.Join(dir, name), testConfig())
		for k := range i {
			mustRelease(t, l, request(fmt.Sprint(k), 0.05), `1`)
		}
	}
	must(t, os.Remove(filepath.Join(dir, "b")))
	known, err := List()
	must(t, err)
	var got []string
	for _, k := range known {
		got = append(got, fmt.Sprint(filepath.Base(k.Path), k.Releases, k.Spent.Epsilon > 0, k.Missing, k.Config == testConfig()))
	}
	if want := "a1 true false true b0 false true true c2 true false true"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	must(t, Forget(filepath.Join(dir, "b")))
	if known, err = List(); err != nil || len(known) != 2 {
		t.Errorf("after Forget: %v, %v", known, err)
	}
}

// Processes that create the same ledger at once get one ledger with one key.
func TestCreateInARace(t *testing.T) {
	for range 5 {
		ownState(t)
		path := tempPath(t)
		type result struct {
			out []byte
			err error
		}
		results := make(chan result)
		for range 4 {
			cmd := childCommand(t, "create", path)
			go func() {
				out, err := cmd.Output()
				results <- result{out, err}
			}()
		}
		seen := map[string]int{}
		for range 4 {
			r := <-results
			if r.err != nil {
				t.Fatalf("%v: %s", r.err, r.out)
			}
			seen[string(r.out)]++
		}
		if len(seen) != 1 {
			t.Errorf("the processes saw %v", seen)
		}
		if s := mustStatus(t, mustOpen(t, path)); s.Releases != 1 || len(s.Warnings) > 0 {
			t.Errorf("status %v", s)
		}
	}
}
