package dpkit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// benchRows has n rows of d columns, a tenth of which are duplicates of another row, or near it.
func benchRows(n, d int, near float64) (*rows.Matrix, stage.Stage) {
	r := rand.New(rand.NewPCG(6, 1))
	var cols []frames.Column
	for j := range d {
		cols = append(cols, frames.Numeric(fmt.Sprint("x", j), -6, 6))
	}
	in := must(frames.NewSchema(append(cols, frames.Label("y", "a", "b"))...))
	m := &rows.Matrix{Domain: in, Cols: d, X: make([]float64, n*d), Y: make([]float64, n)}
	for i := range n {
		row := m.Row(i)
		if i > 0 && r.IntN(10) == 0 {
			k := r.IntN(i)
			m.Y[i] = m.Y[k]
			for j, v := range m.Row(k) {
				row[j] = v + near*r.Float64()
			}
			continue
		}
		m.Y[i] = float64(r.IntN(2))
		for j := range row {
			row[j] = min(max(r.NormFloat64(), -5), 5)
		}
	}
	return m, stage.Stage{In: in, Out: in, Before: must(pair.Start(n, 100, ReplaceOne))}
}

func clone(m *rows.Matrix) *rows.Matrix {
	c := *m
	c.X, c.Y = append([]float64{}, m.X...), append([]float64{}, m.Y...)
	return &c
}

// BenchmarkDedup compares a step with a plain pass over the same rows.
func BenchmarkDedup(b *testing.B) {
	ctx := context.Background()
	run := func(name string, n, d int, near float64, f func(*rows.Matrix, stage.Stage) error) {
		b.Run(name, func(b *testing.B) {
			m, st := benchRows(n, d, near)
			b.ResetTimer()
			for range b.N {
				b.StopTimer()
				c := clone(m)
				b.StartTimer()
				if err := f(c, st); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	step := func(p rows.Rewriter) func(*rows.Matrix, stage.Stage) error {
		return func(m *rows.Matrix, st stage.Stage) error { return p.Rewrite(ctx, m, st) }
	}
	const n, d = 1_000_000, 20
	run("pass", n, d, 0, func(m *rows.Matrix, _ stage.Stage) error {
		var s float64
		for i := range m.Rows() {
			for _, v := range m.Row(i) {
				s += v
			}
		}
		if s == 0 {
			b.Fatal("the pass was left out")
		}
		return nil
	})
	run("copy", n, d, 0, func(m *rows.Matrix, st stage.Stage) error { // what every step costs
		_, err := rows.Materialise(ctx, m, st.Out, stage.ByRow(steps.CopyRow))
		return err
	})
	run("exact", n, d, 0, step(steps.ExactDedup{}))
	run("grid centre", n, d, 0, func(m *rows.Matrix, st stage.Stage) error {
		g := steps.GridDedup{Grid: Grid{Width: 0.5}, Keys: nil}
		t, err := g.Fit(ctx, m, st)
		if err != nil {
			return err
		}
		if m, err = rows.Materialise(ctx, m, st.Out, t); err != nil {
			return err
		}
		return g.Rewrite(ctx, m, st)
	})
	run("grid smallest", n, d, 0, step(steps.GridDedup{Grid: Grid{Width: 0.5, Representative: CellSmallest}, Keys: nil}))
	for _, c := range []struct {
		name string
		d    int
		near float64
	}{{"ball d=2", 2, 1e-4}, {"ball d=10", 10, 1e-3}} {
		run(c.name, 100_000, c.d, c.near, step(steps.BallDedup{Ball: Ball{Eta: 4 * c.near, MaxCluster: 20}, Keys: nil}))
	}
	run("ball d=20", 100_000, 20, 1e-3, step(steps.BallDedup{Ball: Ball{Eta: 4e-3, MaxCluster: 20}, Keys: nil}))
}
