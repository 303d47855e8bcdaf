package ledger

import "errors"

// Sentinels that callers branch on with errors.Is.
var (
	// ErrExists: Create found a file.
	ErrExists = errors.New("ledger exists")
	// ErrMissing: Open found no file, or the open file is no longer the one at its path.
	ErrMissing = errors.New("ledger missing")
	// ErrDamaged: the file does not verify. It is never replaced by a fresh budget.
	ErrDamaged = errors.New("ledger damaged")
	// ErrConfig: the file was made with another configuration.
	ErrConfig = errors.New("ledger has another configuration")
	// ErrBudget: the release does not fit what is left. Nothing was charged.
	ErrBudget = errors.New("budget exceeded")
	// ErrInterrupted: the release was charged and has no value.
	ErrInterrupted = errors.New("release charged without a value")
	// ErrEvent: the event cannot be composed by this version's filter. Nothing was charged.
	ErrEvent = errors.New("event refused")
	// ErrUnsupported: the operating system has no file lock that this package uses.
	ErrUnsupported = errors.New("ledger unsupported on this system")
	// ErrClosed: the handle was closed.
	ErrClosed = errors.New("ledger closed")
)
