package celltest

import (
	"os"
	"path/filepath"
)

// Withheld says why the output of a cell, or a message of it, is not shown: what is drawn for a trial without a ledger is as good as a
// release, and no budget counts it.
const Withheld = "is not shown: there was no ledger to replay, and this trial drew from the rows: run the notebook first, then try it"

// Drew reports whether a trial with this state folder ($XDG_STATE_HOME) drew from rows. Package ledger leaves the mark.
func Drew(state string) bool {
	_, err := os.Lstat(filepath.Join(state, "dpnb", "ledgers", "drawn"))
	return err == nil
}

// shown is what a test may say of what its cell printed.
func (n *Notebook) shown(what, text string) string {
	if Drew(n.state()) {
		return what + " " + Withheld
	}
	return text
}
