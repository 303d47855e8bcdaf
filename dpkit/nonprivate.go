package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// ErrNonPrivate is returned by every attempt to print or store a [NonPrivate] value.
var ErrNonPrivate = stage.ErrNonPrivate

// NonPrivate wraps what a preprocessing step learnt from private rows without noise. It formats
// as a notice and cannot be serialised; nothing outside this package can unwrap it (the release
// rule, docs/theory/calculus.md#the-release-rule).
type NonPrivate[T any] = stage.NonPrivate[T]
