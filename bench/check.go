package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/dpkit-go/dpnb/frames"
)

// checkCases put rows of eleven columns, of which one is a category, under guard: they are held to the schema and fingerprinted in one pass.
func checkCases() []benchCase {
	return []benchCase{{"check", 1, func(string, int) error { return nil }, loadCheck, nil}}
}

func loadCheck(_ context.Context, _ string, rows int) (func(context.Context) error, error) {
	var cols []frames.Column
	for _, name := range columns(10) {
		cols = append(cols, frames.Numeric(name, -8, 8))
	}
	s, err := frames.NewSchema(append(cols, frames.Category("c", "a", "b", "c", "d"))...)
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(7, 8))
	g := &generated{s, rows, make([]float64, 1024*11)}
	for i := range g.x {
		if g.x[i] = max(-8, min(8, r.NormFloat64())); i%11 == 10 {
			g.x[i] = float64(r.IntN(4))
		}
	}
	return func(ctx context.Context) error {
		_, err := frames.Check(ctx, g)
		return err
	}, nil
}

// generated are rows that nobody has checked, the same block again and again, so that what is measured is the check.
type generated struct {
	schema frames.Schema
	rows   int
	x      []float64
}

func (g *generated) Schema() frames.Schema { return g.schema }

func (g *generated) Rows() int { return g.rows }

func (g *generated) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	d := g.schema.Width()
	b := &frames.Block{Cols: d}
	for first := 0; first < g.rows; first += 1024 {
		n := min(1024, g.rows-first)
		b.First, b.Rows, b.X = first, n, g.x[:n*d]
		if err := fn(b); err != nil {
			return fmt.Errorf("behind row %d: %w", first+1, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
