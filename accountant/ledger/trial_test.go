package ledger

import (
	"errors"
	"path/filepath"
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
