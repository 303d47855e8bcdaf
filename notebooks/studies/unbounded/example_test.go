package unbounded_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/notebooks/studies/unbounded"
)

// The results that the notebook draws are part of the package.
func ExampleStored() {
	r, err := unbounded.Stored()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range r.Sweeps["kappa"] {
		_, adaptive, _ := p.Quartiles(unbounded.Adaptive)
		_, guessed, _ := p.Quartiles(unbounded.Guessed)
		fmt.Printf("κ = %.0e: adaptive better than wide bounds: %v\n", p.Kappa, adaptive < guessed)
	}
	// Output:
	// κ = 1e+00: adaptive better than wide bounds: true
	// κ = 1e+02: adaptive better than wide bounds: true
	// κ = 1e+04: adaptive better than wide bounds: true
	// κ = 1e+06: adaptive better than wide bounds: true
	// κ = 1e+08: adaptive better than wide bounds: true
}
