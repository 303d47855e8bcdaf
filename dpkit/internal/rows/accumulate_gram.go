package rows

import (
	"errors"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// GramSum sums the outer products of rows of integers, Σ x·xᵀ, with the kernels of [linalg.Gram]: sums below 2^53 are exact. For other numbers
// see [GridSum].
type GramSum struct {
	Sum *linalg.Gram
	Err error // the first one; what follows it does nothing
}

// PanelRows is the number of rows that are summed at a time.
const PanelRows = linalg.PanelRows

// NewGramSum is the empty sum of rows of d numbers. Where [linalg.NewGram] refuses d, Err is set, and [GramSum.Total] returns it.
func NewGramSum(d int) *GramSum {
	sum, err := linalg.NewGram(d)
	return &GramSum{sum, err}
}

func (g *GramSum) Add(b *frames.Block) {
	EachRun(b, func(from, to int) {
		if g.Err == nil {
			g.Err = g.Sum.Add(b.X[from*b.Cols:to*b.Cols], to-from, b.Cols)
		}
	})
	g.Flush()
}

// Flush ends a panel: nothing is under way behind it.
func (g *GramSum) Flush() {
	if g.Err == nil {
		g.Sum.Flush()
	}
}

func (g *GramSum) Merge(next *GramSum) {
	if g.Err = errors.Join(g.Err, next.Err); g.Err == nil {
		g.Err = g.Sum.Merge(next.Sum)
	}
}

// Total empties the sum into a row-major d×d matrix; below its diagonal are zeros.
func (g *GramSum) Total(d int) ([]float64, error) {
	if g.Err != nil {
		return nil, g.Err
	}
	out := make([]float64, d*d)
	return out, g.Sum.Upper(out)
}
