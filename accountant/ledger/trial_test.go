package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTrial: in a trial a ledger that was made before it replays what it holds, draws nothing else, and says so; one that was made
// in the trial draws. The project's ledger stops those of its datasets, whichever are older.
func TestTrial(t *testing.T) {
	dir := tempDir(t)
	project := filepath.Join(dir, "project.ledger")
	mustCreate(t, project, testConfig())
	c := testConfig()
	c.Project = project
	path := filepath.Join(dir, "adult.ledger")
	l := mustCreate(t, path, c)
	first := mustRelease(t, l, request("first", 0.01), `38.5`)
	since := time.Now().UTC()
	later, alone := mustCreate(t, filepath.Join(dir, "later.ledger"), c), mustCreate(t, filepath.Join(dir, "alone.ledger"), testConfig())
	for _, text := range []string{since.Format(time.RFC3339Nano), since.Format(time.RFC3339), "no time", since.Add(time.Hour).Format(time.RFC3339Nano)} {
		t.Setenv(TrialEnv, text)
		calls := 0
		again, err := l.Release(t.Context(), request("first", 0.01), draws(`0`, &calls))
		if err != nil || !again.Replayed || string(again.Value) != string(first.Value) || calls != 0 {
			t.Errorf("%s: got %+v (%v) after %d draws, want the stored value", text, again, err, calls)
		}
		if text == since.Format(time.RFC3339) {
			continue // cut to seconds, it may be before the ledger
		}
		for _, r := range []Request{request("second", 0.01), fresh(request("first", 0.01))} {
			if _, err := l.Release(t.Context(), r, draws(`0`, &calls)); !errors.Is(err, ErrReplayOnly) || calls != 0 {
				t.Errorf("%s, %s: got %v after %d draws, want ErrReplayOnly", text, r.Name, err, calls)
			}
		}
		if _, err := later.Release(t.Context(), request("third", 0.01), draws(`0`, &calls)); !errors.Is(err, ErrReplayOnly) || calls != 0 {
			t.Errorf("%s: a later ledger of an older project: got %v after %d draws, want ErrReplayOnly", text, err, calls)
		}
		if s := mustStatus(t, l); s.Releases != 1 {
			t.Errorf("%s: %d releases are charged, want 1", text, s.Releases)
		}
	}
	t.Setenv(TrialEnv, since.Format(time.RFC3339Nano))
	mustRelease(t, alone, request("of the trial", 0.01), `1`)
	t.Setenv(TrialEnv, "")
	mustRelease(t, l, request("second", 0.01), `1`)
}

