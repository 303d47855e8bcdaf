package viz_test

import (
	"context"
	"fmt"
	"os"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
	"github.com/dpkit-go/dpnb/viz"
)

func ExampleRDP() {
	const rel = accountant.AddRemove
	once := accountant.Gaussian{Sensitivity: 1, Sigma: 2, Neighbours: rel}
	v := viz.RDP(rel, viz.NamedEvent{Name: "one sum", Event: once}, viz.NamedEvent{Name: "ten sums", Event: accountant.Repeat(once, 10)})
	_ = v.To(os.Stdout) // in a notebook: v.Show()
	// Output:
	// Rényi curves, add/remove neighbours
	//
	// Losses add up along composition at every order.
	//
	// Rényi divergence of order α [nats] over order α, both logarithmic
	// series    from 1.01 to 1000
	// ------------------------------------------
	// one sum   ▁▁▁▁▂▂▂▂▂▂▃▃▃▃▃▃▄▄▄▄▄▅▅▅▅▅▅▆▆▆▆▆
	// ten sums  ▃▃▃▃▃▄▄▄▄▄▄▅▅▅▅▅▆▆▆▆▆▆▇▇▇▇▇▇████
	//
	// order α  one sum  ten sums
	// --------------------------
	//    1.01   0.1263     1.263
	//    2.22   0.2771     2.771
	//    5.31   0.6634     6.634
	//    12.7    1.589     15.89
	//    30.4    3.803     38.03
	//    72.8    9.106     91.06
	//     174    21.81     218.1
	//     418    52.21     522.1
	//    1000      125      1250
}

func ExampleRDPCurves() {
	// Two routes of one release on a pair with displaced rows.
	direct := func(alpha float64) float64 { return 0.02 * alpha }
	group := func(alpha float64) float64 { return 0.08 * alpha }
	routes := accountant.Routes{{Name: "direct", Curve: direct}, {Name: "group of 2", Curve: group}}
	_ = viz.RDPCurves(routes...).To(os.Stdout)
	// Output:
	// Rényi curves
	//
	// Losses add up along composition at every order.
	//
	// Rényi divergence of order α [nats] over order α, both logarithmic
	// series      from 1.01 to 1000
	// --------------------------------------------
	// direct      ▁▁▁▁▂▂▂▂▂▃▃▃▃▃▄▄▄▄▄▅▅▅▅▅▆▆▆▆▆▆▇▇
	// group of 2  ▂▂▃▃▃▃▃▃▄▄▄▄▄▅▅▅▅▅▆▆▆▆▆▇▇▇▇▇████
	//
	// order α   direct  group of 2
	// ----------------------------
	//    1.01   0.0202      0.0808
	//    2.22  0.04433      0.1773
	//    5.31   0.1062      0.4246
	//    12.7   0.2542       1.017
	//    30.4   0.6085       2.434
	//    72.8    1.457       5.828
	//     174    3.489       13.96
	//     418    8.353       33.42
	//    1000       20          80
}

func ExampleProfiles() {
	const rel = accountant.ReplaceOne
	sum := accountant.Gaussian{Sensitivity: 1, Sigma: 3, Neighbours: rel}
	_ = viz.Profiles(rel, viz.NamedEvent{Name: "a sum", Event: sum}).To(os.Stdout)
	// Output:
	// Privacy profiles, replace-one neighbours
	//
	// Each point is a guarantee: (ε, δ)-DP holds on the line and above it.
	//
	// δ over ε, logarithmic upward
	// series  from 0 to 2.254
	// ----------------------------------------
	// a sum   █████▇▇▇▇▇▇▇▆▆▆▆▆▅▅▅▅▄▄▄▃▃▃▂▂▂▁▁
	//
	//      ε      a sum
	// -----------------
	//      0     0.1324
	// 0.2674    0.04527
	// 0.5347   0.009927
	// 0.8402  0.0009434
	//  1.108  6.697e-05
	//  1.375  2.677e-06
	//  1.681  3.273e-08
	//  1.948  3.632e-10
	//  2.254      1e-12
}

