package cost

import (
	"fmt"
	"math"
)

// Held is what a chain holds of its tables in memory while it releases, beside the source, by public sizes.
type Held struct {
	// Bytes are those of the tables that are held at a time, at most.
	Bytes int64 `json:"bytes,omitempty"`
	// Streamed is how many tables are not held, but read anew, block by block, for each fit behind them.
	Streamed int `json:"streamed,omitempty"`
}

// worthSaying are bytes that any machine has: where no more are held, nobody need be told.
const worthSaying = 1 << 28

// String says it where a machine may feel it, else it is empty.
func (h Held) String() string {
	size := fmt.Sprintf("tables of up to %.0f MB are held at a time", math.Ceil(float64(h.Bytes)/1e6))
	switch {
	case h.Streamed == 1:
		return size + "; 1 is read anew, block by block, for each fit behind it (Session.Memory)"
	case h.Streamed > 1:
		return size + fmt.Sprintf("; %d are read anew, block by block, for each fit behind them (Session.Memory)", h.Streamed)
	case h.Bytes < worthSaying:
		return ""
	}
	return size
}
