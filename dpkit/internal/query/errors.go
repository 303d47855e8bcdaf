package query

import (
	"errors"
)

// ErrTestFailed is returned by a release one of whose tests did not pass: nothing but that was
// released, and the release is paid for. The same release replays its refusal; one that asks for
// less (a smaller gap, a larger cap) is a new release.
var ErrTestFailed = errors.New("the test of a declared number did not pass")
