package parquet

import (
	"errors"
	"fmt"

	"github.com/dpkit-go/dpnb/frames"
)

// What callers branch on beside the errors of package frames: of columns that are not there ([frames.ErrHeader]), limits
// ([frames.ErrLimit]), cells ([frames.ErrBounds] and others) and files that change ([frames.ErrChanged]).
var (
	ErrFormat = errors.New("not a Parquet file that can be read")
	ErrType   = frames.ErrType
)

var errLimit = frames.ErrLimit

// damaged places an error in a file. Its text holds no value.
func damaged(path string, err error) error {
	if errors.Is(err, errLimit) {
		return fmt.Errorf("parquet: %s: %w", path, err)
	}
	return fmt.Errorf("parquet: %s: %w: %w", path, ErrFormat, err)
}