func ExampleAccountants() {
	const rel = accountant.AddRemove
	step := accountant.SubsampledGaussian{C: 1, Sigma: 2, Sampling: accountant.PoissonSampling(0.05), Neighbours: rel}
	training := viz.NamedEvent{Name: "100 steps", Event: accountant.Repeat(step, 100)}
	_ = viz.Accountants(training, rel, 1e-6).To(os.Stdout)
	// Output:
	// What several accountants make of 100 steps, add/remove neighbours
	//
	// All of them are upper bounds, so that the lowest line holds. Without Gaussian DP: not known for this
	// event. Without an exact profile: not known for this event.
	//
	// δ over ε, logarithmic upward
	// series                      from 0 to 2.265                   first        last
	// ---------------------------------------------------------------------------------------------
	// Rényi DP, ε = 1.397         █████▇▇▇▇▇▇▆▆▆▆▆▅▅▅▅▄▄▄▃▃▃▂▂▂▁▁▁  0.1633 at 0  1.004e-12 at 2.265
	// numerical (PLD), ε = 1.274  ███▇▇▇▇▇▇▇▆▆▆▆▅▅▅▅▄▄▄▃▃▃▃▂▂▁▁▁▁▁  0.1049 at 0  1.108e-13 at 2.265
	//
	// Line at δ = 1e-06: δ = 1e-06
}

func ExampleBurnDown() {
	// status and entries come from a session's ledger: l.Status(), l.Entries().
	budget := accountant.Budget{Epsilon: 2, Delta: 1e-6}
	status := ledger.Status{
		Dataset: "survey", Budget: budget, Neighbours: accountant.ReplaceOne, Scope: accountant.Scope{Kind: accountant.Unconditional},
		Spent: accountant.Budget{Epsilon: 1.16, Delta: 1e-6}, Left: accountant.Budget{Epsilon: 1.6, Delta: 1e-6}, Releases: 2,
	}
	entries := []ledger.Entry{
		{Seq: 1, Name: "means", Mu: 0.1, Guarantee: accountant.Guarantee{Budget: accountant.Budget{Epsilon: 0.4, Delta: 1e-6}}},
		{Seq: 3, Name: "model", Mu: 0.24, Guarantee: accountant.Guarantee{Budget: accountant.Budget{Epsilon: 1.1, Delta: 1e-6}}},
	}
	_ = viz.BurnDown(status, entries).To(os.Stdout)
	// Output:
	// Budget of "survey", release by release
	//
	// After 2 charges 66.36 % of μ*² is left: as one release, ε = 1.6 at δ = 1e-06.
	//
	// Charges; shares of μ*² add up, ε does not
	// record  release  ε alone  share of μ*², %  ε so far  left, %
	// ------------------------------------------------------------
	//      1  means        0.4            4.976    0.3969    95.02
	//      3  model        1.1            28.66      1.16    66.36
}

func ExampleUtility() {
	eps := []float64{0.5, 1, 2}
	runs := [][]float64{{71, 74, 72}, {78, 79, 77}, {81, 81.5, 82}} // three releases at each
	v := viz.Utility(viz.Axis{Name: "accuracy", Unit: "%"}, "Means of three releases with 95 % intervals.", viz.MeanBand("noisy gradients", 0.95, eps, runs))
	_ = v.To(os.Stdout)
	// Output:
	// accuracy against ε
	//
	// Means of three releases with 95 % intervals.
	//
	// accuracy [%] over ε, logarithmic to the right
	// series           from 0.5 to 2
	// -------------------------------------------------
	// noisy gradients  ▃▃▃▃▄▄▄▄▄▅▅▅▅▅▅▆▆▆▆▆▆▆▆▇▇▇▇▇▇▇▇▇
	//
	//   ε    noisy gradients
	// ----------------------
	// 0.5  72.3 [68.5, 76.1]
	//   1    78 [75.5, 80.5]
	//   2  81.5 [80.3, 82.7]
}

