package ledger

import (
	"fmt"
	"os"
)

// replaySuffix names the file beside a ledger that makes it replay-only: path + ".replay". Whoever copies a ledger
// to try a notebook in the copy (nb test, nb check) puts it there: the releases that were made come back, and no
// other is drawn, since each draw for a trial would give away as much as a release, and would be charged to a file
// that is thrown away.
const replaySuffix = ".replay"

// refuseDraw returns ErrReplayOnly where the ledger is replay-only. The file is looked for at each release, so
// that a ledger whose file appears later obeys too; what cannot be looked at counts as there.
func (l *Ledger) refuseDraw(r Request) error {
	if _, err := os.Lstat(l.path + replaySuffix); os.IsNotExist(err) {
		return nil
	}
	return fmt.Errorf("ledger: release %s: %w, and this release is not in it: nothing was drawn or charged: "+
		"make the release where the ledger is kept, by running the notebook, and try the copy again", r.label(), ErrReplayOnly)
}
