package glm

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprint("test fixture: ", err))
	}
	return v
}

// rowsOf makes a table of rows within the ball of radius 1.
func rowsOf(t testing.TB, x [][]float64, y []float64) *rows.Matrix {
	t.Helper()
	cols := []frames.Column{}
	for j := range x[0] {
		cols = append(cols, frames.Numeric(string(rune('a'+j)), -1, 1))
	}
	m := &rows.Matrix{Domain: must(frames.NewSchema(append(cols, frames.Label("label", "no", "yes"))...)), Cols: len(x[0]), Y: slices.Clone(y)}
	for _, row := range x {
		m.X = append(m.X, row...)
	}
	return m
}
