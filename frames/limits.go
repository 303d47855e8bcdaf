package frames

import (
	"errors"
	"fmt"
)

// What the readers of text hold in memory at a time is bounded by these numbers, whatever a file holds: a packed
// file of a megabyte can unpack to a line of gigabytes. Rows that are accepted and declared columns are not limited.
const (
	defaultMaxRecord = 64 << 20 // bytes of a line and of a record
	guessBytes       = 64 << 10 // bytes of the first line from which a separator is guessed
	spareFields      = 1 << 16  // fields of a record that are kept, and not only counted, beyond the declared columns
	maxCounted       = 10_000   // problems after which reading stops
	maxColumns       = 1 << 20  // columns that a file may propose for a schema
	maxHeaderLevels  = 1 << 22  // levels that the header of an ARFF file may propose, over all columns
	maxGuessedLevels = 1 << 16  // different texts of a column that is guessed to be a category
	maxGuessedText   = 256 << 20
)

// maxRecord applies the default of CSVOptions.MaxRecord and its siblings.
func maxRecord(n int) int {
	if n == 0 {
		return defaultMaxRecord
	}
	return n
}

func validateMaxRecord(n int) error {
	if n < 0 {
		return fmt.Errorf("frames: options: got MaxRecord %d, want a number of bytes, or 0 for %d: fix it: %w", n, defaultMaxRecord, ErrOptions)
	}
	return nil
}

// tooLong refuses the line or record that starts on the given line.
func (rr *recordReader) tooLong(line int) error {
	return &CellError{Line: line, Err: fmt.Errorf("line or record %w of %d bytes: end records with a line feed, close their quotes, or raise MaxRecord if they are that long", ErrLimit, rr.limit)}
}

// limited is the place at which a limit ended reading, if one did.
func limited(err error) (*CellError, bool) {
	var c *CellError
	return c, errors.As(err, &c) && errors.Is(err, ErrLimit)
}
