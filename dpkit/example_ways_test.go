package dpkit_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
)

// The first two are free: which cells are occupied changes by one when one row does. To keep a row as it is takes its place in
// the order of values, which other rows may take over.
func ExampleDeduper() {
	session, err := dpkit.Demo(patients(), 1, dpkit.ReplaceOne)
	check(err)
	for _, how := range []dpkit.Deduper{
		dpkit.Exact{}, dpkit.Grid{Width: 5, Representative: dpkit.CellCenter}, dpkit.Grid{Width: 5, Representative: dpkit.CellSmallest},
	} {
		cost, err := session.Data().Select("age").Dedup(how).Scale().Mean(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Cost()
		check(err)
		fmt.Printf("%v: noise × %.3g\n", cost.Steps[1].Name, cost.Release.Amplification())
	}
	// Output:
	// Dedup(Exact{}): noise × 1
	// Dedup(Grid{Width: 5}): noise × 1
	// Dedup(Grid{Width: 5, Representative: CellSmallest}): noise × 2
}

// Which row stands for a cell.
func ExampleRepresentative() {
	for _, r := range []dpkit.Representative{dpkit.CellCenter, dpkit.CellSmallest} {
		fmt.Println(r)
	}
	// Output:
	// CellCenter
	// CellSmallest
}

// Public numbers cost nothing, quantiles of the rows do.
func ExampleWinsorizer() {
	session, err := dpkit.Demo(patients(), 1, dpkit.ReplaceOne)
	check(err)
	for _, how := range []dpkit.Winsorizer{
		dpkit.PublicQuantiles{Lo: []float64{18}, Hi: []float64{90}}, dpkit.SmoothedQuantile{Q: 0.05, Window: 0.05},
	} {
		printLast(session.Data().Select("age").Winsorize(how, "age"))
	}
	// Output:
	// Winsorize(PublicQuantiles{Lo: [18], Hi: [90]}, "age"): public, 0 queries, noise × 1
	// Winsorize(SmoothedQuantile{Q: 0.05, Window: 0.05}, "age"): non-private, 0 queries, noise × 2.5
}

// Scales that are fitted without noise are paid for by the noise at the end, private ones by their share of the budget.
func ExampleStandardizer() {
	session, err := dpkit.Demo(patients(), 1, dpkit.ReplaceOne)
	check(err)
	for _, how := range []dpkit.Standardizer{dpkit.RMS{Floor: 0.1}, dpkit.Standard{Floor: 0.1}, dpkit.PrivateRMS{Share: 0.1, Floor: 0.1}} {
		printLast(session.Data().Select("age").Scale().Standardize(how))
	}
	// Output:
	// Standardize(RMS{Floor: 0.1}): non-private, deployed, 0 queries, noise × 3.5
	// Standardize(Standard{Floor: 0.1}): non-private, deployed, 0 queries, noise × 11
	// Standardize(PrivateRMS{Share: 0.1, Floor: 0.1}): private, 1 queries, noise × 1
}

// Columns that hardly vary shrink to nothing.
func ExampleFeatureSelector() {
	session, err := dpkit.Demo(patients(), 1, dpkit.ReplaceOne)
	check(err)
	var how dpkit.FeatureSelector = dpkit.SoftSelect{Lambda: 0.01}
	printLast(session.Data().OneHot().Impute(dpkit.Midpoint{}).Scale().SelectFeatures(how))
	// Output:
	// SelectFeatures(SoftSelect{Lambda: 0.01}): non-private, 0 queries, noise × 2.86
}

// How much of a direction each filter keeps, by the eigenvalue of the rows' second moment.
func ExampleSpectralFilter() {
	for _, filter := range []dpkit.SpectralFilter{dpkit.SoftThreshold{Lambda: 0.1}, dpkit.Tikhonov{Lambda: 0.1}, dpkit.Ramp{Start: 0.05, Width: 0.2}} {
		keeps, err := dpkit.Response(filter, 1)
		check(err)
		fmt.Printf("%v: %.2f of 0.01, %.2f of 0.2, %.2f of 0.5\n", filter, keeps(0.01), keeps(0.2), keeps(0.5))
	}
	// Output:
	// SoftThreshold{0.1}: 0.00 of 0.01, 0.29 of 0.2, 0.55 of 0.5
	// Tikhonov{0.1}: 0.09 of 0.01, 0.67 of 0.2, 0.83 of 0.5
	// Ramp{Start: 0.05, Width: 0.2}: 0.00 of 0.01, 0.75 of 0.2, 1.00 of 0.5
}

// Laplace and geometric noise need no δ, and are the smaller ones where a row changes one count. Over many numbers at once Gaussian noise is.
func ExampleNoise() {
	session, err := dpkit.Demo(patients(), 1, dpkit.AddRemove)
	check(err)
	for _, noise := range []dpkit.Noise{dpkit.NoiseGaussian, dpkit.NoiseLaplace, dpkit.NoiseGeometric} {
		target := dpkit.Target{Epsilon: 1, Noise: noise}
		if noise == dpkit.NoiseGaussian {
			target.Delta = 1e-6
		}
		cost, err := session.Data().Histogram("ward", target).Cost()
		check(err)
		fmt.Printf("%v: σ = %.3g\n", cost.Guarantee, cost.Release.Sigma)
	}
	// Output:
	// (1, 1e-06)-DP, add/remove, unconditional: σ = 4.22
	// (1, 0)-DP, add/remove, unconditional: σ = 1.41
	// (1, 0)-DP, add/remove, unconditional: σ = 1.36
}

// Conditions are public, and all of them must hold.
func ExampleCondition() {
	session, err := dpkit.Demo(patients(), 1, dpkit.AddRemove)
	check(err)
	where := []dpkit.Condition{dpkit.Is("ward", "surgery"), dpkit.Between("age", 60, 100)}
	fmt.Println(session.Data().Count(dpkit.Target{Epsilon: 1, Delta: 1e-6}, where...))
	// Output:
	// Count(ε = 1, δ = 1e-06, Is("ward", "surgery"), Between("age", 60, 100))
}

// One model by three methods, each under the same guarantee.
func ExampleLogisticMethod() {
	session, err := dpkit.Demo(patients(), 1, dpkit.AddRemove)
	check(err)
	data := session.Data().OneHot().Impute(dpkit.Midpoint{}).Scale()
	for _, how := range []dpkit.LogisticMethod{
		dpkit.ByGradient{Epsilon: 1, Delta: 1e-6}, dpkit.ByObjective{Epsilon: 1, Delta: 1e-6}, dpkit.ByMixing{Epsilon: 1, Delta: 1e-6},
	} {
		cost, err := data.FitLogistic(how).Cost()
		check(err)
		fmt.Printf("%s: within ε = 1: %t\n", cost.Release.Name, cost.Guarantee.Epsilon <= 1)
	}
	// Output:
	// FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-06}): within ε = 1: true
	// FitLogistic(ByObjective{Epsilon: 1, Delta: 1e-06}): within ε = 1: true
	// FitLogistic(ByMixing{Epsilon: 1, Delta: 1e-06}): within ε = 1: true
}

// A number that the price of a step rests on: promised, tested privately, or asked for privately.
func ExampleCertificate() {
	for _, c := range []dpkit.Certificate{
		dpkit.Declare(500), dpkit.Test(500, dpkit.Tested{Share: 0.05, Delta: 1e-9}), dpkit.Bound(dpkit.Tested{Share: 0.05, Delta: 1e-9}),
	} {
		fmt.Println(c.Ground(), c.Known())
	}
	// Output:
	// declared true
	// tested true
	// tested false
}
