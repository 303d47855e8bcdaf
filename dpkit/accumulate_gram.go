package dpkit

import (
	"errors"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// gramSum sums the outer products of rows, Σ x·xᵀ, with the kernels of [linalg.Gram].
type gramSum struct {
	sum *linalg.Gram
	err error // for rows of no features
}

// panelRows is the number of rows that are summed at a time.
const panelRows = linalg.PanelRows

func newGramSum(d int) *gramSum {
	sum, err := linalg.NewGram(d)
	return &gramSum{sum, err}
}

func (g *gramSum) add(b *frames.Block) {
	eachRun(b, func(from, to int) { g.take(b.X[from*b.Cols:to*b.Cols], to-from, b.Cols) })
	g.flush()
}

// take adds n rows of d numbers.
func (g *gramSum) take(x []float64, n, d int) {
	if g.err == nil {
		g.err = g.sum.Add(x, n, d)
	}
}

// flush ends a chunk: a panel does not reach into the next one, as its place would depend on the lanes.
func (g *gramSum) flush() {
	if g.err == nil {
		g.sum.Flush()
	}
}

func (g *gramSum) merge(next *gramSum) {
	if g.err = errors.Join(g.err, next.err); g.err == nil {
		g.err = g.sum.Merge(next.sum)
	}
}

func (g *gramSum) code(c *coder) {
	c.name("outer products 1")
	c.gram(g)
}

// total empties the sum into a row-major d×d matrix; below its diagonal are zeros.
func (g *gramSum) total(d int) ([]float64, error) {
	if g.err != nil {
		return nil, g.err
	}
	out := make([]float64, d*d)
	return out, g.sum.Upper(out)
}
