package stage

import (
	"context"

	"github.com/dpkit-go/dpnb/frames"
)

// A Preprocessor transforms every row, after fitting itself to the data without noise if it has
// to. Check and Propagate see public facts only; Fit is the only place that sees rows.
//
// The guarantee of a chain is no better than the propagation that its steps report, and is conditional on that of every
// step of another module: Propagate must hold for every pair of datasets of the domain, and what Fit returns must keep to the schema of
// Check and the norm bound R. Errors and panics of Fit must not depend on rows. A step is a struct of exported parameters
// that [Register] was told of: a private release is told apart by them and by the registered name and law, not by the
// step's code. Package stagetest attacks what Propagate states.
type Preprocessor interface {
	// Check returns the public domain of the rows that come out, given that of the rows that go in. It says which parameters and
	// columns it refuses, by errors that wrap [ErrParameter], [ErrColumn] or [ErrOrder].
	Check(in frames.Schema) (out frames.Schema, err error)
	// Propagate moves the pair state, st.Before, through the step and lists the constants that the move rests on. Bounds are rounded
	// up ([Up]); an error that wraps [ErrOrder] says that there is none at this place.
	Propagate(st Stage) (Propagation, error)
	// Fit reads the rows ([ScanRows]) and returns the map from rows of st.In to rows of st.Out. What it learns it keeps by [Hide].
	Fit(ctx context.Context, in frames.Source, st Stage) (Transform, error)
}

// Transform maps one row: it writes the image of src, a feature of the schema that went in per number, which it must
// not change, to dst, a feature of the schema that comes out per number. NaN is a missing cell. The image
// depends on the row alone: where a table is not held in memory, the map is applied anew by whoever
// reads it. A step of dpkit may be asked for several rows at a time; one of another
// module is called for one row after the other, in any order. It may hold what Fit learnt, so it never
// leaves the session.
type Transform func(dst, src []float64)
