package dpkit

import (
	"context"

	"github.com/dpkit-go/dpnb/frames"
)

// exactSums sums every feature over the rows that are there, and counts them. The sums are compensated ones, in the order of the rows.
func exactSums(ctx context.Context, in driver, st Stage) (Estimates, int, error) {
	if err := encodedFeatures(st.In, ", or release its Histogram"); err != nil {
		return Estimates{}, 0, err
	}
	features := st.In.Features()
	sums := make([]neumaier, len(features))
	rows := 0
	err := in.inOrder(ctx, presentRows(func(row []float64, _ float64) {
		rows++
		for j, x := range row {
			sums[j].add(x)
		}
	}))
	e := Estimates{Sigma: []float64{}}
	for j, c := range features {
		e.add(c.Name, sums[j].sum(), 0)
	}
	return e, rows, err
}

// checkColumns reports a target out of range, and features that have no sum.
func (t Target) checkColumns(in frames.Schema) error {
	if err := t.check(); err != nil {
		return err
	}
	return encodedFeatures(in, ", or release its Histogram")
}