func ExamplePDP() {
	// The curator opened these: pdp.Curator.Open.
	losses := []float64{0.02, 0.03, 0.03, 0.05, 0.11, 0.4}
	_ = viz.PDP(1, viz.Losses{Name: "members", Values: losses}).To(os.Stdout)
	// Output:
	// What one release cost each person
	//
	// !! FOR THE CURATOR ONLY: losses are functions of all the data and are covered by no guarantee: each
	// !! is for the record's owner, and this plot is not for release
	//
	// records over privacy loss of a record [nats]
	// set      from 0 to 0.4                     total  highest
	// ---------------------------------------------------------------------
	// members  ▄▄▁▄▁▁▁▁▁▁▁▁····················      6  2 in 0.0267 to 0.04
	//
	// Line at privacy loss of a record [nats] = 1: promised to all: ε = 1
}

func ExampleScree() {
	eigenvalues := []float64{0.5, 0.25, 0.125, 0.0625} // of a released second moment
	_ = viz.Scree(eigenvalues).To(os.Stdout)
	// Output:
	// Spectrum
	//
	// Eigenvalues: eigenvalue over direction, logarithmic upward
	// series  from 1 to 4
	// ----------------------------------------
	// –       ███▇▇▇▇▆▆▆▆▆▅▅▅▅▄▄▄▄▃▃▃▃▃▂▂▂▂▁▁▁
	//
	// direction  eigenvalue
	// ---------------------
	//         1         0.5
	//         2        0.25
	//         3       0.125
	//         4      0.0625
	//
	// Together: share of the trace [%] over directions
	// series  from 1 to 4
	// ----------------------------------------
	// –       ▅▅▅▅▅▆▆▆▆▆▇▇▇▇▇▇▇▇▇█████████████
	//
	// directions  share of the trace [%]
	// ----------------------------------
	//          1                    53.3
	//          2                      80
	//          3                    93.3
	//          4                     100
}

func ExampleFilters() {
	eigenvalues := []float64{0.5, 0.25, 0.125, 0.0625}
	_ = viz.Filters(1, eigenvalues, dpkit.SoftThreshold{Lambda: 0.1}, dpkit.Tikhonov{Lambda: 0.1}).To(os.Stdout)
	// Output:
	// Spectral filters, on rows of norm at most 1
	//
	// Factor of a direction: factor f(a) over eigenvalue a, logarithmic to the right
	// series              from 0.00625 to 1
	// ----------------------------------------------------
	// SoftThreshold{0.1}  ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▂▂▃▃▃▄▄▄▅▅▅▅▆
	// Tikhonov{0.1}       ▁▁▁▁▁▂▂▂▂▂▂▃▃▃▃▄▄▄▅▅▅▆▆▆▆▇▇▇▇▇▇▇
	//
	// eigenvalue a  SoftThreshold{0.1}  Tikhonov{0.1}
	// -----------------------------------------------
	//      0.00625                   0         0.0588
	//       0.0114                   0          0.102
	//       0.0215                   0          0.177
	//       0.0408                   0           0.29
	//       0.0774                   0          0.436
	//        0.147               0.174          0.595
	//        0.278                 0.4          0.736
	//        0.527               0.565          0.841
	//            1               0.684          0.909
	//
	// Eigenvalues, and a·f(a)² that is left: eigenvalue over direction, logarithmic upward
	// series              from 1 to 4
	// ----------------------------------------------------
	// no filter           █████████▇▇▇▇▇▇▇▇▇▇▇▇▆▆▆▆▆▆▆▆▆▆▆
	// SoftThreshold{0.1}  ▇▆▆▆▆▆▆▅▅▅▅▄▄▄▃▃▃▂▂▁▁···········
	// Tikhonov{0.1}       ██▇▇▇▇▇▇▇▇▇▆▆▆▆▆▆▆▅▅▅▅▅▅▄▄▄▄▄▄▃▃
	//
	// direction  no filter  SoftThreshold{0.1}  Tikhonov{0.1}
	// -------------------------------------------------------
	//         1        0.5               0.153          0.347
	//         2       0.25              0.0338          0.128
	//         3      0.125             0.00139         0.0386
	//         4     0.0625                   0        0.00925
}

