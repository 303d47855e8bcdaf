package dpkit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// BenchmarkSmall releases what one asks of a table of 30 000 rows, as that of Adult: eight categories, six numbers, a class.
func BenchmarkSmall(b *testing.B) {
	const rows = 30_000
	var cols []frames.Column
	for j := range 8 {
		var levels []string
		for l := range 2 + 2*j {
			levels = append(levels, fmt.Sprint("l", l))
		}
		cols = append(cols, frames.Category(fmt.Sprint("c", j), levels...))
	}
	for j := range 6 {
		cols = append(cols, frames.Numeric(fmt.Sprint("x", j), 0, 100))
	}
	s, err := frames.NewSchema(append(cols, frames.Label("y", "no", "yes"))...)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	block := &frames.Block{Rows: rows, Cols: 14}
	for range rows {
		y := 0.0
		for j := range 8 {
			block.X = append(block.X, float64(r.IntN(2+2*j)))
		}
		for range 6 {
			v := 100 * r.Float64()
			block.X = append(block.X, v)
			y += v
		}
		if y > 300 {
			y = 1
		} else {
			y = 0
		}
		block.Y = append(block.Y, y)
	}
	f, err := frames.FromBlock(s, block)
	if err != nil {
		b.Fatal(err)
	}
	session, err := Demo(f, 1, accountant.ReplaceOne)
	if err != nil {
		b.Fatal(err)
	}
	t := Target{Epsilon: 1, Delta: 1e-6}
	data := session.Data()
	encoded := data.OneHot().Scale().ClipNorm(1)
	for _, c := range []struct {
		name    string
		release func(context.Context) error
	}{
		{"count", releasing(data.Count(t, Between("x1", 10, 50)))},
		{"histogram", releasing(data.Histogram("c3", t))},
		{"mean", releasing(data.Select("x1").Mean(t))},
		{"means", releasing(data.Select("x0", "x1", "x2", "x3", "x4", "x5").Mean(t))},
		{"gradient", releasing(encoded.FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6}))},
		{"objective", releasing(encoded.FitLogistic(ByObjective{Epsilon: 1, Delta: 1e-6}))},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.release(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func releasing[V any](p Plan[V]) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := p.Release(ctx)
		return err
	}
}
