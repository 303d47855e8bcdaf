package stage

import (
	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/dpkit-go/dpnb/dpkit/internal/function"
)

// RegisterGota makes a function over named columns of a gota frame known to dpkit.Pipeline.Mutate under a name and a version, as
// [RegisterFunc] does a function of numbers; all that is said there holds. MutateOptions.From must list the same columns in the
// same order.
//
// The function is row-wise by construction and not by a promise: it is called with a frame of one row, made anew for each row, so
// that no neighbour is there to be read. A mean, a rank or a shift within it is that of one row. Columns are floats, no cell is missing,
// and what it returns is a series of one number; an error, another length or no number is a missing value, as NaN is. It must keep
// nothing from call to call, as with RegisterFunc. A call on two columns takes about a microsecond and allocates less than a
// kilobyte, which is free again behind it: a second for a million rows, where a function of numbers takes milliseconds.
func RegisterGota(name, version string, columns []string, fn func(row dataframe.DataFrame) series.Series) error {
	return function.RegisterGota(name, version, columns, fn)
}
