package federated_test

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/federated"
	"github.com/dpkit-go/dpnb/frames"
)

// descent leads the training of one node: plain steps of a public size.
type descent struct{ theta, answer []float64 }

func (d *descent) Begin(_ context.Context, f federated.Facts) error {
	d.theta, d.answer = make([]float64, f.Dim), make([]float64, f.Dim)
	return nil
}

func (d *descent) Point(context.Context, int) ([]float64, error) {
	for j, g := range d.answer {
		d.theta[j] -= 0.5 * g
	}
	return append([]float64(nil), d.theta...), nil
}

func (d *descent) Answer(_ context.Context, _ int, gradient []float64) error {
	d.answer = gradient
	return nil
}

// A node answers ten questions of a coordinator with private gradients, all of them charged before the first.
func ExampleTraining() {
	schema, err := frames.NewSchema(frames.Numeric("hours", 0, 10), frames.NumericLabel("score", 0, 100))
	check(err)
	block := &frames.Block{Rows: 20000, Cols: 1}
	for i := range block.Rows {
		hours := float64(i%101) / 10
		block.X, block.Y = append(block.X, hours), append(block.Y, 10*hours)
	}
	rows, err := frames.FromBlock(schema, block)
	check(err)
	session, err := dpkit.Demo(rows, 1, dpkit.AddRemove)
	check(err)
	training := federated.Training{Epsilon: 2, Delta: 1e-6, Rounds: 10, Noise: federated.ClippedNoise, Clip: 1, Ridge: 0.01}
	r, err := session.Data().Scale().TrainLocally(training, &descent{}).Release(context.Background())
	check(err)
	fmt.Println(len(r.Value.Answers), "answers, and a model that rises with the hours:", r.Value.Coef[0] > 0)
	// Output:
	// 10 answers, and a model that rises with the hours: true
}
