package dpkit_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
)

// Preprocessing that is fitted to the rows raises the noise. Ignored, the same noise would be sold as a smaller ε than it has.
func ExampleCost() {
	session, err := dpkit.Demo(patients(), 1, dpkit.ReplaceOne)
	check(err)
	cost, err := session.Data().OneHot().Impute(dpkit.Mean{}).Scale().Mean(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Cost()
	check(err)
	fmt.Printf("amplified: %t, sold without counting as ε = %.2f\n", cost.Amplified(), cost.Release.Uncounted)
	fmt.Printf("the ledger charges what the guarantee says: %t\n", cost.ChargedAs() == "")
	// Output:
	// amplified: true, sold without counting as ε = 0.61
	// the ledger charges what the guarantee says: true
}

// Every way that is known to take each step, priced; the best by public rules is recommended.
func ExampleComparison() {
	session, err := dpkit.Demo(patients(), 1, dpkit.ReplaceOne)
	check(err)
	comparison, err := session.Data().OneHot().Impute(dpkit.Mean{}).Scale().Mean(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Compare()
	check(err)
	fmt.Printf("noise × %.2f as written, × %.2f as recommended\n", comparison.Written.Noise, comparison.Recommended.Noise)
	// Output:
	// noise × 1.58 as written, × 1.00 as recommended
}