func ExampleClassifier() {
	// Scores and labels of public rows.
	m := viz.Scored{
		Name:     "model",
		Scores:   []float64{0.1, 0.2, 0.35, 0.4, 0.6, 0.8, 0.9},
		Positive: []bool{false, false, true, false, true, true, true},
	}
	_ = viz.ROC(m).To(os.Stdout)
	_ = viz.PrecisionRecall(m).To(os.Stdout)
	_ = viz.Calibration(m).To(os.Stdout)
	// Output:
	// Receiver operating characteristic
	//
	// true positive rate over false positive rate
	// series             from 0 to 1                       first   last
	// -------------------------------------------------------------------
	// model, area 0.917  ▆▆▆▆▆▆▆▆▆▆▆█████████████████████  0 at 0  1 at 1
	// chance             ▁▁▁▁▂▂▂▂▃▃▃▃▄▄▄▄▅▅▅▅▆▆▆▆▇▇▇▇▇███  0 at 0  1 at 1
	// Precision and recall
	//
	// precision over recall
	// series                from 0 to 1                       first       last
	// ------------------------------------------------------------------------------
	// model, average 0.950  ········████████████████▆▆▇▇▇▇▇▇  1 at 0.25   0.571 at 1
	// share of positives    ▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅  0.571 at 0  0.571 at 1
	// Calibration
	//
	// share of positives over mean score of a bin
	// series      from 0 to 1                       first                last
	// --------------------------------------------------------------------------------------
	// model       ···▁▁▁▁▂▄▆▇▇▂▁▃▄▅▆▇██████████···  0 [0, 0.793] at 0.1  1 [0.207, 1] at 0.9
	// calibrated  ▁▁▁▁▂▂▂▂▃▃▃▃▄▄▄▄▅▅▅▅▆▆▆▆▇▇▇▇▇███  0 at 0               1 at 1
}

func ExampleSchema() {
	s, err := frames.NewSchema(
		frames.Numeric("age", 17, 90).MayMiss(),
		frames.Category("job", "clerk", "smith"),
		frames.Label("income", "low", "high"),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = viz.Schema(s).To(os.Stdout)
	// Output:
	// Schema: 3 columns, what is public
	//
	// #  column  kind      may hold      may miss  outside its bounds
	// ---------------------------------------------------------------
	// 1  age     numeric   [17, 90]      yes       refused
	// 2  job     category  clerk, smith  no        refused
	// 3  income  label     low, high     no        refused
	//
	// features  1 numeric, 1 category; 3 columns once one-hot encoded
	// may miss  1 feature
	// label     income
}

func ExampleRows() {
	f, err := datasets.SyntheticAdult(200, 1) // rows drawn by a formula: public
	if err != nil {
		fmt.Println(err)
		return
	}
	public := frames.Public(f)
	_ = viz.Missing(public).To(os.Stdout)
	fmt.Println(len(viz.Rows(public, 5).HTML()) > 0)
	// Output:
	// Missing cells
	//
	// 10 columns without missing cells; 200 rows, declared public.
	//
	// share of the column's cells [%]
	// workclass       6    ████████████████████████████████████████
	// occupation      6    ████████████████████████████████████████
	// native-country  1.5  ██████████······························
	// true
}

func ExampleSweep() {
	double := func(_ context.Context, n int) (int, error) { return 2 * n, nil }
	results, err := viz.Sweep(context.Background(), "settings", []int{1, 2, 3}, double)
	fmt.Println(results, err)
	// Output:
	// [2 4 6] <nil>
}

func ExampleGroups() {
	rows, err := datasets.SyntheticAdult(5000, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := dpkit.Demo(rows, 1, dpkit.ReplaceOne) // its noise comes from a seed
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := s.Data().By("sex", "income").Count().Mean("age").Table(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = viz.Groups(r.Value).To(os.Stdout) // in a notebook: v.Show(), a heat map for each statistic
	// Output:
	// Released table: count, mean of age by sex and income
	//
	// NOT PRIVATE: a demonstration: its noise is reproducible
	//
	// Intervals hold the exact number of a group with probability 95 % each; they cover the privacy noise.
	//
	// sex     income  count          95 %  mean of age            95 %
	// ----------------------------------------------------------------
	// Female  <=50K    1421  [1404, 1437]        38.80  [38.34, 39.26]
	// Female  >50K      227    [210, 243]         44.7    [41.9, 47.4]
	// Male    <=50K    2387  [2370, 2403]        36.54  [36.26, 36.82]
	// Male    >50K      947    [930, 963]        44.71  [44.05, 45.37]
}
