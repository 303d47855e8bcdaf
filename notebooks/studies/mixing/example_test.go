package mixing_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/notebooks/studies/mixing"
)

// The results that the notebook draws are part of the package.
func ExampleStored() {
	r, err := mixing.Stored()
	if err != nil {
		fmt.Println(err)
		return
	}
	c := r.Count(mixing.PrintedMixing, mixing.PrintedAdaSSP)
	fmt.Printf("LinearMixing against AdaSSP, both as printed: better in %d places, level in %d, worse in %d\n", c.First, c.Neither, c.Second)
	c = r.Count(mixing.ExactAdaSSP, mixing.PrintedMixing)
	fmt.Printf("AdaSSP with one exact budget against LinearMixing as printed: better in %d places, level in %d, worse in %d\n", c.First, c.Neither, c.Second)
	// Output:
	// LinearMixing against AdaSSP, both as printed: better in 17 places, level in 12, worse in 11
	// AdaSSP with one exact budget against LinearMixing as printed: better in 40 places, level in 0, worse in 0
}
