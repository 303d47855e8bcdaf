package ledger

import (
	"errors"

	"github.com/dpkit-go/dpnb/accountant"
)

// Sentinels that callers branch on with errors.Is.
var (
	// ErrExists: Create found a file.
	ErrExists = errors.New("ledger exists")
	// ErrMissing: Open found no file, Create found none where a ledger is known to have been, or the
	// open file is no longer the one at its path.
	ErrMissing = errors.New("ledger missing")
	// ErrDamaged: the file does not verify. It is never replaced by a fresh budget.
	ErrDamaged = errors.New("ledger damaged")
	// ErrNoLedger: the file does not begin like a ledger. It comes with [ErrDamaged]: a ledger may have been there.
	ErrNoLedger = errors.New("no ledger file")
	// ErrStale: another copy of the file has gone on. Nothing was charged.
	ErrStale = errors.New("ledger is not the latest copy")
	// ErrReplaced: another ledger is known to have been at the path. Nothing was charged.
	ErrReplaced = errors.New("ledger replaced")
	// ErrKey: the file with the ledger's key is missing, or holds another key.
	ErrKey = errors.New("key of the ledger missing")
	// ErrConfig: the file was made with another configuration.
	ErrConfig = errors.New("ledger has another configuration")
	// ErrBudget: the release does not fit what is left. Nothing was charged. It is [accountant.ErrBudget].
	ErrBudget = accountant.ErrBudget
	// ErrPureLeft: Request.PureOnly does not fit what is left of the part for pure releases. Nothing was charged.
	ErrPureLeft = errors.New("part for pure releases exceeded")
	// ErrExpired: the ledger's time is over. Nothing was charged.
	ErrExpired = errors.New("ledger expired")
	// ErrDataset: the release is on other data than the ledger is kept for. Nothing was charged.
	ErrDataset = errors.New("ledger is kept for other data")
	// ErrReplayOnly: a notebook is being tried, and ledgers that were there before replay releases and make none.
	ErrReplayOnly = errors.New("in a trial of a notebook its ledger replays only")
	// ErrReadOnly: the handle is of OpenReader.
	ErrReadOnly = errors.New("ledger opened for reading only")
	// ErrInterrupted: the release was charged and has no value.
	ErrInterrupted = errors.New("release charged without a value")
	// ErrEvent: the event cannot be composed by this version's filter. Nothing was charged.
	ErrEvent = errors.New("event refused")
	// ErrUnsupported: the operating system has no file lock that this package uses.
	ErrUnsupported = errors.New("ledger unsupported on this system")
	// ErrClosed: the handle was closed.
	ErrClosed = errors.New("ledger closed")
)
