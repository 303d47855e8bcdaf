package federated_test

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/federated"
	"github.com/dpkit-go/dpnb/frames"
)

// Two nodes train one model: each shows its private gradients to the coordinator, and nothing else. On real rows the
// sessions are made by dpkit.Create, each with a ledger of its own.
func Example() {
	ctx := context.Background()
	schema, err := frames.NewSchema(frames.Numeric("hours", 0, 1), frames.NumericLabel("score", 0, 1))
	check(err)
	var links []federated.Link
	results := make(chan dpkit.Result[federated.Model], 2)
	for k := range 2 {
		block := &frames.Block{Rows: 50000, Cols: 1}
		for i := range block.Rows {
			x := float64(i%100) / 100
			block.X, block.Y = append(block.X, x), append(block.Y, 0.2+0.5*x+0.1*float64(k))
		}
		rows, err := frames.FromBlock(schema, block)
		check(err)
		session, err := dpkit.Demo(rows, uint64(k), dpkit.ReplaceOne)
		check(err)
		coordinator, node := federated.Pipe()
		links = append(links, coordinator)
		go func() {
			r, err := federated.Join(ctx, node, session.Data().Scale(), federated.Training{
				Epsilon: 1, Delta: 1e-6, Rounds: 50, Noise: federated.RelativeNoise, Ridge: 0.02,
			})
			check(err)
			results <- r
		}()
	}
	out, err := federated.Train(ctx, links, federated.Options{Rounds: 50})
	check(err)
	r := <-results
	fmt.Println(len(out.Facts), "nodes, each", r.Cost.Guarantee)
	fmt.Println("one model:", r.Value.LinearModel)
	// Output:
	// 2 nodes, each (1, 1e-06)-DP, replace-one, unconditional
	// one model: linear model of score on 1 columns; signs and sizes of coefficients cannot be read: the point is the coordinator's choice, which may have used other nodes' answers; NOT PRIVATE: a demonstration: its noise is reproducible
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
