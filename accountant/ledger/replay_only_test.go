package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestReplayOnly: a copy with the mark replays what the ledger holds, draws nothing else, and says so; without the mark it
// charges again. The mark of a project's ledger stops those of its datasets.
func TestReplayOnly(t *testing.T) {
	dir := t.TempDir()
	project := filepath.Join(dir, "project.ledger")
	mustCreate(t, project, testConfig())
	c := testConfig()
	c.Project = project
	path := filepath.Join(dir, "adult.ledger")
	l := mustCreate(t, path, c)
	first := mustRelease(t, l, request("first", 0.01), `38.5`)
	for _, marked := range []string{path, project} {
		must(t, os.WriteFile(marked+replaySuffix, nil, 0o600))
		calls := 0
		again, err := l.Release(t.Context(), request("first", 0.01), draws(`0`, &calls))
		if err != nil || !again.Replayed || string(again.Value) != string(first.Value) || calls != 0 {
			t.Errorf("%s: got %+v (%v) after %d draws, want the stored value", filepath.Base(marked), again, err, calls)
		}
		for _, r := range []Request{request("second", 0.01), fresh(request("first", 0.01))} {
			if _, err := l.Release(t.Context(), r, draws(`0`, &calls)); !errors.Is(err, ErrReplayOnly) || calls != 0 {
				t.Errorf("%s, %s: got %v after %d draws, want ErrReplayOnly", filepath.Base(marked), r.Name, err, calls)
			}
		}
		if s := mustStatus(t, l); s.Releases != 1 {
			t.Errorf("%d releases are charged, want 1", s.Releases)
		}
		must(t, os.Remove(marked+replaySuffix))
	}
	mustRelease(t, l, request("second", 0.01), `1`)
}
