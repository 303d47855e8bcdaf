package sums

import (
	"context"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// exactSums sums every feature over the rows that are there, and counts them. The sums are compensated ones, in the order of the rows.
func exactSums(ctx context.Context, in rows.Driver, st stage.Stage) (Estimates, int, error) {
	if err := domain.EncodedFeatures(st.In, ", or release its Histogram"); err != nil {
		return Estimates{}, 0, err
	}
	features := st.In.Features()
	sums := make([]rows.Neumaier, len(features))
	rows := 0
	err := in.InOrder(ctx, num.PresentRows(func(row []float64, _ float64) {
		rows++
		for j, x := range row {
			sums[j].Add(x)
		}
	}))
	e := Estimates{Sigma: []float64{}}
	for j, c := range features {
		e.add(c.Name, sums[j].Sum(), 0)
	}
	return e, rows, err
}
