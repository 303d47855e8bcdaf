package dpkit

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// drawnFrom is a release of a mechanism from rows at a stage.
func drawnFrom[V any](t testing.TB, m mechanism[V], in frames.Source, st Stage, rng *noise.Source) V {
	t.Helper()
	draw := must(must(m.Settle(st)).read(t.Context(), inProcess{in}))
	return must(draw(t.Context(), rng))
}

// design is a table in memory, and the norms that a run keeps of its rows.
type design struct {
	*matrix
	squares []float64
	known   bool
}

// designOf is the table of a source of d features and a label.
func designOf(ctx context.Context, in frames.Source, d int) (design, error) {
	m, err := materialise(ctx, in, in.Schema(), sameRow)
	if err == nil && (m.cols != d || len(m.y) == 0) {
		err = fmt.Errorf("got %d columns and %d labels, want %d columns and a label for each row", m.cols, len(m.y), d)
	}
	return design{matrix: m}, err
}

// sumOf writes the sum of all rows' clipped gradients, or of those that were drawn.
func sumOf(ctx context.Context, pl *descent, sums []int64, x design, w []float64, drawn rowSet) error {
	return pl.gradientSum(ctx, sums, inProcess{x.matrix}, w, drawn, rowSquares{x.squares, x.known})
}

// partialSum adds the clipped gradients of rows from..to.
func partialSum(pl *descent, sums []int64, x design, w []float64, from, to int) error {
	g := gradients{pl: pl, w: w, sums: sums}
	return g.block(x.block(from, to), rowSquares{})
}

// resealed is a body with its checksum.
func resealed(body []byte) []byte {
	return binary.LittleEndian.AppendUint32(body, crc32.Checksum(body, castagnoli))
}
