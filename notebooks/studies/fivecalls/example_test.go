package fivecalls_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/notebooks/studies/fivecalls"
)

// The results that the notebook draws are part of the package.
func ExampleStored() {
	r, err := fivecalls.Stored()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"the whole chain", "without Dedup", "without PCA"} {
		w, _ := r.Logistic.Find(name)
		fmt.Printf("%s: %.2f\n", name, w.Median)
	}
	// Output:
	// the whole chain: 0.89
	// without Dedup: 0.83
	// without PCA: 0.86
}
