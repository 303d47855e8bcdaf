package steps

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// movedBy subtracts fitted numbers from the columns.
func movedBy(fitted stage.NonPrivate[[]float64]) stage.Transform {
	mu := fitted.Get()
	return stage.ByBlock(num.Affine(mu, slices.Repeat([]float64{1}, len(mu))))
}

// scaledBy multiplies the columns by fitted numbers.
func scaledBy(fitted stage.NonPrivate[[]float64]) stage.Transform {
	f := fitted.Get()
	return stage.ByBlock(num.Affine(make([]float64, len(f)), f))
}

// inColumns copies rows but for the cells of some columns, which f maps: k is the column's place in the list.
func inColumns(at []int, f func(k int, x float64) float64) stage.Transform {
	return stage.ByBlock(num.Columns(at, f))
}
