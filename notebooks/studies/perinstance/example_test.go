package perinstance_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/notebooks/studies/perinstance"
)

// The results that the notebook draws are part of the package.
func ExampleStored() {
	r, err := perinstance.Stored()
	if err != nil {
		fmt.Println(err)
		return
	}
	beyond := 0
	for _, k := range r.Kidney {
		if k.Beyond > r.Settings.Rho {
			beyond++
		}
	}
	fmt.Printf("%d ways to release, bounds fail too often in %d\n", len(r.Kidney), beyond)
	// Output:
	// 7 ways to release, bounds fail too often in 0
}
