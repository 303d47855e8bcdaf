package datasets

import (
	"fmt"

	"github.com/dpkit-go/dpnb/frames"
)

// a9aAttributes are the 14 attributes of UCI Adult in the order of adult.names and the number of
// binary features that each becomes: one per level, and for a continuous one five quantiles
// (Platt 1998, "Fast training of support vector machines using sequential minimal optimization"),
// or zero and the rest for the two capital columns. They are 123, as the LIBSVM data page counts.
// The edges of the quantiles were taken from all rows once; a guarantee takes them as given.
func a9aAttributes() []struct {
	name     string
	features int
} {
	return []struct {
		name     string
		features int
	}{
		{"age", 5},
		{"workclass", 8},
		{"fnlwgt", 5},
		{"education", 16},
		{"education-num", 5},
		{"marital-status", 7},
		{"occupation", 14},
		{"relationship", 6},
		{"race", 5},
		{"sex", 2},
		{"capital-gain", 2},
		{"capital-loss", 2},
		{"hours-per-week", 5},
		{"native-country", 41},
	}
}

// A9ASchema is the domain of a9a: 123 binary features and the label with the classes −1 and 1. The
// features of one attribute are a block, since a row has at most one of them, and none where the
// attribute misses: so a row's norm is at most √14. The loader holds every row to it.
func A9ASchema() frames.Schema {
	var cols []frames.Column
	for _, a := range a9aAttributes() {
		for k := 1; k <= a.features; k++ {
			c := frames.Numeric(fmt.Sprintf("%s %d", a.name, k), 0, 1)
			c.Block = a.name
			cols = append(cols, c)
		}
	}
	return schema(append(cols, frames.Label("label", "-1", "1"))...)
}

// A9A returns the 32561 rows of a9a from a copy whose indices start at 0. The frame is dense
// and takes 32 MB.
func A9A() (*frames.Frame, string, error) {
	read := func(paths ...string) (*frames.Frame, error) {
		return frames.ReadLibSVM(paths[0], A9ASchema(), frames.LibSVMOptions{ZeroBased: true})
	}
	return load("LIBSVM a9a", read, "adult/a9a.trn.bz2")
}
