package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// looking is a configuration for data of a schema and a number of rows.
func looking(schema string, rows int) Config {
	c := testConfig()
	c.Schema, c.Rows = strings.Repeat(schema, 64), rows
	return c
}

// spend charges the ledger at path, which is made if it is not there.
func spend(t *testing.T, path string, c Config) {
	t.Helper()
	l, err := OpenOrCreate(path, c)
	must(t, err)
	defer l.Close()
	mustRelease(t, l, request(path, 0.2), `1`)
}

func mkdir(t *testing.T, dir ...string) string {
	t.Helper()
	path := filepath.Join(dir...)
	must(t, os.MkdirAll(path, 0o755))
	return path
}

// A ledger that is gone does not give its budget back under another name of its place, of its key, or of its data.
func TestLostLedgers(t *testing.T) {
	for name, c := range map[string]struct {
		lose func(t *testing.T, dir string) (again, last string) // where the budget is asked for again, and where it was
		says string
	}{
		"link and file deleted": {func(t *testing.T, dir string) (string, string) {
			file, link := filepath.Join(mkdir(t, dir, "big"), "a.ledger"), filepath.Join(mkdir(t, dir, "p"), "a.ledger")
			spend(t, file, testConfig())
			must(t, os.Symlink(file, link))
			must(t, mustOpen(t, link).Close())
			must(t, os.Remove(file))
			must(t, os.Remove(link))
			return link, file
		}, "this path led to the ledger"},
		"dangling link": {func(t *testing.T, dir string) (string, string) {
			file, link := filepath.Join(mkdir(t, dir, "big"), "a.ledger"), filepath.Join(mkdir(t, dir, "p"), "a.ledger")
			must(t, os.Symlink(file, link))
			spend(t, file, testConfig())
			must(t, mustOpen(t, link).Close())
			must(t, os.Remove(file))
			return file, file
		}, "was here since"},
		"linked folder leads elsewhere": {func(t *testing.T, dir string) (string, string) {
			link := filepath.Join(dir, "link")
			must(t, os.Symlink(mkdir(t, dir, "x"), link))
			mkdir(t, dir, "y")
			path := filepath.Join(link, "a.ledger")
			spend(t, path, testConfig())
			must(t, os.Remove(link))
			must(t, os.Symlink("y", link))
			must(t, os.RemoveAll(filepath.Join(dir, "x")))
			return path, filepath.Join(dir, "x", "a.ledger")
		}, "this path led to the ledger"},
		"folder renamed, its key still there": {func(t *testing.T, dir string) (string, string) {
			path := filepath.Join(mkdir(t, dir, "p"), "a.ledger")
			spend(t, path, testConfig())
			must(t, os.Rename(filepath.Join(dir, "p"), filepath.Join(dir, "q")))
			must(t, os.Remove(filepath.Join(dir, "q", "a.ledger")))
			return filepath.Join(dir, "q", "a.ledger"), path
		}, "the key beside it"},
		"another file for the same data": {func(t *testing.T, dir string) (string, string) {
			path := filepath.Join(dir, "a.ledger")
			spend(t, path, looking("a", 60))
			must(t, os.Remove(path))
			must(t, os.Remove(path+keySuffix))
			return filepath.Join(dir, "b.ledger"), path
		}, "of the same schema and the same 60 rows"},
		"another file, of data that was not described": {func(t *testing.T, dir string) (string, string) {
			path := filepath.Join(dir, "a.ledger")
			spend(t, path, testConfig())
			must(t, os.Remove(path))
			return filepath.Join(dir, "b.ledger"), path
		}, `"adult" had a ledger`},
		"the folder and all in it, elsewhere again": {func(t *testing.T, dir string) (string, string) {
			path := filepath.Join(mkdir(t, dir, "clone"), "a.ledger")
			spend(t, path, looking("a", 60))
			must(t, os.RemoveAll(filepath.Dir(path)))
			return filepath.Join(mkdir(t, dir, "again"), "a.ledger"), path
		}, "of the same schema"},
		"moved, then deleted": {func(t *testing.T, dir string) (string, string) {
			path, to := filepath.Join(dir, "a.ledger"), filepath.Join(dir, "b.ledger")
			spend(t, path, looking("a", 60))
			must(t, os.Rename(path, to))
			must(t, os.Rename(path+keySuffix, to+keySuffix))
			must(t, mustOpen(t, to).Close())
			must(t, os.Remove(to))
			return filepath.Join(dir, "c.ledger"), to
		}, "of the same schema"},
		"another ledger in its place": {func(t *testing.T, dir string) (string, string) {
			path, other := filepath.Join(dir, "a.ledger"), filepath.Join(dir, "b.ledger")
			spend(t, path, looking("a", 60))
			c := looking("b", 7)
			c.Dataset = "census"
			spend(t, other, c)
			must(t, os.Rename(other, path))
			return filepath.Join(dir, "c.ledger"), path
		}, "of the same schema"},
	} {
		t.Run(name, func(t *testing.T) {
			ownState(t)
			dir, err := canonical(tempDir(t))
			must(t, err)
			again, last := c.lose(t, dir)
			for _, make := range []func(string, Config) (*Ledger, error){Create, OpenOrCreate} {
				config := looking("a", 60)
				if !strings.Contains(c.says, "schema") {
					config = testConfig()
				}
				_, err := make(again, config)
				says(t, err, ErrMissing, c.says, "in 1 release", "put the file back", "nb ledger forget -yes "+shellQuote(last))
			}
			if _, err := os.Stat(again); !errors.Is(err, os.ErrNotExist) {
				t.Error("a file was made")
			}
			must(t, Forget(last))
			config := looking("a", 60)
			l := mustCreate(t, again, config)
			if s := mustStatus(t, l); s.Releases != 0 || len(s.Warnings) > 0 {
				t.Errorf("after Forget:\n%v", s)
			}
		})
	}
}

