package lab

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

// PooledMNIST is [datasets.MNIST3v8] with the mean of each 4×4 square of pixels: a public function of a row, which leaves 49 features of 784.
func PooledMNIST() (*frames.Frame, string, error) { return PooledSquares(4) }

// PooledSquares is [datasets.MNIST3v8] with the mean of each square of pixels of that side, which divides 28.
func PooledSquares(side int) (*frames.Frame, string, error) {
	if side < 1 || 28%side != 0 {
		return nil, "", fmt.Errorf("lab: squares of pixels: got side %d, want one that divides 28", side)
	}
	f, origin, err := datasets.MNIST3v8()
	if err != nil {
		return nil, "", err
	}
	label, _ := f.Schema().Label()
	across := 28 / side
	features := across * across
	var cols []frames.Column
	for i := range features {
		cols = append(cols, frames.Numeric(fmt.Sprintf("square %d,%d", i/across+1, i%across+1), 0, 255))
	}
	schema, err := frames.NewSchema(append(cols, label)...)
	if err != nil {
		return nil, "", err
	}
	out := &frames.Block{Rows: f.Rows(), Cols: features, X: make([]float64, features*f.Rows())}
	at := 0
	err = frames.Public(f).Frame().Scan(context.Background(), func(b *frames.Block) error {
		for i := range b.Rows {
			for j, v := range b.Row(i) {
				out.X[at*features+j/28/side*across+j%28/side] += v / float64(side*side)
			}
			at++
		}
		out.Y = append(out.Y, b.Y...)
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	pooled, err := frames.FromBlock(schema, out)
	return pooled, origin, err
}
