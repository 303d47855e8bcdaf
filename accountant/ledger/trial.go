package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The environment of a trial. Who tries a notebook (nb test, nb check) sets it: each draw for a trial would give away as much as a
// release.
const (
	// TrialEnv says since when a program is a trial, as time.RFC3339: a ledger that was created before is there to replay and makes
	// no release, [ErrReplayOnly]. It covers copies of ledgers, and ledgers that the notebook reaches outside its copied folder, which
	// would be charged.
	TrialEnv = "DPNB_TRIAL_SINCE"
	// TrialStateEnv holds what XDG_STATE_HOME was before the trial moved it. What the user's state folder knows is copied to the
	// trial's, so that a ledger that is missing is missed in a trial too, and the folder itself is only read. A trial that draws,
	// since there never was a ledger and it is no rehearsal, leaves the file dpnb/ledgers/drawn in its state folder: what it prints is not to be shown.
	TrialStateEnv = "DPNB_TRIAL_STATE"
	// TrialFolderEnv has three lines: the notebook's folder, its copy, and the folder of the trial's own that holds the copy. A
	// ledger in the last is looked up by the path that it has in the first.
	TrialFolderEnv = "DPNB_TRIAL_FOLDER"
)

// drawnFile is left in the state folder of a trial that draws.
const drawnFile = "drawn"

// refuseDraw returns ErrReplayOnly for a ledger that was created before a trial began. What cannot be read counts as
// a trial of every ledger. Where it lets a draw of a trial pass it leaves the mark of it.
func (l *Ledger) refuseDraw(r Request) error {
	text := os.Getenv(TrialEnv)
	if text == "" {
		return nil
	}
	since, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return fmt.Errorf("ledger: %w: %s: got %q, want a time such as 2006-01-02T15:04:05Z, or nothing where this is no trial: nothing was drawn or charged (release %s)", ErrReplayOnly, TrialEnv, text, r.label())
	}
	l.mu.Lock()
	created, rehearsal := l.hist.header.Created, l.hist.header.Config.Rehearsal
	l.mu.Unlock()
	if !created.After(since) {
		return fmt.Errorf("ledger: %w, and this release is not in it: nothing was drawn or charged: "+
			"make the release by running the notebook, and try it again (release %s)", ErrReplayOnly, r.label())
	}
	if _, ok := os.LookupEnv(TrialStateEnv); !ok || rehearsal {
		return nil
	}
	dir, err := stateFolder()
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, drawnFile), nil, 0o600)
	}
	if err != nil {
		return fmt.Errorf("ledger: %w, and that it draws cannot be noted: nothing was drawn or charged: %w (release %s)", ErrReplayOnly, err, r.label())
	}
	return nil
}

// lookBack copies what the user's state folder knows to the one of a trial, unless that is there.
func lookBack(trial string) error {
	user, ok := os.LookupEnv(TrialStateEnv)
	if !ok {
		return nil
	}
	if _, err := os.Stat(trial); err == nil {
		return nil
	}
	from, err := stateFolderIn(user)
	if err != nil || from == trial {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(trial), 0o700); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(trial), "copy-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp) // gone after the rename
	if err := os.CopyFS(tmp, os.DirFS(from)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot copy %s for the trial: %w", from, err)
	}
	if err := os.Rename(tmp, trial); err != nil {
		if _, there := os.Stat(trial); there != nil {
			return err
		}
	}
	return nil // another process of the trial was as fast
}

// untried is the path that stands for one in the copy of a trial.
func untried(path string) string {
	f := strings.Split(os.Getenv(TrialFolderEnv), "\n")
	if len(f) != 3 {
		return path
	}
	if rel, err := filepath.Rel(f[2], path); err != nil || !filepath.IsLocal(rel) {
		return path
	}
	rel, err := filepath.Rel(f[1], path)
	if err != nil {
		return path
	}
	return filepath.Join(f[0], rel)
}

// notCopied explains that a ledger is where it belongs, and the trial's copy of the notebook's folder is without it.
func (p place) notCopied() error {
	if os.Getenv(TrialFolderEnv) == "" {
		return nil
	}
	if _, err := os.Stat(p.Path); err != nil {
		return nil //nolint:nilerr // it is gone
	}
	return fmt.Errorf("ledger: %s: %w, and its copy is without this one, hidden or outside the notebook's folder: keep the ledger in that folder, "+
		"under a name that does not begin with a dot", p.Path, ErrReplayOnly)
}
