package mechanism

import (
	"github.com/dpkit-go/dpnb/frames"
)

// A ColumnReader is a mechanism that reads some columns of its schema, one that does not say so reads all; or a step that makes each column of
// that column alone, and releases something of these.
type ColumnReader interface {
	// ColumnsRead names columns of the schema that reaches it, the label included. The identity of a release calls it:
	// cells of other columns do not tell releases apart.
	ColumnsRead(in frames.Schema) []string
}

// A Readier is a mechanism that a release needs more for than a price does.
type Readier interface {
	// Ready reports what is missing. A release calls it before it pays.
	Ready() error
}