// What is no lost budget stops nobody.
func TestNotLost(t *testing.T) {
	for name, c := range map[string]struct {
		before func(t *testing.T, dir string)
		config Config
		warned string // "": no warning
	}{
		"the ledger is there": {func(t *testing.T, dir string) { spend(t, filepath.Join(dir, "a.ledger"), looking("a", 60)) }, looking("a", 60), "has another ledger at "},
		"it was moved and opened": {func(t *testing.T, dir string) {
			path, to := filepath.Join(dir, "a.ledger"), filepath.Join(dir, "b.ledger")
			spend(t, path, looking("a", 60))
			must(t, os.Rename(path, to))
			must(t, mustOpen(t, to).Close())
		}, looking("a", 60), "has another ledger at "},
		"it was never charged": {func(t *testing.T, dir string) {
			must(t, mustCreate(t, filepath.Join(dir, "a.ledger"), looking("a", 60)).Close())
			must(t, os.Remove(filepath.Join(dir, "a.ledger")))
		}, looking("a", 60), ""},
		"only the name agrees": {func(t *testing.T, dir string) {
			spend(t, filepath.Join(dir, "a.ledger"), looking("a", 60))
			must(t, os.Remove(filepath.Join(dir, "a.ledger")))
		}, looking("b", 60), "had another ledger at "},
		"only the number of rows differs": {func(t *testing.T, dir string) {
			spend(t, filepath.Join(dir, "a.ledger"), looking("a", 60))
			must(t, os.Remove(filepath.Join(dir, "a.ledger")))
		}, looking("a", 61), "which is gone: "},
		"the lost one was not described": {func(t *testing.T, dir string) {
			spend(t, filepath.Join(dir, "a.ledger"), testConfig())
			must(t, os.Remove(filepath.Join(dir, "a.ledger")))
		}, looking("a", 60), "nb ledger forget"},
		"another dataset": {func(t *testing.T, dir string) {
			c := looking("a", 60)
			c.Dataset = "census"
			spend(t, filepath.Join(dir, "a.ledger"), c)
			must(t, os.Remove(filepath.Join(dir, "a.ledger")))
		}, looking("a", 60), ""},
		"a link that leads to another ledger": {func(t *testing.T, dir string) {
			c := looking("a", 60)
			c.Dataset = "census"
			link := filepath.Join(dir, "new.ledger")
			spend(t, filepath.Join(dir, "a.ledger"), c)
			must(t, os.Symlink("a.ledger", link))
			must(t, mustOpen(t, link).Close())
			must(t, os.Remove(link))
		}, looking("a", 60), ""},
	} {
		t.Run(name, func(t *testing.T) {
			ownState(t)
			dir := tempDir(t)
			c.before(t, dir)
			l := mustCreate(t, filepath.Join(dir, "new.ledger"), c.config)
			rc := mustRelease(t, l, request("r", 0.01), `1`)
			if w := strings.Join(rc.Status.Warnings, "\n"); (w != "") != (c.warned != "") || !strings.Contains(w, c.warned) {
				t.Errorf("warnings %q, want %q", w, c.warned)
			}
		})
	}
}

