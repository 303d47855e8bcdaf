package perinstance

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// Synthetic draws n rows of d features, uniform on the unit sphere, with labels of a logistic model whose coefficients have
// norm 4.
func Synthetic(n, d int, seed uint64) (*frames.Frame, error) {
	rng := rand.New(rand.NewPCG(seed, uint64(d)))
	direction := func() []float64 {
		x, size := make([]float64, d), 0.0
		for j := range x {
			x[j] = rng.NormFloat64()
			size += x[j] * x[j]
		}
		for j := range x {
			x[j] /= math.Sqrt(size) * (1 + 0x1p-40)
		}
		return x
	}
	var cols []frames.Column
	for j := range d {
		cols = append(cols, frames.Numeric(fmt.Sprintf("x%d", j+1), -1, 1))
	}
	schema, err := frames.NewSchema(append(cols, frames.Label("y", "no", "yes"))...)
	if err != nil {
		return nil, err
	}
	w := direction()
	b := &frames.Block{Rows: n, Cols: d}
	for range n {
		x, u := direction(), 0.0
		for j, v := range x {
			u += 4 * v * w[j]
		}
		y := 0.0
		if rng.Float64() < 1/(1+math.Exp(-u)) {
			y = 1
		}
		b.X, b.Y = append(b.X, x...), append(b.Y, y)
	}
	return frames.FromBlock(schema, b)
}

// Kidney is the chain for the kidney rows: missing cells become the middle of their public range.
func Kidney(p dpkit.Pipeline) dpkit.Pipeline { return p.OneHot().Impute(dpkit.Midpoint{}).Scale() }

// Credit is the chain for the credit default rows.
func Credit(p dpkit.Pipeline) dpkit.Pipeline { return p.OneHot().Scale() }
