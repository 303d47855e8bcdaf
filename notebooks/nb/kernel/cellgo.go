package kernel

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// cellGo is the program cellgo, which see.
var cellGo = carried{"cellgo", "go", "the builder of cells", []string{"version"}, []string{"gomod", "prebuilt"}}

// CellGo returns a folder for the front of a kernel's PATH. Its program go ties the kernel to the module around the notebook, so that
// cells import it and what it requires, and builds an edited cell without asking whether dependencies have changed that cannot have,
// into which a third of the time goes; it leaves all else to the go command behind it (cellgo, its source, says how;
// DPNB_CELLGO=off in the kernel's environment leaves builds as they are). The program is built once and kept in the cache, "" for
// that of [Options]; note is told before. The error wraps ErrUnavailable.
func CellGo(ctx context.Context, cache string, note func(string)) (folder string, err error) {
	return cellGo.build(ctx, cache, note)
}

// builder is [CellGo] for one run: where the cache cannot keep the program, it is in a folder that done removes.
func builder(ctx context.Context, cache string, note func(string)) (folder string, done func(), err error) {
	folder, err = CellGo(ctx, cache, note)
	if err == nil || ctx.Err() != nil {
		return folder, func() {}, err
	}
	private, made := os.MkdirTemp("", "nb-cellgo-")
	if made != nil {
		return "", nil, errors.Join(err, fmt.Errorf("nb: %w: %w", ErrUnavailable, made))
	}
	done = func() { _ = os.RemoveAll(private) }
	if folder, err = CellGo(ctx, private, note); err != nil {
		done()
	}
	return folder, done, err
}
