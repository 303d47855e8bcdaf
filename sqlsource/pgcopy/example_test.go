package pgcopy_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/sqlsource/pgcopy"
)

// Of a transaction that sees one state of the database; begin it by BeginTx of a connection or a pool, and open that.
func ExampleSnapshot() {
	o := pgcopy.Snapshot()
	fmt.Println(o.IsoLevel, o.AccessMode)
	// Output: repeatable read read only
}
