package mechanism

import (
	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Deployed is a released value that takes over the public row maps of its chain.
type Deployed interface {
	Deploy(raw frames.Schema, m stage.RowMap)
}

// Signed is a released value that notes where it came from.
type Signed interface {
	Sign(release string, g accountant.Guarantee, notPrivate string)
}

// A ColumnReader is a mechanism that reads some columns of its schema. One that does not say so reads all.
type ColumnReader interface {
	ColumnsRead(in frames.Schema) []string
}

// A Readier is a mechanism that a release needs more for than a price does.
type Readier interface{ Ready() error }
