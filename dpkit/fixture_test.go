package dpkit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

// tinySchema has two categories that may miss, a numeric column that may miss and one that may not.
func tinySchema(t testing.TB) frames.Schema {
	t.Helper()
	s, err := frames.NewSchema(
		frames.Numeric("age", 17, 90),
		frames.Category("work", "a", "b", "c").MayMiss(),
		frames.Numeric("pay", -1, 4).MayMiss(),
		frames.Category("home", "x", "y").MayMiss(),
		frames.Label("income", "low", "high"),
	)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tinyRow draws a raw row of tinySchema: features, then the label.
func tinyRow(r *rand.Rand) []float64 {
	row := []float64{17 + 73*r.Float64(), float64(r.IntN(3)), -1 + 5*r.Float64(), float64(r.IntN(2)), float64(r.IntN(2))}
	switch r.IntN(3) { // extreme values attain bounds
	case 0:
		row[0], row[2] = 17+73*float64(r.IntN(2)), -1+5*float64(r.IntN(2))
	}
	for _, j := range []int{1, 2, 3} {
		if r.Float64() < 0.4 {
			row[j] = math.NaN()
		}
	}
	return row
}

// frameOf makes a frame of raw rows (features, then the label, where there is one).
func frameOf(t testing.TB, s frames.Schema, rows [][]float64) *frames.Frame {
	t.Helper()
	d := len(s.Features())
	b := &frames.Block{Rows: len(rows), Cols: d}
	for _, row := range rows {
		b.X = append(b.X, row[:d]...)
		b.Y = append(b.Y, row[d:]...)
	}
	f, err := frames.FromBlock(s, b)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func tinyFrame(t testing.TB, n int, seed uint64) *frames.Frame {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = tinyRow(r)
	}
	return frameOf(t, tinySchema(t), rows)
}

func demo(t testing.TB, f *frames.Frame) *Session {
	t.Helper()
	s, err := Demo(f, 1, ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// private opens a session with a ledger in a folder of the test.
func private(t testing.TB, f *frames.Frame, path string, budget Budget) *Session {
	t.Helper()
	s, err := Create(f, Options{Ledger: path, Budget: budget, Neighbours: ReplaceOne, Dataset: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// ledgerPath is where a test may make a ledger, which nobody misses when the test ends and it is gone.
func ledgerPath(t testing.TB) string {
	path := filepath.Join(t.TempDir(), "test.ledger")
	t.Cleanup(func() { _ = ledger.Forget(path) }) // no test has to make one
	return path
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprint("test fixture: ", err))
	}
	return v
}

// matrixOf makes a matrix of rows of features and a label.
func matrixOf(table [][]float64) *rows.Matrix {
	m := &rows.Matrix{Cols: len(table[0]) - 1}
	for _, row := range table {
		m.X = append(m.X, row[:m.Cols]...)
		m.Y = append(m.Y, row[m.Cols])
	}
	return m
}

// lineSchema has d numeric columns in [lo, hi] that may miss, and a label.
func lineSchema(d int, lo, hi float64) frames.Schema {
	var cols []frames.Column
	for j := range d {
		cols = append(cols, frames.Numeric(fmt.Sprint("x", j), lo, hi).MayMiss())
	}
	return must(frames.NewSchema(append(cols, frames.Label("y", "a", "b"))...))
}

// nightly reports whether all of a registry is to be tried, and not the sample of CI.
func nightly() bool { return os.Getenv("DPNB_NIGHTLY") != "" }
