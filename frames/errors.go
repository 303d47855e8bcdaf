package frames

import "errors"

// What callers branch on; every error of this package wraps one of these, a context's error, an
// error of the file system, or the error of the caller's own function.
var (
	ErrSchema    = errors.New("invalid schema")
	ErrOptions   = errors.New("invalid options")
	ErrEmpty     = errors.New("no rows")
	ErrEncoding  = errors.New("not text in the declared encoding")
	ErrHeader    = errors.New("header mismatch")
	ErrSeparator = errors.New("wrong separator")
	ErrRagged    = errors.New("wrong number of fields")
	ErrIndex     = errors.New("index out of order or range")
	ErrQuote     = errors.New("misplaced or unclosed quote")
	ErrLimit     = errors.New("beyond the limit")
	ErrMissing   = errors.New("missing cell")
	ErrNumber    = errors.New("not a finite decimal number")
	ErrDate      = errors.New("not a day as declared")
	ErrPerson    = errors.New("not a person of the roster")
	ErrText      = errors.New("not a text that can be a key")
	ErrBounds    = errors.New("outside the declared bounds")
	ErrLevel     = errors.New("not a declared level")
	ErrType      = errors.New("another type than the schema wants")
	ErrChanged   = errors.New("file changed since it was opened")
	ErrElsewhere = errors.New("rows lie with other processes")
	ErrPrivate   = errors.New("private rows")
)
