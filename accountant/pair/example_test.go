package pair_test

import (
	"fmt"
	"log"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
)

// Centring moves every row when one row changes. By how much in total?
func ExampleState_Propagate() {
	p, err := pair.Start(1000, 1, accountant.ReplaceOne)
	if err != nil {
		log.Fatal(err)
	}
	const n = 1000
	p, err = p.Propagate(pair.StepBounds{
		K: 1, KF: 1,
		A1: p.D() * (n - 1) / n, AF: p.D() * 31.61 / n, AInf: p.D() / n, // √(n−1) < 31.61
		Affected: n - 1,
		R:        2,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p)
	// Output:
	// replace-one pair of 1000 rows, norm ≤ 2: 1 free (moved ≤ 2.00201), 999 displaced (total ≤ 1.998, Frobenius ≤ 0.063214, each ≤ 0.002)
}
