package steps

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// numberOf is a column of numbers: a feature or the label.
func numberOf(of, name string, in frames.Schema) (frames.Column, error) {
	c, ok := in.Column(name)
	switch {
	case !ok || c.Kind == frames.KindPerson || c.Kind == frames.KindIgnored:
		return c, fmt.Errorf("%s: %w", of, domain.UnknownColumn(name, in))
	case len(c.Levels) > 0:
		return c, fmt.Errorf("%s: column %q: got levels, want numbers: take ShareOf or MostFrequent: %w", of, name, stage.ErrColumn)
	case c.Kind == frames.KindText:
		return c, fmt.Errorf("%s: column %q: got texts, want numbers: take Latest, or put Codebook before: %w", of, name, stage.ErrColumn)
	case c.Block != "":
		return c, blockPart(of, c)
	}
	return c, nil
}

// blockPart refuses a part of a category that was encoded.
func blockPart(of string, c frames.Column) error {
	return fmt.Errorf("%s: column %q is a part of the category %q: put PerPerson before OneHot, and take ShareOf or MostFrequent: %w", of, c.Name, c.Block, stage.ErrColumn)
}

// levelsOf is a category, or a label of classes.
func levelsOf(of, name string, in frames.Schema) (frames.Column, error) {
	c, ok := in.Column(name)
	switch {
	case !ok || c.Kind == frames.KindPerson || c.Kind == frames.KindIgnored:
		return c, fmt.Errorf("%s: %w", of, domain.UnknownColumn(name, in))
	case c.Kind == frames.KindText:
		return c, fmt.Errorf("%s: column %q: got texts, want levels: put Codebook before: %w", of, name, stage.ErrColumn)
	case len(c.Levels) == 0:
		return c, fmt.Errorf("%s: column %q: got numbers, want levels: take MeanOf, MinOf, MaxOf or SumOf: %w", of, name, stage.ErrColumn)
	}
	c.Rest = "" // cells are levels already
	return c, nil
}

// sameNumbers is a column of numbers under another name.
func sameNumbers(of, name, as string, in frames.Schema) (frames.Column, error) {
	c, err := numberOf(of, name, in)
	c.Name, c.Clamp = as, false
	return c, err
}

// placeOf is the column of a bag that holds a feature or, last, the label.
func placeOf(name string, in frames.Schema) int {
	if j, ok := in.FeatureIndex(name); ok {
		return j
	}
	return in.Width()
}

// numbers are those of a bag's cells that are there.
type numbers struct {
	sum float64
	n   int
}

// mostSummed is what a number of a column without bounds counts as at most, so that no sum of a person's overflows. Bounds are far below it.
const mostSummed = 1e290

// sumOf adds a bag's cells in the order of its rows, which is that of their values: the sum has the same bits whatever the table's order.
func sumOf(b rows.Bag, col int) numbers {
	var s rows.Neumaier
	n := 0
	for i := range b.Rows {
		if v := b.At(i, col); !math.IsNaN(v) {
			s.Add(num.Clamp(v, -mostSummed, mostSummed))
			n++
		}
	}
	return numbers{s.Sum(), n}
}

// extreme is the best of a bag's cells, NaN where none is there.
func extreme(col int, better func(v, best float64) bool) func(rows.Bag) float64 {
	return func(b rows.Bag) float64 {
		best := math.NaN()
		for i := range b.Rows {
			if v := b.At(i, col); math.IsNaN(best) || better(v, best) {
				best = v
			}
		}
		return best
	}
}