// TestTrialLooksBack: a trial, whose state folder is one of its own, misses what the user's folder knows, by the path in the
// notebook's folder, and leaves that folder as it is. Where there never was a ledger it draws, and says so.
func TestTrialLooksBack(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in := func(elements ...string) string { return filepath.Join(append([]string{root}, elements...)...) }
	for _, dir := range []string{in("notes"), in("work", "notebook"), in("state"), in("elsewhere")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("XDG_STATE_HOME", in("state"))
	for _, path := range []string{in("notes", "gone.ledger"), in("notes", ".hidden.ledger"), in("outside.ledger"), in("elsewhere", "gone.ledger")} {
		c := testConfig()
		c.Dataset = path // else one that is gone stands in the way of the others
		l := mustCreate(t, path, c)
		mustRelease(t, l, request("first", 0.1), `38.5`)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if filepath.Base(path) == "gone.ledger" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	content := func() (all string) {
		err := filepath.WalkDir(in("state"), func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			all += path + string(data)
			return err
		})
		if err != nil || all == "" {
			t.Fatal("the user's state folder", err)
		}
		return all
	}
	before := content()

	trial := in("work", "state")
	t.Setenv("XDG_STATE_HOME", trial)
	t.Setenv(TrialStateEnv, in("state"))
	t.Setenv(TrialFolderEnv, in("notes")+"\n"+in("work", "notebook")+"\n"+in("work"))
	t.Setenv(TrialEnv, time.Now().UTC().Format(time.RFC3339Nano))
	drawn := filepath.Join(trial, "dpnb", "ledgers", drawnFile)
	for _, tc := range []struct{ name, path, says string }{
		{"in the copy", in("work", "notebook", "gone.ledger"), "nb ledger forget -yes " + in("notes", "gone.ledger")},
		{"elsewhere", in("elsewhere", "gone.ledger"), in("elsewhere", "gone.ledger") + ": the ledger of"},
		{"not copied", in("work", "notebook", ".hidden.ledger"), in("notes", ".hidden.ledger") + ": in a trial"},
		{"above the folder", in("work", "outside.ledger"), in("outside.ledger") + ": in a trial"},
	} {
		l, err := OpenOrCreate(tc.path, testConfig())
		if err == nil {
			_ = l.Close()
		}
		if err == nil || !strings.Contains(err.Error(), tc.says) || !errors.Is(err, ErrMissing) && !errors.Is(err, ErrReplayOnly) {
			t.Errorf("%s: got %v, want a refusal with %q", tc.name, err, tc.says)
		}
		if _, err := os.Stat(tc.path); err == nil {
			t.Errorf("%s: a ledger was made", tc.name)
		}
	}
	c := testConfig()
	c.Rehearsal = true
	mustRelease(t, mustCreate(t, in("work", "notebook", "rehearsal.ledger"), c), request("of no protection", 0.01), `1`)
	l := mustCreate(t, in("work", "notebook", "new.ledger"), testConfig())
	if _, err := os.Stat(drawn); err == nil {
		t.Error("a trial that has not drawn says that it did")
	}
	mustRelease(t, l, request("of the trial", 0.01), `1`)
	if _, err := os.Stat(drawn); err != nil {
		t.Errorf("a trial drew, and does not say so: %v", err)
	}
	if content() != before {
		t.Error("a trial wrote to the user's state folder")
	}
}

// TestTrialWithoutState: a draw that cannot be noted is none.
func TestTrialWithoutState(t *testing.T) {
	since := time.Now().UTC()
	l := mustCreate(t, filepath.Join(t.TempDir(), "new.ledger"), testConfig())
	file := filepath.Join(t.TempDir(), "a file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", file)
	t.Setenv(TrialStateEnv, t.TempDir())
	t.Setenv(TrialEnv, since.Format(time.RFC3339Nano))
	calls := 0
	if _, err := l.Release(t.Context(), request("first", 0.01), draws(`0`, &calls)); !errors.Is(err, ErrReplayOnly) || calls != 0 {
		t.Errorf("got %v after %d draws, want ErrReplayOnly", err, calls)
	}
}

// TestUntried: the paths of a trial's copy and what they stand for.
func TestUntried(t *testing.T) {
	t.Setenv(TrialFolderEnv, "/home/me/notes\n/tmp/cells-1/notebook\n/tmp/cells-1")
	for path, want := range map[string]string{
		"/tmp/cells-1/notebook/a.ledger":   "/home/me/notes/a.ledger",
		"/tmp/cells-1/notebook/b/a.ledger": "/home/me/notes/b/a.ledger",
		"/tmp/cells-1/a.ledger":            "/home/me/a.ledger",
		"/tmp/cells-12/notebook/a.ledger":  "/tmp/cells-12/notebook/a.ledger",
		"/home/me/notes/a.ledger":          "/home/me/notes/a.ledger",
		"/elsewhere/a.ledger":              "/elsewhere/a.ledger",
	} {
		if got := untried(path); got != want {
			t.Errorf("untried(%q) = %q, want %q", path, got, want)
		}
	}
	for _, bad := range []string{"", "/a\n/b", "/a\n/b\n/c\n/d"} {
		t.Setenv(TrialFolderEnv, bad)
		if got := untried("/b/a.ledger"); got != "/b/a.ledger" {
			t.Errorf("under %q: got %q", bad, got)
		}
	}
}
