package dpkit

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// drawnFrom is a release of a mechanism from rows at a stage.
func drawnFrom[V any](t testing.TB, m mechanism.Mechanism[V], in frames.Source, st stage.Stage, rng *noise.Source) V {
	t.Helper()
	draw := must(must(m.Settle(st)).Read(t.Context(), rows.InProcess{In: in}))
	return must(draw(t.Context(), rng))
}

// design is a table in memory, and the norms that a run keeps of its rows.
type design struct {
	*rows.Matrix
	squares []float64
	known   bool
}

// designOf is the table of a source of d features and a label.
func designOf(ctx context.Context, in frames.Source, d int) (design, error) {
	m, err := rows.Materialise(ctx, in, in.Schema(), rows.SameRow)
	if err == nil && (m.Cols != d || len(m.Y) == 0) {
		err = fmt.Errorf("got %d columns and %d labels, want %d columns and a label for each row", m.Cols, len(m.Y), d)
	}
	return design{Matrix: m}, err
}

// sumOf writes the sum of all rows' clipped gradients, or of those that were drawn.
func sumOf(ctx context.Context, pl *gradient.Descent, sums []int64, x design, w []float64, drawn rows.RowSet) error {
	return pl.GradientSum(ctx, sums, rows.InProcess{In: x.Matrix}, w, drawn, gradient.RowSquares{Of: x.squares, Known: x.known})
}

// partialSum adds the clipped gradients of rows from..to.
func partialSum(pl *gradient.Descent, sums []int64, x design, w []float64, from, to int) error {
	b := x.Block(from, to)
	part, own := &rows.Matrix{Domain: x.Domain, Cols: b.Cols, X: b.X, Y: b.Y, Empty: b.Empty}, make([]int64, len(sums))
	err := sumOf(context.Background(), pl, own, design{Matrix: part}, w, nil)
	for j, v := range own {
		sums[j] += v
	}
	return err
}

// resealed is a body with its checksum.
func resealed(body []byte) []byte {
	return binary.LittleEndian.AppendUint32(body, crc32.Checksum(body, rows.Castagnoli))
}
