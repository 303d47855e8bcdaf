package linalg_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/internal/linalg"
)

// The Gram matrix of two rows, in one pass, and its factor.
func Example() {
	x := []float64{
		2, 1,
		0, 1,
	}
	g, err := linalg.NewGram(2)
	if err != nil {
		fmt.Println(err)
		return
	}
	upper := make([]float64, 4)
	if err := g.Add(x, 2, 2); err != nil {
		fmt.Println(err)
		return
	}
	if err := g.Upper(upper); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(upper)
	l, err := linalg.Cholesky([]float64{4, 2, 2, 2}, 2)
	fmt.Println(l, err)
	// Output:
	// [4 2 0 2]
	// [2 0 1 1] <nil>
}
