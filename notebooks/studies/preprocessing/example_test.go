package preprocessing_test

import (
	"fmt"
	"log"

	"github.com/dpkit-go/dpnb/notebooks/studies/preprocessing"
)

// A dataset that loses more than the paper prints.
func ExampleAttacks() {
	all, err := preprocessing.Attacks()
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range all {
		if a.Name == "scaling, M_G" {
			fmt.Printf("%s, %s: printed %.0f, observed %.0f %s\n", a.Claim, a.Data, a.Printed, a.Observed, a.Unit)
		}
	}
	// Output: M_G behind scaling: 1.05(1 + 4/σ³), two heaps of 5·10⁴ values, σ = 0.05: printed 33602, observed 281385 αε²
}

// What the study found at ε = 1: a projection that is not paid for does what none does.
func ExampleStored() {
	r, err := preprocessing.Stored()
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range []string{preprocessing.NoStep, preprocessing.Uncounted} {
		c, _ := preprocessing.Find(r.Wide.Cells, m, 0, 1)
		fmt.Printf("%s: accuracy %.2f\n", m, c.Right)
	}
	// Output:
	// no preprocessing: accuracy 0.85
	// PCA, its price left out: accuracy 0.85
}