// A copy of the course that is deleted and fetched again runs, in the same folder or another, and so do other
// notebooks on rows that need no protection; nothing else becomes a rehearsal by saying so.
func TestRehearsal(t *testing.T) {
	ownState(t)
	dir := tempDir(t)
	course := looking("a", 60)
	course.Rehearsal = true
	for _, clone := range []string{"clone", "clone", "elsewhere", "clone"} {
		path := filepath.Join(mkdir(t, dir, clone), "a.ledger")
		l := mustCreate(t, path, course)
		rc := mustRelease(t, l, request("r", 0.2), `1`)
		if rc.Status.Releases != 1 || len(rc.Status.Warnings) > 0 || !strings.Contains(rc.Status.String(), "a rehearsal") {
			t.Errorf("%s: %v", clone, rc.Status)
		}
		if rc := mustRelease(t, mustOpen(t, path), request("r", 0.2), `2`); !rc.Replayed {
			t.Error("a rehearsal does not replay")
		}
		if s, err := l.Statement(); err != nil || !s.Rehearsal {
			t.Errorf("the statement does not say so: %v", err)
		}
		must(t, l.Close())
		must(t, os.RemoveAll(filepath.Dir(path)))
	}
	if lost, err := Lost(dir); err != nil || len(lost) > 0 {
		t.Errorf("lost %v, %v", lost, err)
	}
	real := looking("a", 60)
	path := filepath.Join(mkdir(t, dir, "real"), "a.ledger")
	spend(t, path, real)
	_, err := OpenOrCreate(path, course)
	says(t, err, ErrConfig, "rehearsal: the file has false, asked true")
	must(t, os.Remove(path))
	_, err = Create(path, course)
	says(t, err, ErrMissing, "put the file back")
	must(t, os.Remove(path+keySuffix))
	_, err = Create(path, course)
	says(t, err, ErrMissing, "put the file back")

	old := filepath.Join(dir, "old.ledger") // of version 1, which does not say
	writeLedger(t, old, version1(t))
	c := testConfig()
	c.Rehearsal = true
	l, err := OpenOrCreate(old, c)
	must(t, err)
	defer l.Close()
	if l.Config().Rehearsal || mustStatus(t, l).Rehearsal {
		t.Error("an old ledger becomes a rehearsal")
	}
}

