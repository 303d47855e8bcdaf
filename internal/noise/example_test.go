package noise_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/internal/noise"
)

// A noisy sum of values in [0, 10]: round every value to the grid, add integers, add noise in
// integers, scale back last. The sensitivity that σ is calibrated to includes half a step.
func Example() {
	values := []float64{0.1, 7.25, 3.5, 9.875}
	const sigma, bound = 2.0, 10.0

	grid, steps, err := noise.NewGrid(sigma, bound*float64(len(values)))
	if err != nil {
		fmt.Println(err)
		return
	}
	sums := []int64{0}
	for _, v := range values {
		k, ok := grid.Round(v)
		if !ok {
			fmt.Println("a value is outside its public bound")
			return
		}
		sums[0] += k
	}
	noise.AddGaussian(noise.NewDemo(7), sums, steps) // noise.New() outside of lessons
	fmt.Printf("h = 2^%d, σ = %d steps, noisy sum %.4f\n", grid.Exp, steps, grid.Value(sums[0]))
	// Output: h = 2^-55, σ = 72057594037927936 steps, noisy sum 18.5176
}
