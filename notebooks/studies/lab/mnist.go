package lab

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

// PooledMNIST is [datasets.MNIST3v8] with the mean of each 4×4 square of pixels: a public function of a row, which leaves 49 features of 784.
func PooledMNIST() (*frames.Frame, string, error) {
	f, origin, err := datasets.MNIST3v8()
	if err != nil {
		return nil, "", err
	}
	label, _ := f.Schema().Label()
	var cols []frames.Column
	for i := range 49 {
		cols = append(cols, frames.Numeric(fmt.Sprintf("square %d,%d", i/7+1, i%7+1), 0, 255))
	}
	schema, err := frames.NewSchema(append(cols, label)...)
	if err != nil {
		return nil, "", err
	}
	out := &frames.Block{Rows: f.Rows(), Cols: 49, X: make([]float64, 49*f.Rows())}
	at := 0
	err = frames.Public(f).Frame().Scan(context.Background(), func(b *frames.Block) error {
		for i := range b.Rows {
			for j, v := range b.Row(i) {
				out.X[at*49+j/28/4*7+j%28/4] += v / 16
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
