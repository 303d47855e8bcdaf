package pld_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/accountant/pld"
)

// A hundred Gaussian releases with μ = 0.1 are one with μ = 1: the interval holds its exact δ.
func Example() {
	law, err := pld.NewGaussian(0.1)
	if err != nil {
		fmt.Println(err)
		return
	}
	composition, err := pld.Compose(pld.Term{Law: law, Count: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	delta, err := composition.Delta(1, pld.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	const exact = 0.126936737506643945800829624758
	fmt.Printf("δ(1) = %.3f, exact within: %v\n", delta.Upper, delta.Lower <= exact && exact <= delta.Upper)
	// Output:
	// δ(1) = 0.127, exact within: true
}
