package fourier_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/internal/fourier"
)

// Two dice: their law is multiplied by itself among the coefficients, and comes back as that of the sum.
func ExampleReal() {
	const n = 16
	die := make([]float64, n)
	for face := 1; face <= 6; face++ {
		die[face] = 1
	}
	transform := fourier.NewReal(n)
	coefficients := make([]complex128, n/2+1)
	transform.Coefficients(coefficients, die)
	for i, c := range coefficients {
		coefficients[i] = c * c
	}
	transform.Sequence(die, coefficients)
	for sum := 2; sum <= 12; sum++ {
		fmt.Printf("%.0f ", die[sum]/n)
	}
	// Output:
	// 1 2 3 4 5 6 5 4 3 2 1
}
