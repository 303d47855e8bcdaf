package rows

import (
	"errors"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// GramSum sums the outer products of rows, Σ x·xᵀ, with the kernels of [linalg.Gram].
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
	EachRun(b, func(from, to int) { g.Take(b.X[from*b.Cols:to*b.Cols], to-from, b.Cols) })
	g.Flush()
}

// Take adds n rows of d numbers.
func (g *GramSum) Take(x []float64, n, d int) {
	if g.Err == nil {
		g.Err = g.Sum.Add(x, n, d)
	}
}

// Flush ends a chunk: a panel does not reach into the next one, as its place would depend on the lanes.
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

// Adds: see [RoundingOf].
func (*GramSum) Adds() Rounding { return Counted }

func (g *GramSum) Code(c *Coder) {
	c.Name("outer products 1")
	c.Gram(g)
}

// Total empties the sum into a row-major d×d matrix; below its diagonal are zeros.
func (g *GramSum) Total(d int) ([]float64, error) {
	if g.Err != nil {
		return nil, g.Err
	}
	out := make([]float64, d*d)
	return out, g.Sum.Upper(out)
}
