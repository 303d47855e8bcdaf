package kernel

import (
	"context"
)

// cellGo is the program cellgo, which see.
var cellGo = carried{"cellgo", "go", "the builder of cells", []string{"version"}}

// CellGo returns a folder for the front of a kernel's PATH. Its program go builds an edited cell without asking whether
// dependencies have changed that cannot have, into which a third of the time goes; it leaves all else to the go command behind
// it (cellgo, its source, says how; DPNB_CELLGO=off in the kernel's environment turns it off). The program is built once
// and kept in the cache, "" for that of [Options]; note is told before. The error wraps ErrUnavailable; a kernel runs without.
func CellGo(ctx context.Context, cache string, note func(string)) (folder string, err error) {
	return cellGo.build(ctx, cache, note)
}
