package ledger

import (
	"fmt"
	"os"
	"time"
)

// TrialEnv names the variable of the environment that says since when a program is a trial, as time.RFC3339: a ledger
// that was created before is there to replay and makes no release, [ErrReplayOnly]. Who tries a notebook (nb test, nb check) sets it: each
// draw for a trial would give away as much as a release. It covers copies of ledgers, and ledgers that the notebook reaches
// outside its copied folder, which would be charged.
const TrialEnv = "DPNB_TRIAL_SINCE"

// refuseDraw returns ErrReplayOnly for a ledger that was created before a trial began. What cannot be read counts as
// a trial of every ledger.
func (l *Ledger) refuseDraw(r Request) error {
	text := os.Getenv(TrialEnv)
	if text == "" {
		return nil
	}
	since, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return fmt.Errorf("ledger: release %s: %w: %s: got %q, want a time such as 2006-01-02T15:04:05Z, or nothing where this is no trial: nothing was drawn or charged", r.label(), ErrReplayOnly, TrialEnv, text)
	}
	l.mu.Lock()
	created := l.hist.header.Created
	l.mu.Unlock()
	if created.After(since) {
		return nil
	}
	return fmt.Errorf("ledger: release %s: %w, and this release is not in it: nothing was drawn or charged: "+
		"make the release by running the notebook, and try it again", r.label(), ErrReplayOnly)
}
