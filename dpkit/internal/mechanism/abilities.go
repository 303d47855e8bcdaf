package mechanism

import (
	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Deployed is a released value that takes over the public row maps of its chain.
type Deployed interface {
	// Deploy keeps the map of the steps before the mechanism, from rows of raw to those that it read: prediction applies it.
	Deploy(raw frames.Schema, m stage.RowMap)
}

// Signed is a released value that notes where it came from.
type Signed interface {
	// Sign notes the name of the release and its guarantee, or why there is none: notPrivate is "" for a private release.
	Sign(release string, g accountant.Guarantee, notPrivate string)
}

// A ColumnReader is a mechanism that reads some columns of its schema. One that does not say so reads all.
type ColumnReader interface {
	// ColumnsRead names columns of the schema that reaches the mechanism, the label included. The identity of a release calls it:
	// cells of other columns do not tell releases apart.
	ColumnsRead(in frames.Schema) []string
}

// A Readier is a mechanism that a release needs more for than a price does.
type Readier interface {
	// Ready reports what is missing. A release calls it before it pays.
	Ready() error
}