// A state folder that was written before there were cards knows its ledgers all the same.
func TestStateFolderOfBefore(t *testing.T) {
	state := filepath.Join(ownState(t), "dpnb", "ledgers")
	dir := tempDir(t)
	path := filepath.Join(dir, "a.ledger")
	spend(t, path, testConfig())
	for _, kind := range []string{"cards", "names", "keys"} {
		must(t, os.RemoveAll(filepath.Join(state, kind)))
	}
	must(t, os.Remove(path))
	must(t, os.Remove(path+keySuffix))
	if l := mustCreate(t, filepath.Join(dir, "b.ledger"), looking("a", 60)); len(mustStatus(t, l).Warnings) != 1 {
		t.Error("no warning of a ledger of the same name")
	}
	_, err := Create(filepath.Join(dir, "c.ledger"), testConfig())
	says(t, err, ErrMissing, path)
	// The place of a ledger reads as it did: a program of before still finds it.
	b := readText(t, must1(t, placePath)(path))
	if strings.Contains(b, "unit") || strings.Contains(b, "schema") {
		t.Errorf("a place that an older program does not read: %s", b)
	}
}

func must1[A, B any](t *testing.T, f func(A) (B, error)) func(A) B {
	return func(a A) B {
		b, err := f(a)
		must(t, err)
		return b
	}
}

func TestLost(t *testing.T) {
	ownState(t)
	dir, err := canonical(tempDir(t))
	must(t, err)
	for _, name := range []string{"gone", "there", "below/gone", "uncharged"} {
		path := filepath.Join(mkdir(t, dir, filepath.Dir(name)), filepath.Base(name))
		c := testConfig()
		c.Dataset = name
		if name == "uncharged" {
			must(t, mustCreate(t, path, c).Close())
		} else {
			spend(t, path, c)
		}
	}
	for _, name := range []string{"gone", "below/gone", "uncharged"} {
		must(t, os.Remove(filepath.Join(dir, name)))
	}
	must(t, os.Symlink(dir, filepath.Join(tempDir(t), "link")))
	for at, want := range map[string]string{
		dir: "below/gone gone", filepath.Join(dir, "below"): "below/gone", filepath.Join(dir, "gone"): "gone", filepath.Join(dir, "there"): "", dir + "x": "",
	} {
		lost, err := Lost(at)
		must(t, err)
		var got []string
		for _, k := range lost {
			rel, err := filepath.Rel(dir, k.Path)
			must(t, err)
			if !k.Missing || k.Releases != 1 {
				t.Errorf("%+v", k)
			}
			got = append(got, rel)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %q", at, got, want)
		}
	}
	must(t, Forget(filepath.Join(dir, "gone")))
	if lost, err := Lost(dir); err != nil || len(lost) != 1 {
		t.Errorf("after Forget: %v, %v", lost, err)
	}
}

// Neither opening nor creating a ledger reads what the state folder holds of other datasets.
func TestOpeningReadsItsOwnBooks(t *testing.T) {
	state := filepath.Join(ownState(t), "dpnb", "ledgers")
	dir := tempDir(t)
	path := filepath.Join(dir, "a.ledger")
	spend(t, path, testConfig())
	mine := map[string]bool{}
	books := func() []string {
		all, err := filepath.Glob(filepath.Join(state, "*", "*"))
		must(t, err)
		return all
	}
	for _, b := range books() {
		mine[b] = true
	}
	for i := range 20 {
		c := testConfig()
		c.Dataset = fmt.Sprint("other ", i)
		spend(t, filepath.Join(dir, c.Dataset), c)
	}
	others := 0
	for _, b := range books() {
		if !mine[b] {
			others++
			must(t, os.Remove(b))
			must(t, syscall.Mkfifo(b, 0o600)) // who opens it waits for ever
			defer os.Remove(b)
		}
	}
	if others != 20*5 { // place, head, card, name, key
		t.Fatalf("%d books of other datasets", others)
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		l, err := OpenOrCreate(path, testConfig())
		must(t, err)
		defer l.Close()
		c := looking("a", 60)
		c.Project = path
		n := mustCreate(t, filepath.Join(dir, "new.ledger"), c)
		for _, l := range []*Ledger{l, n} {
			if rc := mustRelease(t, l, request("r", 0.01), `1`); len(rc.Status.Warnings) > 0 {
				t.Errorf("warnings %q", rc.Status.Warnings)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it waits for a book of another dataset")
	}
}
