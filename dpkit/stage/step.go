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

// Transform maps rows. The image of a row depends on that row alone: which rows are handed over at a time, and in which order, is up to the
// caller, and where a table is not held in memory the map is applied anew by whoever reads it. A map of a step of dpkit may be called at the same time
// for several blocks of rows; one of another module is called for one after the other. It may hold what Fit
// learnt, so it never leaves the session. [ByRow] makes one of a function of a row, which is all that most steps need; [ByBlock] of a function
// of several.
type Transform interface {
	// Map writes the images of n rows, which lie one behind the other in src, a feature of the schema that went in per number, to dst, a
	// feature of the schema that comes out per number. It must not change src. NaN is a missing cell.
	Map(dst, src []float64, n int)
}

// ByRow is the [Transform] of a function that maps one row.
type ByRow func(dst, src []float64)

// Map calls the function for one row after the other.
func (f ByRow) Map(dst, src []float64, n int) {
	if n == 0 {
		return
	}
	in, out := len(src)/n, len(dst)/n
	for i := range n {
		f(dst[i*out:(i+1)*out:(i+1)*out], src[i*in:(i+1)*in:(i+1)*in])
	}
}

// ByBlock is the [Transform] of a function that maps several rows at a time: loops over a column of all of them, written once, are faster than a call
// a row. It has the parameters of Map.
type ByBlock func(dst, src []float64, n int)

// Map calls the function.
func (f ByBlock) Map(dst, src []float64, n int) { f(dst, src, n) }
