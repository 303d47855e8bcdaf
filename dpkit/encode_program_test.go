package dpkit

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// randomEncoding is one step of an encoding, a keyed fit or a public function on a random column of
// a random program.
func randomEncoding(r *rand.Rand) func(Pipeline) Pipeline {
	name := fmt.Sprint("c", r.IntN(4))
	positive := func() float64 { return math.Exp(2 * r.NormFloat64()) }
	switch r.IntN(10) {
	case 0:
		prior := TargetPrior{Weight: positive(), Value: float64(r.IntN(3)) / 2}
		return func(q Pipeline) Pipeline { return q.TargetEncode(prior, name) }
	case 1:
		return func(q Pipeline) Pipeline { return q.FrequencyEncode(name) }
	case 2:
		return func(q Pipeline) Pipeline { return q.RankTransform(name) }
	case 3:
		bins := 2 + r.IntN(4)
		return func(q Pipeline) Pipeline { return q.QuantileBin(bins, name) }
	case 4:
		cell := CellMean{Width: positive(), Weight: positive()}
		return func(q Pipeline) Pipeline { return q.QuantizeMeans(cell, name) }
	case 5:
		return func(q Pipeline) Pipeline { return q.Impute(Median{}, name) }
	case 6:
		ridge := Ridge{Lambda: positive() / 3, Pad: r.IntN(3)}
		return func(q Pipeline) Pipeline { return q.Impute(ridge, name) }
	case 7:
		return func(q Pipeline) Pipeline { return q.Ordinal(name) }
	case 8:
		edges := []float64{r.NormFloat64()}
		return func(q Pipeline) Pipeline { return q.Bin(edges, name) }
	default:
		into := []string{"w", name}[r.IntN(2)]
		o := MutateOptions{From: []string{name}, Func: "test.wave", Version: "1", Lo: -r.Float64(), Hi: r.Float64(), Lipschitz: 1}
		return func(q Pipeline) Pipeline { return q.Mutate(into, o) }
	}
}
